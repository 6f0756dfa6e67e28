"""The embedded hub: a folder with a mirror and an index for each repository. Nothing to install.

    repositories/<name>/repository.json    what it is, and the state that counts
    repositories/<name>/mirror.git/        its memories, and their index
    tokens.json                            hashes of tokens, and what each may see

Everything but the list of repositories and the tokens can be made again.
"""

import shutil
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from treering.clock import Clock, wall_clock
from treering.derived.history import MemoryEvent
from treering.errors import (
    Busy,
    HubUnavailable,
    Invalid,
    NotAllowed,
    RepoNotFound,
    StoreDamaged,
    TreeringError,
)
from treering.git.files import make_folder
from treering.graph.network import Network
from treering.hub.hub import (
    HubCopy,
    HubResult,
    HubToken,
    RepositoryHub,
    RepositoryRecord,
    UpdateResult,
)
from treering.hub.index import MirrorGroup, MirrorIndex
from treering.hub.mirror import Mirror
from treering.hub.names import ALL, folder_name
from treering.hub.records import read_record, write_record
from treering.hub.tokens import TokenFile
from treering.model.dates import format_moment
from treering.search.matching import Request
from treering.search.succession import NONE, Successors

_MOST_FOUND = 20
_MOST_GROUPS = 4  # of repositories that are asked together, as tokens ask again and again


class FolderHub:
    """A hub in a folder of this machine; `allowed` are the repositories its caller may see."""

    kind = "folder"

    def __init__(
        self, folder: Path, clock: Clock = wall_clock, allowed: frozenset[str] | None = None
    ) -> None:
        self._folder = folder
        self._clock = clock
        self._allowed = allowed
        self._tokens = TokenFile(folder / "tokens.json")
        self._lock = threading.RLock()
        self._shelves: dict[str, MirrorIndex] = {}
        self._groups: dict[tuple[str, ...], MirrorGroup] = {}

    @property
    def place(self) -> str:
        return str(self._folder)

    @property
    def is_limited(self) -> bool:
        return self._allowed is not None

    def check(self) -> None:
        if self._folder.exists() and not self._folder.is_dir():
            raise HubUnavailable(f"{self._folder} is not a folder.")

    # --- repositories -----------------------------------------------------------------------------

    def list_repositories(self) -> list[RepositoryRecord]:
        self.check()
        try:
            folders = sorted((self._folder / "repositories").iterdir())
        except FileNotFoundError:
            return []
        except OSError as error:
            raise HubUnavailable(f"{self._folder} cannot be read: {error.strerror}.") from error
        records = (read_record(folder) for folder in folders)
        return sorted(one for one in records if one and self._may_see(one.name))

    def _may_see(self, name: str) -> bool:
        return self._allowed is None or name in self._allowed or ALL in self._allowed

    def _find(self, name: str) -> RepositoryRecord:
        record = read_record(self._folder_of(name))
        if record is None:
            raise RepoNotFound(f"The hub has no repository {name!r}.")
        return record

    def _folder_of(self, name: str) -> Path:
        return self._folder / "repositories" / folder_name(name)

    def add(self, name: str, url: str, *, all_branches: bool) -> RepositoryRecord:
        folder = self._folder_of(name)
        if (record := read_record(folder)) is not None:
            raise Invalid(
                f"The hub has a repository {name!r} already: {record.url}",
                hint=f"`treering hub remove {name}` takes it out.",
            )
        record = RepositoryRecord(name, url, all_branches, added=format_moment(self._clock()))
        try:
            make_folder(self._folder)
            make_folder(folder, levels=2)
            write_record(folder, record)
        except OSError as error:
            raise HubUnavailable(f"{self._folder} cannot be written: {error.strerror}.") from error
        return record

    def remove(self, name: str) -> None:
        """The record first, so that what is left after a kill is no repository."""
        self._find(name)
        folder = self._folder_of(name)
        try:
            (folder / "repository.json").unlink()
            shutil.rmtree(folder, ignore_errors=True)
            self._tokens.forget(name)
        except OSError as error:
            raise HubUnavailable(f"{folder} cannot be removed: {error.strerror}.") from error

    # --- bringing up to date ----------------------------------------------------------------------

    def update(self, name: str) -> UpdateResult:
        start = time.monotonic()
        record = self._find(name)
        mirror = Mirror(self._folder_of(name), self._clock)
        try:
            with mirror.lock():
                result = self._update(record, mirror)
        except Busy as error:
            result = UpdateResult(name, "busy", record.memories, error=error.message)
        except TreeringError as error:
            result = self._note_failure(name, error.message)
        except OSError as error:
            result = self._note_failure(name, f"{error.strerror or error}.")
        return result._replace(seconds=round(time.monotonic() - start, 3))

    def settle(self) -> None:
        """Each update leaves its index tidy."""

    def _update(self, record: RepositoryRecord, mirror: Mirror) -> UpdateResult:
        before = record.state
        state = mirror.update(record.url, all_branches=record.all_branches, before=before)
        shelf = MirrorIndex(record.name, mirror, state, self._clock)
        blobs = _list_blobs(record, mirror)
        if state.is_rewritten:
            mirror.drop_unreachable()
            shelf.rebuild()
        else:
            shelf.catch_up()
        is_same = not record.error and state._replace(notes=()) == before._replace(
            notes=(), is_rewritten=False
        )
        now = format_moment(self._clock())
        count = len(shelf.ranks)
        folder = self._folder_of(record.name)
        if read_record(folder) is None:
            raise RepoNotFound(f"{record.name!r} was removed meanwhile.")
        final = state._replace(is_rewritten=False)
        write_record(folder, record._replace(updated=now, memories=count, error="", state=final))
        return UpdateResult(
            record.name,
            "unchanged" if is_same and record.updated else "updated",
            count,
            len(shelf.ranks.keys() - blobs),
            len(blobs - shelf.ranks.keys()),
            notes=state.notes,
        )

    def _note_failure(self, name: str, message: str) -> UpdateResult:
        """What was there stays, and says that it is behind."""
        record = read_record(self._folder_of(name)) or RepositoryRecord(name, "")
        if record.url:
            with suppress(OSError):  # a full disk: the answer says what is wrong
                write_record(self._folder_of(name), record._replace(error=message))
        return UpdateResult(name, "failed", record.memories, error=message)

    # --- finding ----------------------------------------------------------------------------------

    def search(self, names: Sequence[str], request: Request, offset: int = 0) -> HubResult:
        with self._lock:
            shelves = self._open(names)
            key = tuple(shelf.name for shelf in shelves)
            group = self._groups.pop(key, None)
            if group is None or not group.is_of(shelves):
                group = MirrorGroup(shelves)
            self._groups[key] = group
            for oldest in list(self._groups)[:-_MOST_GROUPS]:
                del self._groups[oldest]
            return group.search(request, offset)

    def find(self, names: Sequence[str], prefix: str) -> list[HubCopy]:
        with self._lock:
            shelves = self._open(names)
            return [copy for shelf in shelves for copy in shelf.find(prefix, _MOST_FOUND)]

    def find_successors(self, copy: HubCopy) -> Successors:
        with self._lock:
            for shelf in self._open([copy.repo]):
                found = shelf.index.find_successors([copy.blob], shelf.ranks)
                return found.get(copy.blob, NONE)
        return NONE

    def read(self, name: str, ids: Sequence[str]) -> list[HubCopy]:
        with self._lock:
            return [copy for shelf in self._open([name]) for copy in shelf.read_ids(ids)]

    def find_network(self, name: str, ids: Sequence[str], hops: int) -> Network:
        with self._lock:
            shelves = self._open([name]) if ids and hops else []
            return shelves[0].network if shelves else Network(())

    def read_history(self, copy: HubCopy) -> list[MemoryEvent]:
        with self._lock:
            shelves = self._open([copy.repo])
            return [event for shelf in shelves for event in shelf.history(copy.memory.id)]

    def read_past(self, copy: HubCopy, at: str) -> HubCopy:
        with self._lock:
            for shelf in self._open([copy.repo]):
                return shelf.read_past(copy.memory.id, at)
        return copy

    def _open(self, names: Sequence[str]) -> list[MirrorIndex]:
        """The shelves of some repositories, as their records say now."""
        shelves = []
        for name in names:
            if not self._may_see(name):
                raise NotAllowed(f"This token was not granted {name!r}.")
            if (shelf := self._open_shelf(name)) is not None:
                shelves.append(shelf)
        return shelves

    def _open_shelf(self, name: str) -> MirrorIndex | None:
        """None where it was never updated, or its mirror cannot be read: the next update mends it
        and nobody else's answer depends on it."""
        record = read_record(self._folder_of(name))
        if record is None or not record.updated:
            return None
        shelf = self._shelves.get(name)
        if shelf is None or shelf.state != record.state:
            try:
                mirror = Mirror(self._folder_of(name), self._clock)
                shelf = self._shelves[name] = MirrorIndex(name, mirror, record.state, self._clock)
            except (TreeringError, StoreDamaged):
                return None
        return shelf

    # --- tokens -----------------------------------------------------------------------------------

    def grant(self, name: str, repos: Sequence[str]) -> str:
        try:
            make_folder(self._folder)
            return self._tokens.grant(name, repos, format_moment(self._clock()))
        except OSError as error:
            raise HubUnavailable(f"{self._folder} cannot be written: {error.strerror}.") from error

    def revoke(self, name: str) -> None:
        self._tokens.revoke(name)

    def list_tokens(self) -> list[HubToken]:
        return self._tokens.list_tokens()

    def as_seen_by(self, token: str) -> RepositoryHub:
        """A copy that shares what is open, and sees no more than the token may at this moment."""
        repos = self._tokens.find_repos(token)
        if repos is None:
            raise NotAllowed("This token is unknown, or was revoked.")
        other = FolderHub(self._folder, self._clock, frozenset(repos))
        other._lock, other._shelves, other._groups = self._lock, self._shelves, self._groups
        return other


def _list_blobs(record: RepositoryRecord, mirror: Mirror) -> set[str]:
    """What was shown before, to count what is new."""
    try:
        return set(mirror.view(record.state).ranks())
    except TreeringError:
        return set()
