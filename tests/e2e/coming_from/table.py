"""The tools of the systems people come from, and what to call here instead.

Every row is run by test_coming_from.py.
"""

from e2e.coming_from.amalfa import AMALFA
from e2e.coming_from.autology import AUTOLOGY
from e2e.coming_from.knowledge_server import KNOWLEDGE_SERVER
from e2e.coming_from.mama import MAMA
from e2e.coming_from.rows import Row, System
from e2e.coming_from.subcog import SUBCOG

SYSTEMS: tuple[System, ...] = (AUTOLOGY, AMALFA, MAMA, SUBCOG, KNOWLEDGE_SERVER)
ROWS: tuple[Row, ...] = tuple(row for system in SYSTEMS for row in system.rows)
