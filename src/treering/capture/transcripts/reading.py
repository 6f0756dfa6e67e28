"""Transcripts read from files whose place and text nobody vouches for.

A client's hook names a path, and a folder may hold anything: only a plain file of this user's is
opened, no pipe is waited for, and no link leads elsewhere. Of a large file the beginning and the
end are read, lines that are too long or not JSON are passed over, and a deadline ends it all.
"""

import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any

from treering.capture.transcripts.clients import read_claude, read_codex, read_gemini
from treering.capture.transcripts.transcript import Transcript, TranscriptBuilder
from treering.git.files import open_file

#: How the agents of clients are named in memories -> what reads the entries of their transcripts.
READERS: dict[str, Callable[[Mapping[str, Any], TranscriptBuilder], None]] = {
    "claude-code": read_claude,
    "codex": read_codex,
    "gemini-cli": read_gemini,
}
ENDINGS = (".jsonl", ".json")
SECONDS = 10.0
_MOST_BYTES = 32 * 1024 * 1024
_HEAD = 4 * 1024 * 1024
_LONGEST_LINE = 2 * 1024 * 1024


def read_transcript(
    path: Path, agent: str, *, seconds: float = SECONDS, foreign: Path | None = None
) -> Transcript | None:
    """Return what a file tells of a session; None where it is not a transcript that may be read.

    `foreign` is a folder whose links are not followed: what is cloned is somebody else's.
    """
    reader = READERS.get(agent)
    if reader is None or path.suffix not in ENDINGS or not _is_reached_plainly(path, foreign):
        return None
    builder, until = TranscriptBuilder(), time.monotonic() + seconds
    try:
        with os.fdopen(open_file(path), "rb") as file:
            for entry in _entries(file, until):
                reader(entry, builder)
    except OSError:
        return None
    return builder.build()


def _is_reached_plainly(path: Path, foreign: Path | None) -> bool:
    """Return whether no folder on the way is a link of somebody else's, or lies among cloned
    files."""
    if not path.is_absolute() or ".." in path.parts or "\0" in str(path):
        return False
    own = {0, os.geteuid()} if hasattr(os, "geteuid") else {0}
    for folder in path.parents:
        if not folder.is_symlink():
            continue
        if folder.lstat().st_uid not in own or (foreign and folder.is_relative_to(foreign)):
            return False
    return True


def _entries(file: IO[bytes], until: float) -> Iterator[Mapping[str, Any]]:
    """The objects of a file, in order: one a line, or all of the file is one."""
    size = os.fstat(file.fileno()).st_size
    if (whole := _whole(file, size)) is not None:
        yield whole
        return
    file.seek(0)
    for line in _lines(file, size):
        if time.monotonic() > until:
            return
        if entry := _parse(line):
            yield entry


def _whole(file: IO[bytes], size: int) -> Mapping[str, Any] | None:
    """A file that is one object over several lines, or on one; None for lines."""
    first = file.readline(_LONGEST_LINE)
    if size > _MOST_BYTES or (_parse(first) and len(first) < size):
        return None
    return _parse(first + file.read(_MOST_BYTES)) or None


def _lines(file: IO[bytes], size: int) -> Iterator[bytes]:
    """The lines of a file; of a large one those at its beginning and at its end."""
    tail = size - (_MOST_BYTES - _HEAD)
    while line := file.readline(_LONGEST_LINE):
        if len(line) < _LONGEST_LINE or line.endswith(b"\n"):
            yield line
        else:
            while (rest := file.readline(_LONGEST_LINE)) and not rest.endswith(b"\n"):
                pass
        if size > _MOST_BYTES and _HEAD <= file.tell() < tail:
            file.seek(tail)
            file.readline(_LONGEST_LINE)  # the rest of a line whose beginning was passed over


def _parse(line: bytes) -> Mapping[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
