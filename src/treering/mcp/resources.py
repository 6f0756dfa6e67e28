"""Memories and branches as resources, for clients that let people attach them to a conversation.

A memory comes fenced: what is attached stands in the conversation as it is, unlike the answer of a
tool, and has to say that it is data.
"""

from typing import TYPE_CHECKING, Any, cast
from urllib.parse import quote, unquote

from mcp_types import (
    ListResourcesResult,
    ListResourceTemplatesResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextResourceContents,
)

from treering.actions.answers import jsonable
from treering.errors import Invalid
from treering.mcp.replies import MOST, fit, write_json
from treering.mcp.requests import Context, Requests
from treering.model.dates import ago

if TYPE_CHECKING:
    from treering.actions.recall import RecallHit
    from treering.actions.status import StatusSummary
    from treering.actions.workspace import Workspace

MEMORY, BRANCH = "treering://memory/", "treering://branch/"
_PAGE = 50
_RECENT = 10
_TEMPLATES = ListResourceTemplatesResult(
    resource_templates=[
        ResourceTemplate(
            uri_template=MEMORY + "{id}",
            name="memory",
            title="A memory",
            description="One memory by its id or a unique prefix, fenced as data.",
            mime_type="text/markdown",
        ),
        ResourceTemplate(
            uri_template=BRANCH + "{name}",
            name="branch",
            title="A branch",
            description="What is remembered on a branch: counts and the newest memories.",
            mime_type="application/json",
        ),
    ]
)


class Resources:
    """The protocol's questions about resources."""

    def __init__(self, requests: Requests) -> None:
        self._requests = requests

    async def templates(
        self, _: Context, __: PaginatedRequestParams | None
    ) -> ListResourceTemplatesResult:
        return _TEMPLATES

    async def list_page(
        self, ctx: Context, params: PaginatedRequestParams | None
    ) -> ListResourcesResult:
        """The branch checked out and the newest memories, a page at a time."""
        cursor = (params.cursor if params else None) or ""
        nothing = ListResourcesResult(resources=[])
        return await self._requests.find_or(ctx, lambda ws: _page(ws, cursor), nothing)

    async def read(self, ctx: Context, params: ReadResourceRequestParams) -> ReadResourceResult:
        uri = str(params.uri)
        contents = await self._requests.find(ctx, lambda ws: _contents(ws, uri), uri=uri[:200])
        return ReadResourceResult(contents=[contents])


def _page(workspace: "Workspace", cursor: str) -> ListResourcesResult:
    from treering.actions.recall import recall  # here and below: not before the handshake

    answer = recall(workspace, order="newest", limit=_PAGE, detail="light", cursor=cursor)
    branch = [] if cursor else [_branch_resource(answer.branch)]
    memories = [_memory_resource(hit) for hit in answer.results]
    return ListResourcesResult(resources=[*branch, *memories], next_cursor=answer.cursor or None)


def _memory_resource(hit: "RecallHit") -> Resource:
    """Clients ask for the list by themselves: a flagged memory is in it by its id alone."""
    warning = f"{hit.type}, flagged: {', '.join(hit.flags)}" if hit.flags else ""
    return Resource(
        uri=hit.uri, name=hit.id, title=hit.id if warning else hit.title,
        description=warning or hit.type, mime_type="text/markdown",
    )  # fmt: skip


def _branch_resource(branch: str) -> Resource:
    from treering.text.flags import unless_flagged

    uri, name = BRANCH + quote(branch, safe=""), unless_flagged(branch, "HEAD")
    return Resource(uri=uri, name=name, title=f"Branch {name}", mime_type="application/json")


def _contents(workspace: "Workspace", uri: str) -> TextResourceContents:
    if uri.startswith(MEMORY):
        text = _memory(workspace, unquote(uri.removeprefix(MEMORY)))
        return TextResourceContents(uri=uri, mime_type="text/markdown", text=text)
    if uri.startswith(BRANCH):
        text = _overview(workspace, unquote(uri.removeprefix(BRANCH)))
        return TextResourceContents(uri=uri, mime_type="application/json", text=text)
    raise Invalid("There is no such resource.", hint=f"{MEMORY}ID and {BRANCH}NAME exist.")


def _memory(workspace: "Workspace", memory_id: str) -> str:
    from treering.actions.read import WholeMemory, read
    from treering.text.fence import fence, fresh_nonce, header

    memory = read(workspace, memory_id, links=0)
    if not isinstance(memory, WholeMemory):
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


def _headline(hit: "RecallHit") -> dict[str, Any]:
    """One memory of an overview, which is not fenced: a flagged one without the words in it."""
    line: dict[str, Any] = {"id": hit.id, "type": hit.type}
    if hit.flags:
        return line | {"flags": list(hit.flags)}
    return line | {"title": hit.title, "author": hit.author, "created": hit.created}
