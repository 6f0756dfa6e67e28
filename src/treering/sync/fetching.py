"""Fetching the heads of a remote: which of them, and what becomes of those it has no longer."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from treering.branches.long_lived import is_long_lived
from treering.branches.names import code_heads, is_gone
from treering.branches.tips import remote_tip_ref
from treering.branches.trunk import trunk_of
from treering.errors import StoreDamaged
from treering.git import log, refs
from treering.git.lock import Held
from treering.git.remote import Remote
from treering.git.repository import Repository
from treering.model.scope import HEADS, REMOTES, SEEN, VIEWS, Scope
from treering.store import heads
from treering.store.ancestry import list_oversized
from treering.store.fetched import (
    CLONES_SEEN,
    LOST,
    MANY,
    FetchedHead,
    list_fetched,
)
from treering.store.state import StateFolder
from treering.store.store import Store
from treering.store.vault import NOBODY, Vault
from treering.sync import plan
from treering.sync.remote_state import RemoteHead, RemoteState, read_id

#: More scopes than a team has, and more clones of one; a remote that offers more is not followed
#: beyond them.
MAX_SCOPES = 10_000
MAX_HEADS = 2_000
#: Heads of all scopes together.
MAX_REFS = 20_000
#: Clones that a note names.
_MAX_NAMED = 3


class Fetching(NamedTuple):
    """One fetch from a remote; `notes` gets what to tell about it."""

    repository: Repository
    wire: Remote
    on_progress: Callable[[str], None]
    notes: list[str]

    def choose(self, there: Sequence[RemoteHead]) -> list[RemoteHead]:
        """Return what of the remote is followed: all within reason, counted in scopes, in heads
        of one and in heads of all. What was seen before comes first, so that a flood takes nothing
        away."""
        heads_of: dict[str, list[RemoteHead]] = {}
        for head in there:
            heads_of.setdefault(head.component, []).append(head)
        largest = max(map(len, heads_of.values()), default=0)
        if len(heads_of) <= MAX_SCOPES and largest <= MAX_HEADS and len(there) <= MAX_REFS:
            return list(there)
        folder, name = self.repository.common_dir, self.wire.name
        mine = {ref.removeprefix(HEADS) for ref in refs.list_refs(folder, HEADS)}
        mine |= {Scope(branch).component for branch in self.repository.branches()}
        seen = {(head.clone, head.component) for head in list_fetched(self.repository, name)}
        before = {component for _, component in seen}
        order = sorted(heads_of, key=lambda name: (name not in mine, name not in before, name))
        own = read_id(self.repository)
        chosen: list[RemoteHead] = []
        count = 0
        for component in order[:MAX_SCOPES]:
            some = heads_of[component]
            if len(chosen) + min(len(some), MAX_HEADS) > MAX_REFS:
                break
            count += 1
            if len(some) > MAX_HEADS:
                some.sort(key=lambda h: (h.clone != own, (h.clone, h.component) not in seen))
                note = f"{component} has {len(some)} heads on {name}, {MAX_HEADS} of them are used"
                self.notes.append(f"{note}; left out: {_name_clones(some[MAX_HEADS:])}")
            chosen += some[:MAX_HEADS]
        if beyond := [head for component in order[count:] for head in heads_of[component]]:
            note = f"{name} offers {len(order)} scopes, {count} of them are used"
            self.notes.append(f"{note}; left out: {_name_clones(beyond)}")
        return chosen

    def fetch(
        self, there: Sequence[RemoteHead], before: Mapping[str, FetchedHead]
    ) -> list[RemoteHead]:
        """Bring what is new here; those that could be had."""
        news = {}
        for head in there:
            ref = head.seen_at(self.wire.name).ref
            if ref not in before or before[ref].tip != head.tip:
                news[head.ref] = ref
        if news:
            self.on_progress(f"fetching {len(news)} heads")
        tips = {head.ref: head.tip for head in there}
        folder = self.repository.common_dir
        if len(news) >= MANY:
            news = self._fetch_at_once(news, tips)
        failures = self.wire.fetch(news)
        refs.pack_if_many(folder, f"{REMOTES}{self.wire.name}/{CLONES_SEEN}")
        for name, why in failures.items():
            self.notes.append(f"{name} could not be fetched: {why}")
        return [head for head in there if head.ref not in failures]

    def drop_oversized(self, before: Mapping[str, FetchedHead]) -> dict[str, FetchedHead]:
        """Let go of heads with a commit too large to be real, before anybody reads one, and return
        them by ref: of scopes that are not ours, too, and of those that a `git fetch` brought."""
        folder, remote = self.repository.common_dir, self.wire.name
        ours = refs.list_refs(folder, HEADS) | refs.list_refs(folder, VIEWS)
        names = {name.rpartition("/")[2] for name in ours}
        known = {tip for _, tip in list_seen(self.repository, remote)}
        unread = {
            head.ref: head
            for head in list_fetched(self.repository, remote)
            if head.tip not in known
            and (before.get(head.ref) != head or head.component not in names)
        }
        is_commit = self.repository.objects.is_commit
        tips = [head.tip for head in unread.values() if is_commit(head.tip)]
        graph = log.read_parents(folder, tips, without=[*known, *ours.values()]) if tips else {}
        oversized = list_oversized(self.repository, graph)
        gone = {ref: head for ref, head in unread.items() if head.tip in oversized}
        if gone:
            refs.set_together(folder, {}, {ref: head.tip for ref, head in gone.items()})
        return gone

    def _fetch_at_once(self, news: dict[str, str], tips: Mapping[str, str]) -> dict[str, str]:
        """Fetch heads by their ids and move all refs at once; return what is left: all, where a
        server will not have ids, or a name is in the way of another."""
        new = {ours: tips[ref] for ref, ours in news.items()}
        if not self.wire.fetch_objects(new.values()):
            return news
        new = {ours: tip for ours, tip in new.items() if self.repository.objects.is_commit(tip)}
        if not refs.set_together(self.repository.common_dir, new):
            return news
        return {ref: ours for ref, ours in news.items() if ours not in new}


def _name_clones(some: Iterable[RemoteHead]) -> str:
    """Name the clones that heads are of: whoever pushed most comes first."""
    counts = Counter(head.clone for head in some)
    named = [f"{clone} ({count})" for clone, count in counts.most_common(_MAX_NAMED)]
    more = len(counts) - len(named)
    return "clone " + ", ".join(named) + (f" and {more} more clones" if more else "")


def keep_lost(store: Store, state: RemoteState, before: Mapping[str, FetchedHead]) -> None:
    """A head once seen stays known, whatever its ref does: absence is not a deletion. A branch that
    is gone, and that another has taken over whole, is known there."""
    now = {head.seen_at(state.remote).ref: head.tip for head in state.list_heads()}
    moved = [head for head in before.values() if now.get(head.ref) != head.tip]
    if moved:
        with store.lock() as held:
            _keep_lost(store.shared, held, state, moved, now)


def _keep_lost(
    vault: Vault,
    held: Held,
    state: RemoteState,
    moved: Collection[FetchedHead],
    now: Mapping[str, str],
) -> None:
    targets = plan.list_targets(vault, Scope(trunk_of(vault.repository)))
    scopes = {head: _scope_here(vault, state.remote, head) for head in moved}
    there = {scope: state.tips(scope) for scope in scopes.values() if scope}
    unheld = _list_unheld(vault, state, scopes)
    gone: dict[str, str] = {}
    for head, scope in scopes.items():
        is_lost = (
            scope
            and (scope, head.tip) in unheld
            and plan.has_unpushed_commits(vault, head.tip, there[scope])
            and not plan.is_published_elsewhere(vault, state, scope, head.tip)
            and (
                is_long_lived(vault.repository, scope.branch)
                or not is_gone(vault.repository, scope)
                or not plan.is_promoted(vault, scope, head.tip, targets)
            )
        )
        copy = head._replace(kind=LOST, clone=head.tip[:12])
        if is_lost and not refs.read(vault.repository.handle, copy.ref):
            vault.move_ref(held, copy.ref, head.tip, old=None, why="sync: lost")
        is_kept = head.ref in now or (is_lost and head.kind == LOST)
        if not is_kept and refs.read(vault.repository.handle, head.ref):
            gone[head.ref] = head.tip
    if len(gone) >= MANY and refs.set_together(vault.repository.common_dir, {}, gone):
        return
    for name, tip in gone.items():
        vault.move_ref(held, name, None, old=tip, why="sync: gone")


def list_lost(vault: Vault, remote: str) -> dict[Scope, list[str]]:
    """Return what a remote had once, and has no longer."""
    lost: dict[Scope, list[str]] = {}
    for head in list_fetched(vault.repository, remote):
        scope = _scope_here(vault, remote, head) if head.kind == LOST else None
        if scope:
            lost.setdefault(scope, []).append(head.tip)
    return lost


def _scope_here(vault: Vault, remote: str, head: FetchedHead) -> Scope | None:
    there = vault.scope_named(head.component, head.tip)
    return vault.remote_names.scope_here(remote, there) if there else None


def _list_unheld(
    vault: Vault, state: RemoteState, scopes: Mapping[FetchedHead, Scope | None]
) -> set[tuple[Scope, str]]:
    """The heads that no head of their scope there has in its history: a walk for each scope. As a
    rule there are none, since who says more says it on top."""
    tips: dict[Scope, set[str]] = {}
    for head, scope in scopes.items():
        if scope:
            tips.setdefault(scope, set()).add(head.tip)
    return {
        (scope, tip)
        for scope, some in tips.items()
        for tip in plan.list_not_contained(vault, some, state.tips(scope))
    }


_SUBJECT = "seen"


def list_before(repository: Repository, remote: str) -> dict[str, FetchedHead]:
    """Return what was seen at a remote, by ref, with what a prune took: that counts as lost
    there."""
    before = {head.ref: head for head in list_fetched(repository, remote)}
    tips = {head.tip for head in before.values()}
    for component, tip in list_seen(repository, remote):
        if tip not in tips:
            head = FetchedHead(remote, LOST, tip[:12], component, tip)
            before.setdefault(head.ref, head)
    return before


def list_seen(repository: Repository, remote: str) -> Iterator[tuple[str, str]]:
    """Names of scopes that are not ours, and heads of them that a sync has looked at."""
    try:
        tip = refs.read(repository.handle, SEEN + remote)
        commit = repository.objects.commit(tip) if tip else None
    except StoreDamaged:
        return
    lines = commit.message.splitlines()[2:] if commit else []
    for line, parent in zip(lines, commit.parents if commit else (), strict=False):
        yield from ((component, parent) for component in line.split())


def keep(store: Store, state: RemoteState) -> None:
    """Hold on to what is at a remote and not ours; nothing is done where that did not change."""
    vault = store.shared
    is_commit = vault.repository.objects.is_commit
    now = {
        (head.component, head.tip)
        for scope, some in state.heads.items()
        if not heads.list_heads(vault, scope)
        for head in some
        if is_commit(head.tip)
    }
    if now != set(list_seen(vault.repository, state.remote)):
        names: dict[str, list[str]] = {}
        for component, tip in sorted(now):
            names.setdefault(tip, []).append(component)
        lines = [_SUBJECT, "", *(" ".join(names[tip]) for tip in sorted(names))]
        objects, new = vault.repository.objects, None
        if names:
            tree, text = objects.write_tree(None, {}), "\n".join(lines) + "\n"
            new = objects.write_commit(tree, tuple(sorted(names)), NOBODY, 0, text)
        name = SEEN + state.remote
        with store.lock() as lock:
            old = refs.read(vault.repository.handle, name)
            if old != new:
                vault.move_ref(lock, name, new, old=old, why="sync: seen")


#: Commits asked for in one sync: whoever may push names as many as they like.
_MAX_COMMITS = 200


def fetch_missing_code(
    store: Store, wire: Remote, state: RemoteState, branches: Collection[str]
) -> None:
    """Bring the commits of branches that the remote no longer lists, and keep them until judged."""
    repository = store.repository
    folder, name = StateFolder(store.folder), f"code-{wire.name.replace('/', '%2F')}.json"
    kept = folder.read_json(name)
    asked = {tip for tip in kept if isinstance(tip, str)} if isinstance(kept, list) else set()
    new = {
        head.tip: scope
        for scope, some in state.heads.items()
        if scope.branch not in branches
        for head in some
        if head.tip not in asked and repository.objects.exists(head.tip)
    }
    if not new or repository.is_shallow:
        return
    missing: dict[str, Scope] = {}
    for tip, scope in new.items():
        codes = code_heads(store.shared, tip)
        missing |= {code: scope for code in codes if repository.resolve(code) is None}
    if missing:
        wire.fetch_objects(list(missing)[:_MAX_COMMITS], in_parts=True)
        with store.lock() as held:
            for code, scope in reversed(missing.items()):  # the newest last, so that it is kept
                ref = remote_tip_ref(wire.name, scope)
                old = refs.read(repository.handle, ref)
                if repository.resolve(code) and not (old and repository.is_ancestor(code, old)):
                    store.shared.move_ref(held, ref, code, old=old, why="keep")
    there = {head.tip for head in state.list_heads()}
    folder.write_json(name, sorted(there & {*asked, *new}))
