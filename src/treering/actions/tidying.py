"""The tidying engine: which memories an operation is about, which say the same, and their rewrite.

Candidates come from the index. Whether two texts are the same is decided by the texts themselves.
In a rewrite each change sees the ones before it, and all become one commit.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NotRequired, TypedDict, Unpack

from treering.actions import inputs
from treering.actions.searcher import SearchView
from treering.actions.workspace import Change, Workspace, WriteOp, Writing
from treering.call import Advice, Call
from treering.errors import Conflict, MemoryNotFound
from treering.model.memory import FileRef, Link, Memory
from treering.model.query import Filters, parse
from treering.model.taxonomy import BOOKKEEPING_TYPES, RELATIONS
from treering.search.entry import Entry
from treering.search.similarity import families, share_of_terms
from treering.store.view import Copy, View
from treering.text import secrets

_HIDDEN = ("superseded", "deleted")


class MemoryText(TypedDict):
    """A memory as someone needs it who is going to write about it."""

    id: str
    type: str
    title: str
    tags: list[str]
    content: str


class Outlook(TypedDict):
    """The memory a text would become, and what would become of those it is about."""

    title: str
    type: str
    tags: list[str]
    supersede: NotRequired[list[str]]
    derived_from: NotRequired[list[str]]


@dataclass(frozen=True, slots=True)
class Group:
    """Memories that belong together, and what to call next."""

    ids: tuple[str, ...]
    score: float
    exact: bool
    titles: tuple[str, ...]
    next: str
    keep: str | None = None
    about: str | None = None
    memories: tuple[MemoryText, ...] | None = None
    would: Outlook | None = None


class SameMemories:
    """Memories that say the same, the one to keep first; `score` is that of the least alike."""

    def __init__(self, places: Sequence[Copy], score: float, *, exact: bool) -> None:
        self.places = tuple(places)
        self.score = round(score, 4)
        self.is_exact = exact

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(place.id for place in self.places)

    @property
    def memories(self) -> tuple[Memory, ...]:
        return tuple(place.memory() for place in self.places)

    @property
    def titles(self) -> tuple[str, ...]:
        return tuple(memory.title for memory in self.memories)


class Selection(TypedDict, total=False):
    """The memories an operation is about, as its caller names them."""

    branch: str
    ids: Sequence[str]
    type: str
    query: str
    progress: Callable[[int, int], None] | None


class TidyCandidates:
    """The memories an operation is about: those named, those a query finds, or all in force."""

    def __init__(self, workspace: Workspace, **selection: Unpack[Selection]) -> None:
        self.branch, self.type = selection.get("branch", ""), selection.get("type", "")
        self.ids, self.query = selection.get("ids", ()), selection.get("query", "")
        view = workspace.view(self.branch)
        self.search_view: SearchView = workspace.searcher.search_view(view)
        self._workspace = workspace
        self._progress = selection.get("progress")
        self._texts: dict[str, str] = {}
        if self.ids:
            self.entries = self._by_id(self.ids)
        elif self.query:
            self.entries = self._search(self.query, self.type)
        else:
            self.entries = self._all(self.type)

    @property
    def is_chosen(self) -> bool:
        """Tell whether somebody named them, or asked for them."""
        return bool(self.ids or self.query)

    @property
    def places(self) -> list[Copy]:
        return self.locate(self.entries)

    def locate(self, entries: Sequence[Entry]) -> list[Copy]:
        return [place for entry in entries if (place := self.search_view.place(entry.blob))]

    def _by_id(self, ids: Sequence[str]) -> list[Entry]:
        places = {place.id: place for place in map(self.search_view.view.find, ids)}
        for place in places.values():
            if place.memory().is_forgotten:
                raise MemoryNotFound(
                    f"The memory {place.id} was forgotten.",
                    hint=Advice("{} brings it back.", Call("forget", place.id, restore=True)),
                )
        return self._entries(place.blob for place in places.values())

    def _entries(self, blobs: Iterable[str]) -> list[Entry]:
        index = self._workspace.searcher.index
        return [entry for blob in blobs if (entry := index.entry(blob))]

    def _search(self, query: str, type: str) -> list[Entry]:
        """Return what the query matches, best first."""
        now = self._workspace.clock()
        result = self._workspace.searcher.index.search(
            parse(query, now), self.search_view.ranks, filters=Filters.of(now, type=type), now=now,
            limit=None,
        )  # fmt: skip
        blobs = (blob for hit in result.hits for blob in (hit.blob, *hit.folded))
        return self._entries(dict.fromkeys([*blobs, *result.rest]))

    def _all(self, type: str) -> list[Entry]:
        """Everything in force, oldest first."""
        kinds = Filters.of(self._workspace.clock(), type=type).types
        if self._progress:
            self._progress(0, 1)  # the index is open; whoever gave up has waited long enough
        entries = [
            entry
            for entry in self.search_view.entries()
            if entry.status not in _HIDDEN and (not kinds or entry.type in kinds)
        ]
        return sorted(entries, key=lambda entry: (entry.created, entry.place, entry.id))

    # --- alike ------------------------------------------------------------------------------------

    def alike(self, threshold: float) -> list[SameMemories]:
        """Copies first: memories with the very same text, white space aside, the one to keep first.
        Then memories of one type with mostly the same words, of copies only the one that is kept.
        """
        copies: list[SameMemories] = []
        near: list[SameMemories] = []
        # What was captured stands for itself.
        by_people = [entry for entry in self.entries if entry.type not in BOOKKEEPING_TYPES]
        for family in families(by_people, threshold, self._likeness, self._progress):
            heirs = []
            for same in self._by_text(family.members):
                places = sorted(self.locate(same), key=self._rank)
                heirs.append(places[0])
                if len(places) > 1:
                    copies.append(SameMemories(places, 1.0, exact=True))
            near += self._near(heirs, threshold)
        return copies + near

    def _likeness(self, one: Entry, other: Entry) -> float:
        first, second = self._text(one), self._text(other)
        return share_of_terms(first, second) if first and second else 0.0

    def _near(self, places: Sequence[Copy], threshold: float) -> Iterator[SameMemories]:
        """Of memories that are alike those that could be merged: of one type, and not private
        beside shared."""
        kinds: dict[tuple[str, bool], list[Copy]] = {}
        for place in places:
            kind = (place.memory().type, place.is_private)
            kinds.setdefault(kind, []).append(place)
        for first, *others in kinds.values():
            text = first.memory().content
            scores = {place.id: share_of_terms(text, place.memory().content) for place in others}
            alike = [place for place in others if scores[place.id] >= threshold]
            if alike:
                yield SameMemories([first, *alike], min(scores[p.id] for p in alike), exact=False)

    def _by_text(self, entries: Sequence[Entry]) -> list[list[Entry]]:
        groups: dict[str, list[Entry]] = {}
        for entry in entries:
            groups.setdefault(self._text(entry), []).append(entry)
        return list(groups.values())

    def together(self) -> SameMemories:
        """All of them as one group, for memories somebody named."""
        places = self.places
        texts = [place.memory().content for place in places]
        scores = [share_of_terms(texts[0], text) for text in texts[1:]]
        is_same = len({fold(text) for text in texts}) == 1
        return SameMemories(places, 1.0 if is_same else min(scores, default=1.0), exact=is_same)

    def _text(self, entry: Entry) -> str:
        if entry.blob not in self._texts:
            self._texts[entry.blob] = self._read(entry)
        return self._texts[entry.blob]

    def _read(self, entry: Entry) -> str:
        place = self.search_view.place(entry.blob)
        memory = place.try_memory() if place else None
        return fold(memory.content) if memory else ""

    def _rank(self, place: Copy) -> tuple[object, ...]:
        """Return which copy is kept: one that others see too, as near to the trunk as there is, the
        surest, and the oldest of those."""
        memory = place.memory()
        return (
            place.is_private,
            -self.search_view.ranks[place.blob],
            memory.status != "active",
            -memory.confidence,
            memory.created,
            memory.id,
        )


def fold(text: str) -> str:
    return " ".join(text.split())


def whole(memory: Memory) -> MemoryText:
    return {
        "id": memory.id,
        "type": memory.type,
        "title": memory.title,
        "tags": list(memory.tags),
        "content": memory.content,
    }


def text_given(content: str) -> str:
    """A text the caller wrote, made ready; one with a credential in it is refused."""
    text = inputs.clean_content(content)
    secrets.refuse(text)
    return text


class Rewrite:
    """Changes to be written together; nothing is until `commit`."""

    def __init__(self, workspace: Workspace, view: View) -> None:
        self._workspace = workspace
        self._view = view
        self._changes: dict[str, Change] = {}
        self.now = workspace.now()

    def still(self, copy: Copy) -> Copy:
        """The memory as it was when it was looked at, before the lock; Conflict when it is not."""
        place = self._view.place(copy.id)
        if place is None or place.blob != copy.blob:
            raise Conflict(f"The memory {copy.id} changed meanwhile")
        return place

    def memory(self, place: Copy) -> Memory:
        change = self._changes.get(place.id)
        return change.memory if change else place.memory()

    def add(self, memory: Memory, existing: Copy | None, *, is_private: bool) -> None:
        self._changes[memory.id] = Change(memory, existing, is_private)

    def change(self, place: Copy, memory: Memory, *, by_hand: bool = True) -> None:
        """Only what somebody meant to change is `modified`: of two versions that one must win."""
        if memory != self.memory(place):
            memory = memory.touch(self.now) if by_hand else memory
            is_private = place.is_private
            existing = self._changes[place.id].replaces if place.id in self._changes else place
            self._changes[place.id] = Change(memory, existing, is_private)

    def supersede(self, place: Copy, by: str) -> None:
        self.change(place, self.memory(place).supersede(by))

    def forget(self, place: Copy, reason: str) -> None:
        self.change(place, self.memory(place).forget(reason))

    def move_links(self, heirs: Mapping[str, str], *, with_history: bool = True) -> int:
        """Let links to the one end at the other; how many did. Without history, links that tell
        where a memory came from stay as they are."""
        count = 0
        search_view = self._workspace.searcher.search_view(self._view)
        sources = {source for old in heirs for _, source in incoming(search_view, old)}
        for source in sorted((sources | self._changes.keys()) - heirs.keys()):
            place = self._view.place(source)
            if place is None:
                continue
            memory = self.memory(place)
            links = [_move(link, heirs, with_history) for link in memory.links]
            count += sum(new != old for new, old in zip(links, memory.links, strict=True))
            links_now = surest(links, but=source)
            self.change(place, memory._replace(links=links_now), by_hand=False)
        return count

    def commit(self, writing: Writing, op: WriteOp) -> dict[str, str]:
        """Write it, and return the new version of each id."""
        return writing.commit(op, self._changes.values()) if self._changes else {}


def incoming(search_view: SearchView, memory_id: str) -> Iterable[tuple[str, str]]:
    """Relation and source of every link to a memory."""
    edges = search_view.links.around(memory_id, direction="in")
    return [(edge.relation, edge.source) for edge in edges]


def _move(link: Link, heirs: Mapping[str, str], with_history: bool) -> Link:
    tells_history = RELATIONS.get(link.relation) == "evolution"
    if link.target not in heirs or (tells_history and not with_history):
        return link
    return link._replace(target=heirs[link.target])


def surest(links: Iterable[Link], *, but: str = "") -> tuple[Link, ...]:
    """Each edge once, the surest copy of it; none that would end where it begins."""
    edges: dict[tuple[str, str], Link] = {}
    for link in links:
        key = (link.relation, link.target)
        if link.target != but and (key not in edges or link.confidence > edges[key].confidence):
            edges[key] = link
    return tuple(edges.values())


def files_of(memories: Iterable[Memory]) -> tuple[FileRef, ...]:
    """The files all of them are about, each as the newest memory saw it."""
    newest = sorted(memories, key=lambda memory: memory.modified)
    return tuple({file.path: file for memory in newest for file in memory.files}.values())


def tags_of(memories: Iterable[Memory]) -> tuple[str, ...]:
    """All their tags, each once in whatever case."""
    tags: dict[str, str] = {}
    for memory in memories:
        for tag in memory.tags:
            tags.setdefault(tag.lower(), tag)
    return tuple(tags.values())
