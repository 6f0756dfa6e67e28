"""A memory: its text, its links drawn, its files and what became of them, its past."""

from typing import Any

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
        files=memory.stale.files if memory.stale else memory.files or (),
        reasoning=str((memory.details or {}).get("reasoning") or ""),
        star=draw_star(visit, memory) if memory.links else "",
        history=history[:_MOST_VERSIONS],
        history_total=len(history),
        changes=_find_changes(visit, memory, history) if at else None,
        details=_list_details(memory),
        is_forgotten=memory.status == "deleted",
        can_change=not (visit.site.is_read_only or repo or memory.status == "deleted"),
    )


def _list_details(memory: Card) -> dict[str, str]:
    """What else is noted, in words; what has its own place on the page is not repeated."""
    shown = {"outcome", "reviewed", "reasoning"}
    return {
        key.replace("_", " "): _say(value)
        for key, value in (memory.details or {}).items()
        if key not in shown and value not in ("", None)
    }


def _say(value: object) -> str:
    if isinstance(value, dict):
        return "; ".join(f"{str(key).replace('_', ' ')}: {_say(one)}" for key, one in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(_say, value))
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


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
    if not any(file.path == path and file.blob for file in memory.files or ()):
        raise Invalid(f"The memory {memory.id} does not say what {path} was.")
    now, parts = compare_file(visit, memory, path)
    return visit.show("changes.html", memory=memory, path=path, now=now, parts=parts)


def compare_file(visit: Visit, memory: Card, path: str) -> tuple[str, list[DiffPart] | None]:
    """The name of a file now, and how it differs from what a memory noted; None where one of the
    two is not here, no text, or too long to be compared."""
    noted = next((file.blob for file in memory.files or () if file.path == path), None)
    states = memory.stale.files if memory.stale else ()
    now = next((file.now for file in states if file.path == path), None) or path
    head = visit.workspace.position(visit.branch).head or ""
    repository = visit.workspace.repository
    texts = []
    for oid in (noted, repository.blob_at(head, now)):
        try:
            data = repository.objects.blob(oid, most=_LARGEST_FILE) if oid else b"\0"
        except (StoreDamaged, TreeringError):
            return now, None
        if b"\0" in data:
            return now, None
        texts.append(data.decode("utf-8", "replace"))
    parts: list[DiffPart] = visit.ask(lambda _: compare_lines(*texts, is_brief=True))
    return now, parts
