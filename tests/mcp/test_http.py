"""The server over HTTP: who is let in, and how it ends."""

import http.client
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import anyio
import pytest
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client

from mcp import Client

TREERING = Path(sys.executable).with_name("treering")
TOKEN = "correct-horse-battery-staple"
DISCOVER = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}


class Served:
    """A running server and the port it chose."""

    def __init__(self, folder, *options, where="0", **environment) -> None:
        self.process = subprocess.Popen(
            [TREERING, "mcp", "--http", where, *options],
            cwd=folder,
            env=os.environ | environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.said = self.process.stderr.readline()
        found = re.search(r":(\d+)/mcp", self.said)
        self.port = int(found[1]) if found else 0
        made = re.search(r"Bearer (\S+)\)", self.said)
        self.token = f"Bearer {made[1]}" if made else ""

    def post(self, body=DISCOVER, **headers) -> int:
        """The status of one request."""
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        sent = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "Authorization": self.token,
        } | {name.capitalize(): value for name, value in headers.items()}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request("POST", "/mcp", data, sent)
            return connection.getresponse().status
        finally:
            connection.close()

    def end(self) -> int:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        code = self.process.wait(30)
        self.process.stdout.close()
        self.process.stderr.close()
        return code


@pytest.fixture
def served(repo):
    running = []

    def start(*options, **settings):
        running.append(Served(repo.path, *options, **settings))
        return running[-1]

    yield start
    for one in running:
        one.end()


def test_an_agent_works_over_http_in_both_eras(served, repo, era):
    """The same tools, another wire."""
    server = served()

    async def main():
        url, headers = f"http://127.0.0.1:{server.port}/mcp", {"Authorization": server.token}
        async with (
            create_mcp_http_client(headers=headers) as http_client,
            Client(streamable_http_client(url, http_client=http_client), mode=era) as client,
        ):
            stored = await client.call_tool("remember", {"content": "Over HTTP", "type": "insight"})
            assert not stored.is_error
            return json.loads((await client.call_tool("recall", {})).content[0].text)

    assert anyio.run(main)["total"] == 1


def test_without_a_token_one_is_made(served):
    """Every user of a machine can reach its ports."""
    server = served()

    assert server.post() == 200
    assert server.post(authorization="") == 401
    assert served("--no-token").post(authorization="") == 200
    assert server.post(authorization=f"{server.token}x") == 401


def test_only_this_machines_names_are_answered(served):
    """A page whose name was pointed here must not reach it."""
    server = served()

    assert server.post() == 200
    assert server.post(host="evil.example") == 421
    assert server.post(origin="https://evil.example") == 403
    assert server.post(origin="http://localhost:3000") == 200


def test_with_a_token_nobody_gets_in_without_it(served):
    """Any program and any page on this machine could try."""
    server = served(TREERING_TOKEN=TOKEN)

    assert server.post() == 401
    assert server.post(authorization="Bearer wrong") == 401
    assert server.post(authorization=TOKEN) == 401
    assert server.post(authorization=f"Bearer {TOKEN}") == 200


def test_token_file_must_be_the_owners_alone(served, tmp_path):
    """A token everyone can read is none."""
    file = tmp_path / "token"
    file.write_text(f"{TOKEN}\n", encoding="utf-8")
    file.chmod(0o644)
    open_to_all = served("--token-file", str(file))
    file.chmod(0o600)
    closed = served("--token-file", str(file))

    assert "read by others" in open_to_all.said
    assert closed.post() == 401
    assert closed.post(authorization=f"Bearer {TOKEN}") == 200


@pytest.mark.parametrize(
    ("options", "environment"),
    [((), {}), ((), {"TREERING_TOKEN": TOKEN}), (("--allow-host", "box.example"), {})],
)
def test_other_machines_need_a_token_and_names(served, options, environment):
    """Nobody opens a repository to a network by a slip of the hand."""
    server = served(*options, where="0.0.0.0:0", **environment)

    assert "needs a token and host names" in server.said
    assert server.process.wait(30) == 1


def test_with_both_it_is_reached_by_its_name(served):
    """And by no other."""
    server = served("--allow-host", "box.example", where="0.0.0.0:0", TREERING_TOKEN=TOKEN)
    key = f"Bearer {TOKEN}"

    assert server.post(authorization=key, host="box.example") == 200
    assert server.post(authorization=key, host="other.example") == 421


def test_a_body_too_large_is_refused(served):
    """Before it is read whole."""
    assert served().post(b"x" * (5 * 1024 * 1024)) == 413


@pytest.mark.parametrize("where", ["port", "70000", "a:b"])
def test_an_address_that_is_none_is_refused(repo, where):
    """With a hint, not a traceback."""
    error = repo.error("mcp", "--http", where)

    assert error["code"] == "invalid"


def test_it_ends_cleanly_and_prints_nothing(served, repo):
    """Its standard output stays empty; one line on standard error says where it is."""
    server = served()
    server.post()
    server.process.send_signal(signal.SIGINT)

    out, err = server.process.communicate(timeout=30)
    assert server.process.returncode == 0
    assert (out, err) == ("", "")
    assert server.said.startswith("serving http://127.0.0.1:")
