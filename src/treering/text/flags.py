"""Flags of a memory: signs that it wants to steer an agent, and credentials in it.

One answer, over every field, for every door. It is found once a blob, when the memory is indexed,
and kept with the index. Whoever writes a memory must not decide how long a recall takes, so looking
has a budget; what was not looked at says so.
"""

import time
from collections.abc import Callable

from treering.model.memory import Memory
from treering.text.secrets import secrets_in, texts_of
from treering.text.steering import suspicion

#: What was found by other rules is not what these would find. Whoever keeps findings keeps this
#: number with them, and looks again when it has changed.
DETECTORS = 4
# 1: phrases by pattern, for English and a few orders in other languages
# 2: phrases by kinds of words in fifteen languages, through markup; more kinds of credentials
# 3: English and structure, from data/steering.txt
# 4: passwords made of words and a number

CREDENTIAL = "credential"
UNSCANNED = "unscanned"

#: Seconds of looking in one call, and how many more for each memory that is new: several times what
#: an ordinary one takes. Only the time of this thread counts, so a busy machine changes nothing.
_SECONDS = 0.5
_SECONDS_EACH = 0.005
clock = time.thread_time

#: What looks wrong; None where the budget was used up before.
Inspect = Callable[[Memory], tuple[str, ...] | None]


def flags_of(memory: Memory) -> tuple[str, ...]:
    """The signs a memory bears in any of its fields, and whether a credential is in one."""
    texts = texts_of(memory)
    return _with_credential(suspicion("\n\n".join(texts)), "\n".join(texts))


def flags_in(text: str) -> tuple[str, ...]:
    """The same for a text that is no memory: the name of a branch, a tag, a title of the past."""
    return _with_credential(suspicion(text), text)


def unless_flagged(name: str, otherwise: str) -> str:
    """A name that would stand in a sentence of ours, unless it looks like an order."""
    return otherwise if flags_in(name) else name


def _with_credential(signs: tuple[str, ...], text: str) -> tuple[str, ...]:
    return (*signs, CREDENTIAL) if secrets_in(text) else signs


class DetectorRules:
    """All rules together, as the index uses them; their version is part of its stamp."""

    version = DETECTORS

    def inspect(self, memory: Memory) -> tuple[str, ...] | None:
        """Look, however long it takes: for moments when nobody waits."""
        return flags_of(memory)

    def inspect_briefly(self, count: int = 0) -> Inspect:
        """A look that is refused once the budget of one call, with `count` new memories, is gone.

        One look cannot be interrupted; how long it may take is up to the rules.
        """
        seconds = _SECONDS + _SECONDS_EACH * count

        def inspect(memory: Memory) -> tuple[str, ...] | None:
            nonlocal seconds
            if seconds <= 0:
                return None
            start = clock()
            try:
                return flags_of(memory)
            finally:
                seconds -= clock() - start

        return inspect
