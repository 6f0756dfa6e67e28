"""Today: where the work on this branch stands, and what it should not forget."""

from starlette.responses import Response

from treering.actions.card import Card
from treering.actions.checkpoint import checkpoint
from treering.actions.health import share_state
from treering.model.choices import UNSUCCESSFUL
from treering.verbs.memories import recall
from treering.web.visit import Visit

_MOST = 8


def show_today(visit: Visit) -> Response:
    recent = visit.ask(recall, records="none", order="newest", limit=_MOST * 2, branch=visit.branch)
    decisions = visit.ask(
        recall, type="decision", records="none", order="newest", limit=_MOST, branch=visit.branch
    )
    known = _KnowledgeInForce(visit)
    failures = known.list_failures()
    ids = {hit.id for hit in (*decisions.results, *failures)}
    return visit.show(
        "today.html",
        current="Today",
        here_branch=recent.branch,
        layers=recent.layers,
        decisions=[hit for hit in decisions.results if hit.outcome not in UNSUCCESSFUL],
        decisions_total=decisions.total,
        failures=failures,
        others=[hit for hit in recent.results if hit.id not in ids][:_MOST],
        total=known.count(),
        own=known.count_own(recent.branch),
        records=recent.withheld.get("records", 0),
        checkpoint=visit.ask(checkpoint, "load", branch=visit.branch),
        sharing=visit.ask(share_state),
    )


class _KnowledgeInForce:
    """The knowledge in force that is seen from a branch, without records of what happened."""

    def __init__(self, visit: Visit) -> None:
        self._visit = visit
        view = visit.workspace.view(visit.branch)
        self._seen = visit.workspace.searcher.knowledge_view(view)
        self._entries = [e for e in self._seen.entries() if e.status in ("active", "needs-review")]

    def count(self) -> int:
        return len(self._entries)

    def count_own(self, branch: str) -> int:
        """How much of it lies on a branch itself."""
        own = {rank for rank, ly in enumerate(self._seen.view.layers) if ly.branch == branch}
        return sum(self._seen.ranks[entry.blob] in own for entry in self._entries)

    def list_failures(self) -> list[Card]:
        """What was tried and did not work, newest first: nobody should try it again unawares."""
        failures = [entry for entry in self._entries if entry.outcome in UNSUCCESSFUL]
        failures.sort(key=lambda entry: entry.created, reverse=True)
        return self._visit.make_cards(entry.id for entry in failures[:_MOST])
