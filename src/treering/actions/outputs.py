"""Outputs: answers that were too long to be given whole, kept so that the rest can be fetched.

They lie under the cache folder, which may be deleted at any time, named by the hash of their text:
the same answer is kept once. Bounded as a whole, the oldest go first.
"""

import hashlib
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from treering.actions.workspace import Workspace
from treering.errors import Invalid, MemoryNotFound
from treering.git.files import check_folder, make_folder, read_file, replace_file
from treering.model.dates import format_moment

PREFIX = "out:"
MOST = 10 * 1024 * 1024
PIECE = 6_000  # as JSON inside JSON it is a fifth longer
_NAME = r"[0-9a-f]{12}"
_LEVELS = 3  # our folder under the common dir, the cache, and the outputs in it


@dataclass(frozen=True, slots=True)
class Output:
    """One kept answer, as status lists it; `size` in bytes."""

    id: str
    size: int
    created: str


@dataclass(frozen=True, slots=True)
class Piece:
    """Part of a kept answer; `next_offset` None when nothing follows."""

    id: str
    content: str
    next_offset: int | None
    total: int

    def as_json(self) -> dict[str, object]:
        """With its None said: whoever reads on looks at `next_offset` each time."""
        return {name: getattr(self, name) for name in ("id", "content", "next_offset", "total")}


def keep(workspace: Workspace, text: str) -> str:
    """Keep a text; its id, or "" where nothing can be written."""
    data = text.encode("utf-8", "replace")
    name = hashlib.sha256(data).hexdigest()[:12]
    folder = _folder(workspace)
    try:
        make_folder(folder, levels=_LEVELS)
        replace_file(folder / name, data, mode=0o600)
        _drop_oldest(folder, keeping=name)
    except OSError:
        return ""
    return PREFIX + name


def piece(workspace: Workspace, id: str, offset: int = 0, length: int = PIECE) -> Piece:
    """The characters of a kept answer from `offset` on."""
    name = id.removeprefix(PREFIX).strip().lower()
    if not re.fullmatch(_NAME, name):
        raise Invalid(
            "That is not the id of a kept answer.", hint="Such an id is `out:` and 12 hex digits."
        )
    try:
        check_folder(_folder(workspace), levels=_LEVELS)
        text = read_file(_folder(workspace) / name).decode(errors="replace")
    except OSError:
        raise MemoryNotFound(
            f"The answer {PREFIX}{name} is no longer kept.",
            hint="Ask again. `status(view=outputs)` lists what is kept.",
        ) from None
    if not 0 <= offset <= len(text):
        raise Invalid(f"offset is {offset}, not between 0 and {len(text)}.")
    end = offset + length
    return Piece(PREFIX + name, text[offset:end], end if end < len(text) else None, total=len(text))


def list_outputs(workspace: Workspace) -> list[Output]:
    """What is kept, newest first."""
    outputs = [
        Output(PREFIX + file.name, stat.st_size, format_moment(stat.st_mtime))
        for file, stat in _files_in(_folder(workspace))
    ]
    return sorted(outputs, key=lambda output: (output.created, output.id), reverse=True)


def _folder(workspace: Workspace) -> Path:
    return workspace.derived("cache") / "outputs"


def _files_in(folder: Path) -> Iterator[tuple[Path, os.stat_result]]:
    try:
        check_folder(folder, levels=_LEVELS)
        files = list(folder.iterdir())
    except OSError:
        return
    for file in files:
        if re.fullmatch(_NAME, file.name):
            try:
                yield file, file.lstat()
            except OSError:
                continue  # another process dropped it


def _drop_oldest(folder: Path, keeping: str) -> None:
    files = sorted(_files_in(folder), key=lambda pair: (pair[0].name == keeping, pair[1].st_mtime))
    size = sum(stat.st_size for _, stat in files)
    for file, stat in files:
        if size <= MOST or file.name == keeping:
            return
        file.unlink(missing_ok=True)
        size -= stat.st_size
