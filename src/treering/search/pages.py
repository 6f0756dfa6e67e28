"""Pages: the rest of an answer, kept so that a cursor covers everything exactly once.

Scores move while memories are added, so a position in a ranking means nothing later. The ranking
itself is kept instead: in memory, and for a process that lives for one call only under the cache
folder, where it may be deleted. A cursor whose ranking is gone is refused: ask again.
"""

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path

from treering.errors import Invalid
from treering.git.files import check_folder, make_folder, read_file, replace_file

_MOST = 16
_LEVELS = 3  # our folder under the common dir, the cache, and the pages in it
_CURSOR = r"([0-9a-f]{12})\.(\d{1,9})"
_BLOB = 20
_HEAD = 8  # bytes that hold the total


class Pages:
    """Rankings by the hash of their question and their blobs; `folder` None: in memory only."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._kept: dict[str, bytes] = {}

    def keep(self, question: str, blobs: Sequence[str], total: int) -> str:
        """Keep a ranking and return the cursor of its first page."""
        data = total.to_bytes(_HEAD, "big") + bytes.fromhex("".join(blobs))
        name = hashlib.sha256(question.encode() + data).hexdigest()[:12]
        self._kept[f"{name} {question}"] = data
        for oldest in list(self._kept)[:-_MOST]:
            self._kept.pop(oldest, None)  # a server's threads may be here together
        if self._folder:
            self._write(self._folder, name, question, data)
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
        raw = data[_HEAD:]
        start, count = int(match[2]), len(raw) // _BLOB
        after = start + limit
        blobs = [raw[at * _BLOB : (at + 1) * _BLOB].hex() for at in range(start, min(after, count))]
        following = f"{match[1]}.{after}" if after < count else ""
        return blobs, following, int.from_bytes(data[:_HEAD], "big")

    def _read(self, name: str, question: str) -> bytes | None:
        if (data := self._kept.get(f"{name} {question}")) is not None or self._folder is None:
            return data
        digest = hashlib.sha256(question.encode()).digest()
        try:
            check_folder(self._folder, levels=_LEVELS)
            raw = read_file(self._folder / name)
        except OSError:
            return None
        return raw[len(digest) :] if raw.startswith(digest) else None

    def _write(self, folder: Path, name: str, question: str, data: bytes) -> None:
        """Where nothing can be written, the cursor is good for this process only."""
        try:
            make_folder(folder, levels=_LEVELS)
            replace_file(folder / name, hashlib.sha256(question.encode()).digest() + data)
            files = sorted(folder.iterdir(), key=lambda file: file.stat().st_mtime)
            for file in files[:-_MOST]:
                file.unlink(missing_ok=True)
        except OSError:
            return
