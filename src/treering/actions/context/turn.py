"""A turn of an agent: what it was told since its session began, or since its last prompt.

A session's start and its first prompt are one turn, and so is a prompt whose hook is called twice,
by a plugin and by the project's own settings. What was told in it is not told again. A prompt later
on may be told the same, as the agent's context may have been cut since.

    cache/turns/<session>    the prompt, and the lines that were told, as hashes

It may be lost at any time: then something is told twice.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from treering.git.files import check_folder, keep_file, read_file

_MOST = 64  # sessions
_LEVELS = 3  # our folder, the cache, the turns in it
_DIGEST = 12


class Turn:
    """What is told in one call of a hook, and what was told before it in the same turn."""

    def __init__(self, folder: Path | None, session: str, prompt: str = "") -> None:
        self._file = folder / "turns" / _hash(session) if folder and session else None
        self._prompt = _hash(prompt) if prompt else ""
        self._told = self._read() if prompt else set()
        self._new: dict[str, str] = {}

    def once(self, lines: Iterable[str]) -> Iterator[str]:
        """The lines that were not told yet, by the memory they name."""
        for line in lines:
            key = _hash(" ".join(line.split(" ", 2)[:2]))
            if key not in self._told:
                self._new[line] = key
                yield line

    def end(self, text: str) -> str:
        """The text that is told, once it is noted what is in it."""
        told = self._told | {key for line, key in self._new.items() if line in text}
        if self._file and (told or self._prompt):
            keep_file(self._file, json.dumps([self._prompt, sorted(told)]), levels=_LEVELS)
            self._tidy(self._file.parent)
        return text

    def _read(self) -> set[str]:
        """What was told in this turn; nothing where it is the first call of it."""
        if self._file is None:
            return set()
        try:
            check_folder(self._file.parent, levels=_LEVELS)
            match json.loads(read_file(self._file)):
                case [str(prompt), list(told)] if prompt in ("", self._prompt):
                    return {key for key in told if isinstance(key, str)}
        except (OSError, ValueError, RecursionError):
            return set()
        return set()

    def _tidy(self, folder: Path) -> None:
        with suppress(OSError):
            files = sorted(folder.iterdir(), key=lambda file: file.stat().st_mtime)
            for file in files[:-_MOST]:
                file.unlink(missing_ok=True)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode(errors="surrogateescape")).hexdigest()[:_DIGEST]
