"""Looks at all memories together: told how far they are, given up at once, waited for by nobody."""

import json

import pytest

from conftest import Repo
from treering.actions.graph import graph
from treering.actions.tidying.maintain import maintain
from treering.mcp.conversation import Conversation
from treering.mcp.methods import Methods
from treering.mcp.repository import ServedRepository


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


@pytest.mark.parametrize(("op", "is_given_up"), [("dedupe", True), ("gc", False)])
def test_the_end_of_the_input_does_not_wait_for_a_look(
    repo: Repo, monkeypatch: pytest.MonkeyPatch, op: str, is_given_up: bool
) -> None:
    """What was asked before it is answered, but for what may take long and changes nothing."""
    methods = Methods(ServedRepository(repo.path))
    conversation = Conversation(methods, lambda _: None, lambda _: None)
    client = {"name": "test", "version": "1"}
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client}
    call = {"name": "maintain", "arguments": {"op": op}}
    for method, params in (("initialize", hello), ("tools/call", call)):
        message = {"jsonrpc": "2.0", "id": method, "method": method, "params": params}
        conversation.hear(json.dumps(message).encode())
    states: list[bool] = []

    def look(*_: object) -> None:
        works = (steps for work in conversation._underway.values() for steps in work)
        states.extend(steps.is_given_up.is_set() for steps in works)

    monkeypatch.setattr(conversation.is_idle, "wait_for", look)
    conversation.finish(10)

    assert states == [False, is_given_up], "a moment for all, then no more for a look"
