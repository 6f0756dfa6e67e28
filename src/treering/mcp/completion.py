"""Completion: ids, types, branches and topics while someone types them."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from mcp_types import CompleteRequestParams, CompleteResult, Completion

from treering.errors import TreeringError
from treering.mcp.requests import Context, Requests
from treering.model.memory import id_prefix
from treering.model.taxonomy import TYPES

if TYPE_CHECKING:
    from treering.actions.workspace import Workspace

_MOST = 100
_RECENT = 20


class Completions:
    """The protocol's question what a word may become."""

    def __init__(self, offers: Requests) -> None:
        self._offers = offers

    async def complete(self, ctx: Context, params: CompleteRequestParams) -> CompleteResult:
        name, begun = params.argument.name, params.argument.value
        nothing: list[str] = []
        values = await self._offers.find_or(ctx, lambda ws: _values(ws, name, begun), nothing)
        shown = values[:_MOST]
        return CompleteResult(
            completion=Completion(
                values=shown, total=len(values), has_more=len(values) > len(shown)
            )
        )


def _values(workspace: "Workspace", name: str, begun: str) -> list[str]:
    """By what the argument is called: the templates' own names, and those people give."""
    if name in ("id", "ids", "memory", "source", "target"):
        return _ids(workspace, begun)
    if name in ("name", "branch", "into"):
        return _starting(begun, _harmless(_branches(workspace)))
    if name in ("type", "types"):
        return _starting(begun.lower(), TYPES)
    if name == "topic":
        seen = workspace.searcher.search_view(workspace.view()).entries()
        known = {entry.topic for entry in seen if entry.flags == ()}
        return _starting(begun, sorted(known - {""}))
    return []


def _harmless(names: Iterable[str]) -> list[str]:
    """Names that look like orders are typed by whoever wants them."""
    from treering.text.flags import flags_in  # here and below: not before the handshake

    return [name for name in names if not flags_in(name)]


def _starting(begun: str, words: Iterable[str]) -> list[str]:
    return [word for word in words if word.startswith(begun)]


def _branches(workspace: "Workspace") -> list[str]:
    from treering.actions.status import branches  # here and below: not before the handshake

    known = {
        line["branch"] for line in branches(workspace)
    } | workspace.repository.branches().keys()
    return sorted(known)


def _ids(workspace: "Workspace", begun: str) -> list[str]:
    """Those with this beginning; while that is too short to tell, the newest."""
    try:
        prefix = id_prefix(begun)
    except TreeringError:
        from treering.actions.recall import recall

        newest = recall(workspace, order="newest", limit=_RECENT, detail="light").results
        return _starting(begun.lower(), (result.id for result in newest))
    seen = workspace.view()
    return sorted({mid for layer in seen.layers for mid, _ in layer.snapshot.starting_with(prefix)})
