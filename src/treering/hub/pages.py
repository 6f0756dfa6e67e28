"""Pages of an answer. Nothing is kept between two of them: whoever asks for the next one asks the
same question again, and is told what comes after."""

from collections.abc import Callable

from treering.search.hits import SearchResult

#: Asks a question with a limit, or for all there is.
Ask = Callable[[int | None], SearchResult]


def turn_to(ask: Ask, offset: int, limit: int | None) -> SearchResult:
    """The hits from a place on, in the order that the first page began: what is folded and what
    is put first depends on how many are asked for."""
    first = ask(limit)
    if not offset or limit is None:
        return first
    order = [*(hit.blob for hit in first.hits), *first.rest]
    by_blob = {hit.blob: hit for hit in ask(None).hits}
    page = order[offset : offset + limit]
    hits = tuple(by_blob[blob] for blob in page if blob in by_blob)
    return first._replace(hits=hits, rest=tuple(order[offset + limit :]))
