"""Search: knowledge first, with the reasons why each hit is there, and filters to narrow it."""

from typing import Any, NamedTuple

from starlette.responses import Response

from treering.actions.recall import recall
from treering.model.choices import ORDERS, SCOPES, STATUSES, TIERS, TYPE_NAMES
from treering.web.paging import PageLinks
from treering.web.rendering import make_url
from treering.web.visit import Visit

_SIZE = 20
#: Filters of the address that recall knows by the same name.
_FILTERS = (
    "type", "topic", "since", "until", "status", "author", "agent", "file", "scope", "branch",
    "at", "records", "order",
)  # fmt: skip
_SCOPE_WORDS = {"branch": "seen from here", "trunk": "the trunk's", "all": "every branch"}
_TIER_WORDS = {"auto": "knowledge first", "none": "knowledge only", "only": "records only"}


class Chip(NamedTuple):
    """One filter as a link: taken, it takes the filter away."""

    text: str
    url: str
    is_on: bool


def show_search(visit: Visit) -> Response:
    query = visit.query("q")
    filters = {name: text for name in _FILTERS if (text := visit.query(name))}
    tags = visit.queries("tag")
    cursor = visit.query("cursor")
    answer = visit.ask(recall, query, tags=tags, limit=_SIZE, cursor=cursor, **filters)
    address = {"q": query, "tag": tags, **filters}
    is_part = bool(visit.query("part"))
    return visit.show(
        "results.html" if is_part else "search.html",
        current="Search",
        query=query,
        answer=answer,
        first=_start_of(cursor) + 1,
        links=_link_pages(address, cursor, answer.cursor),
        filters=dict.fromkeys(_FILTERS, "") | filters,
        tags=tags,
        chips=_make_chips(address, answer),
        types=TYPE_NAMES,
        statuses=("all", *STATUSES),
        address=address,
    )


def _start_of(cursor: str) -> int:
    """How many hits are before a page. A cursor counts from the end of the first page."""
    number = cursor.partition(".")[2]
    return int(number) + _SIZE if number.isdecimal() and len(number) < 10 else 0


def _link_pages(address: dict[str, Any], cursor: str, following: str) -> PageLinks:
    """A cursor is the name of an answer and a place in it, so the way back is a smaller place."""
    name, _, number = cursor.partition(".")
    previous = ""
    if cursor:
        start = int(number) - _SIZE if number.isdecimal() else -1
        before = f"{name}.{start}" if start >= 0 else ""
        previous = make_url("/search", **address, cursor=before)
    following = make_url("/search", **address, cursor=following) if following else ""
    return PageLinks(previous, following)


def _make_chips(address: dict[str, Any], answer: Any) -> list[list[Chip]]:
    kinds = list(dict.fromkeys(hit.type for hit in answer.results))[:8]
    if (chosen := address.get("type")) and chosen not in kinds:
        kinds.insert(0, chosen)
    tags = list(dict.fromkeys([*address["tag"], *(t for hit in answer.results for t in hit.tags)]))
    return [
        [_choose(address, "scope", word, _SCOPE_WORDS[word], usual="branch") for word in SCOPES],
        [_choose(address, "records", word, _TIER_WORDS[word], usual="auto") for word in TIERS],
        [_toggle(address, "type", kind) for kind in kinds],
        [_toggle_tag(address, tag) for tag in tags[:8]],
        [_choose(address, "order", word, word, usual="relevance") for word in ORDERS[:3]],
    ]  # fmt: skip


def _choose(address: dict[str, Any], name: str, word: str, text: str, *, usual: str) -> Chip:
    is_on = address.get(name, usual) == word
    return Chip(
        text, make_url("/search", **(address | {name: "" if word == usual else word})), is_on
    )


def _toggle(address: dict[str, Any], name: str, word: str) -> Chip:
    is_on = address.get(name) == word
    return Chip(word, make_url("/search", **(address | {name: "" if is_on else word})), is_on)


def _toggle_tag(address: dict[str, Any], tag: str) -> Chip:
    tags = address["tag"]
    is_on = tag in tags
    rest = [one for one in tags if one != tag] if is_on else [*tags, tag]
    return Chip(f"#{tag}", make_url("/search", **(address | {"tag": rest})), is_on)
