"""One memory: its page and changes, and the forms that change it.

A form that could not be sent is shown again with what was typed, and with the reason.
"""

import re
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, Literal, NamedTuple

from starlette.responses import Response

from treering.actions.card import Card, HistoryEntry
from treering.errors import Conflict, Invalid, StoreDamaged, TreeringError
from treering.model.choices import OUTCOMES, STATUSES, TYPE_NAMES
from treering.model.taxonomy import RELATIONS
from treering.model.text_merge import find_gaps
from treering.text.secrets import mask_secrets
from treering.text.values import strip_control_characters
from treering.verbs.memories import read, recall
from treering.web.graph import draw_star
from treering.web.visit import Handler, Visit

_MOST_WORDS = 1500
_AROUND = 3


class DiffPart(NamedTuple):
    """A piece of text, and whether both have it, only the old one, or only the new one."""

    kind: Literal["same", "old", "new", "gap"]
    text: str


def compare_words(old: str, new: str) -> list[DiffPart]:
    """The new text, with what went and what came; by lines where there is too much of it."""
    one, two = (re.findall(r"\s+|\w+|[^\w\s]", text) for text in (old, new))
    if max(len(one), len(two)) > _MOST_WORDS:
        return compare_lines(old, new)
    return _compare(one, two)


def compare_lines(old: str, new: str, *, is_brief: bool = False) -> list[DiffPart]:
    """The same by lines. `is_brief` leaves out what is far from any difference."""
    one, two = (text.splitlines(keepends=True) for text in (old, new))
    parts = _compare(one, two)
    return [brief for part in parts for brief in _shorten(part)] if is_brief else parts


def _compare(one: Sequence[str], two: Sequence[str]) -> list[DiffPart]:
    parts: list[DiffPart] = []
    at = 0
    for was, now in [*find_gaps(one, two), (slice(len(one), len(one)), slice(0, 0))]:
        same, old, new = one[at : was.start], one[was], two[now]
        parts += [DiffPart("same", "".join(same))] if same else []
        parts += [DiffPart("old", "".join(old))] if old else []
        parts += [DiffPart("new", "".join(new))] if new else []
        at = was.stop
    return parts


def _shorten(part: DiffPart) -> list[DiffPart]:
    lines = part.text.splitlines(keepends=True)
    if part.kind != "same" or len(lines) <= 2 * _AROUND + 1:
        return [part]
    return [
        DiffPart("same", "".join(lines[:_AROUND])),
        DiffPart("gap", f"{len(lines) - 2 * _AROUND} lines are the same"),
        DiffPart("same", "".join(lines[-_AROUND:])),
    ]


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
    """Return what else is noted, in words; what has its own place on the page is not repeated."""
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
    """Return what the version looked at changed in the text of the one before it."""
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
    """Return what became of a file since the memory that names it was written."""
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
    return now, compare_lines(*strip_control_characters(texts), is_brief=True)


WRITABLE = tuple(name for name in STATUSES if name in ("active", "needs-review"))
_CHOICES = 8


def show_remember(visit: Visit, error: TreeringError | None = None) -> Response:
    return _show(visit, "remember.html", error, types=TYPE_NAMES, outcomes=OUTCOMES)


def show_revise(visit: Visit, error: TreeringError | None = None) -> Response:
    memory = read_memory(visit)
    text = visit.text("content") or memory.content
    return _show(
        visit, "revise.html", error, memory=memory, types=TYPE_NAMES, statuses=WRITABLE, text=text
    )


def show_supersede(visit: Visit, error: TreeringError | None = None) -> Response:
    memory = read_memory(visit)
    text = visit.text("content") or memory.content
    return _show(
        visit, "supersede.html", error, memory=memory, text=text, **_find_choices(visit, memory)
    )


def show_link(visit: Visit, error: TreeringError | None = None) -> Response:
    memory = read_memory(visit)
    return _show(
        visit,
        "link.html",
        error,
        memory=memory,
        relations=RELATIONS,
        **_find_choices(visit, memory),
    )


def _find_choices(visit: Visit, memory: Card) -> dict[str, Any]:
    """The memories to choose from: those found by words, before that those nearest to it."""
    words = visit.query("find")
    found = visit.ask(
        recall, words or memory.title, limit=_CHOICES + 1, records=visit.records,
        branch=visit.branch, weak=True,
    )  # fmt: skip
    choices = [hit for hit in found.results if hit.id != memory.id][:_CHOICES]
    chosen = visit.field("target") or visit.field("by")
    return {"find": words, "choices": choices, "chosen": chosen}


def _show(visit: Visit, template: str, error: TreeringError | None, **values: Any) -> Response:
    """Show what was typed again, but for a credential."""
    if error and "text" in values:
        values["text"] = mask_secrets(values["text"])
    return visit.show(
        template,
        status=400 if error else 200,
        error=error,
        typed=lambda name: mask_secrets(visit.text(name)),
        **values,
    )


def read_memory(visit: Visit) -> Card:
    memory: Card = visit.ask(read, visit.path["id"], branch=visit.branch)
    return memory


def keeps_form(form: Callable[[Visit, TreeringError], Response]) -> Callable[[Handler], Handler]:
    """Show the form again where what it was sent for is refused."""

    def wrap(handler: Handler) -> Handler:
        @wraps(handler)
        def handle(visit: Visit) -> Response:
            try:
                return handler(visit)
            except Conflict:
                raise
            except TreeringError as error:
                return form(visit, error)

        return handle

    return wrap
