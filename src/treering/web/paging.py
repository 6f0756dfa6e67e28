"""Lists in pages, with links to the next and the previous one."""

from collections.abc import Sequence
from typing import Generic, NamedTuple, TypeVar

from treering.web.visit import Visit

Item = TypeVar("Item")


class PageLinks(NamedTuple):
    """Where the pages before and after are; empty where there is none."""

    previous: str = ""
    next: str = ""


class ListPage(NamedTuple, Generic[Item]):
    """One page of a list, and what it is a part of."""

    items: Sequence[Item]
    first: int
    total: int
    links: PageLinks


def cut_page(
    visit: Visit, items: Sequence[Item], page: int, size: int, field: str = "page"
) -> ListPage[Item]:
    """The page of that number, from 1; one past the end is the last. `field` names it in the
    address."""
    last = max(1, -(-len(items) // size))
    page = min(max(page, 1), last)
    start = (page - 1) * size
    links = PageLinks(
        visit.here(**{field: page - 1 if page > 2 else 0}) if page > 1 else "",
        visit.here(**{field: page + 1}) if page < last else "",
    )
    return ListPage(items[start : start + size], start + 1, len(items), links)
