"""A bare mirror of one repository's memories: fetched, joined, and read as one view.

Whatever is in it can be fetched again, so nothing waits for the disk. What counts is a state that
whoever asked for an update writes down at the end: a kill before that leaves the one before, whose
commits are all still there.
"""

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from treering.branches.trunk import note_listing, trunk_of
from treering.clock import Clock, wall_clock
from treering.derived.database import Database
from treering.derived.history import History
from treering.derived.ledger import Ledger
from treering.errors import Busy, NotARepository, StorageFailed, StoreDamaged, TreeringError
from treering.git import config, lock, log, pack, refs
from treering.git.binding import cache_large_trees, without_fsync
from treering.git.files import check_folder, make_folder
from treering.git.remote import Remote, RemoteListing
from treering.git.repository import Repository, make_bare
from treering.hub.source import (
    MAX_HEADS,
    REMOTE,
    SourceHead,
    Trunks,
    choose_heads,
    digest_of,
    list_prefixes,
    open_local,
    read_heads,
    trunks_of_listing,
    trunks_of_local,
    url_for_git,
)
from treering.model.scope import REMOTES, VIEWS, Scope
from treering.store import heads
from treering.store.ancestry import TOO_LARGE, contains, list_oversized
from treering.store.state import StateFolder
from treering.store.store import Store
from treering.store.view import Layer
from treering.sync.incoming import refuse_unreadable

#: Seconds that git may take to list what a repository has, and to bring what is new.
LOOK_SECONDS, FETCH_SECONDS = 60.0, 600.0
_ROUNDS = 2
_LEVELS = 2  # the folder of a repository, and the one of all of them
_LEFTOVERS = ("objects/pack/tmp_*", "objects/tmp_*", "refs/**/*.lock", "*.lock")


class MirrorLayer(NamedTuple):
    """One scope as the hub shows it, at one commit."""

    branch: str
    is_detached: bool
    kind: str
    tip: str


class MirrorState(NamedTuple):
    """The contents of a mirror: scopes, the trunk's first, and the heads they were made from."""

    trunk: str = ""
    layers: tuple[MirrorLayer, ...] = ()
    components: tuple[str, ...] = ()
    fingerprint: str = ""
    notes: tuple[str, ...] = ()
    #: Whether something that was seen before is no longer part of it: it may have been redacted.
    is_rewritten: bool = False


def state_values(state: MirrorState) -> dict[str, object]:
    """A state as it is written down."""
    return {**state._asdict(), "layers": [layer._asdict() for layer in state.layers]}


def read_state(values: dict[str, Any]) -> MirrorState:
    """The state in what was written down."""
    if not values:
        return MirrorState()
    layers = tuple(MirrorLayer(**layer) for layer in values["layers"])
    pairs: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in values.items()
    }
    return MirrorState(**pairs | {"layers": layers})


class Mirror:
    """A folder with a bare repository in it."""

    def __init__(self, folder: Path, clock: Clock = wall_clock) -> None:
        self.folder = folder
        self._clock = clock
        self._store: Store | None = None
        cache_large_trees()

    @property
    def git_dir(self) -> Path:
        return self.folder / "mirror.git"

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Be the only one who updates it; Busy at once where somebody else does."""
        try:
            make_folder(self.folder, levels=_LEVELS)
            hold = lock.hold(self.folder / "update.lock", timeout=0)
            with hold:
                yield
        except Busy:
            raise Busy("Another process is updating it.") from None
        except OSError as error:
            raise StorageFailed(f"{self.folder} cannot be written: {error.strerror}.") from error

    @property
    def store(self) -> Store:
        """Everything of one name is one scope here: there is no code to tell lives apart."""
        if self._store is None:
            try:
                check_folder(self.git_dir, levels=_LEVELS + 1)
            except FileNotFoundError:
                pass  # which the repository says
            except OSError as error:
                raise StorageFailed(f"{self.git_dir} is a link, or another user's.") from error
            self._store = Store(Repository(self.git_dir), self._clock)
        return self._store

    @cached_property
    def _database(self) -> Database:
        return Database.of(self.store)

    @cached_property
    def ledger(self) -> Ledger:
        """Return who wrote what it holds, by its own history."""
        self.store.use_history(lambda: History(self._database))
        folder = StateFolder(self.store.folder)
        return Ledger(self.store, self._database, folder, self._clock)

    def layers(self, state: MirrorState, mark: str) -> tuple[Layer, ...]:
        """Return what the hub shows of it, the trunk nearest; a scope that cannot be read is left
        out."""
        layers = []
        for layer in state.layers:
            scope = Scope(layer.branch, layer.is_detached)
            with suppress(StoreDamaged):
                snapshot = self.store.shared.snapshot_at(scope, layer.tip)
                layers.append(Layer(layer.kind, self.store.shared, snapshot, mark=mark))
        return tuple(layers)

    # --- bringing it up to date -------------------------------------------------------------------

    def update(self, place: str, *, all_branches: bool, before: MirrorState) -> MirrorState:
        """Fetch what is new and join it; whoever calls holds the lock."""
        self._make(url_for_git(place))
        self._clear_leftovers()
        with without_fsync():
            wire = Remote(self.store.repository, REMOTE, called="It", seconds=LOOK_SECONDS)
            local = open_local(place)
            prefixes = list_prefixes(local or self.store.repository)
            listing = wire.look(*prefixes)
            wire.seconds = FETCH_SECONDS
            heads_there = list(read_heads(listing.refs, prefixes))
            note_listing(self.store.repository, REMOTE, listing, bool(heads_there))
            trunks, some, notes = self._fetch(wire, listing, heads_there, local, all_branches)
            layers, more = self._join(trunks, some, all_branches)
        components = tuple(sorted({head.component for head in some} | trunks.components))
        state = MirrorState(
            trunks.trunk,
            tuple(layers),
            components,
            digest_of(some),
            (*notes, *more),
            self._is_rewritten(before, layers),
        )
        if not state.is_rewritten:
            pack.pack_if_many(self.git_dir)
        return state

    def forget_rewritten(self) -> None:
        """Take out what no head holds any more, now: it may have been redacted."""
        self._database.clear()
        with suppress(TreeringError):
            pack.drop_unreachable(self.git_dir)

    def _make(self, url: str) -> None:
        """Made beside and renamed: `git init` killed half-way leaves what nobody can open."""
        if not os.path.lexists(self.git_dir):
            making = self.folder / "mirror.git.new"
            shutil.rmtree(making, ignore_errors=True)
            making.mkdir(mode=0o700)
            make_bare(making)
            making.rename(self.git_dir)
        try:
            url_before = self.store.repository.config(f"remote.{REMOTE}.url")
        except NotARepository:
            shutil.rmtree(self.git_dir)  # broken, and nothing in it is ours alone
            self._make(url)
            return
        if url_before != url:
            config.put(self.git_dir, f"remote.{REMOTE}.url", url)

    def _clear_leftovers(self) -> None:
        """Remove what a killed updater left: nobody else writes here while we hold the lock."""
        for pattern in _LEFTOVERS:
            for file in self.git_dir.glob(pattern):
                with suppress(OSError):
                    file.unlink()

    def _fetch(
        self,
        wire: Remote,
        listing: RemoteListing,
        all_heads: list[SourceHead],
        local: Repository | None,
        all_branches: bool,
    ) -> tuple[Trunks, list[SourceHead], list[str]]:
        """Fetch the heads that are wanted, and forget those that are no longer there.

        Which branch is the trunk may be told by the memories themselves, so it is looked at twice.
        """
        repository = self.store.repository
        notes: list[str] = []
        for _ in range(_ROUNDS):
            before = refs.list_refs(self.git_dir, f"{REMOTES}{REMOTE}/")
            trunks = (
                trunks_of_local(local)
                if local
                else trunks_of_listing(repository, trunk_of(repository), listing.branches)
            )
            every = choose_heads(all_heads, None if all_branches else trunks.components)
            # What was seen before comes first: a flood takes nothing away.
            some = sorted(every, key=lambda head: head.seen not in before)[:MAX_HEADS]
            news = self._list_news(some)
            if not news:
                break
            failures = wire.fetch(news)
            all_heads = [head for head in all_heads if head.ref not in failures]
            notes += (f"{name} could not be fetched: {why}" for name, why in failures.items())
            oversized = self._drop_oversized(before)
            notes += (f"{h.ref} has a commit {TOO_LARGE}" for h in all_heads if h.seen in oversized)
            all_heads = [head for head in all_heads if head.seen not in oversized]
        if len(every) > MAX_HEADS:
            notes.append(f"It has {len(every)} heads, {MAX_HEADS} of them are used")
        self._forget_gone(some)
        return trunks, self._as_fetched(some), notes

    def _drop_oversized(self, before: Mapping[str, str]) -> set[str]:
        """Let go of heads that came with a commit too large to be real, before any is read."""
        tips = refs.list_refs(self.git_dir, f"{REMOTES}{REMOTE}/")
        is_commit = self.store.repository.objects.is_commit
        new = [tip for tip in {*tips.values()}.difference(before.values()) if is_commit(tip)]
        graph = log.read_parents(self.git_dir, new, without=filter(is_commit, before.values()))
        commits = list_oversized(self.store.repository, graph)
        oversized = {name for name, tip in tips.items() if tip in commits}
        for name in oversized:
            self._move(name, None, tips[name])
        return oversized

    def _list_news(self, some: Sequence[SourceHead]) -> dict[str, str]:
        tips = refs.list_refs(self.git_dir, f"{REMOTES}{REMOTE}/")
        return {head.ref: head.seen for head in some if tips.get(head.seen) != head.tip}

    def _as_fetched(self, some: Sequence[SourceHead]) -> list[SourceHead]:
        """The heads as they came: one may have moved since it was listed."""
        tips = refs.list_refs(self.git_dir, f"{REMOTES}{REMOTE}/")
        return [head._replace(tip=tips[head.seen]) for head in some if head.seen in tips]

    def _forget_gone(self, some: Sequence[SourceHead]) -> None:
        names = {head.seen for head in some}
        for name, tip in refs.list_refs(self.git_dir, f"{REMOTES}{REMOTE}/").items():
            if name not in names:
                self._move(name, None, tip)

    def _move(self, name: str, new: str | None, old: str | None) -> None:
        refs.move(self.store.repository.handle, self.git_dir, name, new, old=old, why="hub")

    # --- heads as one -----------------------------------------------------------------------------

    def _join(
        self, trunks: Trunks, some: Sequence[SourceHead], all_branches: bool
    ) -> tuple[list[MirrorLayer], list[str]]:
        """Each scope's heads as one commit, kept by a ref; the trunk first, then others like it."""
        tips, notes = self._group(some)
        old = refs.list_refs(self.git_dir, VIEWS)
        layers: list[MirrorLayer] = []
        for scope in self._sort(tips, trunks, all_branches):
            try:
                tip, _ = heads.combine(self.store.shared, scope, tips[scope])
            except TreeringError as error:
                notes.append(f"{scope.branch} cannot be read: {error.message}")
                continue
            if old.pop(scope.view_ref, None) != tip:
                self._move(
                    scope.view_ref, tip, refs.read(self.store.repository.handle, scope.view_ref)
                )
            kind = "trunk" if scope.branch in (trunks.trunk, *trunks.former) else "other"
            layers.append(MirrorLayer(scope.branch, scope.is_detached, kind, tip))
        for name, tip in old.items():
            self._move(name, None, tip)
        return layers, notes

    def _group(self, some: Sequence[SourceHead]) -> tuple[dict[Scope, list[str]], list[str]]:
        vault = self.store.shared
        tips: dict[Scope, list[str]] = {}
        notes: list[str] = []
        for head in some:
            try:
                scope = vault.scope_named(head.component, head.tip)
                if scope is None:
                    continue
                refuse_unreadable(vault, scope, head.tip)
            except TreeringError as error:
                notes.append(error.message)
                continue
            tips.setdefault(scope, []).append(head.tip)
        return tips, notes

    def _sort(
        self, tips: Mapping[Scope, list[str]], trunks: Trunks, all_branches: bool
    ) -> list[Scope]:
        first = [Scope(name) for name in trunks.names if Scope(name) in tips]
        rest = sorted(scope for scope in tips if scope not in first) if all_branches else []
        return first + rest

    def _is_rewritten(self, before: MirrorState, layers: Sequence[MirrorLayer]) -> bool:
        """Return whether a head was replaced, not added to: what it held may be gone for a
        reason."""
        now = {(layer.branch, layer.is_detached): layer.tip for layer in layers}
        repository = self.store.repository
        for layer in before.layers:
            tip = now.get((layer.branch, layer.is_detached))
            if tip == layer.tip:
                continue
            if tip is None or not all(
                contains(repository, tip, head) for head in self._heads_of(layer.tip)
            ):
                return True
        return False

    def _heads_of(self, tip: str) -> tuple[str, ...]:
        """Return what a view was made of: a join is made anew when a head is added."""
        with suppress(StoreDamaged):
            return heads.list_joined(self.store.shared, tip)
        return ()
