"""guard: what a change is about to overrule, and what of it somebody has owned up to.

The lines that a change takes away lead to the memories that they stand for (see why/overruled.py).
One of them is acknowledged when a commit of the change says so in a trailer, `Overrules: ID
reason`, or when the branch has a memory that supersedes it.
"""

import fnmatch
import re
import shlex
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from treering.actions.card import Card, CardMaker
from treering.actions.drain import drain_briefly
from treering.actions.marks import NO_MARKS, Marks, find_marks
from treering.actions.staleness import CodeTree
from treering.actions.why.overruled import OverruledMemory, OverruleFinder, read_edits
from treering.actions.why.reasons import Via
from treering.actions.why.why import LineExplanation, sort_ways
from treering.actions.workspace import Workspace
from treering.branches.trunk import tips_of, trunk_of
from treering.capture.commits import read_overruled
from treering.errors import BranchNotFound, Invalid, StoreDamaged, TreeringError
from treering.git.diff import ChangedFile, list_changed_files
from treering.model.tables import read_word_list
from treering.store.view import View

if TYPE_CHECKING:
    from treering.git.repository import Repository

#: Seconds for the whole answer; what was not looked at by then is counted in a warning.
SECONDS = 20.0
_SHORTEST_ID = 4
_HERE = ("", "HEAD", "@")
_LOOKED_AT = 400  # bytes of a file that may say that a program wrote it
_GENERATED = rb"(?i)@generated\b|\b(?:code|file|automatically|auto-?) ?(?:is |was )?generated\b"


@dataclass(frozen=True, slots=True)
class GuardFinding:
    """A memory that a change overrules, and the lines of the old side that stood for it.

    `first` and `last` are the longest run of them; where there are several, `lines` has all.
    """

    path: str
    first: int
    last: int
    memory: Card
    via: tuple[Via, ...]
    acknowledged: bool = False
    #: What the acknowledging commit or memory says, and which one it is.
    reason: str | None = None
    by: str | None = None
    lines: tuple[tuple[int, int], ...] | None = None
    #: The file and the line after the change where they would be; None where the file is gone.
    now: tuple[str, int] | None = None

    def as_json(self) -> dict[str, object]:
        """By the contract's names."""
        answer: dict[str, object] = {
            "path": self.path, "from": self.first, "to": self.last, "memory": self.memory,
            "via": self.via, "acknowledged": self.acknowledged,
        }  # fmt: skip
        now = {"path": self.now[0], "line": self.now[1]} if self.now else None
        more = {"reason": self.reason, "by": self.by, "lines": self.lines, "now": now}
        return answer | {key: value for key, value in more.items() if value}


@dataclass(frozen=True, slots=True)
class Guarded:
    """Findings about a range of commits, the gravest first; `at` is the code before it."""

    range: str
    at: str
    findings: tuple[GuardFinding, ...]
    warnings: tuple[str, ...] = ()

    @property
    def open(self) -> tuple[GuardFinding, ...]:
        """The findings that nobody has acknowledged."""
        return tuple(finding for finding in self.findings if not finding.acknowledged)


class _ComparedCode(NamedTuple):
    """The two sides of a comparison: commits, and the branches whose memories count."""

    name: str
    base: str
    #: The commit after the change; "" for the index.
    new: str
    before: str
    after: str
    #: Tips whose commits are not the change's own.
    others: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


class _Acknowledgement(NamedTuple):
    by: str
    reason: str


def guard(
    workspace: Workspace, range: str = "", *, staged: bool = False, private: bool = False
) -> Guarded:
    """Name the memories whose lines a change takes away, those nobody has acknowledged first.

    The change is what `B` has since it left `A`, for a range `A..B`; by default what HEAD has since
    it left the trunk; with `staged` what is about to be committed. On the trunk it is what was not
    pushed yet, else the last commit. Private memories are left out unless asked for.
    """
    return find_overruled(workspace, range, staged=staged, private=private, seconds=SECONDS)


def find_overruled(
    workspace: Workspace, range: str, *, staged: bool, private: bool, seconds: float
) -> Guarded:
    """The same within a time of the caller's choice."""
    drain_briefly(workspace)
    change = _choose_change(workspace, range, staged=staged)
    if change is None:
        return Guarded(range or "HEAD", "", ())
    until = time.monotonic() + seconds
    explanation = LineExplanation(
        workspace, at=change.base, branch=change.before, private=private, binding_only=True,
        leaves_out_reverted=False,  # what was taken back wrote none of the lines that are there
    )  # fmt: skip
    files = list_changed_files(workspace.repository, change.base, change.new)
    files = [file for file in files if not _is_generated(workspace.repository, file, change)]
    edits = read_edits(workspace.repository, files)
    explanation.blamer.prepare(change.base, [edit.path for edit in edits])
    finder = OverruleFinder(explanation)
    found: list[OverruledMemory] = []
    warnings = list(change.warnings)
    for number, edit in enumerate(edits):
        if time.monotonic() > until:
            rest = f"{len(edits) - number} of {len(edits)} files were not looked at"
            warnings.append(f"The time for one answer, {seconds:.0f} seconds, was up: {rest}.")
            break
        found += finder.find(edit)
    found = _keep_largest_of_commits(found)
    if explanation.workspace.repository.is_shallow:
        warnings.append(
            "This clone is shallow: lines older than its first commits were not looked at. "
            "`git fetch --unshallow` brings the rest."
        )
    return Guarded(
        change.name,
        change.base,
        _describe(workspace, explanation, change, found, private=private),
        (*warnings, *explanation.blamer.notes),
    )


def _keep_largest_of_commits(found: Sequence[OverruledMemory]) -> list[OverruledMemory]:
    """Name a commit once, where most of it is taken back."""
    largest: dict[str, OverruledMemory] = {}
    for item in found:
        if (
            item.is_commit
            and item.weight > largest.get(item.memory, item._replace(weight=0)).weight
        ):
            largest[item.memory] = item
    return [item for item in found if not item.is_commit or largest[item.memory] is item]


# --- the change -----------------------------------------------------------------------------------


def _choose_change(workspace: Workspace, range: str, *, staged: bool) -> _ComparedCode | None:
    repository, trunk = workspace.repository, trunk_of(workspace.repository)
    head = repository.head()
    if staged:
        if range:
            raise Invalid(
                "--staged compares HEAD with the index, so there is no range.",
                hint="`treering guard --staged`",
            )
        if repository.is_bare:
            raise Invalid("A bare repository has no index.", hint=f"`treering guard {trunk}..HEAD`")
        return _ComparedCode("staged", head.commit, "", "", "") if head.commit else None
    if not range:
        if head.commit is None:
            return None
        is_trunk = head.branch == trunk or (
            not head.branch and head.commit in tips_of(repository, trunk)
        )
        if is_trunk:
            return _choose_on_trunk(repository, trunk, head.commit)
        range = f"{trunk}..HEAD"
    one, dots, other = range.partition("..")
    other = other.removeprefix(".")
    if not dots or not (one or other) or other.startswith("."):
        hint = f"`treering guard {shlex.quote(one or trunk)}..HEAD`"
        raise Invalid(f"{range!r} is not a range A..B.", hint=hint)
    olds, new = _list_tips(repository, one), _list_tips(repository, other)[0]
    base = repository.nearest_base(new, olds)
    warnings = []
    if base is None:
        base = olds[0]
        where = "in what this clone has" if repository.is_shallow else "in their histories"
        warnings.append(f"{one or 'HEAD'} and {other or 'HEAD'} have no common commit {where}.")
    scopes = (_name_scope(workspace, one), _name_scope(workspace, other))
    return _ComparedCode(range, base, new, *scopes, tuple(olds), tuple(warnings))


def _choose_on_trunk(repository: "Repository", trunk: str, head: str) -> _ComparedCode | None:
    """On the trunk: what no remote has yet, else the last commit."""
    for remote in repository.remotes():
        tip = repository.remote_tip_of(remote, trunk)
        if tip and tip != head and (base := repository.merge_base(tip, head)) and base != head:
            return _ComparedCode(f"{remote}/{trunk}..HEAD", base, head, trunk, "", (tip,))
    parents = repository.objects.commit(head).parents
    if not parents or repository.resolve(parents[0]) is None:
        return None
    note = f"This is {trunk} itself: its last commit was compared with the one before."
    return _ComparedCode("HEAD^..HEAD", parents[0], head, trunk, "", (parents[0],), (note,))


def _list_tips(repository: "Repository", name: str) -> list[str]:
    """Return where the code of a branch is, here and on remotes, or the commit that a revision
    names."""
    if name in _HERE:
        commit = repository.head().commit
        tips = [commit] if commit else []
    else:
        tips = tips_of(repository, name) or [c for c in [repository.resolve(name)] if c]
    if tips:
        return tips
    from treering.model.spelling import suggest

    remotes = [n for remote in repository.remotes() for n in repository.remote_branches(remote)]
    fetch = "`git fetch` brings branches that only the remote has."
    if repository.is_shallow and repository.remotes():
        remote = shlex.quote(repository.remotes()[0])
        branches = f"'+refs/heads/*:refs/remotes/{remote}/*'"
        fetch = f"`git fetch --unshallow {remote} {branches}` brings all branches."
    hint = suggest(name, [*repository.branches(), *remotes], fetch)
    raise BranchNotFound(f"{name or 'HEAD'} is neither a branch nor a commit here.", hint=hint)


def _name_scope(workspace: Workspace, name: str) -> str:
    """The branch whose memories count on a side: the one named, the one here, else the trunk."""
    if name in _HERE:
        return ""
    for remote in workspace.repository.remotes():
        name = name.removeprefix(f"{remote}/")
    try:
        workspace.position(name)
    except TreeringError:
        return trunk_of(workspace.repository)
    return name


def _is_generated(repository: "Repository", file: ChangedFile, change: _ComparedCode) -> bool:
    """Return whether a program wrote a file: by its name, by an attribute, or as its first lines
    say."""
    name = file.old_path.rpartition("/")[2]
    if any(fnmatch.fnmatchcase(name, pattern) for pattern in read_word_list("words", "generated")):
        return True
    said = repository.read_attribute(file.new_path, "linguist-generated", change.new or change.base)
    if said is not None:
        return said
    try:
        text = repository.objects.blob(file.old_blob or file.new_blob)[:_LOOKED_AT]
    except StoreDamaged:
        return False
    return bool(re.search(_GENERATED, text))


# --- what is said about it ------------------------------------------------------------------------


def _describe(
    workspace: Workspace,
    explanation: LineExplanation,
    change: _ComparedCode,
    found: Sequence[OverruledMemory],
    *,
    private: bool,
) -> tuple[GuardFinding, ...]:
    """The findings, open ones first, those first of which most is taken away."""
    if not found:
        return ()
    after = workspace.view(change.after)
    after = after if private else after.without_private()
    ids = list(dict.fromkeys(item.memory for item in found))
    head = workspace.position(change.after).head
    later = find_marks(workspace, after, ids, head)
    trailers = _read_trailers(workspace, change)
    cards: dict[str, Card] = {}
    acknowledged: dict[str, _Acknowledgement] = {}
    maker = CardMaker(workspace, explanation.view, head, CodeTree(workspace.repository, head))
    finders = [(item, explanation.finder(item.path)) for item in found]
    maker.prepare(copy for item, finder in finders if (copy := finder.copy(item.memory)))
    for item, finder in finders:
        copy = finder.copy(item.memory)
        memory = copy.try_memory() if copy else None
        if item.memory in cards or copy is None or memory is None:
            continue
        card = maker.make(copy, memory)
        if card.status == "superseded" or card.marks.is_replaced:
            continue  # no longer in force before the change
        if said := _find_trailer(trailers, item.memory) or _find_successor(
            after, item.memory, later.get(item.memory, NO_MARKS)
        ):
            acknowledged[item.memory] = said
        card = card._replace(why=("lines",)).with_text(memory, "medium")
        cards[item.memory] = card
    findings = [
        _make_finding(item, cards[item.memory], acknowledged.get(item.memory))
        for item in found
        if item.memory in cards
    ]
    weights = {(item.path, item.memory): item.weight for item in found}
    findings.sort(
        key=lambda f: (
            f.acknowledged, f.memory.outcome != "failed", f.memory.type == "commit",
            -weights[f.path, f.memory.id], f.path, f.first, f.memory.id,
        )
    )  # fmt: skip
    return tuple(findings)


def _make_finding(item: OverruledMemory, card: Card, said: _Acknowledgement | None) -> GuardFinding:
    first, last = max(item.lines, key=lambda run: (run[1] - run[0], -run[0]))
    return GuardFinding(
        path=_show(item.path),
        first=first,
        last=last,
        memory=card._replace(score=round(item.weight, 3)),
        via=sort_ways(item.ways),
        acknowledged=said is not None,
        reason=said.reason or None if said else None,
        by=said.by if said else None,
        lines=item.lines if len(item.lines) > 1 else None,
        now=(_show(item.now[0]), item.now[1]) if item.now else None,
    )


def _show(path: str) -> str:
    return path.encode(errors="surrogateescape").decode(errors="replace")


def _read_trailers(workspace: Workspace, change: _ComparedCode) -> dict[str, _Acknowledgement]:
    """Return what commits of the change say they overrule, by id or the beginning of one."""
    if not change.new:
        return {}
    repository = workspace.repository
    said: dict[str, _Acknowledgement] = {}
    for oid in repository.history([change.new], without=[change.base, *change.others]):
        try:
            message = repository.objects.commit(oid).message
        except StoreDamaged:
            continue
        for name, reason in read_overruled(message):
            said[name] = _Acknowledgement(oid, reason)
    return said


def _find_trailer(said: Mapping[str, _Acknowledgement], memory_id: str) -> _Acknowledgement | None:
    names = (name for name in said if len(name) >= _SHORTEST_ID and memory_id.startswith(name))
    return next((said[name] for name in names), None)


def _find_successor(after: View, memory_id: str, marks: Marks) -> _Acknowledgement | None:
    """The memory of the branch that supersedes one which holds without the branch."""
    if by := marks.outdated_by:
        return _Acknowledgement(by.id, by.title)
    copy = after.place(memory_id)
    memory = copy.try_memory() if copy else None
    if memory is None or memory.status != "superseded":
        return None
    return _Acknowledgement(str(memory.details.get("superseded_by", "")), "")
