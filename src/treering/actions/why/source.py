"""The text of a file whose lines are asked about: as a commit has it, or as it lies edited."""

import os
from collections.abc import Sequence
from typing import NamedTuple

from treering.actions.why.target import check_file
from treering.actions.workspace import Workspace
from treering.errors import StoreDamaged
from treering.git.blame import compare_lines

#: Text that is read; what is larger has no lines here.
_LARGEST = 64 * 1024 * 1024
_SNIFFED = 8000


class SourceFile(NamedTuple):
    """A file at a commit; `edited` is its text in the work tree where that is another one."""

    path: str
    commit: str | None
    blob: str = ""
    text: bytes = b""
    edited: bytes | None = None
    is_committed: bool = True
    #: Whether it has no lines to speak of: binary, too large, or not here.
    is_opaque: bool = False
    notes: tuple[str, ...] = ()

    @property
    def shown(self) -> bytes:
        """The text that line numbers count in."""
        return self.text if self.edited is None else self.edited

    @property
    def size(self) -> int:
        return count_lines(self.shown)


def read_source(
    workspace: Workspace, path: str, commit: str | None, *, is_past: bool
) -> SourceFile:
    """A file as a commit has it, and as it lies in the work tree unless the past is asked."""
    entry = check_file(workspace, path, commit)
    text: bytes | None = None
    if entry:
        try:
            text = workspace.repository.objects.blob(entry.oid, most=_LARGEST)
        except StoreDamaged:
            note = "Its text is not here or too large, so its lines are not told apart."
            return SourceFile(path, commit, entry.oid, is_opaque=True, notes=(note,))
    draft, notes = (None, ()) if is_past else _read_edited(workspace, path, text)
    current = draft if draft is not None else text or b""
    return SourceFile(
        path,
        commit,
        entry.oid if entry else "",
        text or b"",
        draft,
        is_committed=entry is not None,
        is_opaque=not (is_text(current) and is_text(text or b"")),
        notes=notes,
    )


def _read_edited(
    workspace: Workspace, path: str, committed: bytes | None
) -> tuple[bytes | None, tuple[str, ...]]:
    """The text in the work tree, None where it is what is committed, or cannot be told."""
    repository = workspace.repository
    data = _read_file(workspace, path)
    if data is None:
        is_missing = committed is not None and repository.workdir is not None
        return None, ("The file is not in the work tree. This is what is committed.",) * is_missing
    if committed is None:
        return data, ()
    if data == committed:
        return None, ()
    if b"\n" in committed and b"\r\n" not in committed:
        data = data.replace(b"\r\n", b"\n")  # as git would commit it
    if data == committed:
        return None, ()
    if repository.is_converted(path):
        note = "A filter of this repository makes the file. Lines are those of what is committed."
        return None, (note,)
    return data, ()


def _read_file(workspace: Workspace, path: str) -> bytes | None:
    """A file of the work tree; of a link where it leads. Nothing behind a link is looked at."""
    root = workspace.repository.workdir
    if root is None:
        return None
    folder, name = os.path.split(path)
    top = os.path.realpath(root)
    if os.path.realpath(os.path.join(top, folder)) != os.path.normpath(os.path.join(top, folder)):
        return None
    place = os.path.join(top, folder, name)
    try:
        if os.path.islink(place):
            return os.fsencode(os.readlink(place))
        if not os.path.isfile(place) or os.path.getsize(place) > _LARGEST:
            return None
        with open(place, "rb") as file:
            return file.read(_LARGEST)
    except OSError:
        return None


def is_text(data: bytes) -> bool:
    """Whether git would take it for text."""
    return b"\0" not in data[:_SNIFFED]


def count_lines(text: bytes) -> int:
    """How many lines a text has, as git counts them."""
    return text.count(b"\n") + bool(text and not text.endswith(b"\n"))


def list_lines(lines: Sequence[bytes], first: int, last: int) -> tuple[str, ...]:
    """Some lines of a text that was split already, without their ends."""
    some = lines[first - 1 : last] if first else ()
    return tuple(line.rstrip(b"\r").decode(errors="replace") for line in some)


class LineMap(NamedTuple):
    """Lines of one text, and where they stand in another; `there` is 0 where they do not."""

    first: int
    last: int
    there: int


def map_lines(text: bytes, other: bytes, first: int, last: int) -> list[LineMap]:
    """Lines of a text, in order, as runs that another text has together or has not at all."""
    if text == other:
        return [LineMap(first, last, first)]
    runs: list[LineMap] = []
    here, offset = 1, 0  # the first line not looked at yet, and how far it is moved in `other`
    for shift in compare_lines(other, text):
        runs.append(LineMap(here, shift.new_first - 1, here + offset))
        here = shift.new_first + shift.new_count
        runs.append(LineMap(shift.new_first, here - 1, 0))
        offset = shift.old_first + shift.old_count - here
    runs.append(LineMap(here, max(last, here), here + offset))
    return [cut for run in runs if (cut := _cut(run, first, last))]


def _cut(run: LineMap, first: int, last: int) -> LineMap | None:
    start, end = max(run.first, first), min(run.last, last)
    if start > end:
        return None
    return LineMap(start, end, run.there + start - run.first if run.there else 0)
