"""Which lines of which file are meant: `path`, `path:42`, `path:40-60`.

A path that exists wins: a file may well be called `notes:3`. Names are bytes to git, so whatever a
name is made of is taken as it is.
"""

import os
import re
from typing import NamedTuple

from treering.actions.workspace import Workspace
from treering.errors import Invalid, StoreDamaged
from treering.git.diff import list_paths
from treering.git.objects import TREE, TreeEntry

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
            f"{_show(text)} does not name lines: they count from 1, and the smaller one is first.",
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
        raise Invalid(f"{_show(text)!r} is not a file inside the repository.")
    return normal


def entry_at(workspace: Workspace, commit: str | None, path: str) -> TreeEntry | None:
    """What a commit has under a path, if there is a commit and it can be read."""
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
            f"{_show(path)} is in the submodule {_show(folder)}.",
            hint=f"Ask there: treering why -C {_show(folder)} {_show(path[len(folder) + 1 :])}",
        )
    from treering.model.spelling import list_near_paths

    near: list[str] = []
    if commit:
        near = list_near_paths(path, list_paths(workspace.repository, commit))
    question = f"Did you mean {' or '.join(near)}?" if near else "Paths count from the top."
    return Invalid(f"There is no file {_show(path)} here.", hint=question)


def check_file(workspace: Workspace, path: str, commit: str | None) -> TreeEntry | None:
    """What is committed under a path; a folder and a submodule have no lines."""
    entry = entry_at(workspace, commit, path)
    root = workspace.repository.workdir
    is_folder = entry.mode == TREE if entry else bool(root and (root / path).is_dir())
    if entry and entry.mode == SUBMODULE:
        raise Invalid(
            f"{_show(path)} is a submodule, with a history of its own.",
            hint=f"Ask there: treering why -C {_show(path)} FILE",
        )
    if is_folder:
        raise Invalid(f"{_show(path)} is a folder.", hint="Name a file in it.")
    return entry


def _show(text: str) -> str:
    """A name that can be put into a message, whatever bytes it is made of."""
    return os.fsencode(text).decode(errors="replace")
