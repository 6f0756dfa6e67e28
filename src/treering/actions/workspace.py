"""A repository opened for memory work: where we stand, what is seen, how it is written."""

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, Self, TypedDict, TypeVar, Unpack

from treering.branches import layers
from treering.branches.long_lived import as_made_on_branch, code_position
from treering.branches.names import scope_now
from treering.branches.sharing import open_store
from treering.branches.trunk import trunk_of
from treering.call import Advice, Call, ways
from treering.clock import Clock, wall_clock
from treering.errors import Conflict
from treering.git import refs
from treering.git.binding import cache_large_trees, set_fsync
from treering.git.lock import LOCK_TIMEOUT, Held
from treering.git.objects import Person, hash_blob
from treering.git.refs import RefMoved
from treering.git.repository import Repository
from treering.hub.place import HERE, HubSetting, open_hub
from treering.model import document
from treering.model.dates import format_moment, parse_moment
from treering.model.memory import Memory
from treering.model.scope import LANDED, Scope
from treering.store import heads, message
from treering.store.message import CodePosition, Message
from treering.store.vault import Vault
from treering.store.view import Copy, View
from treering.text import secrets
from treering.text.masking import mask

if TYPE_CHECKING:
    from treering.actions.card import Card
    from treering.actions.hub.workspace import HubWorkspace
    from treering.actions.neighbourhood import Neighbourhood
    from treering.actions.origin import Authors
    from treering.actions.searcher import LearningSearcher
    from treering.actions.staleness import CodeTree
    from treering.branches.apply import Actor
    from treering.branches.reverts import Reverts
    from treering.derived.code_records import CodeRecords
    from treering.derived.content import MemoryRows
    from treering.derived.database import Database
    from treering.derived.history import History, MemoryEvent
    from treering.derived.ledger import Ledger, Versions
    from treering.hub.hub import RepositoryHub
    from treering.search.corpus import EntrySource
    from treering.search.pages import Pages
    from treering.search.searcher import ViewSearcher
    from treering.store.state import StateFolder


#: What is done to memories, as the trailers of their commits name it.
WriteOp = Literal[
    "capture", "dedupe", "enrich", "forget", "import", "infer-links", "link", "merge",
    "prune-links", "remember", "restore", "revert", "revise", "summarize", "unlink",
]  # fmt: skip


class Position(NamedTuple):
    """The place a call acts in: the scope it writes to, and the code that goes with it."""

    scope: Scope
    trunk: str
    head: str | None


class Change(NamedTuple):
    """A memory to be written, the copy it replaces or covers, and whether it is private."""

    memory: Memory
    replaces: Copy | None
    is_private: bool


class Writing:
    """A write under way: the lock is held, the view is as of now."""

    def __init__(
        self, workspace: "Workspace", lock: Held, position: Position, view: View | None = None
    ) -> None:
        self._workspace = workspace
        self._held = lock
        self.position = position
        self.view = view or workspace.view_from(position)
        self._commits: list[str] = []

    @property
    def back(self) -> Advice | None:
        """The commands that take back what was written so far."""
        branch = self.scope.branch
        calls = [Call("revert", oid[:12], branch=branch) for oid in reversed(self._commits)]
        return ways(*calls) if calls else None

    def note_around(
        self, changes: Iterable[Change], versions: Mapping[str, str], *, is_complete: bool
    ) -> None:
        """Add rows for what was written; `is_complete` says that all before it has rows."""
        around = self._workspace.neighbourhood
        around.note(self.scope, changes, versions, whole=is_complete)

    @property
    def scope(self) -> Scope:
        return self.position.scope

    @cached_property
    def code(self) -> CodePosition:
        at = self.position
        return code_position(self._workspace.repository, at.scope.branch, at.head)

    @cached_property
    def _code_under_way(self) -> CodePosition:
        """Return where the code is, and whether there is more of it than what is committed: then
        what is said now is about the commit to come. It is only asked where that one can land by
        itself."""
        repository = self._workspace.repository
        if not self.code.has_own_commits or self.code.head != repository.head().commit:
            return self.code
        return self.code._replace(is_dirty=not repository.is_clean())

    def commit(
        self, op: WriteOp, changes: Iterable[Change], *, allow_secret: bool = False
    ) -> dict[str, str]:
        """Write the changes, one commit a vault; the new version of each id.

        Every verb comes through here, so this is where credentials are refused, whichever field
        they are in. What the replaced copy held already is no news.
        """
        todo = tuple(changes)
        if not allow_secret:
            for change in todo:
                before = change.replaces.try_memory() if change.replaces else None
                texts = secrets.texts_of(before) if before else []
                secrets.refuse(*secrets.texts_of(change.memory), known=texts)
        versions: dict[str, str] = {}
        for is_private in (False, True):
            mine = [change for change in todo if change.is_private is is_private]
            if mine:
                versions |= self._commit(op, mine, is_private)
        return versions

    def _commit(self, op: WriteOp, changes: list[Change], is_private: bool) -> dict[str, str]:
        store = self._workspace.store
        vault = store.make_private(self._held) if is_private else store.shared
        documents = {c.memory.id: document.dump(c.memory) for c in changes}
        if op == "capture":  # a commit is the branch's own, though it may have landed by now
            code = as_made_on_branch(self._workspace.repository, self.code, self.scope.branch)
        else:
            code = self._code_under_way
        memories = tuple(change.memory for change in changes)
        why = Message(
            op=op,
            subject=message.subject(op, memories),
            code=code,
            memories=tuple(memory.id for memory in memories),
            # The blobs of lower layers that this scope now covers with its first own copies.
            bases={
                change.memory.id: below.blob
                for change in changes
                if (below := change.replaces) and below.layer.snapshot.scope != self.scope
            },
        )
        commit = heads.write(
            vault, self._held, self.scope, documents, why,
            person=self._workspace.person, seconds=self._workspace.clock(),
        )  # fmt: skip
        self._workspace.note_commit(vault, commit)
        self._commits.append(commit)
        blobs = {memory_id: hash_blob(data) for memory_id, data in documents.items()}
        plain = filter(document.is_read_back_alike, memories)
        vault.note({blobs[memory.id]: memory for memory in plain})
        return blobs


_ATTEMPTS = 5
Result = TypeVar("Result")


class WorkspaceOptions(TypedDict, total=False):
    """`cache` is used where the repository cannot be written, `user_folder` has the user's prompts;
    `one_shot` says that this process ends after one call, and leaves on disk what the next one
    needs; `driver` starts a process that works off what hooks noted, for readers who may not."""

    clock: Clock
    person: Person | None
    cache: Path | None
    user_folder: Path | None
    one_shot: bool
    driver: Callable[[Path], None] | None
    hub: HubSetting


class Standpoint(NamedTuple):
    """The view of a call, and the code that its memories are about, if that is here."""

    view: View
    #: The branch it is seen from, and the trunk.
    branch: str = ""
    trunk: str = ""
    head: str | None = None
    code: "CodeTree | None" = None
    #: Events that hooks noted and nobody has looked at.
    pending: int = 0


class MemoryWorkspace(ABC):
    """Memories that can be asked about: a repository's (Workspace), or a hub's (HubWorkspace)."""

    clock: Clock
    #: Flags of blobs that were looked at and that no index knows them of.
    inspected: dict[str, tuple[str, ...]]

    @property
    @abstractmethod
    def rows(self) -> "EntrySource":
        """Return what is derived from the text of each memory."""

    @property
    @abstractmethod
    def ledger(self) -> "Versions":
        """Return who wrote what is shown, and when."""

    @property
    @abstractmethod
    def searcher(self) -> "ViewSearcher":
        """The way to search."""

    @property
    @abstractmethod
    def pages(self) -> "Pages":
        """Return what is kept of answers to be read on."""

    @abstractmethod
    def look(self, branch: str = "") -> Standpoint:
        """Return what is seen now, from a branch or from here."""

    @abstractmethod
    def as_of(self, view: View, at: str) -> View:
        """Return a view as it was at some moment."""

    @abstractmethod
    def read_events(self, view: View, memory_id: str) -> "list[MemoryEvent]":
        """Return what happened to a memory in the layers of a view, newest first."""

    @abstractmethod
    def open_hub(self, repos: Sequence[str]) -> "AbstractContextManager[HubWorkspace]":
        """Open some repositories of the hub for the length of a call."""

    def call(self) -> AbstractContextManager[None]:
        """Return the bounds of one call, in which the trunk is found once."""
        return nullcontext()

    def resolve(self, at: str) -> str | None:  # noqa: ARG002
        """Return the commit of the code that a revision names, where there is code."""
        return None

    def learn_in_background(self) -> None:  # noqa: B027
        """After a look at the index: see to what would be too slow for the answer."""

    def show(self, cards: "Sequence[Card]") -> "list[Card]":
        """Return cards as a door shows them."""
        return list(cards)


class Workspace(MemoryWorkspace):
    """One repository's memories, seen from where its HEAD is at each call."""

    def __init__(
        self,
        repository: Repository,
        *,
        clock: Clock = wall_clock,
        person: Person | None = None,
        cache: Path | None = None,
        user_folder: Path | None = None,
        one_shot: bool = False,
        driver: Callable[[Path], None] | None = None,
        hub: HubSetting = HERE,
    ) -> None:
        self.repository = repository
        self._cache = cache
        self.user_folder = user_folder
        self._one_shot = one_shot
        self._driver = driver
        self._hub_setting = hub
        self._hubs: list[RepositoryHub] = []  # one at most, which copies of a workspace share
        self._driven: set[str] = set()
        self.store = open_store(repository, clock)
        self.store.use_history(self._make_history)
        self.clock = clock
        self._person = person
        self.inspected = {}
        cache_large_trees()
        set_fsync(self.is_synced)

    @classmethod
    def open(
        cls, path: str | Path = ".", *, is_named: bool = False, **options: Unpack[WorkspaceOptions]
    ) -> Self:
        """Open the repository that holds `path`; `is_named` says that a person chose that path."""
        return cls(Repository.discover(Path(path), is_named=is_named), **options)

    @property
    def person(self) -> Person:
        """Return who writes here, as memories and their commits name them: without credentials."""
        who = self._person or self.repository.person()
        return Person(mask(who.name), mask(who.email))

    def without_private(self) -> Self:
        """Return the same workspace, as anyone else who has this repository would see it."""
        shared = copy.copy(self)
        shared.store = self.store.without_private()
        return shared

    @property
    def is_synced(self) -> bool:
        """Return whether memories are on disk before they are acknowledged; git says no in four
        ways."""
        setting = self.repository.config("treering.fsync") or "true"
        return setting.lower() not in ("false", "no", "off", "0")

    @cached_property
    def database(self) -> "Database":
        """Everything that is derived from git but the search index."""
        from treering.derived.database import Database

        return Database.of(self.store, self._cache)

    def _make_history(self) -> "History":
        from treering.derived.history import History

        return History(self.database)

    @cached_property
    def state(self) -> "StateFolder":
        """Small things that git does not hold."""
        from treering.derived.database import private_folder
        from treering.store.state import StateFolder

        cache = private_folder(self.store, self._cache) if self._cache else None
        return StateFolder(self.store.folder, cache)

    @cached_property
    def searcher(self) -> "LearningSearcher":
        """The way to search; whoever only writes never loads the index."""
        from treering.actions.searcher import LearningSearcher

        return LearningSearcher(self.store, self.rows, self.index_folder, cache=self._cache)

    @cached_property
    def rows(self) -> "MemoryRows":
        """Return what is derived from the text of each memory."""
        from treering.derived.content import MemoryRows

        return MemoryRows(self.database, lambda blobs: self.ledger.versions(blobs), self.clock)

    @cached_property
    def ledger(self) -> "Ledger":
        """Return who wrote what is shown, and when; whoever only writes never opens it."""
        from treering.derived.ledger import Ledger

        return Ledger(self.store, self.database, self.state, self.clock)

    @cached_property
    def neighbourhood(self) -> "Neighbourhood":
        """Return what is around a memory that is written, without the index."""
        from treering.actions.neighbourhood import Neighbourhood

        return Neighbourhood(self.store, self.rows, self.state.folder / "rows.lock")

    @cached_property
    def pages(self) -> "Pages":
        from treering.search.pages import Pages

        return Pages(self.state if self._one_shot else None)

    @cached_property
    def authors(self) -> "Authors":
        """The people of the code, asked for when memories are shown."""
        from treering.actions.origin import Authors

        return Authors(self.repository, self.database)

    @cached_property
    def reverts(self) -> "Reverts":
        """Return what was taken back in the code."""
        from treering.branches.reverts import Reverts

        return Reverts(self.repository, self.database)

    @cached_property
    def _code_records(self) -> "CodeRecords":
        from treering.derived.code_records import CodeRecords

        return CodeRecords(self.repository, self.database)

    def read_code_records(self, view: View | None = None) -> "CodeRecords":
        """Return what memory commits say of the code, up to date with all there is, or with a
        view."""
        from treering.branches.survey import list_trash

        for vault in self.store.vaults():
            if view:
                tips = {ly.snapshot.tip for ly in view.layers if ly.vault is vault}
            else:
                tips = set(vault.scopes().values())
                tips |= {entry.tip for entry in list_trash(vault) if not entry.is_redacted}
            # Of a branch that was never shared the trunk has what landed, and not where it was.
            tips |= set(refs.list_refs(vault.repository.common_dir, LANDED).values())
            self._code_records.catch_up(vault, filter(None, tips))
        return self._code_records

    @property
    def index_folder(self) -> Path | None:
        """The folder of the indexes, beside the database; None where that is in memory alone."""
        folder = self.database.folder
        return folder / "index" if folder else None

    @property
    def hub(self) -> "RepositoryHub":
        """The hub, opened at the first question to it."""
        if not self._hubs:
            self._hubs.append(open_hub(self._hub_setting, self.repository, self.clock))
        return self._hubs[0]

    def open_hub(self, repos: Sequence[str]) -> "AbstractContextManager[HubWorkspace]":
        from treering.actions.hub.workspace import HubWorkspace

        return HubWorkspace(self.hub, self.clock).open_hub(repos)

    def learn_in_background(self) -> None:
        """After a look at the index: make vectors of a slow model, if this process lives on."""
        if not self._one_shot:
            self.searcher.learning.start()

    def catch_up_soon(self) -> None:
        """After a write: note what is around beside the answers, if that was too much on the way
        and this process lives long enough. Git handles are not for two threads: it has its own."""
        if self.neighbourhood.is_behind and not self._one_shot:
            self.neighbourhood.catch_up_soon(lambda: Workspace(Repository(self.repository.git_dir)))

    def note_commit(self, vault: Vault, commit: str) -> None:
        """After a write: whose words it holds need not be searched for, if anybody asked before."""
        if "ledger" in vars(self):
            self.ledger.note_commit(vault, commit)

    def start_driver(self, events: set[str]) -> None:
        """Let a process of its own see to events, once: what it cannot see to would have every
        reader start another one."""
        if self._driver and events - self._driven:
            self._driven |= events
            self._driver(self.repository.common_dir)

    def call(self) -> AbstractContextManager[None]:
        return self.repository.call()

    def resolve(self, at: str) -> str | None:
        return self.repository.resolve(at)

    def now(self) -> str:
        return format_moment(self.clock())

    def actor(self, lock: Held) -> "Actor":
        """Whoever moves scopes in the name of this workspace."""
        from treering.branches.apply import Actor

        self.ledger.note_written()  # a ref that goes takes its log with it
        trunk = trunk_of(self.repository)
        return Actor(self.store, lock, self.person, self.clock(), trunk)

    def _claim_name(self, lock: Held, position: Position) -> None:
        """A renamed branch gets its scope under the new name, a name used again a new one."""
        for vault in self.store.vaults():
            now = scope_now(self.repository, vault, position.scope)
            if now != position.scope:
                from treering.branches.apply import claim_name  # rare, and loads the whole plan

                claim_name(self.actor(lock), vault, position.scope)

    # --- seeing -----------------------------------------------------------------------------------

    def position(self, branch: str = "", *, create: bool = False) -> Position:
        """The scope of `branch`, or of HEAD as it is now."""
        trunk = trunk_of(self.repository)
        if branch:
            scope = layers.scope_named(self.store, branch, create=create)
            if scope.is_detached:
                return Position(scope, trunk, self.repository.resolve(scope.branch[1:]))
            return Position(scope, trunk, self.repository.tip_of(scope.branch))
        head = self.repository.head()
        return Position(layers.scope_of_head(self.store, head), trunk, head.commit)

    def look(self, branch: str = "") -> Standpoint:
        """Return what is seen now; what hooks noted is taken in first, if that is soon done."""
        from treering.actions.drain import drain_briefly
        from treering.actions.staleness import CodeTree

        pending = drain_briefly(self)
        at = self.position(branch)
        code = CodeTree(self.repository, at.head)
        return Standpoint(self.view_from(at), at.scope.branch, at.trunk, at.head, code, pending)

    def read_events(self, view: View, memory_id: str) -> "list[MemoryEvent]":
        from treering.derived.history import events_in

        return self.ledger.sort_events(events_in(view, memory_id))

    def view(self, branch: str = "") -> View:
        return self.view_from(self.position(branch))

    def view_from(self, position: Position) -> View:
        return layers.view_of(self.store, position.scope, position.head)

    def position_on_trunk(self) -> Position:
        trunk = trunk_of(self.repository)
        return Position(Scope(trunk), trunk, self.repository.tip_of(trunk))

    def as_of(self, view: View, at: str) -> View:
        """A view as it was at the time of a code commit, or on a date."""
        if commit := self.repository.resolve(at):
            seconds: float = self.repository.objects.commit(commit).time
        else:
            seconds = parse_moment(at, self.clock(), end=True, what="neither a revision nor a date")
        return View(view.branch, tuple(layers.layer_at(layer, seconds) for layer in view.layers))

    def view_of_all(self, position: Position | None = None) -> View:
        """Every scope there is, each as a layer of its own."""
        position = position or self.position()
        return layers.everything(self.store, position.scope.branch)

    # --- writing ----------------------------------------------------------------------------------

    def write(
        self,
        branch: str,
        attempt: Callable[["Writing"], Result],
        *,
        create: bool = False,
        position: Position | None = None,
        timeout: float = LOCK_TIMEOUT,
        seen: tuple[Position, View] | None = None,
    ) -> Result:
        """Run `attempt` under the lock, on a view taken under it, or on one `seen` before that is
        still current.

        With `create` the branch need not be known: what is imported for a branch that is not here
        yet keeps its place. With `position` the place is that one, whatever HEAD is now: what a
        hook noted belongs where it happened. `timeout` is how long to wait for the lock.

        Our own writers wait for the lock; a ref moved by something that does not know it (git
        itself) means looking again from the start.
        """
        for _ in range(_ATTEMPTS):
            try:
                with self.store.lock(timeout) as lock:
                    at = position or self.position(branch, create=create)
                    is_current = seen is not None and at == seen[0] and seen[1].is_current()
                    if not is_current:
                        self._claim_name(lock, at)
                    view = seen[1] if seen and is_current else None
                    result = attempt(Writing(self, lock, at, view))
            except RefMoved:
                continue
            for vault in self.store.vaults():
                vault.pack_if_many()
            return result
        raise Conflict("The memories kept changing while this was written.")
