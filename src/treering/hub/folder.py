"""The embedded hub: a folder with a mirror of each repository, and one index. Nothing to install.

    repositories/<name>/repository.json    what it is, and the state that counts
    repositories/<name>/mirror.git/        its memories, and their history
    treering.db, index/                    what is derived from all of them, under their marks
    tokens.json                            hashes of tokens, and what each may see

Everything but the list of repositories and the tokens can be made again.
"""

import copy
import json
import shutil
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from treering.clock import Clock, wall_clock
from treering.derived.content import MemoryRows
from treering.derived.database import Database
from treering.derived.history import MemoryEvent, events_in
from treering.derived.ledger import VersionTable
from treering.errors import (
    Busy,
    HubUnavailable,
    Invalid,
    NotAllowed,
    RepoNotFound,
    TreeringError,
)
from treering.git import lock
from treering.git.binding import GitError
from treering.git.files import check_folder, make_folder, read_file, replace_file
from treering.hub.hub import (
    HubReader,
    HubSearchView,
    HubToken,
    HubView,
    RepositoryHub,
    RepositoryRecord,
    UpdateResult,
    refuse_token,
)
from treering.hub.mirror import Mirror, read_state, state_values
from treering.hub.names import ALL, check_name, folder_name
from treering.hub.tokens import TokenFile
from treering.model.dates import format_moment
from treering.model.mark import LENGTH, MOST_REPOSITORIES, make_mark, mark_memory, mark_of, unmark
from treering.model.memory import Memory
from treering.search.engine import Index
from treering.search.meaning.models import ModelChoice
from treering.search.pages import Pages
from treering.search.searcher import Searcher
from treering.search.understanding import SemanticSearch
from treering.store.state import StateFolder
from treering.store.view import Layer, View

if TYPE_CHECKING:
    import sqlite3

_FILE = "repository.json"
_FORMAT = 2
_MAX_VIEWS = 8  # sets of repositories that are asked together, as tokens ask again and again
_INDEX_SECONDS = 1800.0  # that an update waits for another one to be indexed
#: The tables that hold what is derived from blobs, and the column that names these.
_TABLES = (("memories", "blob"), ("memories_trees", "oid"), ("flags", "blob"),
           ("vectors", "blob"), ("authorship", "blob"))  # fmt: skip


class FolderHub:
    """A hub in a folder of this machine; `allowed` are the repositories its caller may see."""

    kind = "folder"

    def __init__(self, folder: Path, clock: Clock = wall_clock) -> None:
        self._folder = folder
        self._clock = clock
        self._allowed: frozenset[str] | None = None
        self._tokens = TokenFile(folder / "tokens.json")
        self._index = HubIndex(folder, clock)
        self._lock = threading.RLock()  # git handles are not for two threads
        self._views: dict[tuple[object, ...], HubView] = {}

    @property
    def place(self) -> str:
        return str(self._folder)

    @property
    def address(self) -> str:
        return str(self._folder)

    @property
    def is_limited(self) -> bool:
        return self._allowed is not None

    def check(self) -> None:
        if self._folder.exists() and not self._folder.is_dir():
            raise HubUnavailable(f"{self._folder} is not a folder.")

    # --- repositories -----------------------------------------------------------------------------

    def list_repositories(self) -> list[RepositoryRecord]:
        return [record for record in self._list_all() if self._may_see(record.name)]

    def _list_all(self) -> list[RepositoryRecord]:
        self.check()
        try:
            folders = sorted((self._folder / "repositories").iterdir())
        except FileNotFoundError:
            return []
        except OSError as error:
            raise HubUnavailable(f"{self._folder} cannot be read: {error.strerror}.") from error
        return sorted(record for folder in folders if (record := read_record(folder)))

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
        try:
            make_folder(self._folder)
            with lock.hold(self._folder / "hub.lock"):
                if (record := read_record(folder)) is not None:
                    raise Invalid(
                        f"The hub has a repository {name!r} already: {record.url}",
                        hint=f"`treering hub remove {name}` takes it out.",
                    )
                number = max((one.number for one in self._list_all()), default=0) + 1
                if number > MOST_REPOSITORIES:
                    raise HubUnavailable(f"A hub has {MOST_REPOSITORIES} repositories at most.")
                now = format_moment(self._clock())
                record = RepositoryRecord(name, url, all_branches, added=now, number=number)
                make_folder(folder, levels=2)
                self._index.forget(make_mark(number))  # what a killed removal left
                write_record(folder, record)
        except OSError as error:
            raise HubUnavailable(f"{self._folder} cannot be written: {error.strerror}.") from error
        return record

    def remove(self, name: str) -> None:
        """The record first, so that what is left after a kill is no repository."""
        record = self._find(name)
        folder = self._folder_of(name)
        try:
            (folder / _FILE).unlink()
            shutil.rmtree(folder, ignore_errors=True)
            self._tokens.forget(name)
            self._index.forget(make_mark(record.number))
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

    def remove_unused(self) -> None:
        """Each update leaves the index tidy."""

    def _update(self, record: RepositoryRecord, mirror: Mirror) -> UpdateResult:
        before = record.state
        state = mirror.update(record.url, all_branches=record.all_branches, before=before)
        mark, folder = make_mark(record.number), self._folder_of(record.name)
        known = set(View("", mirror.layers(before, mark)).ranks())
        view = View("", mirror.layers(state, mark))
        if state.is_rewritten:
            mirror.forget_rewritten()
            self._index.forget(mark)
        if read_record(folder) is None:
            raise RepoNotFound(f"{record.name!r} was removed meanwhile.")
        self._index.update(view, self._open_mirrors())
        shown = view.ranks().keys()
        is_same = not record.error and state._replace(notes=()) == before._replace(
            notes=(), is_rewritten=False
        )
        now = format_moment(self._clock())
        final = record._replace(
            updated=now, memories=len(shown), error="", state=state._replace(is_rewritten=False)
        )
        write_record(folder, final)
        return UpdateResult(
            record.name,
            "unchanged" if is_same and record.updated else "updated",
            len(shown),
            len(shown - known),
            len(known - shown),
            notes=state.notes,
        )

    def _note_failure(self, name: str, message: str) -> UpdateResult:
        """Keep what was there, and say that it is behind."""
        record = read_record(self._folder_of(name)) or RepositoryRecord(name, "")
        if record.url:
            with suppress(OSError):  # a full disk: the answer says what is wrong
                write_record(self._folder_of(name), record._replace(error=message))
        return UpdateResult(name, "failed", record.memories, error=message)

    # --- reading ----------------------------------------------------------------------------------

    @contextmanager
    def reading(self, names: Sequence[str]) -> Iterator[HubReader]:
        with self._lock:
            index, mirrors = self._index, self._open_mirrors()
            index.mirrors = mirrors
            view = self._make_view(names, mirrors)

            def read_events(view: View, memory_id: str) -> list[MemoryEvent]:
                mirror = mirrors[mark_of(memory_id)]
                return mirror.ledger.sort_events(events_in(view, unmark(memory_id)))

            pages = Pages(StateFolder(self._folder))
            yield HubReader(view, index.rows, index.versions, index.searcher, pages, read_events)

    def _open_mirrors(self) -> dict[str, Mirror]:
        """The mirrors by their marks; what was opened once stays open."""
        known = self._index.mirrors
        return {
            mark: known.get(mark) or Mirror(self._folder_of(record.name), self._clock)
            for record in self._list_all()
            for mark in (make_mark(record.number),)
        }

    def _make_view(self, names: Sequence[str], mirrors: Mapping[str, Mirror]) -> HubView:
        """The layers of some repositories, as their records say now. One that was never updated, or
        whose mirror cannot be read, has none: the next update mends it."""
        records = {record.name: record for record in self._list_all() if record.name in names}
        if not all(map(self._may_see, names)):
            raise refuse_token()
        key = (self.is_limited, *((r.number, r.name, r.state) for r in records.values()))
        view = self._views.pop(key, None)
        if view is None:
            layers: list[Layer] = []
            for record in records.values():
                mark = make_mark(record.number)
                with suppress(TreeringError):
                    layers += mirrors[mark].layers(record.state, mark)
            marks = {make_mark(record.number): record.name for record in records.values()}
            view = HubView(tuple(layers), marks, is_limited=self.is_limited)
        self._views[key] = view
        for oldest in list(self._views)[:-_MAX_VIEWS]:
            del self._views[oldest]
        return view

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
        other = copy.copy(self)
        other._allowed = frozenset(repos)
        return other


class HubIndex:
    """Derived state of the memories of all mirrors: one database, and one pair of indexes."""

    def __init__(self, folder: Path, clock: Clock) -> None:
        self._folder = folder
        self._clock = clock
        self.mirrors: Mapping[str, Mirror] = {}

    @cached_property
    def _database(self) -> Database:
        return Database(self._folder)

    @cached_property
    def versions(self) -> VersionTable:
        return VersionTable(self._database, self._clock)

    @cached_property
    def rows(self) -> "HubRows":
        return HubRows(self._database, self.versions, self._clock, self)

    @cached_property
    def searcher(self) -> Searcher:
        """One model for all repositories: the table that comes with the program. Nothing that a
        repository holds is taken for a vector, or for a synonym that counts elsewhere."""
        model = ModelChoice("table").best
        meaning = SemanticSearch(self._database, [model] if model else [])
        database_folder = self._database.folder
        folder = database_folder / "index" if database_folder else None
        index = Index(folder, self.rows, self._read, meaning, mark=LENGTH)
        return Searcher(index, self.rows, HubSearchView)

    def _read(self, blobs: Iterable[str]) -> Iterator[tuple[str, Memory]]:
        for blob in blobs:
            mirror = self.mirrors.get(mark_of(blob))
            with suppress(TreeringError, GitError):
                if mirror and (memory := mirror.store.shared.memory(unmark(blob))):
                    yield blob, mark_memory(memory, mark_of(blob))

    def update(self, view: View, mirrors: Mapping[str, Mirror]) -> None:
        """Derive what is new in a view; one process at a time, since each table has one writer."""
        self.mirrors = mirrors
        with self._hold():
            self.rows.catch_up(view)
            self.searcher.index.catch_up()
            self.searcher.index.make_vectors()

    def forget(self, mark: str) -> None:
        """Take out everything under a mark, and leave nothing of its text on disk.

        The rows go last, so that what was begun and not ended is seen by them.
        """
        end, some = mark + "~", "SELECT 1 FROM memories WHERE blob >= ? AND blob < ? LIMIT 1"
        if not self._database.ask(lambda db: db.execute(some, (mark, end)).fetchone(), None):
            return

        def delete(db: "sqlite3.Connection") -> None:
            numbers = "SELECT n FROM memories WHERE blob >= ? AND blob < ?"
            db.execute(f"DELETE FROM memories_keys WHERE n IN ({numbers})", (mark, end))  # noqa: S608
            for table, column in _TABLES:
                query = f"DELETE FROM {table} WHERE {column} >= ? AND {column} < ?"  # noqa: S608
                db.execute(query, (mark, end))

        with self._hold():
            self.searcher.index.purge(mark)
            self._database.ensure(delete)
            self._database.ask(_empty_log, None)
            self.rows.forget()

    @contextmanager
    def _hold(self) -> Iterator[None]:
        with lock.hold(self._folder / "index.lock", timeout=_INDEX_SECONDS):
            yield


def _empty_log(db: "sqlite3.Connection") -> None:
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()


class HubRows(MemoryRows):
    """The rows of a hub. A repository's are complete up to a commit of each of its layers."""

    def __init__(
        self, database: Database, versions: VersionTable, clock: Clock, index: HubIndex
    ) -> None:
        super().__init__(database, versions.versions, clock)
        self._known = versions
        self._index = index

    def catch_up(self, view: View, limit: int | None = None) -> bool:  # noqa: ARG002
        """Read what has no row yet of a view; whose words it is comes from the mirrors."""
        tips = {layer.mark + (layer.snapshot.tip or ""): layer for layer in view.layers}
        for tip in self.unknown_trees(tips):
            layer = tips[tip]
            blobs = list(layer.listing().values())
            ledger = self._index.mirrors[layer.mark].ledger
            versions = ledger.versions(map(unmark, blobs)).values()
            self._known.add(
                version._replace(blob=layer.mark + version.blob, id=layer.mark + version.id)
                for version in versions
            )
            self.add_missing(layer, self.unknown_blobs(blobs))
            self.add({}, trees=[tip])
        return True


# --- records --------------------------------------------------------------------------------------


def write_record(folder: Path, record: RepositoryRecord) -> None:
    """Write down a repository, whole or not at all."""
    values = {"format": _FORMAT, **record._asdict(), "state": state_values(record.state)}
    text = json.dumps(values, indent=1, ensure_ascii=True)
    replace_file(folder / _FILE, text.encode(), mode=0o600, is_synced=True)


def read_record(folder: Path) -> RepositoryRecord | None:
    """The record in a folder; None where there is none that could be ours."""
    try:
        check_folder(folder, levels=2)
        values = json.loads(read_file(folder / _FILE))
        if values.pop("format") != _FORMAT:
            return None
        record = RepositoryRecord(**values | {"state": read_state(values["state"])})
        check_name(record.name)
        make_mark(record.number)
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError, Invalid):
        return None
    return record
