"""read of a memory in another repository, by `NAME:ID`."""

from collections.abc import Sequence

from treering.actions.card import Card, Neighbour
from treering.actions.hub.recall import card_of_copy, choose_repos, refuse, refuse_single
from treering.actions.link import neighbours
from treering.actions.marks import NO_MARKS, describe
from treering.actions.read import show_whole, write_event
from treering.actions.stored_links import IndexedLinks
from treering.call import Advice, Call
from treering.errors import AmbiguousId, MemoryNotFound, RepoNotFound
from treering.hub.hub import HubCopy, RepositoryHub
from treering.hub.names import split_id
from treering.model.memory import id_prefix


def read_across(
    hub: RepositoryHub,
    id: str,
    repos: Sequence[str],
    *,
    at: str,
    history: bool,
    links: int,
    offset: int,
    branch: str,
    now: float,
) -> Card:
    """The memory, as the hub last saw it, or as it was `at` a commit of its history or a date."""
    refuse_single(branch=branch)
    freshness = choose_repos(hub, repos)
    try:
        name, prefix = split_id(id.strip(), [repo.name for repo in freshness])
    except RepoNotFound as error:
        raise refuse(hub, error) from None
    nearer = tuple(repo for repo in freshness if not name or repo.name == name)
    copy = _find(hub, [repo.name for repo in nearer], id_prefix(prefix), id)
    events = hub.read_history(copy) if history else None
    version = hub.read_past(copy, at) if at else copy
    is_current = version.blob == copy.blob
    marks = describe(hub.find_successors(copy)) if is_current else NO_MARKS
    card = card_of_copy(version, marks)
    return show_whole(card, version.memory, version.blob, offset)._replace(
        links=_list_links(hub, version, links, now) if links else (),
        history=None if events is None else tuple(map(write_event, events)),
        repos=tuple(repo for repo in nearer if repo.name == copy.repo),
    )


def _find(hub: RepositoryHub, names: Sequence[str], prefix: str, typed: str) -> HubCopy:
    copies = hub.find(names, prefix)
    if not copies:
        where = names[0] if len(names) == 1 else f"any of {len(names)} repositories"
        raise MemoryNotFound(
            f"The hub has no memory {typed.strip()[:80]} in {where}",
            hint=Advice("{} lists what the hub has.", Call("recall", repos=["all"])),
        )
    if len(copies) > 1:
        some = ", ".join(f"{copy.repo}:{copy.memory.id}" for copy in copies[:5])
        raise AmbiguousId(
            f"{typed.strip()[:80]} matches {len(copies)} memories: {some}",
            hint="Name the repository, or give one more character.",
        )
    return copies[0]


def _list_links(hub: RepositoryHub, copy: HubCopy, hops: int, now: float) -> tuple[Neighbour, ...]:
    """What it is linked with in its own repository, both ways."""
    ids = [copy.memory.id, *(link.target for link in copy.memory.links)]
    network = hub.find_network(copy.repo, ids, hops)
    return neighbours(IndexedLinks(network), copy.memory, hops, now=now)
