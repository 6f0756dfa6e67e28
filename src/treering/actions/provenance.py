"""Whose a memory is, and what looks wrong with it: said beside its text, which stays as it is.

Both are signals. An author is what the memory claims, as in git; a sign is a pattern. What an agent
is shown unasked is fenced as well (see fence.py).
"""

from functools import lru_cache

from treering.capture.suspicion import suspicion
from treering.model.memory import Memory

_REMEMBERED = 1024


def origin_of(memory: Memory, me: str) -> str:
    """you, teammate, or unverified: nobody's, or brought in from elsewhere."""
    if not memory.author or memory.source == "import":
        return "unverified"
    return "you" if memory.author == me else "teammate"


def flags_of(memory: Memory) -> tuple[str, ...] | None:
    """The signs its title or text bears of wanting to steer an agent; None for none."""
    return _signs(f"{memory.title}\n{memory.content}") or None


@lru_cache(maxsize=_REMEMBERED)
def _signs(text: str) -> tuple[str, ...]:
    return suspicion(text)  # a third of a millisecond for a long one, and recall shows ten
