"""The hub as a server: who is let in, what each may see, and that nothing is written."""

import http.client
import json
import re
import signal
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit

import psycopg
import pytest

from conftest import Repo
from hub.conftest import HubAtHand

Make = Callable[[str], Repo]
_HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}


class ServedHub:
    """A running server, and the port it chose."""

    def __init__(self, hub: HubAtHand) -> None:
        self.process = hub.start("hub", "serve", "--http", "0")
        assert self.process.stderr
        self.said = self.process.stderr.readline()
        match = re.search(r":(\d+)/mcp", self.said)
        assert match, self.said
        self.port = int(match[1])

    def post(self, body: object, **headers: str) -> tuple[int, dict[str, str], str]:
        """Status, headers and text of one answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        names = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
        } | {name.replace("_", "-"): value for name, value in headers.items()}
        try:
            connection.request("POST", "/mcp", json.dumps(body), names)
            answer = connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read().decode()
        finally:
            connection.close()

    def agent(self, token: str) -> "HubAgent":
        return HubAgent(self, token)

    def end(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        self.process.communicate(timeout=20)
        return self.process.returncode


class HubAgent:
    """A client that has shaken hands."""

    def __init__(self, server: ServedHub, token: str) -> None:
        self.server = server
        self.headers = {"Authorization": f"Bearer {token}"}
        _, headers, _ = self._post({"id": 1, "method": "initialize", "params": _HELLO})
        names = {name.lower(): value for name, value in headers.items()}
        self.headers["Mcp_Session_Id"] = names["mcp-session-id"]
        self._post({"method": "notifications/initialized"})

    def _post(self, message: dict[str, Any]) -> tuple[int, dict[str, str], str]:
        return self.server.post({"jsonrpc": "2.0", **message}, **self.headers)

    def ask(self, method: str, **params: Any) -> Any:
        status, _, text = self._post({"id": 2, "method": method, "params": params})
        assert status == 200, (status, text)
        line = next(line for line in text.splitlines() if line.startswith(("data: {", "{")))
        return json.loads(line.removeprefix("data: "))

    def call(self, tool: str, **arguments: Any) -> Any:
        """The answer of a tool, or its error object."""
        result = self.ask("tools/call", name=tool, arguments=arguments)["result"]
        return json.loads(result["content"][0]["text"])


@pytest.fixture
def served(either: HubAtHand, make: Make) -> Iterator[tuple[HubAtHand, ServedHub]]:
    for name in ("api", "web"):
        repo = make(name)
        repo.tr.remember(f"The {name} cache is warmed at night", type="decision")
        either.json("hub", "add", name, str(repo.path))
    either.update()
    server = ServedHub(either)
    yield either, server
    if server.process.poll() is None:
        server.end()


def test_a_token_asks_what_it_was_granted_until_it_is_revoked(
    served: tuple[HubAtHand, ServedHub],
) -> None:
    """Reading alone, of some repositories, and not a moment longer."""
    hub, server = served
    some = hub.json("hub", "grant", "ci", "--repos", "api")["token"]
    whole = hub.json("hub", "grant", "team", "--repos", "all")["token"]
    agent, other = server.agent(some), server.agent(whole)

    tools = agent.ask("tools/list")["result"]["tools"]
    assert {tool["name"] for tool in tools} == {"recall", "read", "context", "status"}
    assert all(tool["annotations"]["readOnlyHint"] for tool in tools)

    answer = agent.call("recall", query="cache night")
    assert [hit["repo"] for hit in answer["results"]] == ["api"]
    assert [repo["name"] for repo in answer["repos"]] == ["api"]
    assert {hit["repo"] for hit in other.call("recall", query="cache night")["results"]} == {
        "api",
        "web",
    }
    memory_id = other.call("recall", query="web cache", repos=["web"])["results"][0]["id"]
    assert other.call("read", id=f"web:{memory_id}")["repo"] == "web"
    for refused in (
        agent.call("read", id=f"web:{memory_id}"),
        agent.call("recall", query="cache", repos=["web"]),
        agent.call("context", task="cache", repos=["web"]),
    ):
        assert refused["error"]["code"] == "not_allowed"
        assert "night" not in str(refused)
    assert agent.call("read", id=memory_id)["error"]["code"] == "memory_not_found"
    assert [repo["name"] for repo in agent.call("status")["repos"]] == ["api"]
    assert "error" in agent.ask("tools/call", name="remember", arguments={"content": "x"})

    hub.json("hub", "revoke", "ci")

    status, _, text = agent._post(
        {"id": 3, "method": "tools/call", "params": {"name": "status", "arguments": {}}}
    )
    assert (status, text) == (401, "")
    assert other.call("status")["memories"] == 2


def test_without_a_token_not_a_word(hub: HubAtHand, make: Make) -> None:
    repo = make("api")
    repo.tr.remember("The cache is warmed at night")
    hub.json("hub", "add", "api", str(repo.path))
    hub.update()
    server = ServedHub(hub)
    try:
        hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": _HELLO}
        token = hub.json("hub", "grant", "ci", "--repos", "api")["token"]

        assert server.post(hello)[0] == 401
        assert server.post(hello, Authorization="Bearer trh_wrong")[0] == 401
        assert server.post(hello, Authorization=f"Basic {token}")[0] == 401
        foreign = server.post(hello, Authorization=f"Bearer {token}", Origin="https://evil.example")
        assert foreign[0] == 403
        assert server.post(hello, Authorization=f"Bearer {token}", Host="evil.example")[0] == 421
    finally:
        assert server.end() in (0, -signal.SIGTERM)


def test_others_machines_need_names(hub: HubAtHand) -> None:
    assert hub.error("hub", "serve", "--http", "0.0.0.0:0")["code"] == "invalid"
    assert hub.error("hub", "serve")["code"] == "invalid"


def test_tokens_lie_in_a_file_of_ones_own(hub: HubAtHand, make: Make) -> None:
    """As hashes: who reads the file cannot ask."""
    hub.json("hub", "add", "api", str(make("api").path))

    token = hub.json("hub", "grant", "ci", "--repos", "api")["token"]

    from pathlib import Path

    file = Path(hub.place) / "tokens.json"
    assert file.stat().st_mode & 0o077 == 0
    assert token not in file.read_text()
    assert hub.error("hub", "grant", "ci", "--repos", "api")["code"] == "invalid"
    assert hub.error("hub", "grant", "x", "--repos", "nope")["code"] == "repo_not_found"
    assert hub.error("hub", "grant", "x")["code"] == "invalid"
    assert hub.error("hub", "revoke", "nope")["code"] == "invalid"


def test_a_database_that_goes_away_is_told_and_used_again(
    database: HubAtHand, make: Make, server_url: str
) -> None:
    """While it is away each call says so; nobody has to start the server again."""
    repo = make("api")
    repo.tr.remember("The api cache is warmed at night", type="decision")
    database.json("hub", "add", "api", str(repo.path))
    database.update()
    server = ServedHub(database)
    try:
        agent = server.agent(database.json("hub", "grant", "ci", "--repos", "api")["token"])
        assert agent.call("recall", query="cache")["results"]
        name = urlsplit(database.place).path.removeprefix("/")
        with psycopg.connect(server_url, autocommit=True) as sql:
            sql.execute(f"ALTER DATABASE {name} WITH ALLOW_CONNECTIONS false")
            sql.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", (name,)
            )

            errors = [agent.call("recall", query="cache"), agent.call("status")]
            sql.execute(f"ALTER DATABASE {name} WITH ALLOW_CONNECTIONS true")

        assert [error["error"]["code"] for error in errors] == ["hub_unavailable"] * 2
        assert agent.call("recall", query="cache")["results"]
    finally:
        server.end()
