"""Standing: whether a memory is a proposal, or came to a long-lived branch with code that landed.

A branch's memories are what somebody proposes, and the merge of its code is the approval. Git
records that: a promotion says which commit of the trunk the code landed as, and that commit is in
the trunk's history. To push memories straight to the trunk's ref is no landing, and neither is to
remember something while the trunk is checked out.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal, NamedTuple

from treering.actions.workspace import MemoryWorkspace, Workspace
from treering.branches.long_lived import is_long_lived
from treering.branches.trunk import tips_of
from treering.derived.code_records import find_source
from treering.derived.history import History
from treering.model.memory import Memory
from treering.store.view import Copy

if TYPE_CHECKING:
    from treering.git.repository import Repository

StandingWord = Literal["accepted", "proposed"]
_LANDED = "landed"
_MOST_KEPT = 5_000
_COLUMNS = "id, blob, merged_as, merge_kind, promoted_from, promoted_into, oid"


class LandedAs(NamedTuple):
    """The branch that something landed from, and the trunk's commit that brought it."""

    branch: str
    merged_as: str
    evidence: str | None = None


class Standing(NamedTuple):
    """The standing of a memory; `landed` if it is accepted."""

    standing: StandingWord | None = None
    landed: LandedAs | None = None

    @property
    def is_accepted(self) -> bool:
        return self.standing == "accepted"


PROPOSED = Standing("proposed")
#: Of a memory of another repository, whose code is not here.
UNKNOWN = Standing()


def find_standings(workspace: MemoryWorkspace, copies: Iterable[Copy]) -> dict[str, Standing]:
    """The standing of some copies of memories, by id; unknown where their code is not here."""
    wanted = {copy.id: copy for copy in copies}
    if not wanted or not isinstance(workspace, Workspace):
        return {}
    tips: dict[bool, set[str]] = {False: set(), True: set()}
    for copy in wanted.values():
        if tip := copy.layer.snapshot.tip:
            tips[copy.is_private].add(tip)
    history = History(workspace.database)
    for vault in workspace.store.vaults():
        if tips[vault.is_private]:
            history.catch_up(vault, tips[vault.is_private])
    table = "history_changes JOIN history_commits USING (n)"
    condition = "merged_as != '' AND promoted_into != '' AND id"
    rows = workspace.database.select(_COLUMNS, table, condition, wanted)
    checker = _LandingChecker(workspace)
    found = {copy.id: _of_record(copy) for copy in wanted.values()}
    for memory_id, blob, merged_as, kind, source, into, oid in rows:
        copy = wanted[memory_id]
        if found[copy.id].is_accepted or not _says_the_same(copy, blob):
            continue
        if checker.has_landed(merged_as, into):
            source = source or find_source(workspace.repository, oid)
            found[copy.id] = Standing("accepted", LandedAs(source, merged_as, kind or None))
    checker.keep()
    return found


def _of_record(copy: Copy) -> Standing:
    """A commit on the trunk has landed as itself; of anything else a promotion has to tell."""
    memory = copy.try_memory() if copy.layer.kind == "trunk" else None
    if memory is None or memory.type != "commit" or memory.source != "hook":
        return PROPOSED
    return Standing("accepted", LandedAs(copy.layer.branch, memory.commit))


def _says_the_same(copy: Copy, blob: str) -> bool:
    """Return whether a version that landed has the words of the one shown: links and tags may
    differ."""
    if blob == copy.blob:
        return True
    landed, now = copy.layer.vault.try_memory(blob), copy.try_memory()
    return bool(landed and now and _words_of(landed) == _words_of(now))


def _words_of(memory: Memory) -> tuple[object, ...]:
    return memory.type, memory.title, memory.content, memory.details.get("reasoning")


class _LandingChecker:
    """Asks whether commits are in the history of long-lived branches; answers are kept as long as
    those branches only move forward."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._repository: Repository = workspace.repository
        self._tips: dict[str, list[str]] = {}
        self._known: dict[str, dict[str, bool]] = {}
        self._is_new = False

    def has_landed(self, commit: str, branch: str) -> bool:
        if branch not in self._tips:
            is_target = is_long_lived(self._repository, branch)
            self._tips[branch] = tips_of(self._repository, branch) if is_target else []
            self._known[branch] = self._read_kept(branch)
        known = self._known[branch]
        if commit not in known:
            known[commit] = self._find(commit, branch)
            self._is_new = True
        return known[commit]

    def _find(self, commit: str, branch: str) -> bool:
        tips = self._tips[branch]
        if tips and self._repository.is_shallow and self._repository.resolve(commit) is None:
            return True  # it may lie behind the end of this clone
        return any(self._repository.is_ancestor(commit, tip) for tip in tips)

    def _read_kept(self, branch: str) -> dict[str, bool]:
        kept = self._workspace.database.read_value(f"{_LANDED}:{branch}")
        match kept:
            case {"tips": list(tips), "commits": list(commits)}:
                now = self._tips[branch]
                if all(any(self._repository.is_ancestor(t, n) for n in now) for t in tips):
                    return dict.fromkeys(map(str, commits), True)
        return {}

    def keep(self) -> None:
        """Keep what was found to have landed, for the next call."""
        for branch, known in self._known.items() if self._is_new else ():
            commits = [commit for commit, has_landed in known.items() if has_landed]
            value = {"tips": self._tips[branch], "commits": commits[-_MOST_KEPT:]}
            self._workspace.database.write_value(f"{_LANDED}:{branch}", value)
