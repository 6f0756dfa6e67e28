"""Outputs: answers that were too long to be given whole, kept so that the rest can be fetched.

They lie in the state folder, named by the hash of their text: the same answer is kept
once. Bounded as a whole, the oldest go first.
"""

import hashlib
import re
from dataclasses import dataclass

from treering.actions.workspace import Workspace
from treering.errors import Invalid, MemoryNotFound
from treering.model.dates import format_moment

PREFIX = "out:"
MOST = 10 * 1024 * 1024
PIECE = 6_000  # as JSON inside JSON it is a fifth longer
_NAME = r"[0-9a-f]{12}"
_FOLDER = "outputs"


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
    if not workspace.state.write(f"{_FOLDER}/{name}", data):
        return ""
    workspace.state.trim(_FOLDER, size=MOST, keeping=f"{_FOLDER}/{name}")
    return PREFIX + name


def piece(workspace: Workspace, id: str, offset: int = 0, length: int = PIECE) -> Piece:
    """The characters of a kept answer from `offset` on."""
    name = id.removeprefix(PREFIX).strip().lower()
    if not re.fullmatch(_NAME, name):
        raise Invalid(
            "That is not the id of a kept answer.", hint="Such an id is `out:` and 12 hex digits."
        )
    data = workspace.state.read(f"{_FOLDER}/{name}")
    if data is None:
        raise MemoryNotFound(
            f"The answer {PREFIX}{name} is no longer kept.",
            hint="Ask again. `status(view=outputs)` lists what is kept.",
        )
    text = data.decode(errors="replace")
    if not 0 <= offset <= len(text):
        raise Invalid(f"offset is {offset}, not between 0 and {len(text)}.")
    end = offset + length
    return Piece(PREFIX + name, text[offset:end], end if end < len(text) else None, total=len(text))


def list_outputs(workspace: Workspace) -> list[Output]:
    """Return what is kept, newest first."""
    outputs = [
        Output(PREFIX + name, info.st_size, format_moment(info.st_mtime))
        for path, info in workspace.state.list_files(_FOLDER)
        if re.fullmatch(_NAME, name := path.rpartition("/")[2])
    ]
    return sorted(outputs, key=lambda output: (output.created, output.id), reverse=True)
