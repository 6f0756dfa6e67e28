"""Review: what is doubtful, with the reasons, and where two texts differ both side by side."""

from typing import NamedTuple

from starlette.responses import Response

from treering.actions.card import Card, Doubt
from treering.actions.tidying.review import ReviewQueue
from treering.errors import TreeringError
from treering.verbs.history import review
from treering.verbs.memories import read
from treering.web.differences import DiffPart, compare_words
from treering.web.paging import ListPage, PageLinks
from treering.web.rendering import make_url
from treering.web.visit import Visit

_SIZE = 10
_MOST = 1000  # what review lists at once


class OtherWording(NamedTuple):
    """The other text a doubt is about, and how the memory's own differs from it."""

    id: str
    title: str
    content: str
    parts: list[DiffPart]


class ReviewCard(NamedTuple):
    """A doubtful memory with all that is needed to decide."""

    item: Card
    memory: Card | None
    other: OtherWording | None


def show_review(visit: Visit) -> Response:
    page = max(1, visit.number("page", 1, most=_MOST // _SIZE))
    wanted = visit.query("reason")
    limit = _MOST if wanted else min(_MOST, page * _SIZE)
    queue: ReviewQueue = visit.ask(review, limit=limit, branch=visit.branch)
    items = [item for item in queue.items if not wanted or _has(item, wanted)]
    total = len(items) if wanted else queue.total
    items_here = items[(page - 1) * _SIZE : page * _SIZE]
    address = {"reason": wanted, "branch": visit.branch}
    links = PageLinks(
        make_url("/review", **address, page=page - 1) if page > 1 else "",
        make_url("/review", **address, page=page + 1) if page * _SIZE < min(total, _MOST) else "",
    )
    cards = [_make_card(visit, item) for item in items_here]
    return visit.show(
        "review.html",
        current="Review",
        queue=queue,
        wanted=wanted,
        page=ListPage(cards, (page - 1) * _SIZE + 1, total, links),
    )


def _has(item: Card, reason: str) -> bool:
    return any(doubt.reason == reason for doubt in item.reasons or ())


def _make_card(visit: Visit, item: Card) -> ReviewCard:
    memory = _read(visit, item.id)
    other = next(
        (one for doubt in item.reasons or () if (one := _read_other(visit, memory, doubt))), None
    )
    return ReviewCard(item, memory, other)


def _read_other(visit: Visit, memory: Card | None, doubt: Doubt) -> OtherWording | None:
    """The text on the other side of a conflict, a duplicate, or what replaced this one."""
    if memory is None:
        return None
    other = _read(visit, doubt.other) if doubt.other else None
    if doubt.reason == "conflict":
        merge = (memory.details or {}).get("merge")
        version = merge.get("lost") if isinstance(merge, dict) else None
        other = _read(visit, memory.id, at=version) if isinstance(version, str) else None
    if other is None:
        return None
    text = other.content or ""
    parts = compare_words(text, memory.content or "")
    return OtherWording(other.id, other.title, text, parts)


def _read(visit: Visit, id: str, at: str = "") -> Card | None:
    try:
        memory: Card = visit.ask(read, id, at=at, links=0, branch=visit.branch)
    except TreeringError:
        return None
    return memory
