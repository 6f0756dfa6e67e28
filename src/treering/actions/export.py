"""export: memories as JSON lines, or as the markdown files they are."""

from collections.abc import Iterator
from pathlib import Path
from typing import NotRequired, TypedDict, cast

from treering.actions.workspace import Workspace
from treering.errors import StorageFailed, TreeringError
from treering.git import plain_files
from treering.model import document
from treering.store.view import Copy, View
from treering.text.values import jsonable


class ExportedFile(TypedDict):
    path: str
    blob: NotRequired[str]


class ExportedLink(TypedDict):
    relation: str
    target: str
    confidence: NotRequired[float]
    by: NotRequired[str]
    reason: NotRequired[str]


class ExportedMemory(TypedDict):
    """A memory as it is stored: its front matter, its content and its branch."""

    id: str
    type: str
    title: str
    content: str
    branch: str
    private: NotRequired[bool]
    created: str
    modified: str
    status: str
    confidence: float
    tags: NotRequired[list[str]]
    topic: NotRequired[str]
    source: NotRequired[str]
    author: NotRequired[str]
    agent: NotRequired[str]
    session: NotRequired[str]
    commit: NotRequired[str]
    files: NotRequired[list[ExportedFile]]
    links: NotRequired[list[ExportedLink]]
    details: NotRequired[dict[str, object]]


def export_records(
    workspace: Workspace, *, branch: str = "", all: bool = False, private: bool = False
) -> Iterator[ExportedMemory]:
    """One object a memory: its front matter, `content` and `branch`.

    What is seen from the branch; with `all` every copy in every scope, forgotten ones included, so
    that a whole store can be carried elsewhere. Private memories stay unless asked for, and are
    marked.
    """
    for place in _places(workspace, branch, all, private):
        memory = place.try_memory()
        if memory and (all or not memory.is_forgotten):
            whole = document.fields(memory) | {"content": memory.content}
            whole["branch"] = place.layer.branch
            if place.is_private:
                whole["private"] = True
            yield cast(ExportedMemory, jsonable(whole))


def export_markdown(
    workspace: Workspace,
    folder: Path,
    *,
    branch: str = "",
    all: bool = False,
    private: bool = False,
) -> int:
    """Write `<branch>/<id>.md` below a folder, byte for byte as stored; returns how many.

    Prompts and templates go along, and are not counted.
    """
    count = 0
    for place in _places(workspace, branch, all, private):
        try:
            if not all and place.memory().is_forgotten:
                continue
            data = place.layer.vault.repository.objects.blob(place.blob)
        except TreeringError:
            continue
        _write(folder, place, f"{place.id}.md", data)
        count += 1
    return count


def _write(folder: Path, place: Copy, name: str, data: bytes) -> None:
    where = f"{place.layer.snapshot.scope.component}/{name}"
    try:
        plain_files.write(folder, where, data)
    except OSError as error:
        raise StorageFailed(f"{folder / where} cannot be written: {error.strerror}.") from error


def _places(workspace: Workspace, branch: str, all: bool, private: bool) -> Iterator[Copy]:
    view = _view(workspace, branch, all, private)
    return view.copies() if all else iter(view.visible.values())


def _view(workspace: Workspace, branch: str, all: bool, private: bool) -> View:
    view = workspace.view_of_all() if all else workspace.view(branch)
    return view if private else view.without_private()
