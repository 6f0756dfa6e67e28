"""dedupe: the same said twice. Copies go, links follow; what is only alike is shown, not touched.

Two texts that mostly agree may differ in the one word that matters, so nobody but a reader can
merge them. Copies need no reader: nothing they say is lost.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from treering.actions.tidying.candidates import Group, SameMemories, TidyCandidates
from treering.actions.tidying.rewrite import Rewrite, files_of, surest, tags_of
from treering.actions.workspace import Workspace, Writing
from treering.errors import Conflict
from treering.store.view import Copy


@dataclass(frozen=True, slots=True)
class Deduped:
    """What was found, copies first; after a dry run nothing was removed."""

    groups: tuple[Group, ...]
    total: int
    removed: tuple[str, ...]
    links_moved: int


def dedupe(
    workspace: Workspace,
    *,
    branch: str = "",
    ids: Sequence[str] = (),
    type: str = "",
    query: str = "",
    threshold: float = 0.8,
    limit: int = 20,
    dry_run: bool = True,
) -> Deduped:
    """Find memories that say the same; without `dry_run`, forget all but one of exact copies."""
    candidates = TidyCandidates(workspace, branch=branch, ids=ids, type=type, query=query)
    found = candidates.alike(threshold)
    shown = found[:limit]
    groups = tuple(_describe(alike) for alike in shown)
    if dry_run:
        return Deduped(groups, len(found), (), 0)
    removed, moved = _remove(workspace, branch, [alike for alike in shown if alike.is_exact])
    return Deduped(groups, len(found), removed, moved)


def _describe(alike: SameMemories) -> Group:
    ids = ", ".join(f'"{memory_id}"' for memory_id in alike.ids)
    if alike.is_exact:
        following = f'maintain(op="dedupe", ids=[{ids}], dry_run=false) keeps the first'
        return Group(alike.ids, 1.0, True, alike.titles, following, keep=alike.ids[0])
    following = f'read them, then maintain(op="merge", ids=[{ids}], content="...", dry_run=false)'
    return Group(alike.ids, alike.score, False, alike.titles, following)


def _remove(
    workspace: Workspace, branch: str, copies: Sequence[SameMemories]
) -> tuple[tuple[str, ...], int]:
    """All copies in one commit; a group that changed since it was looked at waits for next time."""

    def attempt(writing: Writing) -> tuple[tuple[str, ...], int]:
        rewriting = Rewrite(workspace, writing)
        moved: dict[str, str] = {}
        for alike in copies:
            try:
                places = [rewriting.still(place) for place in alike.places]
            except Conflict:
                continue
            _unite(rewriting, places)
            moved |= dict.fromkeys(alike.ids[1:], alike.ids[0])
        count = rewriting.move_links(moved)
        rewriting.commit("dedupe")
        return tuple(moved), count

    return workspace.write(branch, attempt) if copies else ((), 0)


def _unite(rewriting: Rewrite, places: Sequence[Copy]) -> None:
    """The first takes over what the others add, and they are forgotten.

    What is private adds nothing to what is shared.
    """
    kept, *others = places
    givers = [
        rewriting.memory(place)
        for place in places
        if place.layer.vault.is_private == kept.layer.vault.is_private
    ]
    memory = rewriting.memory(kept)
    united = replace(
        memory,
        tags=tags_of([memory, *givers]),
        files=files_of([*givers, memory]),
        topic=memory.topic or next((giver.topic for giver in givers if giver.topic), ""),
        confidence=max(giver.confidence for giver in givers),
        links=surest((link for giver in givers for link in giver.links), but=memory.id),
    )
    rewriting.change(kept, united)
    for place in others:
        rewriting.forget(place, f"a copy of {kept.id}")
