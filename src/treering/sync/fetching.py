"""Fetching the heads of a remote: which of them, and what becomes of those it has no longer."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from treering.branches.long_lived import is_long_lived
from treering.branches.trunk import trunk_of
from treering.git import log, refs
from treering.git.lock import Held
from treering.git.remote import Remote
from treering.git.repository import Repository
from treering.model.scope import HEADS, REMOTES, VIEWS, Scope
from treering.store.ancestry import list_oversized
from treering.store.fetched import (
    CLONES_SEEN,
    LOST,
    MANY,
    FetchedHead,
    list_fetched,
    remove_fetched,
)
from treering.store.vault import Vault
from treering.sync import plan
from treering.sync.place import Place, RemoteHead
from treering.sync.seen import list_seen

#: More scopes than a team has; a remote that offers more is not followed beyond them.
MOST_SCOPES = 10_000


class Fetching(NamedTuple):
    """One fetch from a remote; `notes` gets what to tell about it."""

    repository: Repository
    wire: Remote
    say: Callable[[str], None]
    notes: list[str]

    def choose(self, there: Sequence[RemoteHead]) -> list[RemoteHead]:
        """What of the remote is followed: all within reason, counted in scopes."""
        components = dict.fromkeys(head.component for head in there)
        if len(components) <= MOST_SCOPES:
            return list(there)
        folder, name = self.repository.common_dir, self.wire.name
        mine = {ref.removeprefix(HEADS) for ref in refs.list_refs(folder, HEADS)}
        mine |= {Scope(branch).component for branch in self.repository.branches()}
        before = {head.component for head in list_fetched(self.repository, name)}
        order = sorted(components, key=lambda name: (name not in mine, name not in before, name))
        note = f"{name} offers {len(components)} scopes, {MOST_SCOPES} of them are used"
        self.notes.append(note)
        followers = set(order[:MOST_SCOPES])
        return [head for head in there if head.component in followers]

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
            self.say(f"fetching {len(news)} heads")
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


def has_moved(place: Place, before: Mapping[str, FetchedHead]) -> bool:
    """Return whether a remote no longer has something as it was seen."""
    now = {head.seen_at(place.remote).ref: head.tip for head in place.list_heads()}
    return any(now.get(ref) != head.tip for ref, head in before.items())


def keep_lost(vault: Vault, held: Held, place: Place, before: Mapping[str, FetchedHead]) -> None:
    """A head once seen stays known, whatever its ref does: absence is not a deletion. A branch that
    is gone, and that another has taken over whole, is known there."""
    now = {head.seen_at(place.remote).ref: head.tip for head in place.list_heads()}
    trunk = Scope(trunk_of(vault.repository))
    moved = [head for head in before.values() if now.get(head.ref) != head.tip]
    scopes = {head: _scope_here(vault, place.remote, head) for head in moved}
    there = {scope: place.tips(scope) for scope in scopes.values() if scope}
    unheld = _list_unheld(vault, place, scopes)
    gone: dict[str, str] = {}
    for head, scope in scopes.items():
        is_lost = (
            scope
            and (scope, head.tip) in unheld
            and plan.is_news(vault, head.tip, there[scope])
            and not plan.is_said_elsewhere(vault, place, scope, head.tip)
            and (
                is_long_lived(vault.repository, scope.branch)
                or not plan.is_gone(vault.repository, scope)
                or not plan.is_promoted(vault, trunk, scope, head.tip)
            )
        )
        copy = head._replace(kind=LOST, clone=head.tip[:12])
        if is_lost and not refs.read(vault.repository.handle, copy.ref):
            vault.move_ref(held, copy.ref, head.tip, old=None, why="sync: lost")
        is_kept = head.ref in now or (is_lost and head.kind == LOST)
        if not is_kept and refs.read(vault.repository.handle, head.ref):
            gone[head.ref] = head.tip
    remove_fetched(vault, held, gone, why="sync: gone")


def list_lost(vault: Vault, remote: str) -> dict[Scope, list[str]]:
    """What a remote had once, and has no longer."""
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
    vault: Vault, place: Place, scopes: Mapping[FetchedHead, Scope | None]
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
        for tip in plan.list_unheld(vault, some, place.tips(scope))
    }
