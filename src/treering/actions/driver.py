"""The driver: the one way in which memories follow their branches, for hooks and for gc.

It takes the worker's lock, takes in what hooks noted, surveys and plans without the store's lock
(judging may take seconds, in which others want to write), and carries the plan out line by line
under it. A line whose facts moved meanwhile is planned again.

Order of locks: the worker's, then the store's, never the other way round; and no network under
either. Whoever finds the worker's lock taken may leave, since its holder looks at the journal once
more after letting go.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

from treering.actions.backfill import capture_pulled
from treering.actions.drain import Drained, capture, start_driver
from treering.actions.workspace import Workspace
from treering.branches.apply import Actor, apply, order_lines
from treering.branches.landing.judge import Judge
from treering.branches.overlay import list_not_taken
from treering.branches.plan import PlanLine, plan
from treering.branches.survey import local_scopes, survey
from treering.branches.tips import remember_new_tips
from treering.branches.trunk import trunk_of
from treering.capture.journal import Journal, JournalEvent
from treering.errors import Busy
from treering.git import refs
from treering.model.scope import TRASH, Scope
from treering.store.ancestry import contains
from treering.store.state import hash_name
from treering.store.vault import Vault

#: Seconds to wait for another driver.
DRIVER_TIMEOUT = 60.0
_ROUNDS = 3  # plans made for a scope that moves while it is judged
_MOVES_NOTHING = {"post-commit"}  # a commit alone lets no memory follow its branch
_SHARES = "pre-push"
_GONE = "gone"  # branches that were judged, and wait for gc

#: What is to be done of a plan: a line as it is, or another one in its place.
Choose = Callable[[PlanLine], PlanLine]


def work(
    workspace: Workspace,
    event: str = "",
    inherited: int | None = None,
    pushes: dict[str, str] | None = None,
) -> Drained:
    """Work the journal off, until nothing is left; `event` has happened, and may not stand there.

    `pushes` gets the remote-tracking refs of branches that are being pushed, and the commits they
    will have.

    Where another driver is at it, it will see what stands there now: nothing is left to do here.
    """
    journal = Journal(workspace.store.folder)
    total, said = Drained(0, 0), frozenset({event} - {""})
    while True:
        with ExitStack() as stack:
            try:
                stack.enter_context(workspace.store.lock_driver(0, inherited))
            except Busy:
                return total
            stack.enter_context(workspace.call())
            done, stuck = _work_off(workspace, said, pushes)
        total = Drained(
            total.captured + done.captured,
            journal.pending(),
            total.events + done.events,
            total.errors + done.errors,
        )
        # Who came meanwhile found the lock taken, and left it to us.
        if not {*journal.events(), *journal.captured()} - stuck:
            return total
        said, inherited = frozenset(), None


def drain(workspace: Workspace) -> Drained:
    """Take in what hooks noted and let memories follow their branches, as the worker would."""
    with run_worker(workspace) as done:
        follow_branches(workspace)
        capture_pulled(workspace)
    return done._replace(pending=Journal(workspace.store.folder).pending())


@contextmanager
def run_worker(workspace: Workspace) -> Iterator[Drained]:
    """Be the driver for what someone asks for by hand: what hooks noted is taken in before it and
    has been seen to after it. Waits for a worker that is at it."""
    journal = Journal(workspace.store.folder)
    with workspace.store.lock_driver(DRIVER_TIMEOUT):
        done = capture(workspace)
        # A push asks for the network, too, which is left to the worker.
        waiting = [event for event in journal.captured() if event.name != _SHARES]
        remember_new_tips(workspace.store)
        yield done
        journal.remove(waiting)
    # For those who came meanwhile and left it to us, and for what is to be shared.
    start_driver(workspace, lambda _: True)


def _work_off(
    workspace: Workspace, events: frozenset[str], pushes: dict[str, str] | None
) -> tuple[Drained, set[JournalEvent]]:
    """One round of a worker; which events it could not see to."""
    journal = Journal(workspace.store.folder)
    before = set(journal.events())
    done = capture(workspace)
    waiting = journal.captured()
    remember_new_tips(workspace.store)
    names = dict.fromkeys((*events, *done.events, *(event.name for event in waiting)))
    # git tells no hook of a deletion; what was judged and waits for gc is written down.
    gone = _list_gone(workspace) if names else []
    is_unjudged = gone and gone != workspace.state.read_json(_GONE)
    if names.keys() - _MOVES_NOTHING or is_unjudged:
        follow_branches(workspace)
        capture_pulled(workspace)
    journal.remove(waiting)
    for event in waiting:
        if pushes is not None:
            pushes.update(event.pushes)
    return done._replace(events=tuple(names)), before.intersection(journal.events())


# --- the plan -------------------------------------------------------------------------------------


def follow_branches(workspace: Workspace) -> list[PlanLine]:
    """Carry out all of the plan but what puts memories out of sight: that is for gc, when someone
    asks for it. Of a branch that waits for that, what was tried and failed is kept for the trunk.
    For hooks, which only make happen sooner what gc would do."""
    done = apply_plan(
        workspace,
        lambda line: line._replace(action="lessons") if line.action == "trash" else line,
        keep_lessons=True,
    )
    workspace.state.write_json(_GONE, _list_gone(workspace))
    return done


def _list_gone(workspace: Workspace) -> list[str]:
    """List the scopes of ours whose branches are not here, with their tips: the trunk aside."""
    here = {*workspace.repository.branches(), trunk_of(workspace.repository)}
    return sorted(
        f"{hash_name(scope.component)} {tip}"
        for vault in workspace.store.vaults()
        for scope, tip in local_scopes(vault).items()
        if not scope.is_detached and not scope.is_aside and scope.branch not in here
    )


def make_plan(
    workspace: Workspace, vault: Vault, branch: str = "", *, is_dry: bool = False
) -> list[PlanLine]:
    """Return what is to be done; for a dry run nothing is written, not even what was learned."""
    scopes = survey(workspace.store, vault)
    judge = Judge(workspace.repository, database=None if is_dry else workspace.database)
    return plan(workspace.repository, vault, scopes, judge, branch=branch)


def apply_plan(
    workspace: Workspace, choose: Choose, *, branch: str = "", keep_lessons: bool
) -> list[PlanLine]:
    """Plan, and do it; the lines as they came to be. Whoever calls has the worker's lock."""
    done: list[PlanLine] = []
    for vault in workspace.store.vaults():
        run = _PlanRun(workspace, vault, keep_lessons)
        lines = list(map(choose, make_plan(workspace, vault, branch)))
        for _ in range(_ROUNDS):
            moved = run.do(lines)
            if not moved:
                break
            again = make_plan(workspace, vault, branch)
            lines = [choose(line) for line in again if line.branch in moved]
        else:  # what kept changing is left as it was; the next run sees to it
            why = "It changed meanwhile: next time."
            run.done += [ln._replace(verdict="live", action="keep", reason=why) for ln in lines]
        done += run.done
    return done


class _PlanRun:
    """A plan of one vault being carried out."""

    def __init__(
        self,
        workspace: Workspace,
        vault: Vault,
        keep_lessons: bool,
    ) -> None:
        self._workspace = workspace
        self._vault = vault
        self._keep_lessons = keep_lessons
        self._actor: Actor | None = None
        self._given: set[Scope] = set()  # scopes something was put into
        self.done: list[PlanLine] = []

    def do(self, lines: list[PlanLine]) -> set[str]:
        """Do what the lines say, one at a time; the branches that have to be planned again."""
        moved: set[str] = set()
        said = {line.branch for line in self.done}
        results: dict[int, PlanLine] = {}
        for number in order_lines(lines):
            line = lines[number]
            if line.action == "keep" and line.branch in said:
                continue  # planned again, and nothing was left to do
            result = self._do(line)
            if result is None:
                moved.add(line.branch)
            else:
                results[number] = result
        self.done += [results[number] for number in sorted(results)]
        return moved

    def _do(self, line: PlanLine) -> PlanLine | None:
        """The line as it came to be; None where its facts moved."""
        with self._workspace.store.lock() as held:
            if not self._is_still_true(line):
                # One that is kept and got what we promoted into it is what it was.
                is_kept = line.action == "keep" and line.scope in self._given
                return line if is_kept or self._is_done(line) else None
            # What was written here is noted once: no line acts on a scope written to since.
            self._actor = (
                self._actor._replace(held=held) if self._actor else self._workspace.actor(held)
            )
            self._given |= {Scope(line.into), Scope(self._actor.trunk)}
            return apply(self._actor, self._vault, line, keep_lessons=self._keep_lessons)

    def _is_still_true(self, line: PlanLine) -> bool:
        if line.trashed is not None:
            return refs.read(self._vault.repository.handle, line.trashed.ref) == line.tip
        if not line.tip:
            return True  # a hint about a branch without memories
        is_same = self._workspace.repository.tip_of(line.scope.branch) == line.branch_tip
        return is_same and self._vault.tip(line.scope) == line.tip

    def _is_done(self, line: PlanLine) -> bool:
        """Return whether another did it meanwhile: the memories are where they were to go."""
        if line.action == "trash":
            prefix = f"{TRASH}{line.scope.component}/"
            there = refs.list_refs(self._vault.repository.common_dir, prefix)
            is_kept = any(contains(self._vault.repository, tip, line.tip) for tip in there.values())
            return self._vault.tip(line.scope) is None and is_kept
        if line.action == "promote":
            taken = (
                ({*some.versions, *some.behind}, self._vault.snapshot(Scope(some.into)))
                for some in line.landed
            )
            return not any(list_not_taken(self._vault, *one) for one in taken)
        target = Scope(line.into) if line.into else line.scope
        tip = self._vault.tip(target) if line.action in ("rename", "aside", "revive") else None
        is_gone = self._vault.tip(line.scope) is None or line.trashed is not None
        return bool(tip and is_gone and contains(self._vault.repository, tip, line.tip))
