"""Whether the code a memory names is still what it was: asked of git, not of the clock."""

from dataclasses import dataclass

from treering.git import diff
from treering.git.repository import Repository
from treering.model.memory import FileRef, Memory

#: From best to worst; a memory is as stale as its worst file.
STATES = ("fresh", "moved", "changed", "gone", "unknown")


@dataclass(frozen=True, slots=True)
class FileState:
    path: str
    state: str
    now: str | None = None


@dataclass(frozen=True, slots=True)
class Stale:
    state: str
    files: tuple[FileState, ...]


class CodeTree:
    """The committed tree of one branch, asked about files: one tree look-up a path."""

    def __init__(self, repository: Repository, commit: str | None) -> None:
        self._repository = repository
        self._commit = commit
        self._renames: dict[str, dict[str, str]] = {}

    def staleness(self, memory: Memory) -> Stale | None:
        """None for a memory that names no files."""
        if not memory.files:
            return None
        files = tuple(self._state(file, memory.commit) for file in memory.files)
        return Stale(max((file.state for file in files), key=STATES.index), files)

    def _state(self, file: FileRef, since: str) -> FileState:
        if self._commit is None:
            return FileState(file.path, "unknown")
        there = self._repository.blob_at(self._commit, file.path)
        if there is not None:
            if not file.blob:
                return FileState(file.path, "unknown")
            return FileState(file.path, "fresh" if there == file.blob else "changed")
        if not file.blob:  # named before it was ever committed
            return FileState(file.path, "unknown")
        if now := self._find_renames(since).get(file.path):
            return FileState(file.path, "moved", now)
        return FileState(file.path, "unknown" if self._repository.is_shallow else "gone")

    def _find_renames(self, since: str) -> dict[str, str]:
        """Files renamed between a commit and now; only asked for a path that is gone."""
        if not since or self._commit is None or not self._repository.resolve(since):
            return {}
        if since not in self._renames:
            folder = self._repository.common_dir
            self._renames[since] = diff.find_renames(folder, since, self._commit)
        return self._renames[since]
