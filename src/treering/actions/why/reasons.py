"""The memories that may explain lines, and the ways that lead to each.

lines     said while the commit that wrote them was made, also behind a squash
branch    learned on the branch that landed as that commit
commit    of the commit, of the one it was picked from, or of one it reverts
session   of the work session the commit was made in
file      names the file
link      linked with one of these, or named by the commit's message
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple

from treering.actions.why.line_ranges import BlameReader, LineRange
from treering.actions.why.origins import CommitOrigin, Origins
from treering.actions.why.source import read_source
from treering.actions.workspace import Workspace
from treering.branches import layers
from treering.branches.tips import last_tips
from treering.branches.trunk import trunk_of
from treering.capture.commits import memory_id
from treering.derived.code_records import CodeRecords
from treering.errors import Invalid, StorageFailed
from treering.git.blame import LineRun
from treering.model.dates import instant
from treering.model.memory import Memory
from treering.model.scope import Scope
from treering.model.tables import read_word_list
from treering.model.taxonomy import BOOKKEEPING_TYPES, SAVED_TYPES
from treering.store.history import HistoryCommit
from treering.store.message import CodePosition
from treering.store.view import Copy, View
from treering.text.words import words

if TYPE_CHECKING:
    from treering.search.entry import Entry


Via = Literal["lines", "branch", "commit", "session", "file", "link"]
#: In the order an answer lists them.
VIAS: tuple[Via, ...] = ("lines", "branch", "commit", "session", "file", "link")

_WEIGHTS: dict[Via, float] = {
    "lines": 0.5, "branch": 0.35, "commit": 0.35, "session": 0.2, "file": 0.3, "link": 0.2,
}  # fmt: skip
#: What git shows anyway, and what was going on, explain less than what somebody meant to say.
_TYPES = {
    "decision": 1.0, "commit": 0.55, "session": 0.5, "checkpoint": 0.4, "progress": 0.5,
    "context": 0.85,
}  # fmt: skip
_OTHER_TYPE = 0.95
_STATUSES = {"superseded": 0.75, "needs-review": 0.95}
_WORDS = 0.3
_ENOUGH_WORDS = 4
_SINCE = 0.4
#: Words of a language, not of what a line is about.
_SILENT = read_word_list("words", "keywords")


def score(
    memory: Memory, ways: Mapping[Via, float], asked: frozenset[str], *, is_since: bool
) -> float:
    """From 0 to 1; `ways` says how strongly each way leads to the memory."""
    doubt = 1.0
    for via, strength in ways.items():
        doubt *= 1 - _WEIGHTS[via] * strength
    value = (1 - doubt) + doubt * _WORDS * overlap(memory, asked)
    value *= _TYPES.get(memory.type, _OTHER_TYPE) * _STATUSES.get(memory.status, 1.0)
    value *= 0.85 + 0.15 * memory.confidence
    return round(value * (_SINCE if is_since else 1.0), 4)


def overlap(memory: Memory, asked: frozenset[str]) -> float:
    """Return how many of the words of some lines a memory has; a few are enough."""
    if not asked:
        return 0.0
    own = list_words(f"{memory.title}\n{memory.content[:4000]}\n{' '.join(memory.tags)}")
    return min(len(asked & own) / min(len(asked), _ENOUGH_WORDS), 1.0)


def list_words(text: str) -> frozenset[str]:
    """The telling words of prose or code; `retry_limit` and `retryLimit` are two."""
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|[_\W]+", " ", text)
    return frozenset(word for word in words(apart) if len(word) > 1 and word not in _SILENT)


_MOST_HEADS = 4
#: How promotions call a landing that leaves other commits than the branch had.
_SQUASHES = frozenset({"squash", "noop", "lines", "rewritten", "cherry", "by hand", ""})


class SquashedCommits(NamedTuple):
    """The commits that wrote lines on their branch; or, where none of those that are known has the
    lines yet, the newest of them: they were written on top of it."""

    commits: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


#: What is done to memories that says something about the code beside it, and how surely.
_SAYING = {"remember": 1.0, "capture": 1.0, "merge": 0.8, "summarize": 0.8, "revise": 0.6}
#: How surely a memory is about a commit, by where the code was when it was said.
_ON_THE_WAY, _AFTER, _ON_TRUNK, _DIRTY = 1.0, 1.0, 0.8, 0.5
_REVERTED, _ON_A_GUESS = 0.6, 0.8
_OTHER_FILES = 0.5
_MOST_NAMING = 100
_MOST_SEEDS = 5


class LineReason(NamedTuple):
    """A memory and the ways that lead to it, each with how surely it does."""

    ways: dict[Via, float]
    #: Whether it came after the lines were written and only names their file.
    is_since: bool = False


class ReasonFinder:
    """Finds what explains ranges of one file, for one answer."""

    def __init__(
        self,
        workspace: Workspace,
        view: View,
        origins: Origins,
        blamer: BlameReader,
        path: str,
        *,
        private: bool,
        binding_only: bool = False,
    ) -> None:
        """Prepare to explain one file; with `binding_only` by what led to the very lines, which no
        index is needed for."""
        self._workspace = workspace
        self._view = view
        self._binding_only = binding_only
        self._has_private = private
        self._origins = origins
        self._path = path
        self._copies: dict[str, Copy | None] = {}
        self._blamer = blamer
        self._naming: dict[str, list[Entry]] = {}
        self._reasons: dict[tuple[object, ...], dict[str, LineReason]] = {}

    def find(self, line_range: LineRange, origin: CommitOrigin | None) -> dict[str, LineReason]:
        """The memories that may explain a range, by id."""
        through = self._look_through(line_range, origin) if origin else SquashedCommits()
        key = (line_range.commit, line_range.paths, through)
        if key not in self._reasons:  # ranges of one commit have the same
            self._reasons[key] = self._find(line_range, origin, through)
        return self._reasons[key]

    def _find(
        self, line_range: LineRange, origin: CommitOrigin | None, through: SquashedCommits
    ) -> dict[str, LineReason]:
        reasons = _LineReasons()
        if origin is not None:
            self._add_lines(reasons, origin, through, (self._path, *line_range.paths))
            self._add_branch(reasons, origin)
            self._add_commits(reasons, origin)
        if not self._binding_only:
            self._add_files(reasons, line_range, origin)
            if origin is not None:
                words = (*origin.words.memories, *origin.merge_words.memories)
                reasons.add(words, "link", 1.0)
            self._add_linked(reasons)
        return {mid: reason for mid, reason in reasons.by_id.items() if self.copy(mid)}

    # --- behind a squash --------------------------------------------------------------------------

    def _look_through(self, line_range: LineRange, origin: CommitOrigin) -> SquashedCommits:
        landed, repository = origin.info.oid, self._workspace.repository
        landings = [p for p in origin.promotions if p.merged_as == landed]
        if not any(promotion.merge_kind in _SQUASHES for promotion in landings):
            return SquashedCommits()
        heads: list[str] = []  # where the branch's code was last, newest first
        starts: list[str] = []  # and where it began, as far as it had no commits of its own
        for name in origin.branches:
            heads += last_tips(repository, Scope(name))
            for code in (record.code for record in self._records.list_of_branch(name)):
                if code.head:
                    (heads if code.has_own_commits else starts).append(code.head)

        def is_own(commit: str) -> bool:
            """Return whether a commit is here and stayed behind when the branch landed."""
            return bool(repository.resolve(commit)) and not repository.is_ancestor(commit, landed)

        own_heads = [head for head in dict.fromkeys(heads) if is_own(head)][:_MOST_HEADS]
        for head in own_heads:
            writers = (self._blame_at(head, landed, run) for run in line_range.runs)
            commits = dict.fromkeys(oid for some in writers for oid in some)
            if own := tuple(filter(is_own, commits)):
                return SquashedCommits(own)
        return SquashedCommits(after=tuple(own_heads[:1] or dict.fromkeys(starts)))

    def _blame_at(self, head: str, landed: str, run: LineRun) -> list[str]:
        """Return who wrote lines of a landed file on the branch it landed from."""
        base = self._workspace.repository.merge_base(head, landed) or ""
        try:
            there, source = (
                read_source(self._workspace, run.path, commit, is_past=True)
                for commit in (landed, head)
            )
            if not (run.original and there.is_committed and source.is_committed):
                return []
            lines = [(run.original, min(run.original + run.size - 1, there.size))]
            runs = self._blamer.blame_as(there.text, source, lines, since=base)
        except (Invalid, StorageFailed):
            return []
        return [run.commit for run in runs if run.commit]

    # --- the commit that wrote the lines ----------------------------------------------------------

    def _add_lines(
        self,
        reasons: "_LineReasons",
        origin: CommitOrigin,
        through: SquashedCommits,
        paths: Sequence[str],
    ) -> None:
        # Behind a squash the branch's own commits tell more than the one they became.
        commits = through.commits or (() if through.after else origin.same)
        speaking = self._list_speaking(commits, origin.branches)
        speaking += self._list_before(through.after, origin.branches, 1.0)
        speaking += self._list_before(origin.before, origin.branches, _ON_A_GUESS)
        for record, strength in speaking:
            for mid in self._records.ids_of([record]):
                lines = self._closeness(mid, record, paths)
                reasons.add([mid], "commit", strength)
                if lines:
                    reasons.add([mid], "lines", lines * strength)
        reasons.add(map(memory_id, through.commits), "commit", 0.8)
        for record, strength in self._list_speaking(origin.mentioned, origin.branches):
            reasons.add(self._records.ids_of([record]), "commit", _REVERTED * strength)
        promotions = self._records.list_landings(origin.mentioned)
        reasons.add(self._records.ids_of(promotions), "branch", _REVERTED)
        reasons.add(map(memory_id, origin.mentioned), "commit", _REVERTED)

    def _closeness(self, mid: str, record: HistoryCommit, paths: Sequence[str]) -> float:
        """Return how surely what was said of a commit is about the lines it wrote in a file.

        A hook says that there was a commit, and no more. On the trunk many things are said beside a
        commit. What names other files is about those.
        """
        memory = self.memory(mid) if record.op != "capture" else None
        if memory is None:
            return 0.0
        if any(file.path in paths for file in memory.files):
            return 1.0
        if not record.code.has_own_commits and record.code.branch == self._trunk:
            return 0.0
        return _OTHER_FILES if memory.files else 1.0

    def _list_speaking(
        self, commits: Sequence[str], branches: Sequence[str]
    ) -> list[tuple[HistoryCommit, float]]:
        """Return what was said about some commits: at them, or on the way to them."""
        parents_of = self._workspace.repository.parents_of
        before = {parent for oid in commits for parent in (parents_of(oid) or ())[:1]}
        speaking = []
        for record in self._records.list_at([*commits, *before]):
            sure = _SAYING.get(record.op, 0.0)
            if not sure or record.merged_as:
                continue
            head = record.code.head
            near = self._nearness(record.code, head in commits, head in before, branches)
            if near:
                speaking.append((record, sure * near))
        return speaking

    def _list_before(
        self, heads: Sequence[str], branches: Sequence[str], sure: float
    ) -> list[tuple[HistoryCommit, float]]:
        """Return what was said with something edited on top of some commits, or before there were
        any."""
        return [
            (record, sure * _SAYING[record.op])
            for record in self._records.list_at(heads)
            if record.op in _SAYING and record.code.branch in branches
            if record.code.is_dirty or not record.code.has_own_commits
        ]

    def _nearness(
        self, code: CodePosition, is_at: bool, is_before: bool, branches: Sequence[str]
    ) -> float:
        """Return how surely something is about a commit, said at it or at its parent.

        1 on a branch with commits of its own, at the commit, nothing edited -> about it
        2 the same with something edited                                     -> about the next one
        3 on a branch before its first commit                                -> about the next one
        4 on the trunk                                                       -> about either
        """
        if code.has_own_commits:
            if is_at:
                return _DIRTY if code.is_dirty else _AFTER  # 1, or 2 if no other follows
            return _ON_THE_WAY if code.is_dirty and code.branch in branches else 0.0  # 2
        if code.branch in branches:
            return _ON_THE_WAY if is_before else 0.0  # 3
        is_trunks = code.branch == self._trunk and not branches
        return _ON_TRUNK if is_trunks and (is_at or is_before) else 0.0  # 4

    @property
    def _records(self) -> CodeRecords:
        return self._origins.records

    @cached_property
    def _trunk(self) -> str:
        return trunk_of(self._workspace.repository)

    # --- the branch -------------------------------------------------------------------------------

    def _add_branch(self, reasons: "_LineReasons", origin: CommitOrigin) -> None:
        """Add what came with the branch, or is still on it."""
        for promotion in origin.promotions:
            is_direct = promotion.merged_as in (*origin.same, origin.merge)
            reasons.add(self._records.ids_of([promotion]), "branch", 1.0 if is_direct else 0.9)
        if origin.promotions:
            return
        for name in origin.branches:
            records = self._records.list_of_branch(name)
            said = [record for record in records if record.op in _SAYING]
            reasons.add(self._records.ids_of(said), "branch", 0.9)

    # --- the commit and its session ---------------------------------------------------------------

    def _add_commits(self, reasons: "_LineReasons", origin: CommitOrigin) -> None:
        for oid in filter(None, (*origin.same, origin.merge)):
            reasons.add([memory_id(oid)], "commit", 1.0)
            memory = self.memory(memory_id(oid))
            if memory and memory.session:
                self._add_session(reasons, memory.session)

    def _add_session(self, reasons: "_LineReasons", session: str) -> None:
        memory = self.memory(session)
        if memory is None or memory.type != "session":
            return
        reasons.add([session], "session", 1.0)
        try:
            start, end = (instant(str(memory.details[key])) for key in ("start", "end"))
        except (KeyError, ValueError, OverflowError):
            return
        branch = str(memory.details.get("branch", ""))
        records = self._records.list_between(branch, start, end)
        said = [record for record in records if record.op in _SAYING]
        reasons.add(self._records.ids_of(said), "session", 0.7)

    # --- the file ---------------------------------------------------------------------------------

    def _add_files(
        self, reasons: "_LineReasons", line_range: LineRange, origin: CommitOrigin | None
    ) -> None:
        """Add what names the file, under the name it has or had: standing when the lines were
        written, or learned since."""
        for name in dict.fromkeys((self._path, *line_range.paths)):
            for entry in self.list_naming(name):
                is_since = origin is not None and entry.created > origin.info.time
                reasons.add([entry.id], "file", 1.0, is_since=is_since)

    def list_naming(self, path: str) -> "list[Entry]":
        """The newest pieces of knowledge that name a file."""
        if path not in self._naming:
            view = self._workspace.searcher.knowledge_view(self._view)
            words = path.replace("/", " ")
            entries = [e for e in view.index.holding(words, view.ranks) if path in e.files]
            entries.sort(key=lambda entry: -entry.modified)
            self._naming[path] = entries[:_MOST_NAMING]
        return self._naming[path]

    # --- links ------------------------------------------------------------------------------------

    def _add_linked(self, reasons: "_LineReasons") -> None:
        """Add what the surest of them are linked with."""
        surest = sorted(reasons.by_id.items(), key=lambda item: -sum(item[1].ways.values()))
        seeds = [mid for mid, reason in surest if not reason.is_since][:_MOST_SEEDS]
        if not seeds:
            return
        links = self._workspace.searcher.knowledge_view(self._view).links
        for step in links.reach(seeds, 1, ()):
            if not self.is_record(step.id):
                reasons.add([step.id], "link", step.edge.confidence)

    def is_record(self, mid: str) -> bool:
        """Return whether it only tells what happened, or names something."""
        memory = self.memory(mid)
        return memory is None or memory.type in BOOKKEEPING_TYPES

    # --- where memories are -----------------------------------------------------------------------

    def copy(self, mid: str) -> Copy | None:
        """A memory that is in force, seen from here or else lying on another branch or in the
        trash: its code is in these lines, whatever became of its branch."""
        if mid not in self._copies:
            nearest = self._view.place(mid)
            copies = [nearest] if nearest else [view.place(mid) for view in self._elsewhere]
            self._copies[mid] = next((copy for copy in copies if copy and _is_shown(copy)), None)
        return self._copies[mid]

    def memory(self, mid: str) -> Memory | None:
        copy = self.copy(mid)
        return copy.try_memory() if copy else None

    @cached_property
    def _elsewhere(self) -> tuple[View, ...]:
        trash = layers.view_of_trash(self._workspace.store, self._view.branch)
        views = (self._workspace.view_of_all(), trash)
        return views if self._has_private else tuple(view.without_private() for view in views)


def _is_shown(copy: Copy) -> bool:
    memory = copy.try_memory()
    return memory is not None and not memory.is_forgotten and memory.type not in SAVED_TYPES


class _LineReasons:
    """Reasons as they are found; of two that say the same the surer one stays."""

    def __init__(self) -> None:
        self.by_id: dict[str, LineReason] = {}

    def add(self, ids: Iterable[str], via: Via, strength: float, *, is_since: bool = False) -> None:
        for mid in ids:
            if before := self.by_id.get(mid):
                ways = before.ways | {via: max(strength, before.ways.get(via, 0.0))}
                # A link alone does not make it older than the lines.
                is_still = before.is_since and (is_since or via == "link")
                self.by_id[mid] = LineReason(ways, is_still)
            else:
                self.by_id[mid] = LineReason({via: strength}, is_since)
