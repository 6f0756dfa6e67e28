"""links: made, made stronger, taken away, and as a reader of a memory sees them."""

from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

from treering.actions import inputs
from treering.actions.card import Neighbour
from treering.actions.revise import write_changes
from treering.actions.workspace import Change, MemoryWorkspace, Workspace, WriteOp, Writing
from treering.call import Advice, Call
from treering.errors import Invalid, MemoryNotFound, TreeringError
from treering.graph.network import Edge, Network, SparseNetwork
from treering.model.dates import instant
from treering.model.memory import Link, Memory, age_of_link
from treering.model.taxonomy import RELATIONS, family_of
from treering.search.entry import Entry
from treering.store.view import Copy, View
from treering.text import secrets


class MadeLink(NamedTuple):
    source: str
    target: str
    relation: str
    confidence: float
    created: bool
    note: str | None = None
    warnings: tuple[str, ...] | None = None


class RemovedLink(NamedTuple):
    """`removed` is False where there was no such link; `relations` are those there are instead."""

    removed: bool
    relations: tuple[str, ...] | None = None


def link(
    workspace: Workspace,
    source: str,
    target: str,
    *,
    relation: str = "relates_to",
    confidence: float = 0.8,
    note: str = "",
    remove: bool = False,
    branch: str = "",
) -> MadeLink | RemovedLink:
    """Create a link, strengthen the one that is there, or remove it.

    A link is known by its ends and its relation. The higher confidence and the newer note stay.
    """
    word = inputs.relation_given(relation) or "relates_to"
    sure = round(confidence, 4)
    why = inputs.text_given(note, "note")
    secrets.refuse(word, why)

    def attempt(writing: Writing) -> MadeLink | RemovedLink:
        start, end = (_alive(writing.view.find(text)) for text in (source, target))
        if start.id == end.id:
            raise Invalid("A memory cannot be linked with itself.")
        memory = start.memory()
        if remove:
            return _remove(workspace, writing, start, word, end.id)
        old = _find(memory, word, end.id)
        new = _strengthen(old or _new(workspace, word, end.id), sure, why, is_new=not old)
        _write(workspace, writing, "link", start, memory.link(new))
        return MadeLink(
            start.id,
            end.id,
            word,
            new.confidence,
            created=not old,
            note=new.reason or None,
            warnings=_doubt(word) if not old else None,
        )

    return workspace.write(branch, attempt)


def _doubt(relation: str) -> tuple[str, ...] | None:
    """A word of one's own is fine. One letter beside a known relation it is probably a mistake."""
    if relation in RELATIONS:
        return None
    from treering.model.spelling import suggest

    question = suggest(relation, RELATIONS)
    return (f"{relation} is a relation of your own. {question}",) if question else None


def _alive(place: Copy) -> Copy:
    if place.memory().is_forgotten:
        raise MemoryNotFound(
            f"The memory {place.id} was forgotten.",
            hint=Advice("{} brings it back.", Call("forget", place.id, restore=True)),
        )
    return place


def _find(memory: Memory, relation: str, target: str) -> Link | None:
    return next((link for link in memory.links if link.edge == (relation, target)), None)


def _new(workspace: Workspace, relation: str, target: str) -> Link:
    """A link nobody has spoken for yet; a temporal one notes when it was made, since it fades."""
    fades = family_of(relation) == "temporal"
    return Link(relation, target, 0.0, extra={"since": workspace.now()} if fades else {})


def _strengthen(link: Link, confidence: float, note: str, *, is_new: bool) -> Link:
    """The link as someone who names it wants it: from now on it is theirs."""
    reason = link.reason if link.by == "user" or is_new else ""
    if note:
        reason = "" if note == inputs.CLEAR else note
    return link._replace(confidence=max(link.confidence, confidence), by="user", reason=reason)


def _remove(
    workspace: Workspace, writing: Writing, start: Copy, relation: str, target: str
) -> RemovedLink:
    memory = start.memory()
    if not memory.has_link(relation, target):
        others = tuple(ln.relation for ln in memory.links if ln.target == target)
        return RemovedLink(removed=False, relations=others or None)
    revived = _revive(writing, target, start.id) if relation == "supersedes" else []
    _write(workspace, writing, "unlink", start, memory.unlink(relation, target), *revived)
    return RemovedLink(removed=True)


def _revive(writing: Writing, target: str, by: str) -> list[Change]:
    """Put what was superseded back in force when the link goes."""
    place = writing.view.place(target)
    old = place.try_memory() if place else None
    if place is None or old is None or old.details.get("superseded_by") != by:
        return []
    return [Change(old.revive(), place, place.is_private)] if old.status == "superseded" else []


def _write(
    workspace: Workspace,
    writing: Writing,
    op: WriteOp,
    place: Copy,
    memory: Memory,
    *more: Change,
) -> None:
    write_changes(workspace, writing, op, [Change(memory, place, place.is_private), *more])


def links_seen(workspace: MemoryWorkspace, view: View) -> Network:
    """Return the links of what a view shows, each memory looked up when it is asked for: whoever
    reads one needs no index."""
    rows = workspace.rows
    rows.catch_up(view)

    def find(memory_id: str) -> Entry | None:
        with suppress(TreeringError):
            if place := view.place(memory_id):
                return rows.entry(place.blob)
        return None

    return SparseNetwork(find, rows.linking_to)


def neighbours(
    links: Network,
    memory: Memory,
    hops: int,
    *,
    now: float,
    flags: Callable[[str], tuple[str, ...] | None],
) -> tuple[Neighbour, ...]:
    """Return what a memory is linked with; forgotten ends are hidden, and come back with the
    memory.

    Its own links are those it holds, which may be the ones of a past version. Further out every
    link is shown that leads on, also several to one memory.
    """
    ends: list[Neighbour] = []
    ids, front = {memory.id}, [memory.id]
    for depth in range(1, hops + 1):
        found = []
        for at in front:
            edges = links.around(at)
            if at == memory.id:
                edges = own_links(memory) + links.around(at, direction="in")
            found += [
                (at, edge, node)
                for edge in edges
                if edge.other(at) not in ids and (node := links.node(edge.other(at)))
            ]
        for at, edge, node in found:
            is_own = depth == 1 and edge.source == at
            reasons = (ln.reason for ln in memory.links if ln.edge == (edge.relation, node.id))
            end = Neighbour(
                direction="out" if edge.source == at else "in",
                relation=edge.relation,
                id=node.id,
                title=node.title,
                confidence=edge.confidence_at(now),
                by=edge.by,
                depth=depth,
                reason=(next(reasons, "") or None) if is_own else None,
                flags=flags(node.id),
            )
            ends.append(end)
        front = list(dict.fromkeys(edge.other(at) for at, edge, _ in found))
        ids.update(front)
    return tuple(ends)


def own_links(memory: Memory) -> list[Edge]:
    """The links a memory holds."""
    return [
        Edge(
            memory.id,
            link.target,
            link.relation,
            link.confidence,
            link.by,
            age_of_link(link) or instant(memory.created),
        )
        for link in memory.links
        if link.target != memory.id
    ]
