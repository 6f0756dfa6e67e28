"""Whether the code a memory names is still what it was: asked of git, not of the clock."""

from __future__ import annotations

import re

from treering.errors import TreeringError
from treering.git.binding import GitError
from treering.git.repository import Repository
from treering.model.memory import FileRef, Memory
from treering.model.taxonomy import RECORD_TYPES
from treering.model.value import dataclass

#: From best to worst; a memory is as stale as its worst file.
STATES = ("fresh", "moved", "changed", "gone", "unknown")
#: A name with an underscore, a hump or brackets behind it, or a number.
_CODE_WORD = r"\b(?:[A-Za-z]\w*_\w+|[a-z]+[A-Z]\w*|[A-Z][a-z]+[A-Z]\w*|\w+(?=\(\))|\d[\d.]*\d)\b"
_MOST_NAMED, _MOST_WORDS, _MOST_FILES = 30, 5, 5
_LARGEST = 256 * 1024


@dataclass(frozen=True, slots=True)
class FileState:
    path: str
    state: str
    now: str | None = None


@dataclass(frozen=True, slots=True)
class Stale:
    """`lost` are words of the memory that were in its files when it was said, and are not now."""

    state: str
    files: tuple[FileState, ...]
    lost: tuple[str, ...] | None = None


def _code_words(text: str) -> list[str]:
    """What a text names as code: identifiers, and values of two digits or more."""
    return list(dict.fromkeys(re.findall(_CODE_WORD, text)))[:_MOST_NAMED]


def _holds(text: str, word: str) -> bool:
    """Whether a text has a word, and not only as a part of another."""
    at = text.find(word)
    while at >= 0:
        around = text[at - 1 : at] + text[at + len(word) : at + len(word) + 1]
        if not any(c.isalnum() or c == "_" for c in around):
            return True
        at = text.find(word, at + 1)
    return False


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
        state = max((file.state for file in files), key=STATES.index)
        lost = self.lost_words(memory) if state == "changed" else ()
        return Stale(state, files, lost or None)

    def lost_words(self, memory: Memory) -> tuple[str, ...]:
        """Names and values a memory speaks of that were in its files when it was said, and are in
        none of them any more. Records tell of what was, and lose nothing."""
        words = _code_words(f"{memory.title}\n{memory.content}")
        if self._commit is None or not words or memory.type in RECORD_TYPES:
            return ()
        before, now = "", ""
        for file in memory.files[:_MOST_FILES]:
            there = self._repository.blob_at(self._commit, file.path)
            if file.blob and there != file.blob:
                before += self._text(file.blob)
            now += self._text(there) if there else ""
        if not before:
            return ()
        return tuple(w for w in words if _holds(before, w) and not _holds(now, w))[:_MOST_WORDS]

    def _text(self, blob: str) -> str:
        try:
            data = self._repository.objects.blob(blob)
        except (TreeringError, GitError):
            return ""
        return "" if len(data) > _LARGEST else data.decode(errors="replace") + "\n"

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
            from treering.git import diff

            folder = self._repository.common_dir
            self._renames[since] = diff.find_renames(folder, since, self._commit)
        return self._renames[since]
