"""dedupe: the same said twice. Copies go, links follow; what is only alike is shown, not touched.

Two texts that mostly agree may differ in the one word that matters, so nobody but a reader can
merge them. Copies need no reader: nothing they say is lost.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from treering.actions.tidying.candidates import Group, SameMemories, TidyCandidates
from treering.actions.tidying.rewrite import Rewrite, files_of, surest, tags_of
from treering.actions.workspace import Workspace, Writing
from treering.call import Advice, Call
from treering.errors import Conflict
from treering.store.view import Copy


@dataclass(frozen=True, slots=True)
class Deduped:
    """What was found, copies first; after a dry run nothing was removed."""

    groups: tuple[Group, ...]
    total: int
    removed: tuple[str, ...]
    links_moved: int
    #: The command that undoes it.
    back: str | None = None


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
    progress: Callable[[int, int], None] | None = None,
) -> Deduped:
    """Find memories that say the same; without `dry_run`, forget all but one of exact copies."""
    candidates = TidyCandidates(
        workspace, branch=branch, ids=ids, type=type, query=query, progress=progress
    )
    families = candidates.alike(threshold)
    page = families[:limit]
    groups = tuple(map(_describe, page))
    if dry_run:
        return Deduped(groups, len(families), (), 0)
    copies = [family for family in page if family.is_exact]
    return Deduped(groups, len(families), *_remove(workspace, branch, copies))


def _describe(family: SameMemories) -> Group:
    ids = list(family.ids)
    if family.is_exact:
        call = Call("maintain", "dedupe", ids=ids, apply=True)
        following = Advice("{} keeps the first", call, mark="")
        return Group(family.ids, 1.0, True, family.titles, following, keep=family.ids[0])
    call = Call("maintain", "merge", ids=ids, content="...", apply=True)
    following = Advice("read them, then {}", call, mark="")
    return Group(family.ids, family.score, False, family.titles, following)


def _remove(
    workspace: Workspace, branch: str, copies: Sequence[SameMemories]
) -> tuple[tuple[str, ...], int, str | None]:
    """All copies in one commit; a group that changed since it was looked at waits for next time."""

    def attempt(writing: Writing) -> tuple[tuple[str, ...], int, str | None]:
        rewriting = Rewrite(workspace, writing.view)
        heirs: dict[str, str] = {}
        for family in copies:
            try:
                places = [rewriting.still(place) for place in family.places]
            except Conflict:
                continue
            _unite(rewriting, places)
            heirs |= dict.fromkeys(family.ids[1:], family.ids[0])
        count = rewriting.move_links(heirs)
        rewriting.commit(writing, "dedupe")
        return tuple(heirs), count, writing.back

    return workspace.write(branch, attempt) if copies else ((), 0, None)


def _unite(rewriting: Rewrite, places: Sequence[Copy]) -> None:
    """The first takes over what the others add, and they are forgotten.

    What is private adds nothing to what is shared.
    """
    heir, *others = places
    givers = [rewriting.memory(place) for place in places if place.is_private == heir.is_private]
    memory = rewriting.memory(heir)
    whole = memory._replace(
        tags=tags_of([memory, *givers]),
        files=files_of([*givers, memory]),
        topic=memory.topic or next((giver.topic for giver in givers if giver.topic), ""),
        confidence=max(giver.confidence for giver in givers),
        links=surest((link for giver in givers for link in giver.links), but=memory.id),
    )
    rewriting.change(heir, whole)
    for place in others:
        rewriting.forget(place, f"a copy of {heir.id}")
