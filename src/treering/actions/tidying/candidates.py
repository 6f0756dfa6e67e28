"""Candidates: which memories an operation is about, and which of them say the same.

Candidates come from the index. Whether two texts are the same is decided by the texts themselves.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NotRequired, TypedDict

from treering.actions import inputs
from treering.actions.searcher import SearchView
from treering.actions.workspace import Workspace
from treering.call import Advice, Call
from treering.errors import MemoryNotFound
from treering.model.memory import Memory
from treering.model.query import Filters, parse
from treering.model.taxonomy import BOOKKEEPING_TYPES
from treering.search.entry import Entry
from treering.search.similarity import families, share_of_terms
from treering.store.view import Copy
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
    """What a text would become, and what would become of the memories it is about."""

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


class TidyCandidates:
    """The memories an operation is about: those named, those a query finds, or all in force."""

    def __init__(
        self,
        workspace: Workspace,
        *,
        branch: str,
        ids: Sequence[str],
        type: str,
        query: str,
        progress: Callable[[int, int], None] | None = None,
    ) -> None:
        view = workspace.view(branch)
        self.search_view: SearchView = workspace.searcher.search_view(view)
        self._workspace = workspace
        self._progress = progress
        self._texts: dict[str, str] = {}
        if ids:
            self.entries = self._by_id(ids)
        elif query:
            self.entries = self._search(query, type)
        else:
            self.entries = self._all(type)

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
        """What the query matches, best first."""
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
        by_people = self._by_people()
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

    def _by_people(self) -> list[Entry]:
        """The entries of what people and agents wrote; what was captured stands for itself."""
        return [entry for entry in self.entries if entry.type not in BOOKKEEPING_TYPES]

    def _text(self, entry: Entry) -> str:
        if entry.blob not in self._texts:
            self._texts[entry.blob] = self._read(entry)
        return self._texts[entry.blob]

    def _read(self, entry: Entry) -> str:
        place = self.search_view.place(entry.blob)
        memory = place.try_memory() if place else None
        return fold(memory.content) if memory else ""

    def _rank(self, place: Copy) -> tuple[object, ...]:
        """Which copy is kept: one that others see too, as near to the trunk as there is, the
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
