"""Pages: the rest of an answer, kept so that a cursor covers everything exactly once.

Scores move while memories are added, so a position in a ranking means nothing later. The ranking
itself is kept instead: in memory, and for a process that lives for one call in the state folder. A
cursor whose ranking is gone is refused: ask again.
"""

import hashlib
import re
from collections.abc import Sequence

from treering.errors import Invalid
from treering.store.state import StateFolder

_MAX_PAGES = 16
_FOLDER = "pages"
_CURSOR = r"([0-9a-f]{12})\.(\d{1,9})"
_HEAD = 8  # bytes that hold the total


class Pages:
    """Rankings by the hash of their question and their blobs; `state` None: in memory only."""

    def __init__(self, state: StateFolder | None) -> None:
        self._state = state
        self._kept: dict[str, bytes] = {}

    def keep(self, question: str, blobs: Sequence[str], total: int) -> str:
        """Keep a ranking and return the cursor of its first page."""
        data = total.to_bytes(_HEAD, "big") + " ".join(blobs).encode()
        name = hashlib.sha256(question.encode() + data).hexdigest()[:12]
        self._kept[f"{name} {question}"] = data
        for oldest in list(self._kept)[:-_MAX_PAGES]:
            self._kept.pop(oldest, None)  # a server's threads may be here together
        if self._state:
            # Where nothing can be written, the cursor is good for this process only.
            self._state.write(f"{_FOLDER}/{name}", _digest(question) + data)
            self._state.trim(_FOLDER, count=_MAX_PAGES)
        return f"{name}.0"

    def page(self, question: str, cursor: str, limit: int) -> tuple[list[str], str, int]:
        """The blobs a cursor stands for, the next cursor, and how many there are in all."""
        match = re.fullmatch(_CURSOR, cursor)
        data = self._read(match[1], question) if match else None
        if match is None or data is None:
            raise Invalid(
                "The answer of this cursor is not there any more.",
                hint="Ask the same question again without a cursor.",
            )
        blobs = data[_HEAD:].decode().split()
        start = int(match[2])
        after = start + limit
        following = f"{match[1]}.{after}" if after < len(blobs) else ""
        return blobs[start:after], following, int.from_bytes(data[:_HEAD], "big")

    def _read(self, name: str, question: str) -> bytes | None:
        if (data := self._kept.get(f"{name} {question}")) is not None or self._state is None:
            return data
        raw, digest = self._state.read(f"{_FOLDER}/{name}") or b"", _digest(question)
        return raw[len(digest) :] if raw.startswith(digest) else None


def _digest(question: str) -> bytes:
    return hashlib.sha256(question.encode()).digest()
