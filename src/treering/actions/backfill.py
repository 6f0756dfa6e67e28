"""backfill: commits made before there were hooks, captured in batches.

Each batch is written and made searchable before the next one is read. So whatever ends it, a key,
a kill or a full disk, costs one batch at most, and the next call goes on from there.
"""

import os
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TypedDict

from treering.actions.record_events import rules, write_recorded
from treering.actions.workspace import Position, Workspace, Writing
from treering.branches.trunk import trunk_of, trunk_tips
from treering.capture.commits import CodeCommit, commits, is_left_out, memory_id, routine_of
from treering.capture.recording import Recording, Rules
from treering.errors import BranchNotFound, StoreDamaged
from treering.git import reflog
from treering.git.log import count_branch_commits
from treering.git.repository import Repository
from treering.model.dates import parse_moment
from treering.model.provenance import address_of
from treering.model.scope import Scope, is_utf8
from treering.model.spelling import suggest
from treering.store.fetched import list_fetched
from treering.store.state import hash_name

Progress = Callable[[int, int], None]

#: Commits in one batch: about a second of work.
BATCH = 1000
#: Commits captured in a second, rounded down from what `python -m benchmarks backfill` measures.
RATE = 400
#: Commits of one pull that are captured by themselves.
MOST_PULLED = 500
_PULLED = "pulled"  # the tips of branches whose pulls were looked at
#: How the log of a branch tells of commits that came from elsewhere.
_BROUGHT = r"pull\b|merge |rebase |reset: |fetch\b|commit \(merge\)"
_CREATED = "branch: Created from "


@dataclass(frozen=True, slots=True)
class Backfilled:
    """The commits that were captured, by branch, and those that were not: because they were
    there already, or because they tell nothing new (`left_out`, by what they are)."""

    captured: int
    skipped: int
    branches: dict[str, int]
    left_out: dict[str, int] = field(default_factory=dict)


def backfill(
    workspace: Workspace,
    *,
    since: str = "",
    branch: str = "",
    all: bool = False,
    progress: Progress | None = None,
) -> Backfilled:
    """Capture the history of every branch, or of one; a second time nothing is new.

    The trunk's commits go to the trunk, another branch's own ones to that branch. With `all` also
    those that `treering.capture` leaves out.
    """
    how = rules(workspace)
    job = _Backfill(workspace, how._replace(capture="all") if all else how, progress)
    histories = _list_histories(workspace, since, branch)
    return job.run(histories)


class BackfillEstimate(TypedDict):
    """The number of commits a backfill would look at, and the seconds that may take."""

    commits: int
    seconds: int


def estimate(workspace: Workspace) -> BackfillEstimate:
    """Count the commits of all branches here, merges left out."""
    commits = count_branch_commits(workspace.repository.common_dir)
    return {"commits": commits, "seconds": max(1, round(commits / RATE))}


def capture_pulled(workspace: Workspace) -> int:
    """Capture what a pull, a merge or a checkout brought to branches here: commits of people who do
    not use treering, whose memories nobody will share. Return how many were captured.

    What the log of a branch tells of no such move is left to `backfill`, as is all but the newest
    of very many.
    """
    repository, here = workspace.repository, workspace.repository.branches()
    tips = {hash_name(name): tip for name, tip in here.items()}
    before = workspace.state.read_json(_PULLED)
    if before == tips or not os.path.isdir(workspace.store.folder / "journal"):
        return 0  # nothing moved, or nobody asked for captures
    seen = before if isinstance(before, dict) else {}
    trunk = trunk_of(repository)
    moved = [n for n, tip in here.items() if seen.get(hash_name(n)) != tip and is_utf8(n)]
    histories = {
        name: oids[-MOST_PULLED:]
        for name in sorted(moved, key=lambda name: (name != trunk, name))
        if (oids := _list_brought(repository, name, here[name], trunk))
    }
    if histories:
        known = _list_known(workspace)
        workspace.ledger.catch_up()
        users = workspace.ledger.people() - {address_of(str(workspace.person))}
        histories = {
            name: [
                oid
                for oid in oids
                if memory_id(oid) not in known and not _is_by(repository, oid, users)
            ]
            for name, oids in histories.items()
        }
    job = _Backfill(workspace, rules(workspace), None)
    captured = job.run(histories).captured if any(histories.values()) else 0
    workspace.state.write_json(_PULLED, tips)
    return captured


def _list_known(workspace: Workspace) -> set[str]:
    """List the ids of all memories here: on any branch, or fetched and not looked at yet."""
    vault = workspace.store.shared
    known = {mid for layer in workspace.view_of_all().layers for mid in layer.listing()}
    for tip in {head.tip for head in list_fetched(workspace.repository)}:
        with suppress(StoreDamaged):
            known |= vault.snapshot_at(Scope(""), tip).listing().keys()
    return known


def _is_by(repository: Repository, oid: str, people: Collection[str]) -> bool:
    try:
        return address_of(repository.objects.commit(oid).author) in people
    except (StoreDamaged, UnicodeDecodeError):
        return True  # it cannot be read, and is left where it is


def _list_brought(repository: Repository, branch: str, tip: str, trunk: str) -> list[str]:
    """List the commits that came to a branch from elsewhere since somebody last committed on it."""
    base = None
    remotes = [
        f"{where}{name}/" for name in repository.remotes() for where in ("", "refs/remotes/")
    ]
    for line in reversed(reflog.of_branch(repository, branch)):
        if not line.old.strip("0"):  # it was made then
            _, _, source = line.said.partition(_CREATED)
            base = "" if source.startswith(tuple(remotes)) and branch != trunk else base
            break
        if not re.match(_BROUGHT, line.said):
            break
        base = line.old
    if base is None or (base and repository.resolve(base) != base):
        return []
    tips = [] if branch == trunk else trunk_tips(repository)
    return repository.history([tip], without=[*tips, *([base] if base else [])])


def _list_histories(workspace: Workspace, since: str, branch: str) -> dict[str, list[str]]:
    """Each branch and its own commits, oldest first; the trunk before what was made from it."""
    repository = workspace.repository
    trunk = trunk_of(repository)
    moment = parse_moment(since, workspace.clock()) if since else None
    here = {name: tip for name, tip in repository.branches().items() if is_utf8(name)}
    if branch and branch not in here:
        hint = suggest(branch, here, BranchNotFound.hint)
        raise BranchNotFound(f"There is no branch {branch} here.", hint)
    names = [branch] if branch else sorted(here, key=lambda name: (name != trunk, name))
    trunk_commits = trunk_tips(repository)
    return {
        name: repository.history(
            [here[name]], without=[] if name == trunk else trunk_commits, since=moment
        )
        for name in names
    }


class _Backfill:
    """One run. Progress counts each commit twice: when it was read, and when it is searchable."""

    def __init__(self, workspace: Workspace, how: Rules, progress: Progress | None) -> None:
        self._workspace = workspace
        self._rules = how
        self._progress = progress or (lambda done, total: None)  # noqa: ARG005
        self._total = self._done = 0
        self._left_out: Counter[str] = Counter()

    def run(self, histories: dict[str, list[str]]) -> Backfilled:
        positions = {name: self._position(name) for name in histories}
        missing = {n: self._list_missing(positions[n], oids) for n, oids in histories.items()}
        self._total = 2 * sum(map(len, missing.values()))
        counts: dict[str, int] = {}
        for name, oids in missing.items():
            counts[name] = sum(self._capture(positions[name], oids))
        if any(counts.values()):
            self._catch_up()
        all_commits, captured = sum(map(len, histories.values())), sum(counts.values())
        return Backfilled(
            captured,
            all_commits - captured,
            {name: number for name, number in counts.items() if number},
            dict(self._left_out.most_common()),
        )

    def _position(self, branch: str) -> Position:
        repository = self._workspace.repository
        return Position(Scope(branch), trunk_of(repository), repository.tip_of(branch))

    def _list_missing(self, position: Position, oids: list[str]) -> list[str]:
        """The commits without a memory: to go on costs what is left to do."""
        if not oids:
            return []
        visible = self._workspace.view_from(position).visible
        return [oid for oid in oids if memory_id(oid) not in visible]

    def _capture(self, position: Position, oids: list[str]) -> Iterator[int]:
        """Batch by batch, how many commits were captured."""
        passed_over: dict[str, CodeCommit] = {}  # sessions go on across them
        for at in range(0, len(oids), BATCH):
            batch = oids[at : at + BATCH]
            by_oid = passed_over | self._read(batch)
            yield self._write(position, batch, by_oid)
            passed_over = {o: c for o, c in by_oid.items() if self._is_left_out(c)}
            self._left_out.update(routine_of(c) for o in batch if (c := passed_over.get(o)))
            self._catch_up()
            self._step(len(batch))

    def _read(self, oids: list[str]) -> dict[str, CodeCommit]:
        by_oid: dict[str, CodeCommit] = {}
        for commit in commits(
            self._workspace.repository, oids, is_wanted=lambda c: not self._is_left_out(c)
        ):
            by_oid[commit.oid] = commit
            self._step(1)
        self._step(len(oids) - len(by_oid))  # those that cannot be read any more
        return by_oid

    def _write(self, position: Position, oids: list[str], by_oid: dict[str, CodeCommit]) -> int:
        def attempt(writing: Writing) -> int:
            recording = Recording(writing.view, writing.scope, by_oid, self._rules)
            for oid in oids:
                recording.add(oid)
            return write_recorded(writing, recording)

        return self._workspace.write("", attempt, position=position)

    def _is_left_out(self, commit: CodeCommit) -> bool:
        return is_left_out(commit, self._rules.capture)

    def _catch_up(self) -> None:
        from treering.actions.searcher import catch_up  # hooks load no index

        catch_up(self._workspace)

    def _step(self, number: int) -> None:
        self._done += number
        self._progress(self._done, self._total)
