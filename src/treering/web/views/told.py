"""Shown to agents: what agents were told unasked, what it cost, and what came too late."""

from starlette.responses import Response

from treering.actions.context.injections import ToldEntry, list_told, wants_log
from treering.web.paging import cut_page
from treering.web.visit import Visit

_SIZE = 20
_LETTERS_A_TOKEN = 4


def show_told(visit: Visit) -> Response:
    entries: list[ToldEntry] = visit.ask(list_told)
    page = cut_page(visit, entries, visit.number("page", 1, most=100_000), _SIZE)
    late = [entry for entry in entries if entry.is_missed]
    letters = sum(len(entry.text) for entry in entries if not entry.is_missed)
    return visit.show(
        "told.html",
        current="Shown to agents",
        page=page,
        is_kept=wants_log(visit.workspace),
        late=len(late),
        letters=letters,
        tokens=letters // _LETTERS_A_TOKEN,
        median=_median([entry.seconds for entry in entries]),
        letters_a_token=_LETTERS_A_TOKEN,
    )


def _median(numbers: list[float]) -> float:
    return sorted(numbers)[len(numbers) // 2] if numbers else 0.0
