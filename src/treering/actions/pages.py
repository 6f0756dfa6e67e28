"""Pages: the rest of an answer, kept so that a cursor covers everything exactly once.

Scores move while memories are added, so a position in a ranking means nothing later. The ranking
itself is written down instead, under the cache folder, where it may be deleted: a cursor whose page
is gone is refused, and the question is asked again.
"""

import hashlib
import os
import re
from collections.abc import Sequence
from pathlib import Path

from treering.errors import Invalid

_MOST = 64
_CURSOR = r"([0-9a-f]{12})\.(\d{1,9})"
_BLOB = 20
_TOTAL = 8


class Pages:
    """Rankings by the hash of their question and their blobs."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def keep(self, question: str, blobs: Sequence[str], total: int) -> str:
        """Write a ranking down and return its cursor, or "" where nothing can be written."""
        data = total.to_bytes(_TOTAL, "big") + bytes.fromhex("".join(blobs))
        asked = hashlib.sha256(question.encode()).digest()
        name = hashlib.sha256(asked + data).hexdigest()[:12]
        path = self._folder / name
        try:
            if not path.exists():
                self._folder.mkdir(parents=True, exist_ok=True)
                beside = self._folder / f"{name}.{os.getpid()}"
                beside.write_bytes(asked + data)
                beside.replace(path)
                self._drop_oldest()
        except OSError:
            return ""
        return f"{name}.0"

    def page(self, question: str, cursor: str, limit: int) -> tuple[list[str], str, int]:
        """The blobs a cursor stands for, the next cursor, and how many there are in all."""
        match = re.fullmatch(_CURSOR, cursor)
        data = self._read(match[1]) if match else b""
        asked = hashlib.sha256(question.encode()).digest()
        if match is None or data[: len(asked)] != asked:
            raise Invalid(
                "This cursor belongs to no answer that is still there.",
                hint="Ask the same question again without a cursor.",
            )
        total = int.from_bytes(data[len(asked) : len(asked) + _TOTAL], "big")
        raw = data[len(asked) + _TOTAL :]
        blobs = [raw[at : at + _BLOB].hex() for at in range(0, len(raw), _BLOB)]
        start = int(match[2])
        after = start + limit
        following = f"{match[1]}.{after}" if after < len(blobs) else ""
        return blobs[start:after], following, total

    def _read(self, name: str) -> bytes:
        try:
            return (self._folder / name).read_bytes()
        except OSError:
            return b""

    def _drop_oldest(self) -> None:
        files = sorted(self._folder.iterdir(), key=lambda file: file.stat().st_mtime)
        for file in files[:-_MOST]:
            file.unlink(missing_ok=True)
