"""The text of a file whose lines are asked about: as a commit has it, or as it lies edited."""

import os
import re
from collections.abc import Sequence
from typing import NamedTuple

from treering.actions.workspace import Workspace
from treering.errors import Invalid, StoreDamaged
from treering.git.blame import compare_lines
from treering.git.diff import list_paths
from treering.git.files import open_plain
from treering.git.objects import TREE, TreeEntry
from treering.git.repository import Repository

SUBMODULE = 0o160000
#: Also `path:42:7`, as compilers and grep write it: a line and a column.
_LINES = re.compile(r"(?P<path>.+):(?P<first>\d{1,9})(?:-(?P<last>\d{1,9})|:\d{1,9})?", re.DOTALL)


class LineTarget(NamedTuple):
    """Lines of a file; all of it where no line was named."""

    path: str
    first: int = 0
    last: int = 0

    def __str__(self) -> str:
        if not self.first:
            return self.path
        return f"{self.path}:{self.first}" + (f"-{self.last}" if self.last != self.first else "")


def split_target(text: str) -> LineTarget:
    """A text as path and lines, without a look whether there is such a file."""
    match = _LINES.fullmatch(text)
    if match is None:
        return LineTarget(text)
    first = int(match["first"])
    return LineTarget(match["path"], first, int(match["last"] or first))


def find_target(
    workspace: Workspace, text: str, commit: str | None, *, is_past: bool
) -> LineTarget:
    """The file that is there, at a commit or else in the work tree; Invalid where there is none.

    With `is_past` only the commit counts.
    """
    whole = LineTarget(name_path(workspace, text))
    if _exists(workspace, whole.path, commit, is_past=is_past):
        return whole
    apart = split_target(text)
    if not apart.first and apart.path == text:
        raise _missing(workspace, whole.path, commit)
    target = apart._replace(path=name_path(workspace, apart.path))
    if not _exists(workspace, target.path, commit, is_past=is_past):
        raise _missing(workspace, target.path, commit)
    if not 1 <= target.first <= target.last:
        raise Invalid(
            f"{show(text)} does not name lines: they count from 1, and the smaller one is first.",
            hint="Write path:42 or path:40-60.",
        )
    return target


def name_path(workspace: Workspace, text: str) -> str:
    """A path as the repository names it; links are not followed at its end."""
    root = workspace.repository.workdir
    if root and os.path.isabs(text):
        folder, name = os.path.split(os.path.normpath(text))
        text = os.path.relpath(os.path.join(os.path.realpath(folder), name), os.path.realpath(root))
    normal = os.path.normpath(text).replace(os.sep, "/") if text else ""
    if normal in ("", ".", "..") or normal.startswith(("../", "/")) or "\0" in normal:
        raise Invalid(f"{show(text)!r} is not a file inside the repository.")
    return normal


def entry_at(workspace: Workspace, commit: str | None, path: str) -> TreeEntry | None:
    """Return what a commit has under a path, if there is a commit and it can be read."""
    try:
        return workspace.repository.find_entry(commit, path) if commit else None
    except StoreDamaged:
        return None


def _exists(workspace: Workspace, path: str, commit: str | None, *, is_past: bool) -> bool:
    if entry_at(workspace, commit, path) is not None:
        return True
    root = workspace.repository.workdir
    if root is None or is_past or _find_submodule(workspace, path, commit):
        return False
    return os.path.lexists(root / path)


def _find_submodule(workspace: Workspace, path: str, commit: str | None) -> str:
    """The submodule a path leads into, or ""."""
    parts = path.split("/")
    for at in range(1, len(parts)):
        folder = "/".join(parts[:at])
        entry = entry_at(workspace, commit, folder)
        if entry and entry.mode == SUBMODULE:
            return folder
    return ""


def _missing(workspace: Workspace, path: str, commit: str | None) -> Invalid:
    """There is no such file: what was meant, or what stands in the way."""
    if folder := _find_submodule(workspace, path, commit):
        return Invalid(
            f"{show(path)} is in the submodule {show(folder)}.",
            hint=f"Ask there: treering why -C {show(folder)} {show(path[len(folder) + 1 :])}",
        )
    from treering.model.spelling import list_near_paths

    near: list[str] = []
    if commit:
        near = list_near_paths(path, list_paths(workspace.repository, commit))
    question = f"Did you mean {' or '.join(near)}?" if near else "Paths count from the top."
    return Invalid(f"There is no file {show(path)} here.", hint=question)


def check_file(workspace: Workspace, path: str, commit: str | None) -> TreeEntry | None:
    """Return what is committed under a path; a folder and a submodule have no lines."""
    entry = entry_at(workspace, commit, path)
    root = workspace.repository.workdir
    is_folder = entry.mode == TREE if entry else bool(root and (root / path).is_dir())
    if entry and entry.mode == SUBMODULE:
        raise Invalid(
            f"{show(path)} is a submodule, with a history of its own.",
            hint=f"Ask there: treering why -C {show(path)} FILE",
        )
    if is_folder:
        raise Invalid(f"{show(path)} is a folder.", hint="Name a file in it.")
    return entry


def show(text: str) -> str:
    """A name that can be put into a message, whatever bytes it is made of."""
    return os.fsencode(text).decode(errors="replace")


#: Text that is read; what is larger has no lines here.
_MAX_FILE = 64 * 1024 * 1024
_SNIFFED = 8000
#: The same where commits are compared.
_MAX_CHANGED = 4 * 1024 * 1024


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
            text = workspace.repository.objects.blob(entry.oid, most=_MAX_FILE)
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
        if not os.path.isfile(place) or os.path.getsize(place) > _MAX_FILE:
            return None
        with os.fdopen(open_plain(place), "rb") as file:
            return file.read(_MAX_FILE)
    except OSError:
        return None


def read_change(repository: Repository, commit: str, path: str) -> tuple[bytes, bytes]:
    """Return a file before and after a commit, empty where it was not there."""
    parents = repository.objects.commit(commit).parents
    blobs = [repository.blob_at(oid, path) for oid in (*parents[:1], commit)]
    if len(set(blobs)) == 1 and parents:
        return b"", b""
    *old, new = (repository.objects.blob(b, most=_MAX_CHANGED) if b else b"" for b in blobs)
    return (old or [b""])[0], new


def is_text(data: bytes) -> bool:
    """Return whether git would take it for text."""
    return b"\0" not in data[:_SNIFFED]


def count_lines(text: bytes) -> int:
    """Return how many lines a text has, as git counts them."""
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
