"""Near-duplicates in the best results, folded under the best of them."""

from collections.abc import Sequence
from functools import lru_cache

from treering.search.entry import Entry, are_alike

ALIKE = 0.85
FOLDABLE = 50  # results looked at
_PROBES = 3  # alike sketches nearly always share one of their three smallest hashes
_WORD = 4


def folds(entries: Sequence[Entry]) -> dict[int, int]:
    """Place -> the better place it is folded under, for the first results, best first.

    Copies of one memory (the same id on two branches) fold as well.
    """
    buckets: dict[str | bytes, list[int]] = {}
    under: dict[int, int] = {}
    for place, entry in enumerate(entries[:FOLDABLE]):
        probes: list[str | bytes] = [entry.id, *_smallest(entry.sketch)]
        seen = {other for probe in probes for other in buckets.get(probe, ())}
        same = [other for other in seen if _same(entries[other], entry)]
        if same:
            under[place] = min(same)
            continue
        for probe in probes:
            buckets.setdefault(probe, []).append(place)
    return under


def _same(one: Entry, other: Entry) -> bool:
    return one.id == other.id or (
        one.type == other.type and one.sketch != b"" and are_alike(one, other, ALIKE)
    )


@lru_cache(4096)
def _smallest(sketch: bytes) -> list[bytes]:
    return [sketch[at : at + _WORD] for at in range(0, min(len(sketch), _PROBES * _WORD), _WORD)]
