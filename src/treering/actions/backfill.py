"""backfill: commits made before there were hooks, captured in bulk, one commit a branch."""

from collections.abc import Callable
from dataclasses import dataclass

from treering.actions.record_events import rules, write_recorded
from treering.actions.workspace import Position, Workspace, Writing
from treering.branches.trunk import trunk_of, trunk_tips
from treering.capture.commits import CodeCommit, commits
from treering.capture.recording import Recording
from treering.errors import BranchNotFound
from treering.model.dates import parse_moment
from treering.model.scope import Scope, is_utf8
from treering.model.spelling import suggest

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Backfilled:
    """How many commits were captured, on which branches, and how many were there or passed over."""

    captured: int
    skipped: int
    branches: dict[str, int]


def backfill(
    workspace: Workspace, *, since: str = "", branch: str = "", progress: Progress | None = None
) -> Backfilled:
    """Capture the history of every branch, or of one; a second time nothing is new.

    The trunk's commits go to the trunk, another branch's own ones to that branch.
    """
    histories = _histories(workspace, since, branch)
    total = sum(len(oids) for oids in histories.values())
    counts: dict[str, int] = {}
    number = 0
    for name, oids in histories.items():
        by_oid: dict[str, CodeCommit] = {}
        for commit in commits(workspace.repository, oids):
            by_oid[commit.oid] = commit
            number += 1
            if progress:
                progress(number, total)
        counts[name] = _capture_branch(workspace, name, by_oid)
    count = sum(counts.values())
    return Backfilled(count, total - count, {name: n for name, n in counts.items() if n})


def _histories(workspace: Workspace, since: str, branch: str) -> dict[str, list[str]]:
    """Each branch and its own commits, oldest first; the trunk before what was made from it."""
    repository = workspace.repository
    trunk = trunk_of(repository)
    moment = parse_moment(since, workspace.clock()) if since else None
    here = {name: tip for name, tip in repository.branches().items() if is_utf8(name)}
    if branch and branch not in here:
        hint = suggest(branch, here, BranchNotFound.hint)
        raise BranchNotFound(f"There is no branch {branch} here.", hint)
    names = [branch] if branch else sorted(here, key=lambda name: (name != trunk, name))
    trunk_commits = trunk_tips(repository, trunk)
    return {
        name: repository.history(
            [here[name]], without=[] if name == trunk else trunk_commits, since=moment
        )
        for name in names
    }


def _capture_branch(workspace: Workspace, branch: str, by_oid: dict[str, CodeCommit]) -> int:
    if not by_oid:
        return 0
    repository = workspace.repository

    def attempt(writing: Writing) -> int:
        recording = Recording(writing.view, writing.scope, by_oid, rules(workspace))
        for oid in by_oid:
            recording.add(oid)
        return write_recorded(writing, recording)

    position = Position(Scope(branch), trunk_of(repository), repository.tip_of(branch))
    return workspace.write("", attempt, position=position)
