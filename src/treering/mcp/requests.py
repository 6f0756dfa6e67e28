"""What a request other than a tool call finds: work on a thread, errors as JSON-RPC has them."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR, INVALID_PARAMS

from treering.errors import NotARepository, TreeringError
from treering.mcp.replies import describe_error
from treering.mcp.repository import ServedRepository
from treering.mcp.threads import Threads

if TYPE_CHECKING:
    from treering.actions.workspace import Workspace

Context = ServerRequestContext[Threads]
Result = TypeVar("Result")
_THE_CALLERS = {"invalid", "memory_not_found", "ambiguous_id", "prompt_not_found",
                "branch_not_found"}  # fmt: skip


class Requests:
    """Looks things up in the repository for resources, prompts and completion."""

    def __init__(self, repository: ServedRepository) -> None:
        self._repository = repository

    async def find(
        self, ctx: Context, look: Callable[["Workspace"], Result], **data: Any
    ) -> Result:
        """What `look` finds. Its errors are errors of the protocol, with `data` beside them."""
        try:
            return await self._look(ctx, look)
        except Exception as error:
            answer = describe_error(error)["error"]
            code = INVALID_PARAMS if answer["code"] in _THE_CALLERS else INTERNAL_ERROR
            raise MCPError(code, f"{answer['message']} {answer['hint']}".strip(), data) from None

    async def find_or(
        self, ctx: Context, look: Callable[["Workspace"], Result], otherwise: Result
    ) -> Result:
        """For listings, which clients ask for unasked: outside a repository there is nothing."""
        try:
            return await self._look(ctx, look)
        except NotARepository:
            return otherwise
        except TreeringError as error:
            answer = describe_error(error)["error"]
            raise MCPError(INVALID_PARAMS, answer["message"]) from None

    async def _look(self, ctx: Context, look: Callable[["Workspace"], Result]) -> Result:
        return await ctx.lifespan_context.run(
            lambda _: look(self._repository.workspace()), ctx.session.report_progress
        )
