"""Review: an inbox of what is doubtful, with the texts and the code that each doubt is about."""

from typing import NamedTuple

from starlette.responses import Response

from treering.actions.card import Card, Doubt
from treering.actions.review import ReviewQueue
from treering.errors import TreeringError
from treering.verbs.history import review
from treering.verbs.memories import read
from treering.web.memory import DiffPart, compare_file, compare_words
from treering.web.visit import ListPage, PageLinks, Visit

_PAGE_SIZE = 10
_MAX_LISTED = 1000  # what review lists at once
_MOST_FILES = 2
_MOST_PARTS = 40


class Comparison(NamedTuple):
    """Two texts, the older one first, and which of them is the memory's own."""

    old: Card
    new: Card
    parts: list[DiffPart]


class InboxItem(NamedTuple):
    """A doubtful memory with all that is needed to decide."""

    card: Card
    memory: Card | None
    texts: Comparison | None
    #: Path -> what changed in it.
    code: dict[str, list[DiffPart]]


def show_review(visit: Visit) -> Response:
    page = max(1, visit.number("page", 1, most=_MAX_LISTED // _PAGE_SIZE))
    wanted = visit.query("reason")
    limit = _MAX_LISTED if wanted else min(_MAX_LISTED, page * _PAGE_SIZE)
    queue: ReviewQueue = visit.ask(review, limit=limit, branch=visit.branch)
    items = [
        card
        for card in queue.items
        if not wanted or any(doubt.reason == wanted for doubt in card.reasons or ())
    ]
    total = len(items) if wanted else queue.total
    page = min(page, max(1, -(-min(total, _MAX_LISTED) // _PAGE_SIZE)))  # what was answered is gone
    links = PageLinks(
        visit.here(page=page - 1) if page > 1 else "",
        visit.here(page=page + 1) if page * _PAGE_SIZE < min(total, _MAX_LISTED) else "",
    )
    cards = [_make_item(visit, card) for card in items[(page - 1) * _PAGE_SIZE : page * _PAGE_SIZE]]
    return visit.show(
        "review.html",
        current="Review",
        queue=queue,
        wanted=wanted,
        back=visit.here(page=page if page > 1 else 0),
        page=ListPage(cards, (page - 1) * _PAGE_SIZE + 1, total, links),
    )


def _make_item(visit: Visit, card: Card) -> InboxItem:
    memory = _read(visit, card.id)
    doubts = card.reasons or ()
    if memory is None:
        return InboxItem(card, None, None, {})
    texts = next((both for doubt in doubts if (both := _compare(visit, memory, doubt))), None)
    files = memory.stale.files if memory.stale else ()
    changed = [file.path for file in files if file.state in ("changed", "moved")][:_MOST_FILES]
    stale = any(doubt.reason == "stale" for doubt in doubts)
    code = {path: compare_file(visit, memory, path)[1] for path in changed if stale}
    return InboxItem(
        card, memory, texts, {path: some[:_MOST_PARTS] for path, some in code.items() if some}
    )


def _compare(visit: Visit, memory: Card, doubt: Doubt) -> Comparison | None:
    """The memory and the other side of a conflict, a duplicate, or what replaced it."""
    other = _read(visit, doubt.other) if doubt.other else None
    if doubt.reason == "conflict":
        merge = (memory.details or {}).get("merge")
        version = merge.get("lost") if isinstance(merge, dict) else None
        other = _read(visit, memory.id, at=version) if isinstance(version, str) else None
    if other is None:
        return None
    is_newer = doubt.reason in ("outdated", "newer") or (
        doubt.reason == "duplicate" and other.created > memory.created
    )
    old, new = (memory, other) if is_newer else (other, memory)
    return Comparison(old, new, compare_words(old.content or "", new.content or ""))


def _read(visit: Visit, id: str, at: str = "") -> Card | None:
    try:
        memory: Card = visit.ask(read, id, at=at, links=0, branch=visit.branch)
    except TreeringError:
        return None
    return memory
