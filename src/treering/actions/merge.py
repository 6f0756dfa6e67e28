"""merge, summarize and dedupe: several memories become one.

A merge takes the place of its sources, which are superseded. A summary is one more memory, derived
from sources that stay. Of exact copies all but one are forgotten.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Literal, NamedTuple, Unpack

from treering.actions import inputs
from treering.actions.remember import identify
from treering.actions.tidying import (
    Group,
    Outlook,
    Rewrite,
    SameMemories,
    Selection,
    TidyCandidates,
    files_of,
    incoming,
    surest,
    tags_of,
    text_given,
    whole,
)
from treering.actions.workspace import Workspace, Writing
from treering.call import Advice, Call
from treering.errors import Conflict, Invalid, NeedsModel
from treering.model.memory import Link, Memory, title_of
from treering.model.taxonomy import BOOKKEEPING_TYPES, type_named
from treering.search.entry import Entry
from treering.store.view import Copy
from treering.text import secrets

#: What a summary is, whatever it is of: background for whoever comes next.
_SUMMARY_TYPE = "context"
_FEWEST_SUMMARIZED = 3
_MOST_SOURCES = 200  # links stand in the front matter, which has its limit


@dataclass(frozen=True, slots=True)
class Composed:
    """One memory that was made of others: a merge, or a summary."""

    id: str
    title: str
    version: str
    superseded: tuple[str, ...] | None = None
    derived_from: tuple[str, ...] | None = None
    links_moved: int | None = None
    #: The command that undoes it.
    back: str | None = None


@dataclass(frozen=True, slots=True)
class Tidied:
    """Groups of memories, copies first, and what was done about them."""

    groups: tuple[Group, ...]
    total: int
    merged: tuple[Composed, ...] | None = None
    summaries: tuple[Composed, ...] | None = None
    #: The copies that were forgotten.
    removed: tuple[str, ...] | None = None
    links_moved: int | None = None
    #: The command that undoes it.
    back: str | None = None


class _Composition(NamedTuple):
    """The text that somebody wrote for some memories, and what is to become of them."""

    op: Literal["merge", "summarize"]
    text: str
    title: str
    #: The type of the new memory; "" for the one most of its sources have.
    type: str
    caller: str

    def describe(self, sources: SameMemories, about: str = "", *, is_named: bool) -> Group:
        ids = list(sources.ids)
        call = Call("maintain", self.op, ids=ids, content="...", apply=True)
        task = "what matters in them" if self.op == "summarize" else "one text that says it all"
        would: Outlook = {
            "title": self.title or title_of(self.text),
            "type": self.type or _choose_type(sources.memories),
            "tags": list(tags_of(sources.memories)),
        }
        if self.op == "merge":
            would["supersede"] = ids
        else:
            would["derived_from"] = ids
        return Group(
            ids=sources.ids,
            score=sources.score,
            exact=sources.is_exact,
            titles=sources.titles,
            next=Advice(f"write {task}, then {{}}", call, mark=""),
            about=about or None,
            memories=tuple(map(whole, sources.memories)) if is_named and not self.text else None,
            would=would if self.text else None,
        )

    def store(self, workspace: Workspace, branch: str, sources: SameMemories) -> Composed:
        """Write the memory, private as soon as one of its sources is. A merge takes over their
        links, and theirs to it."""

        def attempt(writing: Writing) -> Composed:
            rewriting = Rewrite(workspace, writing.view)
            places = [rewriting.still(place) for place in sources.places]
            is_private = any(place.is_private for place in places)
            draft = self._compose(workspace, sources.memories)
            memory, existing = identify(writing.view, draft, is_private)
            if existing:
                memory = _take_up(existing.memory(), memory, self.title)
            old = [place for place in places if place.id != memory.id]
            relation = "supersedes" if self.op == "merge" else "derived_from"
            links = [*memory.links, *(Link(relation, place.id, 1.0) for place in old)]
            if self.op == "merge":
                outward = (link for source in sources.memories for link in source.links)
                links += [link for link in outward if link.target not in sources.ids]
            memory = memory._replace(links=surest(links, but=memory.id))
            rewriting.add(memory, existing, is_private=is_private)
            made = Composed(memory.id, memory.title, "", derived_from=sources.ids)
            if self.op == "merge":
                for place in old:
                    rewriting.supersede(place, memory.id)
                heirs = {place.id: memory.id for place in old}
                count = rewriting.move_links(heirs, with_history=False)
                made = Composed(memory.id, memory.title, "", tuple(heirs), links_moved=count)
            version = rewriting.commit(writing, self.op)[memory.id]
            return replace(made, version=version, back=writing.back)

        return workspace.write(branch, attempt)

    def _compose(self, workspace: Workspace, sources: Sequence[Memory]) -> Memory:
        """A memory made of others: their tags, files and topic, as sure as the least sure."""
        return inputs.draft_memory(
            workspace,
            self.type or _choose_type(sources),
            self.text or sources[0].content,
            title=inputs.line_given(self.title, "title"),
            caller=self.caller,
            tags=tags_of(sources),
            topic=_common_topic([memory.topic for memory in sources]),
            confidence=min(memory.confidence for memory in sources),
            files=files_of(sources),
        )


def merge_memories(
    workspace: Workspace,
    *,
    content: str = "",
    title: str = "",
    threshold: float = 0.8,
    limit: int = 20,
    dry_run: bool = True,
    caller: str = "",
    **selection: Unpack[Selection],
) -> Tidied:
    """Find memories to merge, or merge: those named by `ids` into `content`.

    Memories with one and the same text need no content. With `ids` a `type` is that of the new
    memory, else it chooses which are looked at.
    """
    candidates = TidyCandidates(workspace, **selection)
    ids, type = candidates.ids, candidates.type
    if content and not ids:
        raise Invalid("Which memories does the content replace?", hint="Name them with ids.")
    if ids:
        _check(candidates.places)
        families = [candidates.together()]
    else:
        families = candidates.alike(threshold)
    page = families[:limit]
    wanted = _read_composition(
        "merge", content, title, type_named(type) if ids and type else "", caller
    )
    groups = tuple(wanted.describe(family, is_named=bool(ids)) for family in page)
    if dry_run:
        return Tidied(groups, len(families), merged=())
    if not wanted.text and not all(family.is_exact for family in page):
        raise NeedsModel("To merge, someone has to write what all of them say.")
    merges = tuple(wanted.store(workspace, candidates.branch, family) for family in page)
    return Tidied(groups, len(families), merged=merges)


def summarize(
    workspace: Workspace,
    *,
    content: str = "",
    title: str = "",
    limit: int = 20,
    dry_run: bool = True,
    caller: str = "",
    **selection: Unpack[Selection],
) -> Tidied:
    """Find what could be summarized (by topic, else by tag), or store a summary.

    With `ids` or a `query` those memories are one group. With `ids` a `type` is that of the new
    memory, else it chooses which are looked at.
    """
    candidates = TidyCandidates(workspace, **selection)
    if content and not candidates.is_chosen:
        raise Invalid("What is the content a summary of?", hint="Name the memories, or a query.")
    subjects = list(_list_subjects(candidates))
    page = subjects[:limit]
    is_typed = candidates.ids and candidates.type
    kind = type_named(candidates.type) if is_typed else _SUMMARY_TYPE
    wanted = _read_composition("summarize", content, title, kind, caller)
    is_chosen = candidates.is_chosen
    groups = tuple(wanted.describe(some, about, is_named=is_chosen) for about, some in page)
    if dry_run:
        return Tidied(groups, len(subjects), summaries=())
    if page and not wanted.text:
        raise NeedsModel("To summarize, someone has to write the summary.")
    summaries = tuple(wanted.store(workspace, candidates.branch, sources) for _, sources in page)
    return Tidied(groups, len(subjects), summaries=summaries)


def _read_composition(
    op: Literal["merge", "summarize"], content: str, title: str, kind: str, caller: str
) -> _Composition:
    secrets.refuse(title)
    return _Composition(op, text_given(content) if content else "", title, kind, caller)


def _check(places: Sequence[Copy]) -> None:
    if len(places) < 2:
        raise Invalid("One memory cannot be merged.", hint="Name two or more.")
    if len({place.is_private for place in places}) > 1:
        raise Invalid(
            "Private and shared memories are not merged.",
            hint="Others would see a memory replaced by one they cannot see. Remember it again.",
        )


def _list_subjects(candidates: TidyCandidates) -> Iterator[tuple[str, SameMemories]]:
    """Yield what there is to summarize: a subject, and the memories about it."""
    if candidates.is_chosen:
        if not candidates.places:
            raise Invalid("Nothing was found to summarize.", hint="Try another query.")
        yield candidates.query, _as_sources(candidates.places)
        return
    for about, entries in _by_subject(candidates.entries).items():
        if len(entries) >= _FEWEST_SUMMARIZED and not _is_covered(candidates, entries):
            yield about, _as_sources(candidates.locate(entries))


def _as_sources(places: Sequence[Copy]) -> SameMemories:
    return SameMemories(places[:_MOST_SOURCES], 1.0, exact=False)


def _by_subject(entries: Sequence[Entry]) -> dict[str, list[Entry]]:
    """Memories by topic, those without one by their first tag; the largest groups first."""
    groups: dict[str, list[Entry]] = defaultdict(list)
    for entry in entries:
        if entry.type in BOOKKEEPING_TYPES:
            continue
        if entry.topic:
            groups[f"topic:{entry.topic}"].append(entry)
        elif entry.tags:
            groups[f"tag:{entry.tags[0].lower()}"].append(entry)
    return dict(sorted(groups.items(), key=lambda pair: (-len(pair[1]), pair[0])))


def _is_covered(candidates: TidyCandidates, entries: Sequence[Entry]) -> bool:
    """Return whether a summary of all of them is there already; it counts among them itself."""
    counts: Counter[str] = Counter()
    for entry in entries:
        links = incoming(candidates.search_view, entry.id)
        counts.update({source for relation, source in links if relation == "derived_from"})
    ids = {entry.id for entry in entries}
    return any(count + (summary in ids) == len(entries) for summary, count in counts.items())


def _take_up(existing: Memory, draft: Memory, title: str) -> Memory:
    """The text is there already: that memory is kept, and takes over what the draft adds."""
    return existing._replace(
        status="active",
        modified=draft.modified,
        title=draft.title if title else existing.title,
        tags=tags_of([existing, draft]),
        files=files_of([existing, draft]),
        topic=existing.topic or draft.topic,
    )


def _choose_type(memories: Sequence[Memory]) -> str:
    """The type most of them have."""
    return Counter(memory.type for memory in memories).most_common(1)[0][0]


def _common_topic(topics: Sequence[str]) -> str:
    paths = [topic.split("/") for topic in topics]
    steps = takewhile(lambda step: len(set(step)) == 1, zip(*paths, strict=False))
    return "/".join(step[0] for step in steps)


def dedupe(
    workspace: Workspace,
    *,
    threshold: float = 0.8,
    limit: int = 20,
    dry_run: bool = True,
    **selection: Unpack[Selection],
) -> Tidied:
    """Find memories that say the same; without `dry_run`, forget all but one of exact copies."""
    candidates = TidyCandidates(workspace, **selection)
    families = candidates.alike(threshold)
    page = families[:limit]
    groups = tuple(map(_describe, page))
    if dry_run:
        return Tidied(groups, len(families), removed=(), links_moved=0)
    copies = [family for family in page if family.is_exact]
    removed, count, back = _remove(workspace, candidates.branch, copies)
    return Tidied(groups, len(families), removed=removed, links_moved=count, back=back)


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
