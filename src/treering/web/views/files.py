"""Files: the tree with how much is known of each part, and a file beside what is known of it."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from starlette.responses import Response

from treering.actions.card import Card
from treering.actions.why.answers import WhyAnswer, WhyLines
from treering.errors import Invalid, StoreDamaged, TreeringError
from treering.verbs.history import why
from treering.verbs.knowledge import status
from treering.verbs.memories import recall
from treering.web.paging import cut_page
from treering.web.visit import Visit

_SIZE = 100
_LINES = 400
_MOST = 100  # memories that explain one page of a file
_BEST = 6
_MOST_REASONS = 3  # beside a stretch of lines
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
    counts_here: Counter[str] = Counter()
    folders: set[str] = set()
    for path, count in counts.items():
        if path.startswith(prefix):
            name, slash, _ = path.removeprefix(prefix).partition("/")
            counts_here[name] += count
            if slash:
                folders.add(name)
    entries = visit.workspace.repository.list_folder(head, folder) if head else None
    if entries is None and folder and not counts_here:
        return None
    there = {entry.name: entry.mode == _FOLDER for entry in entries or ()}
    names = there.keys() | counts_here.keys()
    rows = [
        FileRow(
            name, prefix + name, counts_here[name], there.get(name, name in folders), name in there
        )
        for name in names
    ]
    rows.sort(key=lambda row: (-row.memories, not row.is_folder, row.name))
    clean_rows: list[FileRow] = visit.ask(lambda _: rows)
    return clean_rows


def _list_crumbs(path: str) -> list[tuple[str, str]]:
    parts = path.split("/") if path else []
    return [(name, "/".join(parts[: n + 1])) for n, name in enumerate(parts)]


# --- one file -------------------------------------------------------------------------------------


class CodeStretch(NamedTuple):
    """Lines that one commit wrote, and why they are there, as far as that is known."""

    first: int
    texts: list[str]
    why: WhyLines | None
    #: The commit's own memory, and those that say more than it.
    record: Card | None = None
    memories: Sequence[Card] = ()


def _show_file(visit: Visit, path: str, head: str) -> Response:
    lines = _read_lines(visit, path, head)
    number = visit.number("page", 1, most=100_000)
    page = cut_page(lines or [], number, _LINES, f"/files/{path}", branch=visit.branch)
    answer = _ask_why(visit, path, head, page.first, len(page.items)) if page.items else None
    return visit.show(
        "file.html",
        current="Files",
        path=path,
        crumbs=_list_crumbs(path),
        memories=visit.ask(recall, file=path, limit=30, branch=visit.branch, order="newest"),
        best=answer.memories[:_BEST] if answer else (),
        stretches=_list_stretches(page.items, page.first, answer),
        links=page.links,
        is_text=lines is not None,
        is_there=bool(visit.workspace.repository.blob_at(head, path)),
    )


def _ask_why(visit: Visit, path: str, head: str, first: int, count: int) -> WhyAnswer | None:
    """Why the lines on this page are there; None where it cannot be told."""
    lines = f"{path}:{first}-{first + count - 1}"
    try:
        answer: WhyAnswer = visit.ask(why, lines, at=head, limit=_MOST, branch=visit.branch)
    except TreeringError:
        return None
    return answer


def _list_stretches(
    texts: Sequence[str], first: int, answer: WhyAnswer | None
) -> list[CodeStretch]:
    if answer is None or not answer.lines:
        return [CodeStretch(first, list(texts), None)]
    by_id = {memory.id: memory for memory in answer.memories}
    return [_make_stretch(texts, first, part, by_id) for part in answer.lines]


def _make_stretch(
    texts: Sequence[str], first: int, part: WhyLines, by_id: Mapping[str, Card]
) -> CodeStretch:
    memories = [by_id[mid] for mid in part.memories if mid in by_id]
    return CodeStretch(
        part.first,
        list(texts[part.first - first : part.last - first + 1]),
        part,
        next((memory for memory in memories if part.is_repeated_by(memory)), None),
        [memory for memory in memories if not part.is_repeated_by(memory)][:_MOST_REASONS],
    )


def _read_lines(visit: Visit, path: str, head: str) -> list[str] | None:
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
    return texts
