"""Completion: ids, types, branches and topics while someone types them."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from treering.errors import TreeringError
from treering.model.memory import id_prefix
from treering.model.taxonomy import TYPES

if TYPE_CHECKING:
    from treering.actions.workspace import Workspace

_MOST = 100
_RECENT = 20


def complete(workspace: "Workspace", name: str, start: str) -> dict[str, Any]:
    """What a word may become, by what the argument is called."""
    return as_answer(_values(workspace, name, start))


def as_answer(values: list[str]) -> dict[str, Any]:
    page = values[:_MOST]
    has_more = len(values) > len(page)
    return {"completion": {"values": page, "total": len(values), "hasMore": has_more}}


def _values(workspace: "Workspace", name: str, start: str) -> list[str]:
    """By what the argument is called: the templates' own names, and those people give."""
    if name in ("id", "ids", "memory", "source", "target"):
        return _ids(workspace, start)
    if name in ("name", "branch", "into"):
        return _starting_with(start, _harmless(_branches(workspace)))
    if name in ("type", "types"):
        return _starting_with(start.lower(), TYPES)
    if name == "topic":
        entries = workspace.searcher.search_view(workspace.view()).entries()
        topics = {entry.topic for entry in entries if entry.flags == ()}
        return _starting_with(start, sorted(topics - {""}))
    return []


def _harmless(names: Iterable[str]) -> list[str]:
    """Names that look like orders are typed by whoever wants them."""
    from treering.text.flags import flags_in  # here and below: not before the handshake

    return [name for name in names if not flags_in(name)]


def _starting_with(start: str, words: Iterable[str]) -> list[str]:
    return [word for word in words if word.startswith(start)]


def _branches(workspace: "Workspace") -> list[str]:
    from treering.actions.status import branches  # here and below: not before the handshake

    scopes = {line["branch"] for line in branches(workspace)}
    return sorted(scopes | workspace.repository.branches().keys())


def _ids(workspace: "Workspace", start: str) -> list[str]:
    """Those that start so. While that is too short to tell, the newest."""
    try:
        prefix = id_prefix(start)
    except TreeringError:
        from treering.actions.recall import recall

        newest = recall(workspace, order="newest", limit=_RECENT, detail="light").results
        return _starting_with(start.lower(), (result.id for result in newest))
    layers = workspace.view().layers
    return sorted({mid for layer in layers for mid, _ in layer.snapshot.starting_with(prefix)})
