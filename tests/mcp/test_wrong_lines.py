"""Lines that are wrong in every way a client can be wrong: each is answered or refused, none ends
the server, and the next good request is as good as any."""

import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

TREERING = Path(sys.executable).with_name("treering")
PATIENCE = 120.0  # a busy machine is no failure
HELLO = (
    b'{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-06-18",'
    b'"capabilities":{},"clientInfo":{"name":"test","version":"1"}}}'
)
LONE = rb'"\ud800"'


class Pipe:
    """A server, spoken to in bytes."""

    def __init__(self, folder: Path) -> None:
        self.process = subprocess.Popen(
            [TREERING, "mcp"],
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
        )
        self._rest = b""
        self._count = 0
        self.send(HELLO)
        self.answer()
        self.send(b'{"jsonrpc":"2.0","method":"notifications/initialized"}')

    def send(self, *lines: bytes) -> None:
        assert self.process.stdin
        self.process.stdin.write(b"".join(line + b"\n" for line in lines))

    def line(self) -> bytes:
        assert self.process.stdout
        until = time.monotonic() + PATIENCE
        ready = select.poll()  # unlike select(), whatever the number of its file is
        ready.register(self.process.stdout, select.POLLIN)
        while b"\n" not in self._rest:
            assert ready.poll((until - time.monotonic()) * 1000), "no answer"
            part = os.read(self.process.stdout.fileno(), 65_536)
            assert part, "the server is gone"
            self._rest += part
        line, _, self._rest = self._rest.partition(b"\n")
        return line

    def answer(self) -> Any:
        """The next answer; what is only told is passed over."""
        while "id" not in (found := json.loads(self.line())):
            pass
        return found

    def ping(self) -> list[Any]:
        """Ask something plain, wait for it, and return what was answered before."""
        self._count += 1
        name = f"ping {self._count}"
        self.send(json.dumps({"jsonrpc": "2.0", "id": name, "method": "ping"}).encode())
        before = []
        while (found := self.answer())["id"] != name:
            before.append(found)
        assert found["result"] == {}
        return before

    def close(self) -> int:
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.close()
        code = self.process.wait(PATIENCE)
        self.process.stdout.close()
        return code


@pytest.fixture(scope="module")
def pipe(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pipe]:
    """One server for all that is wrong: it must bear one thing after the other."""
    folder = tmp_path_factory.mktemp("wrong")
    subprocess.run(["git", "init", "-q", "-b", "main", str(folder)], check=True)
    made = Pipe(folder)
    yield made
    assert made.close() == 0


def request(id: bytes, method: str = "ping", params: bytes = b"{}") -> bytes:
    return b'{"jsonrpc":"2.0","id":%s,"method":"%s","params":%s}' % (id, method.encode(), params)


@pytest.mark.parametrize("id", [LONE, rb'"a\udfffb"', b'""', b'"' + b"x" * 100_000 + b'"'])
def test_a_strange_text_is_an_id_all_the_same(pipe: Pipe, id: bytes) -> None:
    """JSON can spell halves of characters; the client that did so waits under that id."""
    pipe.send(request(id))

    assert pipe.answer() == {"jsonrpc": "2.0", "id": json.loads(id), "result": {}}
    assert pipe.ping() == []


@pytest.mark.parametrize("id", [b"1.0", b"1e3", b"-7.0"])
def test_a_whole_number_written_as_a_fraction_is_an_id(pipe: Pipe, id: bytes) -> None:
    """Some languages know no other numbers."""
    pipe.send(request(id))

    assert pipe.answer() == {"jsonrpc": "2.0", "id": json.loads(id), "result": {}}


@pytest.mark.parametrize(
    ("id", "echoed"),
    [
        (b"1.5", 1.5),
        (b"1e400", None),
        (b"NaN", None),
        (b"null", None),
        (b"true", None),
        (b"false", None),
        (b"{}", None),
        (b'{"id":1}', None),
        (b"[1]", None),
    ],
)
def test_what_is_no_id_is_refused(pipe: Pipe, id: bytes, echoed: float | None) -> None:
    """Taken for a notification it would never be answered, and its sender wait for ever."""
    pipe.send(request(id, "tools/list"))

    answer = pipe.answer()
    assert (answer["id"], answer["error"]["code"]) == (echoed, -32600)
    assert pipe.ping() == []


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"", -32700),
        (b"\r", -32700),
        (b"\x00", -32700),
        (b"\x00" * 1000, -32700),
        (b"{", -32700),
        (b"\xef\xbb\xbf", -32700),
        (request(b"9" * 5000), -32700),
        (request(b"1", params=b'{"a":"\xff\xfe"}'), -32700),
        (request(b"1", params=b'{"a":' + b"[" * 10_000 + b"]" * 10_000 + b"}"), -32700),
        (b'{"a":' * 10_000 + b"1" + b"}" * 10_000, -32700),
        (request(b"1", params=b'{"a":"\\ud800","b":' + b"[" * 10_000 + b"]" * 10_000 + b"}"), None),
        (b"[]", -32600),
        (b"[" + request(b"1") + b"," + request(b"2") + b"]", -32600),
        (b'"text"', -32600),
        (b"12", -32600),
        (b"null", -32600),
        (b'{"jsonrpc":"1.0","method":"ping"}', -32600),
        (b'{"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","method":"notifications/initialized","params":[1]}', -32600),
        (b'{"jsonrpc":"2.0","method":{}}', -32600),
        (b'{"jsonrpc":"2.0","id":7,"result":3}', -32600),
        (request(b"1") + b"\r" + request(b"2"), -32700),
    ],
)
def test_a_line_that_is_no_message_is_refused(pipe: Pipe, line: bytes, code: int | None) -> None:
    """With no id: nobody is known to wait for it."""
    pipe.send(line)

    answer = pipe.answer()
    assert answer["error"]["code"] == code if code else answer["error"]["code"] in (-32700, -32600)
    assert answer["id"] is None
    assert pipe.ping() == []


@pytest.mark.parametrize("version", [b'"1.0"', b"2.0", b"null", b'"\\ud800"'])
def test_another_version_is_refused_under_its_id(pipe: Pipe, version: bytes) -> None:
    pipe.send(b'{"jsonrpc":%s,"id":41,"method":"ping"}' % version)

    answer = pipe.answer()
    assert (answer["id"], answer["error"]["code"]) == (41, -32600)


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("resources/read", b'{"uri":"treering://memory/\\ud800"}'),
        ("resources/read", b'{"uri":"\\ud800"}'),
        ("prompts/get", b'{"name":"\\ud800"}'),
        ("prompts/get", b'{"name":"x","arguments":{"\\ud800":"\\udfff"}}'),
        ("tools/call", b'{"name":"\\ud800"}'),
        ("tools/call", b'{"name":"recall","arguments":{"query":"\\ud800"}}'),
        ("tools/call", b'{"name":"recall","arguments":{"\\ud800":1}}'),
        ("tools/call", b'{"name":"recall","arguments":{"limit":NaN}}'),
        ("tools/call", b'{"name":"recall","arguments":{"limit":1e999}}'),
        ("tools/call", b'{"name":"status","arguments":{},"_meta":{"progressToken":"\\ud800"}}'),
        (
            "tools/call",
            b'{"name":"maintain","arguments":{"op":"reindex","dry_run":false},'
            b'"_meta":{"progressToken":"\\ud800"}}',
        ),
        ("tools/list", b'{"cursor":"\\ud800"}'),
        ("completion/complete", b'{"ref":{"type":"ref/prompt","name":"\\ud800"},'
         b'"argument":{"name":"\\ud800","value":"\\ud800"}}'),
        ("\\ud800", b"{}"),
        ("initialize", b'{"protocolVersion":"\\ud800","capabilities":{},'
         b'"clientInfo":{"name":"\\ud800","version":"1"}}'),
    ],
)  # fmt: skip
def test_halves_of_characters_anywhere_end_in_an_answer(
    pipe: Pipe, method: str, params: bytes
) -> None:
    """What cannot be written as UTF-8 is written as JSON spells it."""
    pipe.send(request(b'"n\\udc00"', method, params))

    assert pipe.answer()["id"] == "n\udc00"
    assert pipe.ping() == []


def test_a_number_no_program_counts_to_is_an_id(pipe: Pipe) -> None:
    pipe.send(request(b"9" * 400))

    assert pipe.answer()["id"] == 10**400 - 1


def test_an_id_used_twice_is_answered_twice(pipe: Pipe) -> None:
    """Even where both are under way at once."""
    pipe.send(*[request(b"5", "tools/call", b'{"name":"status","arguments":{}}')] * 3)
    answers = [pipe.answer() for _ in range(3)]

    assert [answer["id"] for answer in answers] == [5, 5, 5]


def test_cancelling_what_nobody_asked_is_borne(pipe: Pipe) -> None:
    for given_id in (b"[]", b"{}", LONE, b"1.5", b"9" * 400, b"null", b"true"):
        params = b'{"requestId":' + given_id + b"}"
        line = b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":' + params + b"}"
        pipe.send(line)

    assert pipe.ping() == []


def test_a_huge_line_is_refused_and_not_kept(pipe: Pipe) -> None:
    """Under its id, where that comes first; an `id` among the arguments is not it."""
    status = Path(f"/proc/{pipe.process.pid}/status")
    filler = b'"' + b"x" * 30_000_000 + b'"'
    pipe.ping()
    before = _peak(status)

    pipe.send(request(b"77", params=b'{"a":%s}' % filler))
    known = pipe.answer()
    pipe.send(b'{"jsonrpc":"2.0","method":"ping","params":{"id":78,"a":%s},"id":79}' % filler)
    unknown = pipe.answer()

    assert (known["id"], known["error"]["code"]) == (77, -32600)
    assert (unknown["id"], unknown["error"]["code"]) == (None, -32600)
    assert _peak(status) - before < 28_000  # KB: less than the line
    assert pipe.ping() == []


def _peak(status: Path) -> int:
    lines = status.read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))


_IDS = st.sampled_from(
    [b"1", b"-1", b"1.5", b"2.0", b"null", b"true", b"[]", b"{}", LONE, b'"\\udfff"', b'"x"',
     b"9" * 30, b"9" * 5000, b"1e999", b"NaN", b'"\\u0000"', b""]
)  # fmt: skip
_METHODS = st.sampled_from(
    ["ping", "tools/list", "tools/call", "resources/read", "resources/list", "prompts/get",
     "prompts/list", "completion/complete", "notifications/cancelled", "notifications/progress",
     "logging/setLevel", "subscriptions/listen", "server/discover", "\\ud800", "", "x" * 500]
)  # fmt: skip
_TEXTS = st.sampled_from(
    ["", "x", "\ud800", "\udfff", "\x00", "../../x", "treering://memory/\ud800", "recall",
     "status", "remember", "a" * 5000, "\u202e"]
)  # fmt: skip
_VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), _TEXTS, st.text()),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.one_of(_TEXTS, st.text()), inner)
    ),
    max_leaves=8,
)
_PARAMS = st.fixed_dictionaries(
    {},
    optional={
        "name": _TEXTS,
        "uri": _TEXTS,
        "cursor": _VALUES,
        "requestId": _VALUES,
        "arguments": _VALUES,
        "_meta": st.fixed_dictionaries({"progressToken": _VALUES}),
        "ref": _VALUES,
        "argument": _VALUES,
    },
)


@st.composite
def _wrong_line(draw: st.DrawFn) -> bytes:
    """A request with something wrong, one that is cut or changed, or plain noise."""
    if draw(st.integers(0, 9)) == 0:
        return draw(st.binary(max_size=200)).replace(b"\n", b" ")
    params = draw(st.one_of(_PARAMS, _VALUES))
    line = request(draw(_IDS), draw(_METHODS), json.dumps(params).encode())
    for _ in range(draw(st.sampled_from((0, 0, 1, 3)))):
        at = draw(st.integers(0, len(line) - 1))
        line = line[:at] + draw(st.sampled_from([b"", b"\xff", b"\x00", b'"', b"}"])) + line[at:]
    return line.replace(b"\n", b" ")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lines=st.lists(_wrong_line(), min_size=1, max_size=8))
def test_after_any_wrong_lines_a_ping_is_answered(pipe: Pipe, lines: list[bytes]) -> None:
    pipe.send(*lines)

    pipe.ping()
