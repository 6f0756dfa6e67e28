"""A turn of an agent: what it was told since its session began, or since its last prompt.

A session's start and its first prompt are one turn, and so is a prompt whose hook is called twice,
by a plugin and by the project's own settings. What was told in it is not told again. A prompt later
on may be told the same, as the agent's context may have been cut since.

    state/turns/<session>    the prompt, and the lines that were told, as hashes

It may be lost at any time: then something is told twice.
"""

import hashlib
from collections.abc import Iterable, Iterator

from treering.store.state import StateFolder

_MOST = 64  # sessions
_FOLDER = "turns"
_DIGEST = 12


class Turn:
    """What is told in one call of a hook, and what was told before it in the same turn."""

    def __init__(self, state: StateFolder | None, session: str, prompt: str = "") -> None:
        self._state = state if session else None
        self._file = f"{_FOLDER}/{_hash(session)}"
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
        if self._state and (told or self._prompt):
            self._state.write_json(self._file, [self._prompt, sorted(told)])
            self._state.trim(_FOLDER, count=_MOST)
        return text

    def _read(self) -> set[str]:
        """What was told in this turn; nothing where it is the first call of it."""
        match self._state.read_json(self._file) if self._state else None:
            case [str(prompt), list(told)] if prompt in ("", self._prompt):
                return {key for key in told if isinstance(key, str)}
        return set()


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode(errors="surrogateescape")).hexdigest()[:_DIGEST]
