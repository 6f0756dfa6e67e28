"""Today: where the work on this branch stands, and what it should not forget."""

from typing import Any, NamedTuple

from starlette.responses import Response

from treering.actions.checkpoint import checkpoint
from treering.actions.health import share_state
from treering.actions.recall import recall
from treering.actions.status import branches
from treering.model.choices import UNSUCCESSFUL
from treering.web.visit import Visit

_MOST = 8


class BriefMemory(NamedTuple):
    """A memory as a line of a list."""

    id: str
    type: str
    title: str
    created: float
    branch: str
    outcome: str


def show_today(visit: Visit) -> Response:
    recent = visit.ask(recall, records="none", order="newest", limit=_MOST * 2, branch=visit.branch)
    decisions = visit.ask(
        recall, type="decision", records="none", order="newest", limit=_MOST, branch=visit.branch
    )
    failures = _list_failures(visit)
    ids = {hit.id for hit in (*decisions.results, *failures)}
    return visit.show(
        "today.html",
        current="Today",
        here=recent.branch,
        layers=recent.layers,
        decisions=[hit for hit in decisions.results if hit.outcome not in UNSUCCESSFUL],
        decisions_total=decisions.total,
        failures=failures,
        others=[hit for hit in recent.results if hit.id not in ids][:_MOST],
        total=recent.total,
        checkpoint=visit.ask(checkpoint, "load", branch=visit.branch),
        sharing=visit.ask(share_state),
        own=_count_own(visit, recent.branch),
    )


def _list_failures(visit: Visit) -> list[BriefMemory]:
    """What was tried and did not work, newest first: nobody should try it again unawares."""
    view = visit.workspace.view(visit.branch)
    search_view = visit.workspace.searcher.knowledge_view(view)
    entries = [
        entry
        for entry in search_view.entries()
        if entry.outcome in UNSUCCESSFUL and entry.status in ("active", "needs-review")
    ]
    entries.sort(key=lambda entry: entry.created, reverse=True)
    lines: list[BriefMemory] = []
    for entry in entries[:_MOST]:
        place = search_view.place(entry.blob)
        name = place.layer.branch if place else ""
        lines.append(
            BriefMemory(entry.id, entry.type, entry.title, entry.created, name, entry.outcome)
        )
    answer: list[BriefMemory] = visit.ask(lambda _: lines)
    return answer


def _count_own(visit: Visit, branch: str) -> int:
    states: list[Any] = visit.ask(branches)
    return next((state["memories"] for state in states if state["branch"] == branch), 0)
