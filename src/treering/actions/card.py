"""Card: a memory as every answer shows it, and the one place that makes them.

recall, read, context, why, guard, review and checkpoint show cards: the same fields in the same
order, and what a verb adds after them. A field that has nothing to say is None, and left out.
"""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Literal, NamedTuple

from treering.actions.marks import (
    NO_MARKS,
    Marks,
    NewerMemory,
    OutdatedBy,
    Outdates,
    Reverted,
    find_amendments,
    mark_blobs,
    view_with,
)
from treering.actions.origin import Flags, Origin, attribute
from treering.actions.staleness import CodeTree, Stale
from treering.actions.standing import UNKNOWN, LandedAs, Standing, StandingWord, find_standings
from treering.actions.workspace import MemoryWorkspace
from treering.call import Advice
from treering.hub.names import RepoFreshness
from treering.model.choices import Match, Outcome, ReviewReason, Status
from treering.model.memory import FileRef, Memory, uri_of
from treering.store.view import Copy, View
from treering.text.passages import snippet

if TYPE_CHECKING:
    from treering.actions.searcher import SearchView


class HistoryEntry(NamedTuple):
    """One change of a memory."""

    commit: str
    when: str
    author: str
    op: str
    title: str


class Neighbour(NamedTuple):
    """The other end of a link; `depth` counts hops from the memory that was read."""

    direction: Literal["in", "out"]
    relation: str
    id: str
    title: str
    confidence: float
    by: str
    depth: int = 1
    reason: str | None = None
    flags: tuple[str, ...] | None = None


class Doubt(NamedTuple):
    """One reason to look at a memory, in words, and the other memory it is about."""

    reason: ReviewReason
    detail: str
    other: str | None = None

    @property
    def key(self) -> str:
        """Return what is noted when somebody keeps the memory all the same."""
        return f"{self.reason} {self.other or ''}{self.detail if not self.other else ''}".strip()


class Card(NamedTuple):
    """A memory as shown.

    `flags` name what looks wrong: signs of a text that wants to steer whoever reads it, a
    credential, or that nobody has looked yet. `edited_by` are those whose words are in it besides
    its author's.
    """

    id: str
    uri: str
    type: str
    title: str
    branch: str
    layer: str
    private: bool
    tags: tuple[str, ...]
    topic: str
    #: How well it fits what was asked, and why it is in the answer.
    score: float | None
    why: tuple[str, ...] | None
    confidence: float
    status: Status
    created: str
    modified: str
    author: str
    origin: Origin
    edited_by: tuple[str, ...] | None = None
    flags: tuple[str, ...] | None = None
    #: Two people reworded it, and nobody has settled which words count.
    conflict: bool | None = None
    #: Whether its code has landed, and as what.
    standing: StandingWord | None = None
    landed: LandedAs | None = None
    agent: str | None = None
    outcome: Outcome | None = None
    outdated_by: OutdatedBy | None = None
    newer: NewerMemory | None = None
    reverted: Reverted | None = None
    stale: Stale | None = None
    #: What of the question it matches; not in a listing, nor of what is only linked.
    match: Match | None = None
    #: What was searched for in place of words nobody wrote, where it matches that.
    spelled: str | None = None
    #: The commit that a memory of the type commit is about; in `read`, where the memory was said.
    commit: str | None = None
    similar: tuple[str, ...] | None = None
    #: The memory whose link led here; in `why`, the ways that led here.
    via: str | tuple[str, ...] | None = None
    snippet: str | None = None
    content: str | None = None
    details: Mapping[str, object] | None = None
    #: The repository it is from, where the hub was asked.
    repo: str | None = None
    # read, and checkpoint
    #: The blob to expect in revise.
    version: str | None = None
    source: str | None = None
    session: str | None = None
    files: tuple[FileRef, ...] | None = None
    extra: Mapping[str, object] | None = None
    links: tuple[Neighbour, ...] | None = None
    outdates: tuple[Outdates, ...] | None = None
    history: tuple[HistoryEntry, ...] | None = None
    pending: int | None = None
    repos: tuple[RepoFreshness, ...] | None = None
    #: Not injected: flagged, and not of this clone's own writing.
    withheld: bool | None = None
    # why
    #: Whether it was learned after the lines were written.
    since: bool | None = None
    # review
    reasons: tuple[Doubt, ...] | None = None
    #: The call that settles the gravest of them.
    next: Advice | None = None

    @property
    def marks(self) -> Marks:
        return Marks(self.outdated_by, self.newer, self.reverted)

    @property
    def state_words(self) -> list[str]:
        """Return what a line about it says of its state: nothing of one that is in order."""
        words: list[str] = [self.status] if self.status != "active" else []
        words += self.marks.words
        words += ["conflict"] if self.conflict else []
        is_stale = self.stale and self.stale.state != "fresh"
        return words + ([f"files {self.stale.state}"] if self.stale and is_stale else [])

    def with_text(self, memory: Memory, detail: str, words: str = "") -> "Card":
        """Add as much of the text as was asked for: nothing, a snippet, or all of it."""
        if detail == "full":
            return self._replace(content=memory.content, details=dict(memory.details))
        return self._replace(snippet=snippet(memory.content, words)) if detail == "medium" else self


class CardMaker:
    """Makes the cards of one answer; marks and standings are looked up for many at once.

    `head` is the code's commit that marks are asked about. Without `code` nothing is said about
    files.
    """

    def __init__(
        self,
        workspace: MemoryWorkspace,
        view: "View | SearchView",
        head: str | None,
        code: CodeTree | None = None,
    ) -> None:
        self._workspace = workspace
        self._view = view if isinstance(view, View) else view.view
        self._search_view = None if isinstance(view, View) else view
        self._head = head
        self._code = code
        self.flags = Flags(workspace)
        self._marks: dict[str, Marks] = {}
        self._standings: dict[str, Standing] = {}

    def prepare(self, copies: Iterable[Copy], *, is_marked: bool = True) -> None:
        """Look up what there is to say of some memories before their cards are made. A version
        that is not the one seen in the view has no marks."""
        some = list(copies)
        self._standings |= find_standings(self._workspace, some)
        if not is_marked:
            return
        search_view, blobs = self._search_view, [copy.blob for copy in some]
        if search_view is None:
            seen = (self._view.place(copy.id) for copy in some)
            blobs = [place.blob for place in seen if place and place.blob in blobs]
            search_view = view_with(self._workspace, self._view, blobs) if blobs else None
        if search_view is not None:
            self._marks |= mark_blobs(self._workspace, search_view, blobs, self._head)

    def mark_amended(self, copies: Iterable[Copy]) -> None:
        """Mark those of some memories close to one question which a later one of them amends."""
        memories = {copy.blob: memory for copy in copies if (memory := copy.try_memory())}
        amended = find_amendments(list(memories.values()))
        for blob, memory in memories.items():
            marks = self.marks(blob)
            if memory.id in amended and not marks.outdated_by:
                self._marks[blob] = marks._replace(newer=amended[memory.id])

    def marks(self, blob: str) -> Marks:
        return self._marks.get(blob, NO_MARKS)

    def make(self, copy: Copy, memory: Memory) -> Card:
        """Make the card of a copy and the memory that was read from it."""
        whose = attribute(self._workspace, copy.blob, memory)
        standing = self._standings.get(copy.id, UNKNOWN)
        marks = self.marks(copy.blob)
        return Card(
            id=memory.id,
            uri=uri_of(memory.id),
            type=memory.type,
            title=memory.title,
            branch=copy.layer.branch,
            layer=copy.layer.kind,
            private=copy.is_private,
            tags=memory.tags,
            topic=memory.topic,
            score=None,
            why=None,
            confidence=memory.confidence,
            status=memory.status,
            created=whose.created,
            modified=whose.modified,
            author=memory.author,
            origin=whose.origin,
            edited_by=whose.edited_by or None,
            flags=self.flags.of(copy) or None,
            conflict=bool(memory.lost_wording) or None,
            standing=standing.standing,
            landed=standing.landed,
            agent=memory.agent or None,
            outcome=memory.outcome,
            outdated_by=marks.outdated_by,
            newer=marks.newer,
            reverted=marks.reverted,
            commit=memory.commit if memory.type == "commit" else None,
            stale=self._code.staleness(memory) if self._code else None,
        )
