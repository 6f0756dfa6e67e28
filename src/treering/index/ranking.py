"""The second look at the best candidates: how much they cover, what stands beside them, how they
fare.

Every rule here is modest: words decide, and age, confidence, status or branch only settle what
words leave open. The pool is of fixed size, so a longer answer never changes the order of a shorter
one.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from treering.index.entry import Entry
from treering.index.scorer import Clause, coverage
from treering.index.view import View

POOL = 100
COVERED = 0.25  # the power coverage is raised to
PREVIOUS, NEXT = 0.3, 0.2
_SOURCES = 20  # this many of the best lift their neighbours
_LIFTED = 4  # in one session
_RECENT = 14 * 86400.0
_FADING = 90 * 86400.0


@dataclass(slots=True)
class Candidate:
    """A document on its way to becoming a hit, with the parts its score is made of."""

    number: int
    score: float
    parts: dict[str, float] = field(default_factory=dict)


def covering(scores: Mapping[int, float], clauses: Sequence[Clause]) -> dict[int, float]:
    """Scores that also count how much of the question is answered."""
    if len(clauses) < 2:
        return dict(scores)
    shares = coverage(scores, clauses)
    return {n: score * shares[n] ** COVERED for n, score in scores.items()}


def lifts(scores: Mapping[int, float], view: View) -> dict[int, float]:
    """What the neighbours in their sessions lend to documents.

    A conversation answers in the turn after the question, a session explains before it decides.
    Only the best lend, and only a few documents of a session are lifted, so that one talkative
    session does not fill the answer.
    """
    lent: dict[int, float] = {}
    lifted: Counter[str] = Counter()
    sources = sorted(scores, key=lambda n: (-scores[n], n))[:_SOURCES]
    for number in sources:
        session = view.entry(number).session
        if not session or number not in view.places:
            continue
        members, place = view.sessions[session], view.places[number]
        for step, share in ((1, PREVIOUS), (-1, NEXT)):
            other = place + step
            if not 0 <= other < len(members):
                continue
            neighbour = members[other]
            if neighbour not in scores and neighbour not in lent:
                if lifted[session] >= _LIFTED:
                    continue
                lifted[session] += 1
            lent[neighbour] = lent.get(neighbour, 0.0) + share * scores[number]
    return lent


def prior(entry: Entry, layer: int, now: float) -> float:
    """A factor of at most 1 for how a memory fares apart from its words."""
    age = max(0.0, now - max(entry.created, entry.modified))
    return (
        (0.95 + 0.05 * math.exp(-age / _FADING))
        * (0.93 + 0.07 * entry.confidence)
        * (1.0 if entry.status == "active" else 0.95)
        * (1.0 - 0.01 * min(layer, 4))
    )


def is_recent(entry: Entry, now: float) -> bool:
    return now - max(entry.created, entry.modified) < _RECENT
