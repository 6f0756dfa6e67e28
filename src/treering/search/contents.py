"""The table of contents of a data folder: which segments count.

Whoosh's own is a pickle, and to load a pickle is to run whatever its writer wanted. This one is a
line of JSON behind its checksum; what is not exactly of the shape we write is damage.

    CONTENTS    1c291ca3 {"generation": 3, "segments": [["MAIN_0123456789abcdef", 120]]}
"""

import json
import re
import zlib
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from treering.git.files import read_file, replace_file

NAME = "MAIN"
_FILE = "CONTENTS"
_LOCK = f"{NAME}_WRITELOCK"
_SEGMENT = rf"{NAME}_[0-9a-f]{{16}}"
_MOST = 1 << 31  # documents and generations; segments are far fewer
_LARGEST = 1 << 20  # bytes; ten thousand segments are less


class Listed(NamedTuple):
    """A segment by the name its files begin with, and how many documents it has."""

    name: str
    documents: int


class Contents(NamedTuple):
    """The segments that count; the generation goes up with each change."""

    generation: int = 0
    segments: tuple[Listed, ...] = ()


def read_contents(data: Path) -> Contents:
    """What counts in a data folder; ValueError when the table is not as it was written."""
    raw = read_file(data / _FILE)
    crc, _, body = raw.partition(b" ")
    if len(raw) > _LARGEST or crc != _checksum(body):
        raise ValueError("the table of contents is damaged")
    table = json.loads(body)
    if not isinstance(table, dict) or table.keys() != {"generation", "segments"}:
        raise ValueError("the table of contents is not ours")
    segments = table["segments"]
    if not isinstance(segments, list):
        raise ValueError("the table of contents does not list segments")
    return Contents(_number(table["generation"]), tuple(map(_read_segment, segments)))


def write_contents(data: Path, contents: Contents) -> None:
    """Let these segments count from now on; readers see the old table or the new one."""
    table = {"generation": contents.generation, "segments": contents.segments}
    body = json.dumps(table).encode()
    replace_file(data / _FILE, _checksum(body) + b" " + body)


def remove_rest(data: Path, contents: Contents) -> None:
    """Delete what belongs to no segment that counts; whoever calls holds the writer's lock."""
    names = {segment.name for segment in contents.segments}
    for path in data.iterdir():
        if path.name not in (_FILE, _LOCK) and path.name.partition(".")[0] not in names:
            with suppress(OSError):  # a folder is not ours, and a file may be gone
                path.unlink()


def _read_segment(value: Any) -> Listed:
    match value:
        case [str(name), documents] if re.fullmatch(_SEGMENT, name):
            return Listed(name, _number(documents))
    raise ValueError("the table of contents names something that is not a segment")


def _number(value: Any) -> int:
    if type(value) is not int or not 0 <= value < _MOST:
        raise ValueError("a number in the table of contents is out of bounds")
    return value


def _checksum(body: bytes) -> bytes:
    return b"%08x" % zlib.crc32(body)
