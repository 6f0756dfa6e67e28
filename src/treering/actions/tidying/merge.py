"""merge: several memories become one, in words somebody wrote; the old ones are superseded."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import takewhile

from treering.actions import inputs
from treering.actions.remember import identify
from treering.actions.tidying.candidates import (
    Group,
    Outlook,
    SameMemories,
    TidyCandidates,
    text_given,
    whole,
)
from treering.actions.tidying.rewrite import Rewrite, files_of, surest, tags_of
from treering.actions.workspace import Workspace, Writing
from treering.call import Advice, Call
from treering.errors import Invalid, NeedsModel
from treering.model.memory import Link, Memory, title_of
from treering.model.taxonomy import type_named
from treering.store.view import Copy
from treering.text import secrets


@dataclass(frozen=True, slots=True)
class Merged:
    """One merge that was made."""

    id: str
    title: str
    version: str
    superseded: tuple[str, ...]
    links_moved: int
    #: The command that undoes it.
    back: str | None = None


@dataclass(frozen=True, slots=True)
class Merges:
    groups: tuple[Group, ...]
    total: int
    merged: tuple[Merged, ...]


def merge_memories(
    workspace: Workspace,
    *,
    branch: str = "",
    ids: Sequence[str] = (),
    type: str = "",
    query: str = "",
    content: str = "",
    title: str = "",
    threshold: float = 0.8,
    limit: int = 20,
    dry_run: bool = True,
    progress: Callable[[int, int], None] | None = None,
) -> Merges:
    """Find memories to merge, or merge: those named by `ids` into `content`.

    Memories with one and the same text need no content. With `ids` a `type` is that of the new
    memory, else it chooses which are looked at.
    """
    if content and not ids:
        raise Invalid("Which memories does the content replace?", hint="Name them with ids.")
    candidates = TidyCandidates(
        workspace, branch=branch, ids=ids, type=type, query=query, progress=progress
    )
    if ids:
        _check(candidates.places)
        families = [candidates.together()]
    else:
        families = candidates.alike(threshold)
    page = families[:limit]
    kind = type_named(type) if ids and type else ""
    text = text_given(content) if content else ""
    secrets.refuse(title)
    groups = tuple(_describe(family, text, title, kind, is_named=bool(ids)) for family in page)
    if dry_run:
        return Merges(groups, len(families), ())
    is_exact = all(family.is_exact for family in page)
    if not text and not is_exact:
        raise NeedsModel("To merge, someone has to write what all of them say.")
    merges = tuple(
        _merge(workspace, branch, family, text or family.memories[0].content, title, kind)
        for family in page
    )
    return Merges(groups, len(families), merges)


def _check(places: Sequence[Copy]) -> None:
    if len(places) < 2:
        raise Invalid("One memory cannot be merged.", hint="Name two or more.")
    if len({place.is_private for place in places}) > 1:
        raise Invalid(
            "Private and shared memories are not merged.",
            hint="Others would see a memory replaced by one they cannot see. Remember it again.",
        )


def _describe(family: SameMemories, text: str, title: str, kind: str, *, is_named: bool) -> Group:
    call = Call("maintain", "merge", ids=list(family.ids), content="...", apply=True)
    return Group(
        ids=family.ids,
        score=family.score,
        exact=family.is_exact,
        titles=family.titles,
        next=Advice("write one text that says what all of them say, then {}", call, mark=""),
        memories=tuple(map(whole, family.memories)) if is_named and not text else None,
        would=_would(family, text, title, kind) if text else None,
    )


def _would(family: SameMemories, text: str, title: str, kind: str) -> Outlook:
    return {
        "title": title or title_of(text),
        "type": kind or kind_of(family.memories),
        "tags": list(tags_of(family.memories)),
        "supersede": list(family.ids),
    }


def _merge(
    workspace: Workspace, branch: str, family: SameMemories, text: str, title: str, kind: str
) -> Merged:
    def attempt(writing: Writing) -> Merged:
        rewriting = Rewrite(workspace, writing)
        places = [rewriting.still(place) for place in family.places]
        is_private = places[0].is_private
        draft = compose(workspace, family.memories, text, title=title, kind=kind)
        memory, existing = identify(writing.view, draft, is_private)
        old = [place for place in places if place.id != memory.id]
        if existing:
            memory = take_up(existing.memory(), memory, title)
        history = tuple(Link("supersedes", place.id, 1.0) for place in old)
        links = (link for source in family.memories for link in source.links)
        outward = (link for link in links if link.target not in family.ids)
        all_links = surest((*memory.links, *history, *outward), but=memory.id)
        rewriting.add(memory._replace(links=all_links), existing, is_private=is_private)
        for place in old:
            rewriting.supersede(place, memory.id)
        count = rewriting.move_links({place.id: memory.id for place in old}, with_history=False)
        version = rewriting.commit("merge")[memory.id]
        ids = tuple(place.id for place in old)
        return Merged(memory.id, memory.title, version, ids, count, writing.back)

    return workspace.write(branch, attempt)


def compose(
    workspace: Workspace, sources: Sequence[Memory], text: str, *, title: str = "", kind: str = ""
) -> Memory:
    """A memory made of others: their tags, files and topic, as sure as the least sure of them."""
    now = workspace.now()
    return Memory(
        id="",
        type=kind or kind_of(sources),
        title=inputs.line_given(title, "title") or title_of(text),
        content=text,
        created=now,
        modified=now,
        tags=tags_of(sources),
        topic=_common_topic([memory.topic for memory in sources]),
        confidence=min(memory.confidence for memory in sources),
        source="agent" if workspace.agent else "person",
        author=str(workspace.person),
        agent=workspace.agent,
        files=files_of(sources),
    )


def take_up(existing: Memory, draft: Memory, title: str) -> Memory:
    """The text is there already: that memory is kept, and takes over what the draft adds."""
    return existing._replace(
        status="active",
        modified=draft.modified,
        title=draft.title if title else existing.title,
        tags=tags_of([existing, draft]),
        files=files_of([existing, draft]),
        topic=existing.topic or draft.topic,
    )


def kind_of(memories: Sequence[Memory]) -> str:
    """The type most of them have."""
    return Counter(memory.type for memory in memories).most_common(1)[0][0]


def _common_topic(topics: Sequence[str]) -> str:
    paths = [topic.split("/") for topic in topics]
    steps = takewhile(lambda step: len(set(step)) == 1, zip(*paths, strict=False))
    return "/".join(step[0] for step in steps)
