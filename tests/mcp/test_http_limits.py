"""The server over HTTP, besieged: requests that never end, too many of everything."""

import contextlib
import gc
import http.client
import json
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator

import anyio
import pytest
from mcp.server.streamable_http import StreamableHTTPServerTransport

from conftest import Repo
from mcp import Client
from treering.mcp.http import HttpLimits, Sessions, make_app
from treering.mcp.repository import ServedRepository
from treering.mcp.server import make_server

PATIENCE = 120.0  # a busy machine is no failure
PLAIN = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
PING = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
SERVE = """
import sys
from treering.mcp.http import Address, HttpLimits, serve
from treering.mcp.http import Sessions
from treering.mcp.repository import ServedRepository
from treering.mcp.server import make_server
say = lambda url: print(url, file=sys.stderr, flush=True)
limits = HttpLimits(**{values})
serve(make_server(ServedRepository({path!r})), Address.of("0"), {token!r}, (), say, limits)
"""


class Besieged:
    """A running server with limits of its own."""

    def __init__(self, repo: Repo, token: str = "", **limits: float) -> None:
        code = SERVE.format(values=limits, path=str(repo.path), token=token)
        self.process = subprocess.Popen(
            [sys.executable, "-c", code], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL
        )
        assert self.process.stderr
        said = self.process.stderr.readline().decode()
        found = re.search(r":(\d+)/mcp", said)
        assert found, said
        self.port = int(found[1])
        self._connections: list[socket.socket] = []

    def connect(self, sent: bytes = b"") -> socket.socket:
        made = socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)
        self._connections.append(made)
        made.sendall(sent)
        return made

    def ask(
        self, body: object = HELLO, method: str = "POST", session: str = "", token: str = ""
    ) -> tuple[int, str]:
        """The status of one request, and the session it is answered in."""
        named = {"Mcp-Session-Id": session} if session else {}
        named |= {"Authorization": f"Bearer {token}"} if token else {}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.request(method, "/mcp", json.dumps(body).encode(), PLAIN | named)
            answer = connection.getresponse()
            answer.read()
            return answer.status, answer.getheader("mcp-session-id") or ""
        finally:
            connection.close()

    def end(self) -> str:
        """End it, and return what it said meanwhile."""
        for connection in self._connections:
            connection.close()
        self.process.send_signal(signal.SIGINT)
        _, said = self.process.communicate(timeout=PATIENCE)
        assert self.process.returncode == 0
        return said.decode()


Serve = Callable[..., Besieged]


@pytest.fixture
def besieged(repo: Repo) -> Iterator[Serve]:
    running: list[Besieged] = []

    def start(**limits: float) -> Besieged:
        running.append(Besieged(repo, **limits))
        return running[-1]

    yield start
    for one in running:
        if one.process.poll() is None:
            one.end()


def is_closed(connection: socket.socket) -> bool:
    """Wait until the other side closes; whatever it says before is passed over."""
    try:
        while connection.recv(65_536):
            pass
    except ConnectionResetError:
        pass
    except TimeoutError:
        return False
    return True


HALVES = {
    "nothing": b"",
    "half a line": b"POST /m",
    "half of the headers": b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:1\r\nX: ",
    "half of the body": b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:1\r\nContent-Length: 90000\r\n"
    b"Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\r\n{",
    "half of a chunk": b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:1\r\nTransfer-Encoding: chunked\r\n"
    b"Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\r\n5\r\n{",
}


@pytest.mark.parametrize("half", HALVES.values(), ids=HALVES)
def test_what_does_not_arrive_whole_is_dropped(besieged: Serve, half: bytes) -> None:
    server = besieged(request_seconds=0.5)

    with server.connect(half) as connection:
        assert is_closed(connection)
    assert server.ask()[0] == 200
    assert "Traceback" not in server.end()


def trickle(connection: socket.socket) -> bool:
    """Send a byte now and then; whether the other side has closed, in the end."""
    connection.settimeout(0.05)
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        try:
            connection.sendall(b" ")
            if connection.recv(65_536) == b"":
                return True
        except TimeoutError:
            pass
        except OSError:
            return True
    return False


@pytest.mark.parametrize("half", ["half of the headers", "half of the body"])
def test_a_byte_now_and_then_buys_no_time(besieged: Serve, half: str) -> None:
    """One byte a moment would hold a connection for ever."""
    server = besieged(request_seconds=1.0)

    with server.connect(HALVES[half]) as connection:
        assert trickle(connection)


def test_a_refused_request_cannot_be_sent_for_ever(repo: Repo) -> None:
    """It is answered before it is there; its rest is not waited for without end."""
    server = Besieged(repo, token="correct-horse-battery-staple", request_seconds=1.0)
    try:
        with server.connect(HALVES["half of the body"]) as connection:
            assert b"401" in connection.recv(65_536)
            assert trickle(connection)
    finally:
        server.end()


def test_each_request_on_a_connection_has_its_own_time(besieged: Serve) -> None:
    """A connection that is kept and used is no half-sent one; its next half is."""
    server = besieged(request_seconds=1.0)
    body = json.dumps(HELLO).encode()
    head = "".join(f"{name}: {value}\r\n" for name, value in PLAIN.items())
    whole = (
        f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:1\r\n{head}Content-Length: {len(body)}\r\n\r\n"
    ).encode() + body

    def answers(connection: socket.socket) -> int:
        """How many of three requests are answered, in longer than one may take."""
        for count in range(3):
            connection.sendall(whole)
            answer = b""
            while not answer.endswith(b"0\r\n\r\n"):
                part = connection.recv(65_536)
                if not part:
                    return count
                answer += part
            time.sleep(0.5)
        return 3

    for _ in range(20):  # we may be kept waiting ourselves
        with server.connect() as connection, contextlib.suppress(OSError):
            if answers(connection) == 3:
                connection.sendall(whole[:-1])
                assert is_closed(connection)
                return
    raise AssertionError("no connection lasted")


def test_three_hundred_half_sent_requests_keep_nobody_out(besieged: Serve) -> None:
    """With room for fewer: whoever waited longest without asking anything goes first."""
    server = besieged(request_seconds=600.0, connections=100)
    halves = [*HALVES.values()]
    crowd = [server.connect(halves[n % len(halves)]) for n in range(300)]

    async def main() -> bool:
        async with Client(f"http://127.0.0.1:{server.port}/mcp", mode="legacy") as client:
            stored = await client.call_tool("remember", {"content": "Got in", "type": "insight"})
            return bool(stored.is_error)

    assert anyio.run(main) is False
    assert all(is_closed(connection) for connection in crowd[:150])


def test_half_sent_requests_are_gone_in_time(besieged: Serve) -> None:
    server = besieged(request_seconds=1.0)
    crowd = [server.connect(HALVES["half of the headers"]) for _ in range(300)]

    assert all(is_closed(connection) for connection in crowd)
    assert server.ask()[0] == 200


def test_where_everyone_is_at_work_who_comes_last_is_told_so(besieged: Serve) -> None:
    """Nobody's call is broken off for a newcomer."""
    server = besieged(connections=2)
    _, session = server.ask()
    head = "".join(f"{name}: {value}\r\n" for name, value in PLAIN.items())
    listen = f"GET /mcp HTTP/1.1\r\nHost: 127.0.0.1:1\r\nMcp-Session-Id: {session}\r\n{head}\r\n"
    _, other = server.ask()
    streams = [server.connect(listen.replace(session, name).encode()) for name in (session, other)]
    for stream in streams:
        assert b"200 OK" in stream.recv(65_536)

    with server.connect() as late:
        assert b"503" in late.recv(65_536)
        assert is_closed(late)
    for stream in streams:
        stream.close()
    until = time.monotonic() + PATIENCE
    while _status_of(server) != 200:
        assert time.monotonic() < until


def _status_of(server: Besieged) -> int:
    try:
        return server.ask()[0]
    except (OSError, http.client.HTTPException):
        return 0


def test_the_session_unused_for_longest_makes_room(besieged: Serve) -> None:
    """A client that still comes keeps its own, and the one that lost its own begins anew."""
    server = besieged(sessions=3)
    first, second, third = (server.ask()[1] for _ in range(3))
    assert server.ask(PING, session=first)[0] == 200

    _, fourth = server.ask()

    asked = {name: server.ask(PING, session=name)[0] for name in (first, second, third, fourth)}
    assert list(asked.values()) == [200, 404, 200, 200]


def test_a_session_that_ended_makes_room_at_once(besieged: Serve) -> None:
    server = besieged(sessions=2)
    kept = server.ask()[1]

    for _ in range(10):
        _, session = server.ask()
        assert server.ask(PING, session=session)[0] == 200
        assert server.ask(method="DELETE", session=session)[0] == 200
        assert server.ask(PING, session=session)[0] == 404

    assert server.ask(PING, session=kept)[0] == 200


def test_a_session_nobody_uses_is_gone_in_time(besieged: Serve) -> None:
    server = besieged(idle_seconds=1.0)
    _, session = server.ask()

    until = time.monotonic() + PATIENCE
    status = 200
    while status != 404 and time.monotonic() < until:
        time.sleep(2.0)  # each question is a use
        status = server.ask(PING, session=session)[0]

    assert status == 404


def test_strangers_without_the_token_open_no_session(repo: Repo) -> None:
    """Nor do they push out those of others."""
    token = "correct-horse-battery-staple"
    server = Besieged(repo, token=token, sessions=2)
    try:
        _, session = server.ask(token=token)
        assert [server.ask()[0] for _ in range(5)] == [401] * 5
        assert server.ask(PING, session=session, token=token)[0] == 200
    finally:
        server.end()


def test_nothing_of_a_session_that_ended_is_kept(repo: Repo) -> None:
    """In the memory of the process: none of what was made for it."""
    inner = make_app(make_server(ServedRepository(repo.path)), (), HttpLimits())
    app = Sessions(inner, 4)

    async def ask(method: str, body: object, session: str = "") -> tuple[int, str]:
        sent = [(b"host", b"127.0.0.1:1"), (b"content-type", b"application/json")]
        sent += [(b"accept", b"application/json, text/event-stream")]
        sent += [(b"mcp-session-id", session.encode())] if session else []
        scope = {"type": "http", "http_version": "1.1", "scheme": "http", "method": method,
                 "path": "/mcp", "raw_path": b"/mcp", "query_string": b"", "root_path": "",
                 "headers": sent, "client": ("::1", 1), "server": ("::1", 1)}  # fmt: skip
        messages = [{"type": "http.request", "body": json.dumps(body).encode(), "more_body": False}]
        answered: dict[str, object] = {}

        async def receive() -> dict[str, object]:
            if messages:
                return messages.pop()
            await anyio.sleep_forever()
            raise AssertionError

        async def send(message: dict[str, object]) -> None:
            answered.update(message)

        await app(scope, receive, send)
        named = dict(answered["headers"])  # type: ignore[call-overload]
        return int(str(answered["status"])), named.get(b"mcp-session-id", b"").decode()

    async def main() -> int:
        async with inner.router.lifespan_context(inner):  # type: ignore[attr-defined]
            for n in range(30):
                status, session = await ask("POST", HELLO)
                assert status == 200
                if n % 2:
                    assert (await ask("DELETE", {}, session))[0] == 200
            for _ in range(20):
                await anyio.sleep(0)
            gc.collect()
            return sum(isinstance(o, StreamableHTTPServerTransport) for o in gc.get_objects())

    assert anyio.run(main) <= 4
