"""What looks wrong with a memory: said beside its text, which stays as it is.

A sign is a pattern, a signal and no verdict. What an agent is shown unasked is fenced as well
(see fence.py).
"""

from functools import lru_cache

from treering.capture.suspicion import suspicion
from treering.model.memory import Memory

_REMEMBERED = 1024


def flags_of(memory: Memory) -> tuple[str, ...] | None:
    """The signs its title or text bears of wanting to steer an agent; None for none."""
    return _signs(f"{memory.title}\n{memory.content}") or None


@lru_cache(maxsize=_REMEMBERED)
def _signs(text: str) -> tuple[str, ...]:
    return suspicion(text)  # a third of a millisecond for a long one, and recall shows ten
