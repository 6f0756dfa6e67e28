"""Looks at all memories together: told how far they are, given up at once, waited for by nobody."""

import anyio
import pytest
from mcp_types import JSONRPCRequest

from conftest import Repo
from treering.actions.graph import graph
from treering.actions.tidying.maintain import maintain
from treering.mcp.stdio import Pending


class GivenUpError(Exception):
    pass


@pytest.mark.parametrize("look", ["dedupe", "suggest"])
def test_a_look_that_is_given_up_ends_at_its_next_step(repo: Repo, look: str) -> None:
    """The client that asked is gone: nothing is worth working out any more."""
    for number in range(4):
        repo.tr.remember(f"Thought {number} of the cache", type="insight", tags=["a", "b"])
    steps: list[tuple[int, int]] = []

    def progress(done: int, total: int) -> None:
        steps.append((done, total))
        raise GivenUpError

    action = maintain if look == "dedupe" else graph
    with pytest.raises(GivenUpError):
        action(repo.workspace, look, progress=progress)

    assert len(steps) == 1


def test_the_end_of_the_input_does_not_wait_for_a_look() -> None:
    """What was asked before it is answered, but for what may take long and changes nothing."""
    pending = Pending()
    for op in ("dedupe", "suggest"):
        params = {"name": "maintain", "arguments": {"op": op}}
        pending.note_request(
            JSONRPCRequest(jsonrpc="2.0", id=1, method="tools/call", params=params)
        )

    async def wait() -> bool:
        with anyio.move_on_after(1) as scope:
            await pending.none()
        return not scope.cancelled_caught

    assert anyio.run(wait)
