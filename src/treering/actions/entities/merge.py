"""Several entities that are one made into one: names, properties and links go over to it.

One commit: a reader sees them apart or together, never a link that leads to neither.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple, NotRequired, TypedDict

from treering.actions.entities.roster import Entity, Roster, content_of
from treering.actions.workspace import Change, Workspace, Writing
from treering.errors import Invalid
from treering.model.memory import Link, Memory, is_id
from treering.text import secrets


class EntitiesMerged(TypedDict):
    dry_run: bool
    into: str
    name: str
    merged: list[str]
    links_moved: int
    back: NotRequired[str]  # the command that undoes it


class _EntityMerge(NamedTuple):
    """What a merge would write."""

    into: Entity
    name: str
    others: tuple[Entity, ...]
    changes: list[Change]
    links_moved: int


def merge_entities(
    workspace: Workspace, words: Sequence[str], canonical: str, *, dry_run: bool, branch: str
) -> EntitiesMerged:
    """Merge the entities meant by ids or names; without `canonical` the first one stays."""
    secrets.refuse(canonical)
    roster = Roster(workspace, branch)
    work, back = _plan(workspace, roster, words, canonical), None
    if not dry_run:

        def attempt(writing: Writing) -> tuple[_EntityMerge, str | None]:
            plan = _plan(workspace, Roster(workspace, branch, writing.view), words, canonical)
            writing.commit("merge", plan.changes)
            return plan, writing.back

        work, back = workspace.write(branch, attempt)
    answer: EntitiesMerged = {
        "dry_run": dry_run,
        "into": work.into.id,
        "name": work.name,
        "merged": [other.id for other in work.others],
        "links_moved": work.links_moved,
    }
    if back:
        answer["back"] = back
    return answer


def _plan(
    workspace: Workspace, roster: Roster, words: Sequence[str], canonical: str
) -> _EntityMerge:
    by_id = {entity.id: entity for entity in (roster.resolve(word) for word in words)}
    into = _into(roster, by_id, canonical)
    others = tuple(entity for entity in by_id.values() if entity.id != into.id)
    if not others:
        raise Invalid("Merging needs two different entities.", hint="Give two ids or names.")
    name = into.name if not canonical or _is_known(into, canonical) else canonical
    now, old_ids = workspace.now(), {other.id for other in others}

    count = 0
    changes: dict[str, Change] = {}
    for place in {p.id: p for other in others for p in roster.linking_to(other)}.values():
        memory = place.memory()
        if memory.id in old_ids or memory.id == into.id:
            continue
        count += sum(link.target in old_ids for link in memory.links)
        links = _redirect(memory.links, old_ids, into.id, memory.id)
        new = memory._replace(links=links, modified=now)
        changes[memory.id] = Change(new, place, place.is_private)
    other_links = [link for other in others for link in other.place.memory().links]
    count += sum(link.target not in old_ids and link.target != into.id for link in other_links)
    canonical_memory = _enlarge(into, name, others, other_links, now)
    changes[into.id] = Change(canonical_memory, into.place, into.place.is_private)
    for other in others:
        old_memory = _retire(other.place.memory(), into.id, now)
        changes[other.id] = Change(old_memory, other.place, other.place.is_private)
    return _EntityMerge(into, name, others, list(changes.values()), count)


def _into(roster: Roster, by_id: dict[str, Entity], canonical: str) -> Entity:
    """The entity that stays: the one named as canonical where there is one, else the first."""
    if not by_id:
        raise Invalid("Which entities should be merged?", hint="Give two ids or names.")
    if not canonical:
        return next(iter(by_id.values()))
    for entity in by_id.values():
        if _is_known(entity, canonical):
            return entity
    if is_id(canonical):
        return roster.resolve(canonical)
    return roster.by_name(canonical) or next(iter(by_id.values()))


def _is_known(entity: Entity, word: str) -> bool:
    return word == entity.id or word.casefold() == entity.name.casefold()


def _redirect(links: Iterable[Link], old_ids: set[str], into: str, holder: str) -> tuple[Link, ...]:
    """Links with their new target; two that become one keep the surer one's words."""
    edges: dict[tuple[str, str], Link] = {}
    for link in links:
        new = link._replace(target=into) if link.target in old_ids else link
        if new.target == holder:
            continue
        other = edges.get((new.relation, new.target))
        if other is None or new.confidence > other.confidence:
            edges[new.relation, new.target] = new
    return tuple(edges.values())


def _enlarge(
    into: Entity, name: str, others: Sequence[Entity], other_links: Sequence[Link], now: str
) -> Memory:
    memory = into.place.memory()
    names = [*into.names, *(word for other in others for word in other.names)]
    aliases = [word for word in dict.fromkeys(names) if word != name]
    properties: dict[str, object] = {}
    for other in reversed(others):
        properties |= other.properties
    properties |= into.properties
    details = dict(memory.details) | {"kind": into.kind, "aliases": aliases}
    details |= {"properties": properties} if properties else {}
    old_ids = {other.id for other in others}
    return memory._replace(
        title=name,
        content=content_of(name, into.kind, aliases),
        links=_redirect((*memory.links, *other_links), old_ids, into.id, memory.id),
        details=details,
        modified=now,
    )


def _retire(memory: Memory, into: str, now: str) -> Memory:
    """Hidden like a forgotten one, so that it can be brought back; its links went over."""
    return memory.forget(f"merged into {into}").with_details(merged_into=into).touch(now)
