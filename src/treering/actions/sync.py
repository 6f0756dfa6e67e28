"""sync: share memories through any git remote. Fetch, merge, push; again where someone was faster.

The network is never waited for under the lock: what is pushed are commits, not refs, so that others
may write meanwhile.
"""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from treering.actions.workspace import Workspace
from treering.branches.apply import Actor
from treering.branches.prints import list_new_prints, note_prints
from treering.branches.survey import local_scopes
from treering.branches.tips import remember_new_tips
from treering.branches.trunk import note_listing
from treering.errors import BlockedSecret, FormatTooNew, Invalid, StoreDamaged, SyncRefused
from treering.git import refs
from treering.git.refs import RefMoved
from treering.git.remote import PushedRef, Remote
from treering.model.choices import SYNC_DIRECTIONS
from treering.model.scope import HEADS, REMOTES, Scope
from treering.model.taxonomy import one_of
from treering.store.absence import Loss
from treering.store.tree_diff import differing, tree_of
from treering.store.vault import Vault
from treering.sync import exchange, refspec
from treering.sync.exchange import Outgoing
from treering.sync.leaks import leaks, warn_of_name

#: More scopes than a team has; a remote that offers more is not followed beyond them.
MOST_SCOPES = 10_000
_ATTEMPTS = 20
_LONGEST_PAUSE = 30.0
_UNATTENDED_PATIENCE = 300.0

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class SyncedScope:
    """One scope of the answer; `reason` says why it was refused, `notes` what a merge decided."""

    branch: str
    status: str
    reason: str | None = None
    notes: tuple[str, ...] | None = None
    undo: str | None = None  # the ref of our tip from before, where the sync changed what we had


@dataclass(frozen=True, slots=True)
class Synced:
    """What happened, counted in scopes; `memories` counts the files that moved."""

    remote: str
    scopes: tuple[SyncedScope, ...]
    fetched: int
    pushed: int
    merged: int
    memories: dict[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] | None = None


def sync(
    workspace: Workspace,
    direction: str = "full",
    *,
    remote: str = "",
    dry_run: bool = False,
    allow_secret: bool = False,
    is_attended: bool = False,
    patience: float = _UNATTENDED_PATIENCE,
    progress: Progress | None = None,
) -> Synced:
    """Exchange memories with a remote: both ways, or only one.

    Without `is_attended` git asks nobody for a password, and gives up after `patience` seconds.
    """
    way = one_of(direction or "full", SYNC_DIRECTIONS, "direction")
    name = refspec.find_remote(workspace.repository, remote)
    seconds = None if is_attended else patience
    wire = Remote(workspace.repository, name, is_attended=is_attended, seconds=seconds)
    run = _SyncRun(workspace, wire, way, allow_secret, progress or (lambda _: None))
    if dry_run:
        return run.forecast()
    refspec.repair(workspace.repository)
    remember_new_tips(workspace.store)  # a prune takes what a fetch saw
    workspace.ledger.catch_up()  # a redaction of others may have our history written again
    return run.run()


class _RemoteScopes(NamedTuple):
    """What the remote has now, and which of it could not be had."""

    scopes: dict[Scope, str]
    known: dict[str, str]  # what it was last seen to have: component -> tip
    left_out: int


class _SyncRun:
    """One sync: rounds of fetch, merge and push until nobody was faster."""

    def __init__(
        self, workspace: Workspace, wire: Remote, direction: str, allow_secret: bool, say: Progress
    ) -> None:
        self._workspace = workspace
        self._vault: Vault = workspace.store.shared
        self._wire = wire
        self._direction = direction
        self._allow_secret = allow_secret
        self._say = say
        self._lines: dict[Scope, SyncedScope] = {}
        self._refused: dict[Scope, str] = {}
        self._secrets: list[str] = []
        self._pushed: set[Scope] = set()
        self._instead: dict[Scope, str] = {}
        self._mended: dict[Scope, str] = {}
        self._memories = {"fetched": 0, "pushed": 0, "merged": 0}
        self._notes: list[str] = []

    def run(self) -> Synced:
        for attempt in range(_ATTEMPTS):
            start = time.monotonic()
            try:
                there = self._fetch()
                self._take_in(there)
            except RefMoved:
                continue
            if self._direction == "fetch" or not self._is_push_refused(there.scopes):
                return self._answer()
            # Of all who push at once only one gets through: what a round takes is the measure of
            # how far apart they have to be, twice as far each time.
            window = (time.monotonic() - start) * 2 ** min(attempt, 6)
            time.sleep(random.random() * min(_LONGEST_PAUSE, window))  # noqa: S311
        raise SyncRefused(
            f"Others kept pushing to {self._wire.name} faster than we could merge.",
            hint="Nothing was lost. Run `treering sync` again.",
        )

    # --- in ---------------------------------------------------------------------------------------

    def _fetch(self) -> _RemoteScopes:
        self._say(f"asking {self._wire.name}")
        listing = self._wire.look(HEADS)
        tips = {n: t for n, t in listing.refs.items() if _is_name(n)}
        tips_before = exchange.list_fetched(self._workspace.repository, self._wire.name)
        selection = self._choose(tips, tips_before)
        news = {
            name: f"{REMOTES}{self._wire.name}/heads/{name.removeprefix(HEADS)}"
            for name, tip in selection.items()
            if tips_before.get(name.removeprefix(HEADS)) != tip
        }
        if news:
            self._say(f"fetching {len(news)} scopes")
        failures = self._wire.fetch(news)
        for name, why in failures.items():
            self._notes.append(f"{name} could not be fetched: {why}")
        # After the fetch, since what came by it may say which branch was the trunk.
        note_listing(self._workspace.repository, self._wire.name, listing, bool(tips))
        there = {name: tip for name, tip in selection.items() if name not in failures}
        return _RemoteScopes(
            exchange.scopes_in(self._vault, there), tips_before, len(tips) - len(selection)
        )

    def _choose(self, tips: dict[str, str], tips_before: dict[str, str]) -> dict[str, str]:
        """What of the remote is followed: for a push our own scopes, else all within reason."""
        mine = refs.list_refs(self._workspace.repository.common_dir, HEADS)
        if self._direction == "push":
            return {name: tip for name, tip in tips.items() if name in mine}
        if len(tips) <= MOST_SCOPES:
            return tips
        branches = {Scope(branch).ref for branch in self._workspace.repository.branches()}
        ours = mine.keys() | branches

        def rank(name: str) -> tuple[bool, bool, str]:
            return (name not in ours, name.removeprefix(HEADS) not in tips_before, name)

        names = sorted(tips, key=rank)[:MOST_SCOPES]
        note = f"{self._wire.name} offers {len(tips)} scopes, {MOST_SCOPES} of them are used"
        self._notes.append(note)
        return {name: tips[name] for name in names}

    def _take_in(self, there: _RemoteScopes) -> None:
        mine = local_scopes(self._vault)
        todo = {scope: tip for scope, tip in there.scopes.items() if mine.get(scope) != tip}
        missing = self._list_vanished(there) if self._direction != "push" else {}
        if not todo and not missing and mine.keys() <= there.scopes.keys():
            return
        losses = {
            scope: exchange.find_left_out(
                self._workspace.store,
                self._vault,
                scope,
                tip,
                there.known.get(scope.component),
            )
            for scope, tip in todo.items()
        }
        with self._workspace.store.lock() as lock:
            actor = self._workspace.actor(lock)
            for ref, tip in missing.items():
                self._vault.move_ref(lock, ref, None, old=tip, why="sync: gone")
            for scope, tip in todo.items():
                before = there.known.get(scope.component)
                self._take_one(actor, scope, tip, mine.get(scope), before, losses[scope])
            if self._direction != "push":
                for scope in exchange.drop_promoted(actor, self._vault, there.scopes):
                    self._lines[scope] = SyncedScope(scope.branch, "dropped")

    def _list_vanished(self, there: _RemoteScopes) -> dict[str, str]:
        """What the remote was last seen to have and has no longer."""
        if there.left_out:
            return {}
        components = {scope.component for scope in there.scopes}
        prefix = f"{REMOTES}{self._wire.name}/heads/"
        return {prefix + name: tip for name, tip in there.known.items() if name not in components}

    def _take_one(
        self,
        actor: Actor,
        scope: Scope,
        tip: str,
        ours: str | None,
        tip_before: str | None,
        loss: Loss,
    ) -> None:
        try:
            outcome = exchange.take_in(actor, self._vault, scope, tip, loss)
        except (StoreDamaged, FormatTooNew, Invalid) as error:
            self._lines[scope] = SyncedScope(scope.branch, "refused", error.message)
            return
        self._instead.pop(scope, None)
        if outcome.instead:
            self._instead[scope] = outcome.instead
        if outcome.mended:
            self._mended[scope] = outcome.mended
        if outcome.status == "unchanged" and ours is None and tip_before != tip:
            # The remote's alone, to be read from here.
            outcome = outcome._replace(status="updated" if tip_before else "new")
        if outcome.status == "unchanged":
            return
        before = ours or tip_before
        if scope not in self._lines:
            self._memories["fetched"] += self._count(before, tip)
        self._memories["merged"] += outcome.memories
        self._lines[scope] = SyncedScope(
            scope.branch, outcome.status, notes=outcome.notes or None, undo=outcome.undo
        )

    def _count(self, before: str | None, now: str) -> int:
        """How many files two commits do not share."""
        try:
            old = tree_of(self._vault, before) if before else None
            return len(differing(self._vault, old, tree_of(self._vault, now)))
        except StoreDamaged:
            return 0

    # --- out --------------------------------------------------------------------------------------

    def _is_push_refused(self, theirs: dict[Scope, str]) -> bool:
        """Push what is ours; whether someone else was faster."""
        todo = self._list_outgoing(theirs)
        if self._has_noted_prints(todo):
            todo = self._list_outgoing(theirs)
        todo = self._without_secrets(todo)
        if not todo.new:
            return False
        self._say(f"pushing {len(todo.new)} scopes")
        new = {scope.ref: tip for scope, tip in todo.new.items()}
        removals = {scope.ref: tip for scope, tip in todo.gone.items()}
        replacements = {scope.ref: tip for scope, tip in todo.replaced.items()}
        results = {result.ref: result for result in self._wire.push(new, removals, replacements)}
        self._note_pushed(todo, theirs, results)
        return any(result.is_worth_a_retry for result in results.values())

    def _list_outgoing(self, theirs: dict[Scope, str]) -> Outgoing:
        return exchange.outgoing(
            self._workspace.store, self._vault, theirs, self._instead, self._mended
        )

    def _has_noted_prints(self, todo: Outgoing) -> bool:
        """Let what goes out carry the fingerprints of its code; whether there were new ones."""
        news = list(list_new_prints(self._workspace.store, self._vault, todo.new))
        if news:
            with self._workspace.store.lock() as lock:
                note_prints(self._workspace.actor(lock), self._vault, news)
        return bool(news)

    def _without_secrets(self, todo: Outgoing) -> Outgoing:
        self._secrets = []
        if self._allow_secret:
            return todo
        clean = dict(todo.new)
        for scope, tip in todo.new.items():
            if warning := warn_of_name(scope):
                self._notes.append(warning)
            leaks_here = {leak.what: leak.kind for leak in leaks(self._vault, self._wire.name, tip)}
            if leaks_here:
                del clean[scope]
                names = ", ".join(f"{what} ({kind})" for what, kind in leaks_here.items())
                self._secrets.append(f"{names} on {scope.branch}")
                self._lines[scope] = SyncedScope(
                    scope.branch, "refused", f"holds a credential: {names}"
                )
        return Outgoing(clean, todo.gone if len(clean) == len(todo.new) else {}, todo.replaced)

    def _note_pushed(
        self, todo: Outgoing, theirs: dict[Scope, str], results: dict[str, PushedRef]
    ) -> None:
        name = self._wire.name
        self._refused = {}
        with self._workspace.store.lock() as lock:
            for scope, tip in (todo.new | todo.gone).items():
                result = results.get(scope.ref)
                if result is None or not result.is_done:
                    if result and not result.is_worth_a_retry:
                        self._refused[scope] = result.reason
                    continue
                is_gone = scope in todo.gone
                ref = exchange.fetched_ref(name, scope)
                now = refs.read(self._workspace.repository.handle, ref)
                if now != (None if is_gone else tip):
                    self._vault.move_ref(
                        lock, ref, None if is_gone else tip, old=now, why="sync: pushed"
                    )
                if is_gone:
                    self._lines[scope] = SyncedScope(scope.branch, "dropped")
                    continue
                self._pushed.add(scope)
                self._memories["pushed"] += self._count(theirs.get(scope), tip)
                if scope not in self._lines or self._lines[scope].status == "refused":
                    self._lines[scope] = SyncedScope(scope.branch, "pushed")

    # --- telling ----------------------------------------------------------------------------------

    def _answer(self) -> Synced:
        for scope in local_scopes(self._vault):
            self._lines.setdefault(scope, SyncedScope(scope.branch, "unchanged"))
        if self._secrets:
            raise BlockedSecret(
                f"Not pushed, because it looks like a credential: {'; '.join(self._secrets)}.",
                hint="`treering redact ID` takes a memory's text out of history. Everything else "
                "was synced. `treering sync --allow-secret` pushes it anyway.",
            )
        if self._refused:
            reasons = "; ".join(f"{s.branch} {why}" for s, why in self._refused.items())
            raise SyncRefused(f"{self._wire.name} did not take everything: {reasons}")
        lines = sorted(self._lines.values(), key=lambda line: line.branch)
        statuses = [line.status for line in lines]
        return Synced(
            remote=self._wire.name,
            scopes=tuple(lines),
            fetched=sum(status in ("new", "updated", "merged") for status in statuses),
            pushed=len(self._pushed),
            merged=statuses.count("merged"),
            memories=self._memories,
            notes=tuple(dict.fromkeys(self._notes)) or None,
        )

    def forecast(self) -> Synced:
        """What a sync would do, as far as can be told without fetching anything."""
        tips = {n: t for n, t in self._wire.list_refs(HEADS).items() if _is_name(n)}
        theirs = exchange.scopes_in(self._vault, tips)
        mine = local_scopes(self._vault)
        tips_before = exchange.list_fetched(self._workspace.repository, self._wire.name)
        out = exchange.outgoing(self._workspace.store, self._vault, theirs, {}, {})
        for scope in mine.keys() | theirs.keys():
            status = self._forecast(scope, mine.get(scope), theirs.get(scope), tips_before, out)
            if status:
                self._lines[scope] = SyncedScope(scope.branch, status)
        if self._direction != "fetch":
            self._pushed = {s for s in out.new if s in self._lines}
        return self._answer()

    def _forecast(
        self,
        scope: Scope,
        ours: str | None,
        theirs: str | None,
        tips_before: dict[str, str],
        out: Outgoing,
    ) -> str:
        if theirs is None or ours == theirs:
            return "pushed" if scope in out.new and self._direction != "fetch" else "unchanged"
        if ours is None:
            return "" if tips_before.get(scope.component) == theirs else "new"
        if scope in out.new:
            return "pushed" if self._direction != "fetch" else "unchanged"
        is_ours_old = ours == tips_before.get(scope.component)
        repository = self._workspace.repository
        return "updated" if is_ours_old or repository.is_ancestor(ours, theirs) else "merged"


def _is_name(ref: str) -> bool:
    """Whether a ref of the remote can be one of ours; what it is called was chosen by others."""
    component = ref.removeprefix(HEADS)
    return "/" not in component and component.isprintable() and len(component.encode()) <= 240
