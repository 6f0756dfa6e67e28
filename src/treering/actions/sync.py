"""sync: share memories through any git remote. Look, fetch, see, plan, push.

What is shared follows the branches that the remote lists. A dry run prints the plan that a run
carries out.

Every clone has refs of its own on a remote, so nobody is ever slower than another. The network is
never waited for under the lock: what is pushed are commits, so that others may write meanwhile.
"""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress

from treering.actions.searcher import catch_up
from treering.actions.workspace import Workspace
from treering.branches.apply import Actor
from treering.branches.names import is_gone
from treering.branches.sharing import RemoteNames, SharingRules, pushed_ref
from treering.branches.survey import local_scopes, seen_scopes
from treering.branches.tips import remember_new_tips
from treering.branches.trunk import note_listing
from treering.call import Advice, Call
from treering.derived.content import Problem
from treering.errors import BlockedSecret, Busy, StoreDamaged, SyncRefused
from treering.git import lock, refs
from treering.git.refs import RefMoved
from treering.git.remote import PushedRef, Remote, RemoteListing
from treering.model.scope import HEADS, Scope
from treering.store import heads
from treering.store.ancestry import TOO_LARGE, name_author, read_news
from treering.store.fetched import FetchedHead, list_fetched
from treering.store.vault import Vault
from treering.sync import fetching, folding, incoming, plan, refspec
from treering.sync.fetching import Fetching, fetch_missing_code, list_lost
from treering.sync.incoming import IncomingScope, list_unseen
from treering.sync.leaks import Departures, find_leaks, list_departures, warn_of_name
from treering.sync.plan import Outgoing, Synced, SyncedScope, SyncPlan
from treering.sync.redactions import Redactions
from treering.sync.remote_state import (
    RemoteHead,
    RemoteState,
    read_id,
    read_listing,
    take_id,
    take_new_id,
)

#: A lease that fails is of a copy of this clone, or of one that was folded: then once more.
_ATTEMPTS = 5
_UNATTENDED_TIMEOUT = 300.0
#: Characters of a clone's name that are shown: others choose it.
_MAX_NAME = 24
#: Seconds to wait for what a push shares in the background.
_PUSH_TIMEOUT = 120.0

_WAITS = "a redaction by somebody else waits for a yes"
#: What a scope was before it was pushed after all.
_MOST_NEWS = 1_000  # commits that a reader waits for
_NOT_PUSHED = ("refused", "local")

Progress = Callable[[str], None]


def sync(
    workspace: Workspace,
    direction: str = "full",
    *,
    remote: str = "",
    dry_run: bool = False,
    wait: bool = False,
    allow_secret: bool = False,
    is_interactive: bool = False,
    timeout: float = _UNATTENDED_TIMEOUT,
    on_stage: Progress | None = None,
) -> Synced:
    """Exchange memories with a remote: both ways, or only one.

    With `wait` a sync that a `git push` started in the background is waited for first.

    Without `is_interactive` git asks nobody for a password, and gives up after `timeout` seconds.
    """
    name = refspec.find_remote(workspace.repository, remote)
    seconds = None if is_interactive else timeout
    wire = Remote(workspace.repository, name, is_interactive=is_interactive, seconds=seconds)
    run = _SyncRun(workspace, wire, direction, allow_secret, on_stage or (lambda _: None))
    if dry_run:
        return run.forecast()
    if wait:
        with (
            suppress(Busy, OSError),
            lock.hold(workspace.store.folder / "share.lock", timeout=_PUSH_TIMEOUT),
        ):
            pass
    refspec.repair(workspace.repository)
    remember_new_tips(workspace.store)  # a prune takes what a fetch saw
    workspace.ledger.catch_up()  # a redaction of others may have our history written again
    answer = run.run()
    if direction != "push":
        from treering.actions.backfill import capture_pulled

        capture_pulled(workspace)
    return answer


def take_in_fetched(workspace: Workspace) -> None:
    """See what a `git fetch` brought together with what we have, as a sync would, without asking
    anybody. A redaction is left to a sync, which names it, and so is very much at once."""
    for name in workspace.repository.remotes():
        if any(list_fetched(workspace.repository, name)):
            wire = Remote(workspace.repository, name)
            _SyncRun(workspace, wire, "fetch", False, lambda _: None).take_in_fetched()


class _SyncRun:
    """One sync. It is done again only where this clone turns out to be a copy, or a ref moved."""

    def __init__(
        self,
        workspace: Workspace,
        wire: Remote,
        direction: str,
        allow_secret: bool,
        on_progress: Progress,
    ) -> None:
        self._workspace = workspace
        self._vault: Vault = workspace.store.shared
        self._wire = wire
        self._name = wire.name
        self._direction = direction
        self._allow_secret = allow_secret
        self._on_progress = on_progress
        self._prefix = refspec.prefix_of(workspace.repository)
        self._is_dry = False
        self._lines: dict[Scope, SyncedScope] = {}
        self._oversized: dict[Scope, SyncedScope] = {}  # said, whatever else is done there
        self._refused: dict[Scope, str] = {}
        self._secrets: list[str] = []
        self._pushed: set[Scope] = set()
        self._more: dict[Scope, list[str]] = {}  # heads that nobody has pushed yet
        self._redactions = Redactions(self._vault)
        self._memories = {"fetched": 0, "pushed": 0, "merged": 0}
        self._notes: list[str] = []
        self._fetched_blobs: dict[Scope, list[str]] = {}
        self._fetching = Fetching(workspace.repository, wire, on_progress, self._notes)

    def run(self) -> Synced:
        for _ in range(_ATTEMPTS):
            try:
                state = self._fetch()
            except RefMoved:
                continue
            if self._direction == "fetch" or self._push(state):
                self._fold(state)
                self._index()
                return self._answer()
        raise SyncRefused(
            f"The refs of this clone on {self._wire.name} keep changing.",
            hint=Advice("Nothing was lost. Run {} again.", Call("sync")),
        )

    # --- in ---------------------------------------------------------------------------------------

    def _fetch(self) -> RemoteState:
        """Bring what is new here, and see it."""
        self._on_progress(f"asking {self._wire.name}")
        listing = self._look()
        there = self._fetching.choose(list(read_listing(listing.refs, self._prefix)))
        before = fetching.list_before(self._workspace.repository, self._name)
        if self._direction != "push":
            there = self._fetching.fetch(there, before)
            there, before = self._drop_oversized(there, before)
        # After the fetch, since what came by it may say which branch was the trunk.
        note_listing(self._workspace.repository, self._name, listing, bool(there))
        state = self._place(there)
        if self._direction != "push":
            fetching.keep_lost(self._workspace.store, state, before)
        self._take_in(state, before)
        if self._direction != "push":
            fetch_missing_code(self._workspace.store, self._wire, state, listing.branches)
            fetching.keep(self._workspace.store, state)
        return state

    def _drop_oversized(
        self, there: list[RemoteHead], before: dict[str, FetchedHead]
    ) -> tuple[list[RemoteHead], dict[str, FetchedHead]]:
        gone = self._fetching.drop_oversized(before)
        for head in gone.values():
            reason = f"A commit of it is {TOO_LARGE}{self._name_head(head)}."
            if scope := Scope.of_component(head.component):
                self._oversized[scope] = SyncedScope(scope.branch, "refused", reason)
            else:
                self._notes.append(f"{head.component} was refused. {reason}")
        return (
            [head for head in there if head.seen_at(self._name).ref not in gone],
            {ref: head for ref, head in before.items() if gone.get(ref) != head},
        )

    def _name_head(self, head: FetchedHead | RemoteHead) -> str:
        """Name whose a head is: its clone, and whom its last commit names."""
        author = name_author(self._workspace.repository, head.tip)
        return f" (clone {head.clone[:_MAX_NAME]}{', ' if author else ''}{author})"

    def _look(self) -> RemoteListing:
        """List what the remote has; whose branches are whose is decided from this answer."""
        listing = self._wire.look(self._prefix, HEADS)
        names = self._vault.remote_names
        if isinstance(names, RemoteNames):
            names.listed[self._name] = listing.branches
        repository = self._workspace.repository
        self._rules = SharingRules(repository, self._vault, self._name, listing.branches)
        return listing

    def _place(self, there: list[RemoteHead]) -> RemoteState:
        repository = self._workspace.repository
        is_reader = self._is_dry or self._direction == "fetch"  # who only reads needs no name
        own = read_id(repository) if is_reader else take_id(repository)
        state = RemoteState.of(self._vault, self._name, self._prefix, own, there)
        if is_reader and not self._is_dry:
            return state
        shared = {scope: self._rules.find(scope).there for scope in local_scopes(self._vault)}
        names = {scope: name for scope, name in shared.items() if name and name != scope}
        return state._replace(names={**state.names, **names})

    def _take_in(self, state: RemoteState, before: Mapping[str, FetchedHead]) -> None:
        earlier = {
            head.tip: before[ref].tip
            for head in state.list_heads()
            if (ref := head.seen_at(self._name).ref) in before
        }
        verified = set(fetching.list_seen(self._workspace.repository, self._name))
        unseen = list_unseen(
            self._workspace.store, state, earlier, verified, is_fetch_only=self._direction == "push"
        )
        news = [
            incoming.look_over(self._vault, scope, tips, self._seen(scope, before))
            for scope, tips in unseen.items()
        ]
        lost = [
            IncomingScope(scope, tuple(tips), self._seen(scope, before), {})
            for scope, tips in list_lost(self._vault, self._name).items()
        ]
        self._redactions.collect_unpublished(state)
        mine = seen_scopes(self._vault)
        is_over = any(is_gone(self._workspace.repository, scope) for scope in mine)
        if not news and not lost and not is_over:
            return
        with self._workspace.store.lock() as lock:
            actor = self._workspace.actor(lock)
            self._redactions.apply_remote(actor, [*news, *lost])
            self._workspace.ledger.follow_redaction(self._redactions.commits)
            self._notes += self._redactions.notes
            for old in news:
                one = old.as_rewritten(self._vault, self._redactions.commits)
                self._take_one(actor, state, one, earlier)
            if self._direction != "push":
                for scope in plan.drop_promoted(actor, self._vault):
                    self._lines[scope] = SyncedScope(scope.branch, "dropped")

    def take_in_fetched(self) -> None:
        """See the heads that are here already."""
        heads_here = list_fetched(self._workspace.repository, self._name)
        there = [RemoteHead(h.ref, h.clone, h.component, h.tip) for h in heads_here]
        state = RemoteState.of(self._vault, self._name, self._prefix, "", there)
        unseen = list_unseen(self._workspace.store, state)
        wanted = {s: tips for s, tips in unseen.items() if plan.is_wanted(self._vault, s)}
        graphs = (
            read_news(self._vault.repository, tips, heads.list_heads(self._vault, scope))
            for scope, tips in wanted.items()
        )
        if not wanted or sum(map(len, graphs)) > _MOST_NEWS:
            return
        news = [
            incoming.look_over(self._vault, scope, tips, self._vault.tip(scope))
            for scope, tips in wanted.items()
        ]
        if not any(map(self._redactions.is_about, news)):
            with self._workspace.store.lock(timeout=0) as held:
                for one in news:
                    self._take_one(self._workspace.actor(held), state, one, {})

    def _seen(self, scope: Scope, before: Mapping[str, FetchedHead]) -> str | None:
        """Return what was seen of a scope before this sync."""
        if heads.list_heads(self._vault, scope):
            return self._vault.tip(scope)
        there = self._vault.remote_names.name_there(self._name, scope)
        component = there.component if there else ""
        tips = [head.tip for head in before.values() if head.component == component]
        return heads.read_merged(self._vault, scope, tips) if tips else None

    def _take_one(
        self, actor: Actor, state: RemoteState, one: IncomingScope, known: Mapping[str, str]
    ) -> None:
        scope = one.scope
        if carriers := self._redactions.carriers.intersection(one.heads):
            one = one.without(carriers)
            self._lines[scope] = SyncedScope(scope.branch, "refused", _WAITS)
        for tip, why in one.refusals.items():
            whose = [self._name_head(head) for head in state.heads[scope] if head.tip == tip]
            reason = f"{why.removesuffix('.')}{''.join(whose[:1])}."
            self._lines[scope] = SyncedScope(scope.branch, "refused", reason)
        if not one.heads:
            return
        own = self._vault.head(scope)
        is_ahead = bool(own and plan.has_unpushed_commits(self._vault, own, state.tips(scope)))
        before = self._vault.tip(scope)
        outcome = incoming.take_in(actor, self._vault, one, is_ahead=is_ahead)
        if self._redactions.hides_waiting(before, self._vault.tip(scope)):
            # It came by a head whose tip does not show it, as behind a promotion.
            old = refs.read(self._workspace.repository.handle, scope.view_ref)
            heads.set_view(self._vault, actor.held, scope, before, old=old)
            self._lines[scope] = SyncedScope(scope.branch, "refused", _WAITS)
            return
        if outcome.repaired:
            self._more.setdefault(scope, []).extend(outcome.repaired)
        news = [tip for tip in one.heads if known.get(tip) != tip]
        if outcome.status == "unchanged" and news and not own:
            # The remote's alone, to be read from here.
            outcome = outcome._replace(status="updated" if one.before else "new")
        if outcome.status == "unchanged" or scope in self._lines:
            return
        after = self._vault.tip(scope)
        if after:
            new = _list_changes(self._vault, one.before, after)
            self._memories["fetched"] += len(new)
            self._fetched_blobs[scope] = new
        self._memories["merged"] += outcome.memories
        self._lines[scope] = SyncedScope(
            scope.branch, outcome.status, notes=outcome.notes or None, undo=outcome.undo
        )

    # --- out --------------------------------------------------------------------------------------

    def _push(self, state: RemoteState) -> bool:
        """Push what we have to say. False if it has to be tried again, under another name."""
        todo = self._list_outgoing(state)
        there = [head.tip for head in state.list_heads()]
        departures = list_departures(self._vault, todo.new.values(), there)
        if ids := self._redactions.find_resurfacing(departures):
            with self._workspace.store.lock() as lock:
                self._redactions.take_back(self._workspace.actor(lock), ids)
                self._workspace.ledger.follow_redaction(self._redactions.commits)
            todo = self._list_outgoing(state)
            departures = list_departures(self._vault, todo.new.values(), there)
        holds_waiting = self._redactions.holds_waiting
        waiting = [scope for scope, tip in todo.new.items() if holds_waiting(departures[tip])]
        todo = self._hold_back(todo, dict.fromkeys(waiting, _WAITS))
        if self._is_of_a_copy(state, todo.new):
            take_new_id(self._workspace.repository)
            self._notes.append("this clone was copied from another, and has a name of its own now")
            return False
        if lost := [tip for tips in list_lost(self._vault, self._name).values() for tip in tips]:
            # What others let a remote have once is theirs to judge.
            departures = list_departures(self._vault, todo.new.values(), [*there, *lost])
        if not self._allow_secret and (leaking := self._find_secrets(todo, departures)):
            todo = self._hold_back(todo, leaking)._replace(gone={})
        if todo.is_empty:
            return True
        self._on_progress(f"pushing {len(todo.new) + len(todo.replaced)} heads")
        new = {state.own_ref(scope): tip for scope, tip in todo.new.items()} | todo.replaced
        results = {r.ref: r for r in self._wire.push(new, todo.gone, todo.leases)}
        self._note_pushed(state, todo, results)
        return not any(result.is_worth_a_retry for result in results.values())

    def _is_of_a_copy(self, state: RemoteState, scopes: Iterable[Scope]) -> bool:
        """Return whether one of our refs there has what this clone did not push: this repository or
        that one is a copy. What we last pushed is kept apart from what a fetch saw; where the
        answer to a push was lost, our own head had the tip."""
        repository = self._vault.repository
        for scope in scopes:
            there = state.own_head(scope)
            there = self._redactions.commits.get(there, there)
            name = pushed_ref(self._name, state.name_of(scope))
            if (
                there
                and there != refs.read(repository.handle, name)
                and there not in refs.reflog(repository.common_dir, scope.ref)
            ):
                return True
        return False

    def _plan(self, state: RemoteState) -> SyncPlan:
        """Decide what goes out, and note what stays here and why."""
        lost = list_lost(self._vault, self._name).items()
        # A redaction that waits for a yes is not said again by us.
        more = {s: [t for t in tips if t not in self._redactions.carriers] for s, tips in lost}
        for scope, tips in self._more.items():
            more.setdefault(scope, []).extend(tips)
        planned = plan.plan_push(self._workspace.store, self._vault, state, self._rules, more)
        for scope, reason in planned.stays.items():
            self._lines.setdefault(scope, SyncedScope(scope.branch, "local", reason))
        return planned

    def _list_outgoing(self, state: RemoteState) -> Outgoing:
        """Return what to push; our own heads say from now on what a remote has lost."""
        store = self._workspace.store
        new: dict[Scope, str] = {}
        for scope, news in self._plan(state).heads.items():
            own = self._vault.head(scope)
            if scope.is_aside:
                new[scope] = heads.combine(self._vault, scope, news)[0]
            elif own and set(news) - {own}:
                with store.lock() as lock:
                    new[scope] = heads.append_to_own_head(
                        self._vault, lock, scope, news, "sync: lost"
                    )
            else:
                new[scope] = own or heads.combine(self._vault, scope, news)[0]
        return plan.put_together(store, self._vault, state, new, self._redactions.replaced)

    def _find_secrets(self, todo: Outgoing, departures: Departures) -> dict[Scope, str]:
        """Find the scopes that hold a credential nobody has there yet, each with what to tell."""
        self._secrets = []
        self._notes += filter(None, map(warn_of_name, todo.new))
        leaking: dict[Scope, str] = {}
        for scope, tip in todo.new.items():
            leaks_here = {leak.id: leak.kind for leak in find_leaks(self._vault, departures[tip])}
            if leaks_here:
                names = ", ".join(f"{what} ({kind})" for what, kind in leaks_here.items())
                self._secrets.append(f"{names} on {scope.branch}")
                leaking[scope] = f"holds a credential: {names}"
        return leaking

    def _hold_back(self, todo: Outgoing, held: Mapping[Scope, str]) -> Outgoing:
        """Leave the heads of some scopes here, and say why. Our head of the trunk tells whose a
        redaction is, so while that stays nobody else's head is replaced: all who own one would have
        to be asked."""
        for scope, why in held.items():
            self._lines[scope] = SyncedScope(scope.branch, "refused", why)
        new = {scope: tip for scope, tip in todo.new.items() if scope not in held}
        if Scope(self._rules.trunk) not in held:
            return todo._replace(new=new)
        if count := len(self._redactions.unpublished):
            what = f"{count} redaction{'s' if count > 1 else ''} of yours did not go out"
            self._notes.append(f"{what}: {self._rules.trunk} tells of it, and was not pushed")
        return todo._replace(new=new, replaced={})

    def _note_pushed(
        self, state: RemoteState, todo: Outgoing, results: Mapping[str, PushedRef]
    ) -> None:
        self._refused = {}
        with self._workspace.store.lock() as lock:
            for scope, tip in todo.new.items():
                result = results.get(state.own_ref(scope))
                if result and result.is_done:
                    state.note_pushed(self._vault, lock, scope, tip)
                    self._pushed.add(scope)
                    self._memories["pushed"] += len(
                        _list_changes(self._vault, state.own_head(scope) or None, tip)
                    )
                    line = self._lines.get(scope)
                    if line is None or line.status in _NOT_PUSHED:
                        is_refused = line is not None and line.status == "refused"
                        notes = (line.reason,) if line and line.reason and is_refused else None
                        self._lines[scope] = SyncedScope(scope.branch, "pushed", notes=notes)
                elif result and not result.is_worth_a_retry:
                    self._refused[scope] = result.reason
            for name, scope in todo.gone.items():
                if name in results and results[name].is_done:
                    state.note_pushed(self._vault, lock, scope, None)
                    self._lines[scope] = SyncedScope(scope.branch, "dropped")

    def _fold(self, state: RemoteState) -> None:
        """Make few heads of many if there was nothing else to do."""
        if self._direction != "full" or self._lines or self._pushed:
            return
        with suppress(SyncRefused):
            folding.fold(self._workspace.store, self._wire, state, self._workspace.clock())

    def _index(self) -> None:
        """Make what came searchable: the next question should not pay for it. Say which of the new
        documents are no memories, and whose they are."""
        if not self._memories["fetched"]:
            return
        self._on_progress("indexing")
        catch_up(self._workspace)
        for scope, blobs in self._fetched_blobs.items():
            verdicts = self._workspace.rows.read_verdicts(blobs)
            bad = [blob for blob, verdict in verdicts.items() if isinstance(verdict, Problem)]
            if bad:
                text = f"{len(bad)} documents of {scope.branch} are not memories"
                whose = self._workspace.ledger.name_writers(bad)
                self._notes.append(Advice(f"{text} (by {whose}): {{}} names them", Call("doctor")))

    # --- telling ----------------------------------------------------------------------------------

    def _answer(self) -> Synced:
        for scope in seen_scopes(self._vault):
            self._lines.setdefault(scope, SyncedScope(scope.branch, "unchanged"))
        if self._secrets:
            raise BlockedSecret(
                f"Not pushed, because it looks like a credential: {'; '.join(self._secrets)}.",
                hint="`treering redact ID` takes a memory's text out of history. Everything else "
                "was synced. `treering sync --allow-secret` pushes it anyway.",
            )
        if self._refused:
            reasons = "; ".join(f"{s.branch} {why}" for s, why in self._refused.items())
            raise SyncRefused(
                f"{self._name} did not take everything: {reasons}",
                hint="If it takes branches only, all who share set another place for memories: "
                "`git config treering.remoteprefix refs/heads/treering`. Nothing was lost.",
            )
        lines = sorted((self._lines | self._oversized).values(), key=lambda line: line.branch)
        statuses = [line.status for line in lines]
        return Synced(
            remote=self._name,
            scopes=tuple(lines),
            fetched=sum(status in ("new", "updated", "merged") for status in statuses),
            pushed=len(self._pushed),
            merged=statuses.count("merged"),
            memories_fetched=None if self._is_dry else self._memories["fetched"],
            memories_pushed=self._memories["pushed"],
            memories_merged=self._memories["merged"],
            dry_run=self._is_dry,
            notes=tuple(dict.fromkeys(self._notes)) or None,
        )

    def forecast(self) -> Synced:
        """Tell what a sync would do, as far as can be told without fetching anything."""
        self._is_dry = True
        listing = self._look()
        state = self._place(list(read_listing(listing.refs, self._prefix)))
        here = {head.tip for head in list_fetched(self._workspace.repository, self._name)}
        planned = self._plan(state) if self._direction != "fetch" else SyncPlan({}, {})
        for scope in {**local_scopes(self._vault), **state.heads}:
            is_out = scope in planned.heads
            is_in = any(tip not in here for tip in state.tips(scope)) and self._direction != "push"
            if is_in:
                status = "merged" if is_out else "updated" if self._vault.tip(scope) else "new"
                self._lines[scope] = SyncedScope(scope.branch, status)
            elif is_out:
                self._lines[scope] = SyncedScope(scope.branch, "pushed")
            if is_out:
                self._pushed.add(scope)
                tip, there = self._vault.head(scope), state.own_head(scope) or None
                if tip and (there is None or self._vault.repository.objects.exists(there)):
                    self._memories["pushed"] += len(_list_changes(self._vault, there, tip))
        return self._answer()


def _list_changes(vault: Vault, before: str | None, now: str) -> list[str]:
    """List the blobs of files that two commits do not share, as they are now; none where that
    cannot be read."""
    try:
        return [after or "" for _, after in vault.diff(before, now).values()]
    except StoreDamaged:
        return []
