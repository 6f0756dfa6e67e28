"""read of a memory in another repository, by `NAME:ID`."""

from collections.abc import Sequence

from treering.actions.answers import harmless
from treering.actions.hub.recall import (
    choose_repos,
    flags_of_copy,
    hub_uri,
    list_editors,
    refuse_single,
)
from treering.actions.link import Neighbour
from treering.actions.origin import UNVERIFIED
from treering.actions.read import WholeMemory, content_from
from treering.errors import AmbiguousId, MemoryNotFound
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
) -> WholeMemory:
    """The memory, as the hub last saw it; its past is asked of its repository."""
    refuse_single(at=at, history=history, branch=branch)
    freshness = choose_repos(hub, repos)
    name, prefix = split_id(id.strip(), [repo.name for repo in freshness])
    nearer = tuple(repo for repo in freshness if not name or repo.name == name)
    copy = _find(hub, [repo.name for repo in nearer], id_prefix(prefix), id)
    memory = copy.memory
    whole = WholeMemory(
        id=memory.id,
        uri=hub_uri(copy),
        type=memory.type,
        title=memory.title,
        content=content_from(memory.content, offset),
        version=copy.blob,
        branch=copy.branch,
        layer=copy.layer,
        private=False,
        tags=memory.tags,
        topic=memory.topic,
        status=memory.status,
        confidence=memory.confidence,
        source=memory.source,
        author=memory.author,
        agent=memory.agent,
        session=memory.session,
        commit=memory.commit,
        files=memory.files,
        created=memory.created,
        modified=memory.modified,
        details=dict(memory.details),
        links=_list_links(hub, copy) if links else (),
        origin=UNVERIFIED,
        edited_by=list_editors(copy) or None,
        flags=flags_of_copy(copy) or None,
        extra=memory.extra or None,
        repo=copy.repo,
        repos=tuple(repo for repo in nearer if repo.name == copy.repo),
    )
    answer: WholeMemory = harmless(whole)
    return answer


def _find(hub: RepositoryHub, names: Sequence[str], prefix: str, typed: str) -> HubCopy:
    copies = hub.find(names, prefix)
    if not copies:
        where = names[0] if len(names) == 1 else f"any of {len(names)} repositories"
        raise MemoryNotFound(
            f"The hub has no memory {typed.strip()[:80]} in {where}",
            hint="`treering recall --repos all` lists what the hub has.",
        )
    if len(copies) > 1:
        some = ", ".join(f"{copy.repo}:{copy.memory.id}" for copy in copies[:5])
        raise AmbiguousId(
            f"{typed.strip()[:80]} matches {len(copies)} memories: {some}",
            hint="Name the repository, or give one more character.",
        )
    return copies[0]


def _list_links(hub: RepositoryHub, copy: HubCopy) -> tuple[Neighbour, ...]:
    """Where its own links lead, as far as the hub knows that."""
    links = copy.memory.links
    titles = hub.read_titles(copy.repo, [link.target for link in links])
    return tuple(
        Neighbour(
            direction="out",
            relation=link.relation,
            id=link.target,
            title=titles[link.target],
            confidence=link.confidence,
            by=link.by,
        )
        for link in links
        if link.target in titles
    )
