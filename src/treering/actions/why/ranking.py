"""How well a memory explains lines: by the ways that lead to it, and by its words. No I/O.

Each way has a weight, and several add up without ever being certain: a decision made beside the
very commit, on the branch that landed, naming this file, is first. What was learned about the file
since the lines were written explains them no more, and comes after.
"""

import re
from collections.abc import Mapping
from typing import Literal

from treering.model.memory import Memory
from treering.model.tables import read_word_list
from treering.text.words import words

Via = Literal["lines", "branch", "commit", "session", "file", "link"]
#: In the order an answer lists them.
VIAS: tuple[Via, ...] = ("lines", "branch", "commit", "session", "file", "link")

_WEIGHTS: dict[Via, float] = {
    "lines": 0.5, "branch": 0.35, "commit": 0.35, "session": 0.2, "file": 0.3, "link": 0.2,
}  # fmt: skip
#: What git shows anyway, and what was going on, explain less than what somebody meant to say.
_TYPES = {
    "decision": 1.0, "commit": 0.55, "session": 0.5, "checkpoint": 0.4, "progress": 0.5,
    "context": 0.85,
}  # fmt: skip
_OTHER_TYPE = 0.95
_STATUSES = {"superseded": 0.75, "needs-review": 0.95}
_WORDS = 0.3
_ENOUGH_WORDS = 4
_SINCE = 0.4
#: Words of a language, not of what a line is about.
_SILENT = read_word_list("words", "keywords")


def score(
    memory: Memory, ways: Mapping[Via, float], asked: frozenset[str], *, is_since: bool
) -> float:
    """From 0 to 1; `ways` says how strongly each way leads to the memory."""
    doubt = 1.0
    for via, strength in ways.items():
        doubt *= 1 - _WEIGHTS[via] * strength
    value = (1 - doubt) + doubt * _WORDS * overlap(memory, asked)
    value *= _TYPES.get(memory.type, _OTHER_TYPE) * _STATUSES.get(memory.status, 1.0)
    value *= 0.85 + 0.15 * memory.confidence
    return round(value * (_SINCE if is_since else 1.0), 4)


def overlap(memory: Memory, asked: frozenset[str]) -> float:
    """How many of the words of some lines a memory has; a few are enough."""
    if not asked:
        return 0.0
    own = list_words(f"{memory.title}\n{memory.content[:4000]}\n{' '.join(memory.tags)}")
    return min(len(asked & own) / min(len(asked), _ENOUGH_WORDS), 1.0)


def list_words(text: str) -> frozenset[str]:
    """The telling words of prose or code; `retry_limit` and `retryLimit` are two."""
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|[_\W]+", " ", text)
    return frozenset(word for word in words(apart) if len(word) > 1 and word not in _SILENT)
