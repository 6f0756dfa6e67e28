"""Looks at all memories together: told how far they are, given up at once, waited for by nobody."""

import json
import subprocess
import sys
from typing import Any

import pytest

from conftest import Repo
from treering.actions.graph import graph
from treering.mcp.conversation import Conversation
from treering.mcp.methods import Methods
from treering.mcp.repository import ServedRepository
from treering.verbs.upkeep import maintain


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


@pytest.mark.parametrize(("op", "is_cancelled"), [("dedupe", True), ("gc", False)])
def test_the_end_of_the_input_does_not_wait_for_a_look(
    repo: Repo, monkeypatch: pytest.MonkeyPatch, op: str, is_cancelled: bool
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
        states.extend(steps.is_cancelled.is_set() for steps in works)

    monkeypatch.setattr(conversation.is_idle, "wait_for", look)
    conversation.finish(10)

    assert states == [False, is_cancelled, is_cancelled], "a moment for all, then none for a look"


#: A server whose looks have no end: the first asks now and then whether it is still wanted, the
#: second never. Calls that write would be waited for longer than any test takes.
_SERVER = """
import sys, threading, time
from pathlib import Path
from treering.mcp import stdio
from treering.mcp.methods import Methods
from treering.mcp.repository import ServedRepository
import treering.actions.{module} as module

def endless(workspace, *args, progress=None, **rest):
    done = 0
    try:
        while True:
            time.sleep(0.01)
            done += 1
            if {is_polite}:
                progress(done, 1_000_000)
    finally:
        print("ended", file=sys.stderr, flush=True)

module.{verb} = endless
stdio._FINISH_TIMEOUT = 3600
stdio.serve(Methods(ServedRepository(Path(sys.argv[1]))))
import os
os._exit(0)
"""
_LOOKS = {
    "dedupe": ("merge", "dedupe", "maintain", {"op": "dedupe"}),
    "suggest": ("graph", "graph", "graph", {"op": "suggest"}),
}


class Client:
    """One that speaks line by line with a server as a process."""

    def __init__(self, repo: Repo, look: str, *, is_polite: bool) -> None:
        module, function, verb, self._arguments = _LOOKS[look]
        code = _SERVER.format(module=module, verb=function, is_polite=is_polite)
        self._verb = verb
        self.process = subprocess.Popen(
            [sys.executable, "-c", code, str(repo.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        client = {"name": "test", "version": "1"}
        hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client}
        self.say(id=0, method="initialize", params=hello)
        self.hear()
        self.say(method="notifications/initialized")

    def say(self, **message: object) -> None:
        assert self.process.stdin
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0"} | message).encode() + b"\n")
        self.process.stdin.flush()

    def hear(self) -> dict[str, Any]:
        assert self.process.stdout
        heard: dict[str, Any] = json.loads(self.process.stdout.readline())
        return heard

    def look(self) -> None:
        params = {"name": self._verb, "arguments": self._arguments, "_meta": {"progressToken": 7}}
        self.say(id="look", method="tools/call", params=params)

    def end(self) -> str:
        """Close the input; what the server printed besides answers."""
        _, errors = self.process.communicate(timeout=60)
        assert self.process.returncode == 0
        return errors.decode()


@pytest.mark.parametrize("look", list(_LOOKS))
def test_a_client_that_gives_up_a_look_is_told_no_more_of_it(repo: Repo, look: str) -> None:
    """Over the wire: it is told how far it is, says that it is enough, and the work ends."""
    repo.tr.remember("There", type="insight")
    client = Client(repo, look, is_polite=True)
    client.look()
    first, second = client.hear(), client.hear()
    client.say(method="notifications/cancelled", params={"requestId": "look"})
    assert client.process.stderr
    assert client.process.stderr.readline() == b"ended\n"
    client.say(id="after", method="ping")
    heard = [client.hear()]
    while heard[-1].get("id") != "after":
        heard.append(client.hear())

    assert [message["method"] for message in (first, second)] == ["notifications/progress"] * 2
    assert first["params"]["progress"] < second["params"]["progress"]
    assert {message.get("id") for message in heard} <= {None, "after"}
    assert client.end() == ""


@pytest.mark.parametrize("look", list(_LOOKS))
def test_a_look_that_notices_nothing_does_not_hold_the_end(repo: Repo, look: str) -> None:
    """A client waits for its servers to end, and kills those that do not."""
    repo.tr.remember("There", type="insight")
    client = Client(repo, look, is_polite=False)
    client.look()
    client.say(id="asked", method="ping")
    assert client.hear()["id"] == "asked"

    assert client.end() == "", "it went on to the very end"
