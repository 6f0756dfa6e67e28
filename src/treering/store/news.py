"""What heads have that others have not: read once, and asked for by whoever takes them in."""

from collections.abc import Collection, Mapping

from treering.git.repository import Repository
from treering.store.vault import Vault

#: Commits with their parents.
Graph = Mapping[str, tuple[str, ...]]
_MOST_GRAPHS = 8
#: Bytes of one commit: our own messages name a few memories each, and joins a few thousand heads.
_LARGEST_COMMIT = 1024 * 1024
TOO_LARGE = "too large to be real"


def read_news(vault: Vault, heads: Collection[str], known: Collection[str]) -> Graph:
    """The commits that heads have and the `known` have not, with their parents."""
    key = (frozenset(heads), frozenset(known))
    if key not in vault.news:
        from treering.git import log  # few commands look at others' news

        if len(vault.news) >= _MOST_GRAPHS:
            vault.news.clear()
        vault.news[key] = log.read_graph(vault.repository.common_dir, heads, without=known)
    return vault.news[key]


def list_below(graph: Graph, head: str) -> set[str]:
    """Where a part of history ends: the commits below it."""
    visits: set[str] = set()
    waiting = [head]
    while waiting:
        commit = waiting.pop()
        if commit not in visits:
            visits.add(commit)
            waiting += graph.get(commit, ())
    return visits - graph.keys()


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
