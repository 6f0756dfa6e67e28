"""Memories and branches as resources, for clients that let people attach them to a conversation.

A memory comes fenced: what is attached stands in the conversation as it is, unlike the answer of a
tool, and has to say that it is data.
"""

from typing import TYPE_CHECKING, Any, cast
from urllib.parse import quote, unquote

from treering.actions.answers import jsonable
from treering.errors import Invalid
from treering.mcp.replies import MOST, fit, write_json
from treering.model.dates import ago

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
