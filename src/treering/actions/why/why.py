"""why: from a line of code to the reason it is there, best first."""

import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from treering.actions.card import Card, CardMaker
from treering.actions.drain import drain_briefly
from treering.actions.marks import Marks, find_reverted, is_out_of_force
from treering.actions.staleness import CodeTree
from treering.actions.standing import LandedAs
from treering.actions.why.line_ranges import BlameReader, LineRange
from treering.actions.why.origins import CommitOrigin, Origins, body_of
from treering.actions.why.reasons import VIAS, LineReason, ReasonFinder, Via, list_words, score
from treering.actions.why.source import (
    LineTarget,
    SourceFile,
    entry_at,
    find_target,
    list_lines,
    name_path,
    read_source,
    show,
    split_target,
)
from treering.actions.workspace import Workspace
from treering.errors import Invalid, StorageFailed
from treering.model.dates import format_moment
from treering.model.memory import beyond_title
from treering.model.query import Filters
from treering.store.view import View
from treering.text.passages import snippet

_ALWAYS_SAID = ("outcome", "outdated_by", "stale")


@dataclass(frozen=True, slots=True)
class WhyLines:
    """Lines that one commit wrote. Lines without one are not committed yet.

    `commit` is then empty. A file without lines, binary or empty, is one entry from 0 to 0.
    """

    first: int
    last: int
    commit: str
    when: str
    author: str
    subject: str
    landed: LandedAs | None
    #: Ids, the best explanation first.
    memories: tuple[str, ...]
    #: The ways that led to each of them.
    via: dict[str, tuple[Via, ...]]
    is_uncommitted: bool = False
    #: Whether the history known here begins there: a shallow clone.
    is_boundary: bool = False
    #: The name the file had in that commit, where that was another one.
    path: str | None = None
    pull_request: int | None = None
    trailers: dict[str, list[str]] | None = None
    #: What the commit says below its subject, in short, unless there are very many commits.
    body: str | None = None
    #: The lines themselves, unless they are very many.
    code: tuple[str, ...] | None = None

    def is_repeated_by(self, card: Card) -> bool:
        """Return whether a card says no more than the commit that is shown beside it."""
        return card.type == "commit" and card.title == self.subject

    def as_json(self) -> dict[str, object]:
        """By the contract's names; `landed` is said in any case."""
        answer: dict[str, object] = {
            "from": self.first, "to": self.last, "commit": self.commit, "when": self.when,
            "author": self.author, "subject": self.subject, "landed": self.landed,
            "memories": self.memories,
        }  # fmt: skip
        if self.is_uncommitted:
            answer["uncommitted"] = True
        if self.is_boundary:
            answer["boundary"] = True
        more = {
            "via": self.via, "path": self.path, "pull_request": self.pull_request,
            "trailers": self.trailers, "body": self.body, "code": self.code,
        }  # fmt: skip
        return answer | {key: value for key, value in more.items() if value}


@dataclass(frozen=True, slots=True)
class WhyAnswer:
    """Lines of a file and why they are there. `at` is the commit that was looked at."""

    path: str
    at: str
    lines: tuple[WhyLines, ...]
    memories: tuple[Card, ...]
    branch: str
    #: How many memories were found; those beyond the limit are left out.
    total: int
    #: What the answer could not take into account.
    notes: tuple[str, ...] | None = None
    pending: int | None = None

    def as_json(self) -> dict[str, object]:
        """By the contract's names; of a memory's truth something is said in any case."""
        fields = {name: getattr(self, name) for name in type(self).__match_args__}
        memories = [
            {name: v for name, v in card._asdict().items() if v is not None or name in _ALWAYS_SAID}
            for card in self.memories
        ]
        said = {name: value for name, value in fields.items() if value is not None}
        return said | {"memories": memories}


_LIMIT = 20
_MOST_CODE = 2_000
_MOST_BODIES = 30
_WORDED_LINES = 30
#: Seconds in which reasons are looked for; of what is left only the commits are told.
SECONDS = 1.5
_CUT_SHORT = "Reasons were not looked for to the end of these lines. Ask for fewer lines."
#: How much less a memory counts that explains only some of the lines asked about.
_SHARE = 0.25


def why(
    workspace: Workspace, path: str, *, at: str = "", limit: int = 0, branch: str = ""
) -> WhyAnswer:
    """Say for each range of lines which commit wrote it, and which memories explain it.

    `path` may end with a line or lines: `src/db.py:42`, `src/db.py:40-60`. With `at` the file is
    taken as a revision has it. Memories are those seen now, from `branch` or from here.
    """
    pending = drain_briefly(workspace)
    explanation = LineExplanation(workspace, at=at, branch=branch)
    source, parts = explanation.explain_target(path)
    return explanation.answer(source, parts, limit or _LIMIT, pending)


class Explained(NamedTuple):
    """A range, where its commit comes from, and the memories that explain it, best first."""

    line_range: LineRange
    origin: CommitOrigin | None
    code: tuple[str, ...]
    scores: dict[str, float]
    reasons: dict[str, LineReason]


class LineExplanation:
    """One question: the code at a commit, the memories seen from a branch."""

    def __init__(
        self,
        workspace: Workspace,
        *,
        at: str = "",
        branch: str = "",
        private: bool = True,
        binding_only: bool = False,
        leaves_out_reverted: bool = True,
    ) -> None:
        self.workspace = workspace
        self._leaves_out_reverted = leaves_out_reverted
        self._has_private = private
        self._binding_only = binding_only
        self.is_cut_short = False
        self.position = workspace.position(branch)
        self.is_past = bool(at or branch)
        self.commit = self._resolve(at) if at else self.position.head
        self.blamer = BlameReader(workspace)
        self.origins = Origins(workspace, self.blamer.cache, self.commit or "")
        self._finders: dict[str, ReasonFinder] = {}
        self._reverted: dict[str, bool] = {}

    def _resolve(self, at: str) -> str:
        commit = self.workspace.repository.resolve(at)
        if commit is None:
            raise Invalid(
                f"{at} is not a revision of this repository.", hint="Name a commit or tag."
            )
        return commit

    @cached_property
    def view(self) -> View:
        view = self.workspace.view_from(self.position)
        return view if self._has_private else view.without_private()

    def finder(self, path: str) -> ReasonFinder:
        """Whatever finds reasons for a file."""
        if path not in self._finders:
            self._finders[path] = ReasonFinder(
                self.workspace, self.view, self.origins, self.blamer, path,
                private=self._has_private, binding_only=self._binding_only,
            )  # fmt: skip
        return self._finders[path]

    def explain_target(self, text: str) -> tuple[SourceFile, list[Explained]]:
        """The lines that a text names, all of the file where it names none."""
        path, first, last = find_target(self.workspace, text, self.commit, is_past=self.is_past)
        source = read_source(self.workspace, path, self.commit, is_past=self.is_past)
        size, name = source.size, show(path)
        if first and source.is_opaque:
            hint = "Ask for the whole file."
            raise Invalid(f"{name} is not text, so it has no lines.", hint=hint)
        if last > size:
            lines = f"{size} line{'' if size == 1 else 's'}"
            raise Invalid(f"{name} has {lines}, so there is no line {last}.")
        ranges = [(first, last)] if first else [(1, size)] if size else []
        return source, self.explain(source, ranges)

    def explain(self, source: SourceFile, ranges: Sequence[tuple[int, int]]) -> list[Explained]:
        """Some lines of a file, range by range."""
        finder = self.finder(source.path)
        text = source.shown.split(b"\n")
        found = self.blamer.find_ranges(source, ranges)
        until = time.monotonic() + SECONDS
        parts: list[Explained] = []
        for line_range in found:
            code = list_lines(text, line_range.first, line_range.last)
            name = line_range.paths[0] if line_range.paths else source.path
            origin = self.origins.find(line_range.commit, name) if line_range.commit else None
            reasons: dict[str, LineReason] = {}
            if time.monotonic() > until:
                self.is_cut_short = True
                self.blamer.notes[_CUT_SHORT] = None
            else:
                reasons = finder.find(line_range, origin)
            if self._leaves_out_reverted:
                reasons = self._leave_out_reverted(finder, reasons)
            scores: dict[str, float] = {}
            if not self._binding_only:  # then nobody asks how well each explains the lines
                about = (*code[:_WORDED_LINES], origin.subject if origin else "")
                words = list_words("\n".join(about))
                scores = {
                    mid: score(memory, reason.ways, words, is_since=reason.is_since)
                    for mid, reason in reasons.items()
                    if (memory := finder.memory(mid))
                }
            order = sorted(scores, key=lambda mid: (reasons[mid].is_since, -scores[mid], mid))
            ranked = {mid: scores[mid] for mid in order}
            parts.append(Explained(line_range, origin, code, ranked, reasons))
        return parts

    def _leave_out_reverted(
        self, finder: ReasonFinder, reasons: dict[str, LineReason]
    ) -> dict[str, LineReason]:
        """Reasons without what speaks of code that was taken back: no line is there for it."""
        news = [
            memory
            for mid in reasons
            if mid not in self._reverted and (memory := finder.memory(mid))
        ]
        found = find_reverted(self.workspace, news, self.commit, lambda: self.origins.records)
        for memory in news:
            marks = Marks(reverted=found.get(memory.id))
            self._reverted[memory.id] = is_out_of_force(memory.type, memory.outcome, marks)
        return {mid: reason for mid, reason in reasons.items() if not self._reverted.get(mid)}

    # --- the answer -------------------------------------------------------------------------------

    def answer(
        self, source: SourceFile, explained: Sequence[Explained], limit: int, pending: int
    ) -> WhyAnswer:
        order = rank(explained)
        chosen = dict(list(order.items())[:limit])
        has_code = sum(len(part.code) for part in explained) <= _MOST_CODE
        has_bodies = len({part.line_range.commit for part in explained}) <= _MOST_BODIES
        notes = [*source.notes, *self.blamer.notes]
        if any(part.line_range.commit in self.blamer.cut_off for part in explained):
            notes.append("This clone is shallow: lines older than its first commits end there.")
        return WhyAnswer(
            path=show(source.path),
            at=self.commit or "",
            lines=tuple(
                self._describe(source.path, part, chosen, has_code=has_code, has_body=has_bodies)
                for part in explained
            ),
            memories=self._list_memories(source.path, explained, chosen),
            branch=self.position.scope.branch,
            total=len(order),
            notes=tuple(notes) or None,
            pending=pending or None,
        )

    def _describe(
        self, path: str, part: Explained, chosen: Collection[str], *, has_code: bool, has_body: bool
    ) -> WhyLines:
        """A range as the answer has it."""
        line_range, origin = part.line_range, part.origin
        names = [show(name) for name in line_range.paths if name != path]
        requests = [origin.words.pull_request, origin.merge_words.pull_request] if origin else []
        ids = [mid for mid in part.scores if mid in chosen]
        return WhyLines(
            first=line_range.first,
            last=line_range.last,
            commit=line_range.commit,
            when=format_moment(origin.written) if origin else "",
            author=origin.info.author if origin else "",
            subject=_subject(line_range, origin),
            landed=origin.landed if origin else None,
            memories=tuple(ids),
            via={mid: sort_ways(part.reasons[mid].ways) for mid in ids},
            is_uncommitted=not line_range.commit,
            is_boundary=line_range.commit in self.blamer.cut_off,
            path=names[0] if names else None,
            pull_request=next(filter(None, requests), None),
            trailers=_trailers(origin) or None,
            body=(body_of(origin.info.message) or None) if origin and has_body else None,
            code=part.code if has_code else None,
        )

    def _list_memories(
        self, path: str, explained: Sequence[Explained], chosen: dict[str, float]
    ) -> tuple[Card, ...]:
        """The cards of an answer."""
        finder = self.finder(path)
        code = CodeTree(self.workspace.repository, self.position.head)
        cards = CardMaker(self.workspace, self.view, self.commit, code)
        copies = [copy for mid in chosen if (copy := finder.copy(mid))]
        cards.prepare(copies)
        shown = []
        for copy in copies:
            memory = copy.try_memory()
            if memory is None:
                continue
            reasons = [part.reasons[copy.id] for part in explained if copy.id in part.reasons]
            text = beyond_title(memory.content.strip(), memory.title)
            shown.append(
                cards.make(copy, memory)._replace(
                    score=chosen[copy.id],
                    via=sort_ways({via for reason in reasons for via in reason.ways}),
                    snippet=snippet(text, ""),
                    since=all(reason.is_since for reason in reasons) or None,
                )
            )
        return tuple(shown)


def rank(explained: Sequence[Explained]) -> dict[str, float]:
    """All memories of an answer, best first, with their scores.

    One that explains all of the lines counts more than one that explains a few of them.
    """
    total = sum(_length(part) for part in explained) or 1
    scores: dict[str, float] = {}
    shares: dict[str, int] = {}
    is_since: dict[str, bool] = {}
    for part in explained:
        for mid, value in part.scores.items():
            scores[mid] = max(value, scores.get(mid, 0.0))
            shares[mid] = shares.get(mid, 0) + _length(part)
            is_since[mid] = part.reasons[mid].is_since and is_since.get(mid, True)
    for mid in scores:
        scores[mid] = round(scores[mid] * (1 - _SHARE * (1 - shares[mid] / total)), 4)
    order = sorted(scores, key=lambda mid: (is_since[mid], -scores[mid], mid))
    return {mid: scores[mid] for mid in order}


def sort_ways(ways: Collection[Via]) -> tuple[Via, ...]:
    return tuple(via for via in VIAS if via in ways)


def _length(part: Explained) -> int:
    return part.line_range.last - part.line_range.first + 1


def _subject(line_range: LineRange, origin: CommitOrigin | None) -> str:
    if origin:
        return origin.subject
    return "Its commit cannot be read." if line_range.commit else "Not committed yet"


def _trailers(origin: CommitOrigin | None) -> dict[str, list[str]]:
    """Return what the commit and the merge that brought it refer to."""
    trailers: dict[str, list[str]] = {}
    for words in (origin.words, origin.merge_words) if origin else ():
        for name, values in words.trailers.items():
            trailers[name] = list(dict.fromkeys([*trailers.get(name, []), *values]))
    return trailers


# --- lines named by other verbs ---


def name_target(workspace: Workspace, text: str, commit: str | None) -> LineTarget:
    """The lines that a text names, if it does; a file that is called so is not taken apart."""
    target = split_target(text)
    try:
        is_file = entry_at(workspace, commit, name_path(workspace, text)) is not None
    except Invalid:
        return LineTarget(text)
    return LineTarget(text) if is_file else target


def explain_targets(
    workspace: Workspace, targets: Sequence[LineTarget], branch: str = ""
) -> dict[str, float]:
    """Return what explains some lines, best first, with how well; of lines that are not there,
    nothing: an agent's editor may be ahead of the files."""
    scores: dict[str, float] = {}
    explanation: LineExplanation | None = None
    for target in targets:
        if not target.first:
            continue
        explanation = explanation or LineExplanation(workspace, branch=branch)
        try:
            for memory_id, score in rank(explanation.explain_target(str(target))[1]).items():
                scores[memory_id] = max(score, scores.get(memory_id, 0.0))
        except (Invalid, StorageFailed):
            continue
    return scores


def explain_file(workspace: Workspace, filters: Filters, branch: str) -> Filters:
    """Filters whose file named lines: by the file, or by what explains the lines."""
    commit = workspace.position(branch or filters.branch).head
    target = name_target(workspace, filters.file, commit)
    if not target.first:
        return filters
    explanation = LineExplanation(workspace, branch=branch or filters.branch)
    ids = tuple(rank(explanation.explain_target(filters.file)[1]))
    return filters._replace(file=name_path(workspace, target.path), explaining=ids)
