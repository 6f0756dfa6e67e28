"""Memories, branches and saved prompts as the protocol's resources and prompts, and completion.

A memory comes fenced: what is attached stands in the conversation as it is, unlike the answer of a
tool, and has to say that it is data. A prompt is an instruction, chosen by the person who runs it,
so it is not fenced; memories that a template puts into it are.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import quote, unquote

from treering.errors import Invalid, TreeringError
from treering.mcp.replies import MOST, fit, write_json
from treering.model.dates import ago
from treering.model.memory import id_prefix
from treering.model.taxonomy import TYPES
from treering.text.values import jsonable

if TYPE_CHECKING:
    from treering.actions.card import Card
    from treering.actions.status import StatusSummary
    from treering.actions.workspace import Workspace


MEMORY, BRANCH = "treering://memory/", "treering://branch/"
_PAGE = 50
_RECENT = 10
_TEMPLATES = [
    {
        "uriTemplate": MEMORY + "{id}",
        "name": "memory",
        "title": "A memory",
        "description": "One memory by its id or a unique prefix, fenced as data.",
        "mimeType": "text/markdown",
    },
    {
        "uriTemplate": BRANCH + "{name}",
        "name": "branch",
        "title": "A branch",
        "description": "What is remembered on a branch: counts and the newest memories.",
        "mimeType": "application/json",
    },
]


def templates() -> dict[str, Any]:
    return {"resourceTemplates": _TEMPLATES}


def list_page(workspace: "Workspace", cursor: str) -> dict[str, Any]:
    """The branch checked out and the newest memories, a page at a time."""
    from treering.actions.recall import recall  # here and below: not before the handshake

    answer = recall(workspace, order="newest", limit=_PAGE, detail="light", cursor=cursor)
    branch = [] if cursor else [_branch_resource(answer.branch)]
    page: dict[str, Any] = {"resources": [*branch, *map(_memory_resource, answer.results)]}
    return page | {"nextCursor": answer.cursor} if answer.cursor else page


def _memory_resource(hit: "Card") -> dict[str, str]:
    """Clients ask for the list by themselves: a flagged memory of others is in it by its id."""
    is_withheld = hit.flags and hit.origin != "you"
    warning = f"{hit.type}, flagged: {', '.join(hit.flags or ())}" if is_withheld else ""
    return {
        "uri": hit.uri,
        "name": hit.id,
        "title": hit.id if warning else hit.title,
        "description": warning or hit.type,
        "mimeType": "text/markdown",
    }


def _branch_resource(branch: str) -> dict[str, str]:
    from treering.text.flags import unless_flagged

    uri, name = BRANCH + quote(branch, safe=""), unless_flagged(branch, "HEAD")
    return {"uri": uri, "name": name, "title": f"Branch {name}", "mimeType": "application/json"}


def read_resource(workspace: "Workspace", uri: str) -> dict[str, Any]:
    if uri.startswith(MEMORY):
        kind, text = "text/markdown", _memory(workspace, unquote(uri.removeprefix(MEMORY)))
    elif uri.startswith(BRANCH):
        kind, text = "application/json", _overview(workspace, unquote(uri.removeprefix(BRANCH)))
    else:
        raise Invalid("There is no such resource.", hint=f"{MEMORY}ID and {BRANCH}NAME exist.")
    return {"contents": [{"uri": uri, "mimeType": kind, "text": text}]}


def _memory(workspace: "Workspace", memory_id: str) -> str:
    from treering.actions.card import Card
    from treering.actions.read import read
    from treering.text.fence import fence, fresh_nonce, header

    memory = read(workspace, memory_id, links=0)
    if not isinstance(memory, Card):
        raise Invalid("That is not the id of a memory.")
    head = header(
        id=memory.id, type=memory.type, author=memory.author, branch=memory.branch,
        age=ago(memory.created, workspace.clock()), origin=memory.origin, flags=memory.flags or (),
    )  # fmt: skip
    return fence(f"# {memory.title}\n\n{memory.content}", fresh_nonce(), head)


def _overview(workspace: "Workspace", branch: str) -> str:
    from treering.actions.recall import recall
    from treering.actions.status import status
    from treering.text.flags import flags_in

    summary = cast("StatusSummary", status(workspace, branch=branch))
    recent = recall(workspace, branch=branch, order="newest", limit=_RECENT, detail="light")
    overview = {
        "branch": recent.branch,
        "layers": recent.layers,
        "memories": summary["memories"],
        "top_tags": [tag for tag in summary["top_tags"] if not flags_in(tag["tag"])],
        "recent": [_headline(result) for result in recent.results],
    }
    return write_json(fit(jsonable(overview), MOST))


def _headline(hit: "Card") -> dict[str, Any]:
    """One memory of an overview, which is not fenced: a flagged one of others without its words."""
    line: dict[str, Any] = {"id": hit.id, "type": hit.type}
    if hit.flags and hit.origin != "you":
        return line | {"flags": list(hit.flags)}
    return line | {"title": hit.title, "author": hit.author, "created": hit.created}


def _prompts(workspace: "Workspace", op: str, **options: Any) -> Any:
    from treering.verbs.work import prompts  # at the first call, not before the handshake

    return prompts(workspace, op, kind="prompt", **options)


def list_prompts(workspace: "Workspace") -> dict[str, Any]:
    """Each name once: the user's own before the project's, as running it would find them."""
    items = sorted(_prompts(workspace, "list")["prompts"], key=lambda item: item["domain"])
    by_name = {item["name"]: _offer(item) for item in items}  # "user" comes last, and stays
    return {"prompts": [by_name[name] for name in sorted(by_name)]}


def _offer(item: dict[str, Any]) -> dict[str, Any]:
    from treering.text.flags import unless_flagged

    required = [{"name": name, "required": True} for name in item["variables"]]
    optional = [{"name": name, "required": False} for name in item.get("optional", [])]
    # Clients list prompts by themselves; what one says is read by whoever runs it.
    description = unless_flagged(item["description"], "") or "A saved prompt."
    return {
        "name": item["name"],
        "description": description,
        "arguments": [*required, *optional],
    }


def run_prompt(workspace: "Workspace", name: str, variables: dict[str, str]) -> dict[str, Any]:
    """Return what the prompt is for, and what it says, after what has to be said about it: few
    clients show a description, all show the messages."""
    prompt = _prompts(workspace, "get", name=name)
    result = _prompts(workspace, "run", name=name, variables=variables)
    warnings = [f"Warning from treering: {warning}" for warning in result.get("warnings", [])]
    return {
        "description": " ".join([prompt["description"], *warnings]).strip(),
        "messages": [
            {"role": "user", "content": {"type": "text", "text": text}}
            for text in (*warnings, result["text"])
        ],
    }


_MAX_COMPLETIONS = 100
_COMPLETED_IDS = 20


def complete(workspace: "Workspace", name: str, start: str) -> dict[str, Any]:
    """Return what a word may become, by what the argument is called."""
    return as_completion(_values(workspace, name, start))


def as_completion(values: list[str]) -> dict[str, Any]:
    page = values[:_MAX_COMPLETIONS]
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
    """Return those that start so. While that is too short to tell, the newest."""
    try:
        prefix = id_prefix(start)
    except TreeringError:
        from treering.actions.recall import recall

        newest = recall(workspace, order="newest", limit=_COMPLETED_IDS, detail="light").results
        return _starting_with(start.lower(), (result.id for result in newest))
    layers = workspace.view().layers
    return sorted({mid for layer in layers for mid, _ in layer.snapshot.starting_with(prefix)})
