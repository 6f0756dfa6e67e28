"""The ancestry of memory commits: what a head contains, and what is new in one.

A head contains all it reaches without going through a promotion. A promotion takes some versions of
some memories, and leads to all that its source ever said: whatever is only behind one was left, not
taken.

git tells at once what commits reach, promotions or not. So that is asked first, for many heads
together; only where something is reached, a walk tells whether it is contained, newest first.
"""

import heapq
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from treering.errors import StoreDamaged
from treering.git import log
from treering.git.repository import Repository
from treering.store import message

#: Commits with their parents.
Graph = Mapping[str, tuple[str, ...]]
#: Bytes of one commit: our own messages name a few memories each, and joins a few thousand heads.
_LARGEST_COMMIT = 1024 * 1024
TOO_LARGE = "too large to be real"
_TRAILER = "\nPromoted-Into: "


def contains(repository: Repository, head: str, commit: str) -> bool:
    """Return whether a head is a commit, or reaches it without going through a promotion."""
    if commit == head:
        return True
    return repository.is_ancestor(commit, head) and bool(
        list_contained(repository, [head], [commit])
    )


def list_contained(
    repository: Repository, heads: Collection[str], commits: Collection[str]
) -> set[str]:
    """Return those of some commits that heads contain below them."""
    left, seen = set(commits), set(heads)
    waiting: list[tuple[int, str, tuple[str, ...]]] = []

    def visit(oid: str) -> None:
        try:
            commit = repository.objects.commit(oid)
        except StoreDamaged:
            return  # where a shallow clone was cut off
        text = commit.message
        if not (_TRAILER in text and message.read(text).is_promotion):
            heapq.heappush(waiting, (-commit.time, oid, commit.parents))

    for oid in heads if left else ():
        visit(oid)
    while waiting and left:
        for parent in heapq.heappop(waiting)[2]:
            left.discard(parent)
            if parent not in seen:
                seen.add(parent)
                visit(parent)
    return set(commits) - left


# --- what is new ----------------------------------------------------------------------------------


def read_news(repository: Repository, heads: Collection[str], known: Collection[str]) -> Graph:
    """The commits that heads have and the `known` have not, with their parents. A sync asks the
    same several times."""
    return _read_graph(repository.common_dir, frozenset(heads), frozenset(known))


@lru_cache(8)
def _read_graph(git_dir: Path, heads: frozenset[str], known: frozenset[str]) -> Graph:
    return log.read_parents(git_dir, heads, without=known)


def list_below(graph: Graph, head: str) -> set[str]:
    """Return where a part of history ends: the commits below it."""
    visits: set[str] = set()
    waiting = [head]
    while waiting:
        commit = waiting.pop()
        if commit not in visits:
            visits.add(commit)
            waiting += graph.get(commit, ())
    return visits - graph.keys()


def find_oversized(
    repository: Repository, heads: Collection[str], is_known: Callable[[str], bool]
) -> set[str]:
    """Return those of some heads that lead to a commit too large to be real, by commits nobody
    knows yet: a plain `git fetch` brings whatever is there."""
    graph: dict[str, tuple[str, ...]] = {}
    waiting = list(heads)
    while waiting:
        commit = waiting.pop()
        if commit not in graph and not is_known(commit):
            graph[commit] = ()
            if repository.objects.size(commit) <= _LARGEST_COMMIT:
                with suppress(StoreDamaged):
                    graph[commit] = repository.objects.commit(commit).parents
            waiting += graph[commit]
    return list_oversized(repository, graph).intersection(heads)


def name_author(repository: Repository, commit: str) -> str:
    """Return who a commit says it is by; nothing where it is missing or too large to be read."""
    if repository.objects.size(commit) > _LARGEST_COMMIT:
        return ""
    with suppress(StoreDamaged):
        return repository.objects.commit(commit).author
    return ""


def list_oversized(repository: Repository, graph: Graph) -> set[str]:
    """The commits that are too large to be real, and all that is built on them; none is read."""
    children: dict[str, list[str]] = {}
    for commit, parents in graph.items():
        for parent in parents:
            children.setdefault(parent, []).append(commit)
    size = repository.objects.size
    waiting = [commit for commit in graph if size(commit) > _LARGEST_COMMIT]
    visits: set[str] = set()
    while waiting:
        commit = waiting.pop()
        if commit not in visits:
            visits.add(commit)
            waiting += children.get(commit, ())
    return visits
