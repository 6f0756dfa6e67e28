"""A memory: its text, its links drawn, its files and what became of them, its past."""

from typing import Any, NamedTuple

from starlette.responses import Response

from treering.actions.card import Card, HistoryEntry
from treering.errors import Invalid, StoreDamaged, TreeringError
from treering.model.choices import OUTCOMES
from treering.verbs.memories import read
from treering.web.differences import DiffPart, compare_lines, compare_words
from treering.web.star import draw_star
from treering.web.visit import Visit

_LARGEST_FILE = 400_000
_MOST_VERSIONS = 50


class FileShown(NamedTuple):
    path: str
    state: str
    now: str


def show_memory(visit: Visit) -> Response:
    """The memory as it is, or with `at` as it was, and what that change changed."""
    id, at = visit.path["id"], visit.query("at")
    if repo := visit.query("repo"):
        id = f"{repo}:{id}"
    memory: Card = visit.ask(read, id, at=at, history=not repo, branch=visit.branch)
    history = memory.history or ()
    return visit.show(
        "memory.html",
        memory=memory,
        at=at,
        outcome=memory.outcome or "",
        outcomes=OUTCOMES,
        files=_list_files(memory),
        star=draw_star(memory, visit.branch) if memory.links else "",
        history=history[:_MOST_VERSIONS],
        history_total=len(history),
        changes=_find_changes(visit, memory, history) if at else None,
        details=_list_details(memory),
        is_forgotten=memory.status == "deleted",
        can_change=not (visit.site.is_read_only or repo or memory.status == "deleted"),
    )


def _list_files(memory: Card) -> list[FileShown]:
    if memory.stale is None:
        return [FileShown(file.path, "", "") for file in memory.files or ()]
    return [FileShown(file.path, file.state, file.now or "") for file in memory.stale.files]


def _list_details(memory: Card) -> dict[str, str]:
    """What else is noted, as text; what has its own place on the page is not repeated."""
    shown = {"outcome", "reviewed"}
    return {
        key.replace("_", " "): ", ".join(map(str, value)) if isinstance(value, list) else str(value)
        for key, value in (memory.details or {}).items()
        if key not in shown and value not in ("", None)
    }


def _find_changes(
    visit: Visit, memory: Card, history: tuple[HistoryEntry, ...]
) -> list[DiffPart] | None:
    """What the version looked at changed in the text of the one before it."""
    commits = [entry.commit for entry in history]
    at = visit.query("at")
    place = next((n for n, commit in enumerate(commits) if commit.startswith(at)), None)
    if place is None or place + 1 >= len(commits):
        return None
    try:
        before: Any = visit.ask(read, memory.id, at=commits[place + 1], branch=visit.branch)
    except TreeringError:
        return None
    return compare_words(before.content, memory.content or "")


def show_changes(visit: Visit) -> Response:
    """What became of a file since the memory that names it was written."""
    memory: Card = visit.ask(read, visit.path["id"], links=0, branch=visit.branch)
    path = visit.query("path")
    noted = next((file for file in memory.files or () if file.path == path), None)
    if noted is None or not noted.blob:
        raise Invalid(f"The memory {memory.id} does not say what {path} was.")
    state = next((file for file in _list_files(memory) if file.path == path), None)
    now = (state.now if state else "") or path
    position = visit.workspace.position(visit.branch)
    old = _read_blob(visit, noted.blob)
    new = _read_blob(visit, visit.workspace.repository.blob_at(position.head or "", now))
    parts = None
    if old is not None and new is not None:
        parts = visit.ask(lambda _: compare_lines(old, new, is_brief=True))
    return visit.show("changes.html", memory=memory, path=path, now=now, parts=parts)


def _read_blob(visit: Visit, oid: str | None) -> str | None:
    """A file's text; None where it is not here, no text, or too long to be compared."""
    if not oid:
        return None
    try:
        data = visit.workspace.repository.objects.blob(oid, most=_LARGEST_FILE)
    except (StoreDamaged, TreeringError):
        return None
    return None if b"\0" in data else data.decode("utf-8", "replace")
