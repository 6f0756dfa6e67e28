"""Files: the tree with how much is known of each part, and a file beside what is known of it."""

from collections import Counter
from typing import Any, NamedTuple

from starlette.responses import Response

from treering.actions.recall import recall
from treering.actions.status import status
from treering.errors import Invalid, StoreDamaged
from treering.web.paging import cut_page
from treering.web.visit import Visit

_SIZE = 100
_LINES = 400
_LARGEST = 1024 * 1024
_FOLDER = 0o040000


class FileRow(NamedTuple):
    """A file or a folder, and how many memories name it or what is in it."""

    name: str
    path: str
    memories: int
    is_folder: bool
    is_there: bool


def show_files(visit: Visit) -> Response:
    path = visit.path.get("path", "").strip("/")
    head = visit.workspace.position(visit.branch).head or ""
    counts = _count(visit)
    if path and visit.workspace.repository.blob_at(head, path):
        return _show_file(visit, path, head)
    rows = _list_rows(visit, head, path, counts)
    if rows is None and counts.get(path):
        return _show_file(visit, path, head)  # memories name what is gone
    if rows is None:
        raise Invalid(f"There is no file {path} on this branch.", hint="Start at Files.")
    page = visit.number("page", 1, most=100_000)
    return visit.show(
        "files.html",
        current="Files",
        path=path,
        crumbs=_list_crumbs(path),
        page=cut_page(rows, page, _SIZE, f"/files/{path}" if path else "/files"),
    )


def _count(visit: Visit) -> Counter[str]:
    answer: Any = visit.ask(status, view="files", branch=visit.branch)
    return Counter({line["path"]: line["count"] for line in answer["files"]})


def _list_rows(visit: Visit, head: str, folder: str, counts: Counter[str]) -> list[FileRow] | None:
    """What is in a folder, that which is known best first; None where there is no such folder."""
    prefix = f"{folder}/" if folder else ""
    known: Counter[str] = Counter()
    folders: set[str] = set()
    for path, count in counts.items():
        if path.startswith(prefix):
            name, slash, _ = path.removeprefix(prefix).partition("/")
            known[name] += count
            if slash:
                folders.add(name)
    entries = visit.workspace.repository.list_folder(head, folder) if head else None
    if entries is None and folder and not known:
        return None
    there = {entry.name: entry.mode == _FOLDER for entry in entries or ()}
    names = there.keys() | known.keys()
    rows = [
        FileRow(name, prefix + name, known[name], there.get(name, name in folders), name in there)
        for name in names
    ]
    rows.sort(key=lambda row: (-row.memories, not row.is_folder, row.name))
    shown: list[FileRow] = visit.ask(lambda _: rows)
    return shown


def _list_crumbs(path: str) -> list[tuple[str, str]]:
    parts = path.split("/") if path else []
    return [(name, "/".join(parts[: n + 1])) for n, name in enumerate(parts)]


# --- one file -------------------------------------------------------------------------------------


class CodeLine(NamedTuple):
    number: int
    text: str


def _show_file(visit: Visit, path: str, head: str) -> Response:
    memories = visit.ask(recall, file=path, limit=30, branch=visit.branch, order="newest")
    lines = _read_lines(visit, path, head)
    page = cut_page(lines or [], visit.number("page", 1, most=100_000), _LINES, f"/files/{path}")
    return visit.show(
        "file.html",
        current="Files",
        path=path,
        crumbs=_list_crumbs(path),
        memories=memories,
        page=page,
        is_text=lines is not None,
        is_there=bool(visit.workspace.repository.blob_at(head, path)),
    )


def _read_lines(visit: Visit, path: str, head: str) -> list[CodeLine] | None:
    """The committed text; None where it is none, or too long."""
    repository = visit.workspace.repository
    blob = repository.blob_at(head, path)
    try:
        data = repository.objects.blob(blob, most=_LARGEST) if blob else b"\0"
    except StoreDamaged:
        return None
    if b"\0" in data:
        return None
    texts: list[str] = visit.ask(lambda _: data.decode("utf-8", "replace").split("\n"))
    if texts and not texts[-1]:
        texts.pop()
    return [CodeLine(number + 1, text) for number, text in enumerate(texts)]
