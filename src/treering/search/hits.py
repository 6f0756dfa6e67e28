"""What a search answers."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Hit:
    """One memory that answers, and why it is there.

    `why` is made of: text, title, tag, phrase, prefix, spelling, semantic, session, recent.
    `parts` are the numbers behind the score; `folded` are blobs of near-duplicates, best first.
    """

    blob: str
    id: str
    score: float
    why: tuple[str, ...] = ()
    parts: Mapping[str, float] = field(default_factory=dict)
    folded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SearchResult:
    """An answer: the hits in order, and what the caller should say about the rest.

    `total` counts every memory that matches; `rest` are the blobs of those beyond the limit, in
    order. Near-duplicates come last, so that all are there once. `withheld` counts what would
    have matched, by status, and as `other_branches` what only other branches hold. `mode` is the
    mode that was really used; `notes` are sentences for the reader.
    """

    hits: tuple[Hit, ...] = ()
    total: int = 0
    rest: tuple[str, ...] = ()
    withheld: Mapping[str, int] = field(default_factory=dict)
    mode: str = "text"
    notes: tuple[str, ...] = ()
