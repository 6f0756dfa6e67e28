"""Files: the tree with how much is known of each part, and a file with notes beside its lines."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from markupsafe import Markup, escape
from starlette.responses import Response

from treering.actions.card import Card
from treering.actions.why.bindings import LineBindings
from treering.actions.why.source import read_source
from treering.errors import Invalid, StorageFailed, StoreDamaged
from treering.model.taxonomy import RECORD_TYPES
from treering.text.values import strip_control_characters
from treering.verbs.memories import recall
from treering.web.rendering import MOST_LINES
from treering.web.visit import Visit, cut_page

#: Longer lines, and longer pages, are shown without colours: some lexers take long over them.
_MAX_COLOURED_LINE, _MAX_COLOURED = 1_000, 200_000
#: Kinds of words that have a colour, the more special ones first, and their classes.
_KINDS = ("Comment", "String", "Number", "Keyword", "Name.Function", "Name.Class", "Name.Decorator")


def colour_lines(path: str, lines: Sequence[str]) -> list[Markup]:
    """The lines of a file as HTML, each whole in itself."""
    text = "\n".join(lines)
    if len(text) > _MAX_COLOURED or any(len(line) > _MAX_COLOURED_LINE for line in lines):
        return [escape(line) for line in lines]
    return list(_colour(path, text)[: len(lines)])


@lru_cache(maxsize=16)
def _colour(path: str, text: str) -> tuple[Markup, ...]:
    return tuple(Markup().join(parts) for parts in _split(path, text))


def _split(path: str, text: str) -> Iterator[list[Markup]]:
    from pygments import lex
    from pygments.lexers import get_lexer_for_filename
    from pygments.lexers.special import TextLexer
    from pygments.token import string_to_tokentype
    from pygments.util import ClassNotFound

    options = {"stripnl": False, "ensurenl": False}
    try:
        lexer = get_lexer_for_filename(path, **options)
    except ClassNotFound:
        lexer = TextLexer(**options)
    kinds = [(string_to_tokentype(name), f"c-{name.partition('.')[2] or name}") for name in _KINDS]
    line: list[Markup] = []
    for token, value in lex(text, lexer):
        name = next((name for kind, name in kinds if token in kind), "")
        for number, part in enumerate(value.split("\n")):
            if number:
                yield line
                line = []
            if part and name:
                line.append(Markup('<span class="{}">{}</span>').format(name.lower(), part))
            elif part:
                line.append(escape(part))
    yield line


_PAGE_SIZE = 100
_MAX_FILE = 1024 * 1024
_MOST_NOTES = 60
_NOTE = 4  # lines that a note takes beside the code
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
        page=cut_page(visit, rows, page, _PAGE_SIZE),
    )


def _count(visit: Visit) -> Counter[str]:
    """Return how many memories name each file."""
    view = visit.workspace.view(visit.branch)
    searcher = visit.workspace.searcher
    seen = (searcher.search_view if visit.has_records else searcher.knowledge_view)(view)
    return Counter(
        path for entry in seen.entries() if entry.status != "deleted" for path in entry.files
    )


def _list_rows(visit: Visit, head: str, folder: str, counts: Counter[str]) -> list[FileRow] | None:
    """Return what is in a folder, that which is known best first; None where there is no such
    folder."""
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
    clean_rows: list[FileRow] = strip_control_characters(rows)
    return clean_rows


def _list_crumbs(path: str) -> list[tuple[str, str]]:
    parts = path.split("/") if path else []
    return [(name, "/".join(parts[: n + 1])) for n, name in enumerate(parts)]


# --- one file -------------------------------------------------------------------------------------


class MarginNote(NamedTuple):
    """A memory beside the lines it binds, and the row it is put in."""

    card: Card
    ranges: tuple[tuple[int, int], ...]
    row: int


class CodeLine(NamedTuple):
    number: int
    html: Markup
    is_bound: bool


def _show_file(visit: Visit, path: str, head: str) -> Response:
    texts = _read_lines(visit, path, head)
    page = cut_page(visit, texts or [], visit.number("page", 1, most=100_000), MOST_LINES)
    first, last = page.first, page.first + len(page.items) - 1
    bound = _find_bindings(visit, path, head) if texts else {}
    here = {
        id: ranges
        for id, some in bound.items()
        if (ranges := tuple((a, b) for a, b in some if a <= last and first <= b))
    }
    kept = here if visit.has_records else _leave_out_records(visit, here)
    notes = _place_notes(visit.make_cards(kept), here, first)
    lines = {n for note in notes for a, b in note.ranges for n in range(a, b + 1)}
    return visit.show(
        "file.html",
        current="Files",
        path=path,
        crumbs=_list_crumbs(path),
        named=visit.ask(
            recall, file=path, limit=30, branch=visit.branch, order="newest", records=visit.records
        ),
        notes=notes,
        hidden=len(here) - len(kept),
        lines=[
            CodeLine(number, html, number in lines)
            for number, html in enumerate(colour_lines(path, page.items), first)
        ],
        links=page.links,
        is_text=texts is not None,
        is_there=bool(visit.workspace.repository.blob_at(head, path)),
    )


def _find_bindings(visit: Visit, path: str, head: str) -> dict[str, list[tuple[int, int]]]:
    """Memory -> the lines it binds, neighbouring stretches as one; kept, so found out once."""
    found: dict[str, list[tuple[int, int]]] = {}
    try:
        source = read_source(visit.workspace, path, head, is_past=True)
        bindings = LineBindings(visit.workspace, visit.branch).find(source, [])
    except StorageFailed:  # git needed too long
        return {}
    for binding in sorted(bindings):
        some = found.setdefault(binding.memory, [])
        if some and binding.first <= some[-1][1] + 1:
            some[-1] = (some[-1][0], max(some[-1][1], binding.last))
        else:
            some.append((binding.first, binding.last))
    return found


def _leave_out_records(visit: Visit, ids: Iterable[str]) -> list[str]:
    view = visit.workspace.view(visit.branch)
    copies = [copy for id in ids if (copy := view.place(id))]
    entries = visit.workspace.rows.entries([copy.blob for copy in copies])
    return [c.id for c in copies if (e := entries.get(c.blob)) and e.type not in RECORD_TYPES]


def _place_notes(
    cards: list[Card], bound: dict[str, tuple[tuple[int, int], ...]], first: int
) -> list[MarginNote]:
    """Each memory once, beside its longest stretch, and none on top of another."""
    best = {id: max(ranges, key=lambda r: (r[1] - r[0], -r[0])) for id, ranges in bound.items()}
    cards = sorted(cards, key=lambda c: (c.type in RECORD_TYPES, c.outcome != "failed"))
    notes, free = [], 1
    for card in sorted(cards[:_MOST_NOTES], key=lambda card: best[card.id]):
        row = max(free, best[card.id][0] - first + 1)
        notes.append(MarginNote(card, bound[card.id], min(row, MOST_LINES)))
        free = row + _NOTE
    return notes


def _read_lines(visit: Visit, path: str, head: str) -> list[str] | None:
    """The committed text; None where it is none, or too long."""
    repository = visit.workspace.repository
    blob = repository.blob_at(head, path)
    try:
        data = repository.objects.blob(blob, most=_MAX_FILE) if blob else b"\0"
    except StoreDamaged:
        return None
    if b"\0" in data:
        return None
    texts: list[str] = strip_control_characters(data.decode("utf-8", "replace").split("\n"))
    if texts and not texts[-1]:
        texts.pop()
    return texts
