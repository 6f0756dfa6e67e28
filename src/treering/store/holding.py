"""What a head holds: all it reaches without going through a promotion.

A promotion takes some versions of some memories, and leads to all that its source ever said. Who
takes reach for holding lets go of what was left behind, and of everything, once someone pushes a
promotion that says it took all there is.

git tells at once what commits reach, promotions or not. So that is asked first, for many heads
together; only where something is reached, a walk tells whether it is held, newest commits first.
"""

import heapq
from collections.abc import Collection

from treering.errors import StoreDamaged
from treering.git.repository import Repository
from treering.store import message

_TRAILER = "\nPromoted-Into: "


def is_held(repository: Repository, commit: str, by: str) -> bool:
    """Whether a head is a commit, or holds it."""
    if commit == by:
        return True
    return repository.is_ancestor(commit, by) and bool(list_held(repository, [commit], [by]))


def list_held(repository: Repository, some: Collection[str], by: Collection[str]) -> set[str]:
    """Those of some commits that others have below them and hold."""
    left, seen = set(some), set(by)
    waiting: list[tuple[int, str, tuple[str, ...]]] = []

    def look_at(oid: str) -> None:
        try:
            commit = repository.objects.commit(oid)
        except StoreDamaged:
            return  # where a shallow clone was cut off
        if not _is_promotion(commit.message):
            heapq.heappush(waiting, (-commit.time, oid, commit.parents))

    for oid in by if left else ():
        look_at(oid)
    while waiting and left:
        for parent in heapq.heappop(waiting)[2]:
            left.discard(parent)
            if parent not in seen:
                seen.add(parent)
                look_at(parent)
    return set(some) - left


def _is_promotion(text: str) -> bool:
    return _TRAILER in text and message.read(text).is_promotion
