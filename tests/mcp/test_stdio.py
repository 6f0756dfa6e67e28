"""The server as a process: what goes over the wire, and what must never end it."""

import contextlib
import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

TREERING = Path(sys.executable).with_name("treering")
HELLO = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
READY = {"jsonrpc": "2.0", "method": "notifications/initialized"}


def call(number, tool, **arguments):
    params = {"name": tool, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


def line(message) -> bytes:
    return message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n"


def spoken(folder, *messages, arguments=(), hello=(HELLO, READY)):
    """Send everything, close the input, and return exit code and answers by id."""
    done = subprocess.run(
        [TREERING, "mcp", *arguments],
        cwd=folder,
        input=b"".join(line(message) for message in (*hello, *messages)),
        capture_output=True,
        check=False,
        timeout=120,
    )
    answers = [json.loads(text) for text in done.stdout.splitlines()]  # protocol and nothing else
    return done, {answer["id"]: answer for answer in answers if "id" in answer}


def text_of(answer):
    return json.loads(answer["result"]["content"][0]["text"])


def test_both_eras_work_over_the_wire(process):
    """The same process answers clients of last year and of this one."""

    async def story(it):
        stored = await it.answer("remember", content="Keep it simple", type="convention")
        found = await it.answer("recall", query="simple")
        return stored, found, [tool.name for tool in (await it.client.list_tools()).tools]

    stored, found, tools = process(story, "--tools", "core")
    assert [result["id"] for result in found["results"]] == [stored["id"]]
    assert len(tools) == 8


def test_what_was_asked_before_the_input_ended_is_answered(repo):
    """`printf ... | treering mcp` is how people try a server."""
    done, answers = spoken(
        repo.path, *(call(n, "remember", content=f"Note {n}", type="insight") for n in range(1, 9))
    )

    assert done.returncode == 0
    assert sorted(answers) == list(range(9))
    assert repo.json("status")["memories"]["visible"] == 8


def test_end_of_input_ends_it(repo):
    """A client that goes away leaves nothing behind."""
    done, answers = spoken(repo.path, hello=())

    assert (done.returncode, answers) == (0, {})


@pytest.mark.parametrize(
    ("bad", "code"),
    [
        (b"this is no json\n", -32700),
        (b"\n", -32700),
        (b"\xff\xfe\x00\n", -32700),
        (b"[" * 100_000 + b"\n", -32700),
        (b"[1,2,3]\n", -32600),
        (b'{"jsonrpc":"2.0"}\n', -32600),
    ],
)
def test_a_line_that_is_no_message_is_answered_and_passed_over(repo, bad, code):
    """The request after it is as good as any."""
    done, answers = spoken(repo.path, bad, call(7, "status"))

    assert answers[None]["error"]["code"] == code
    assert text_of(answers[7])["repository"]["branch"] == "main"
    assert done.returncode == 0


def test_a_message_that_is_wrong_is_answered_under_its_id(repo):
    """Whoever waits for an answer gets one."""
    _, answers = spoken(
        repo.path,
        {"jsonrpc": "2.0", "id": 5, "method": "no/such/method"},
        {"jsonrpc": "2.0", "id": 6, "method": 12},
        {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": 3}},
        call(8, "status"),
    )

    assert answers[5]["error"]["code"] == -32601
    assert answers[6]["error"]["code"] == -32600
    assert answers[7]["error"]["code"] == -32602
    assert "result" in answers[8]


def test_halves_of_characters_are_refused_not_ignored(repo):
    """JSON can spell what Unicode forbids; the SDK would drop the line and the client wait."""
    lone = rb'{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"remember",'
    _, answers = spoken(repo.path, lone + rb'"arguments":{"content":"a \ud800 b"}}}' + b"\n")

    assert answers[3]["result"]["isError"]
    assert text_of(answers[3])["error"]["code"] == "invalid"


def test_huge_messages_are_refused(repo):
    """Large content is refused by its limit, a line without end before it is kept."""
    _, answers = spoken(
        repo.path,
        call(1, "remember", content="x" * 300_000),
        call(2, "remember", content="x" * 9_000_000),
        call(3, "status"),
    )

    assert text_of(answers[1])["error"]["code"] == "invalid"
    assert answers[2]["error"]["code"] == -32600
    assert text_of(answers[3])["memories"]["total"] == 0


def test_outside_a_repository_it_starts_and_says_so(tmp_path):
    """A client that starts all its servers everywhere must not see one fail."""
    done, answers = spoken(
        tmp_path, {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, call(2, "recall")
    )

    assert len(answers[1]["result"]["tools"]) == 13
    assert text_of(answers[2])["error"]["code"] == "not_a_repository"
    assert str(tmp_path) not in done.stdout.decode()
    assert done.returncode == 0


def test_repository_comes_from_the_option_or_the_clients_project(repo, tmp_path, monkeypatch):
    """Some clients start servers in the home folder."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()

    _, by_option = spoken(elsewhere, call(1, "status"), arguments=["--repo", str(repo.path)])
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(repo.path))
    _, by_project = spoken(elsewhere, call(1, "status"))
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", "${workspaceFolder}")
    _, by_neither = spoken(elsewhere, call(1, "status"))

    assert text_of(by_option[1])["repository"]["branch"] == "main"
    assert text_of(by_project[1])["repository"]["branch"] == "main"
    assert by_neither[1]["result"]["isError"]


class Talk:
    """A server held open, one request at a time."""

    def __init__(self, folder) -> None:
        self.process = subprocess.Popen(
            [TREERING, "mcp"],
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.number = 0
        self.ask(HELLO)
        self.tell(READY)

    def tell(self, message) -> None:
        self.process.stdin.write(line(message))
        self.process.stdin.flush()

    def ask(self, message):
        self.tell(message)
        while "id" not in (answer := json.loads(self.process.stdout.readline())):
            pass  # an announcement
        return answer

    def call(self, tool, **arguments):
        self.number += 1
        return text_of(self.ask(call(self.number, tool, **arguments)))

    def close(self) -> int:
        """Close the input first, as clients do, and let it end."""
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        code = self.process.wait(30)
        self.process.stdout.close()
        self.process.stderr.close()
        return code


@pytest.fixture
def talk():
    open_ones = []

    def start(folder):
        open_ones.append(Talk(folder))
        return open_ones[-1]

    yield start
    for one in open_ones:
        one.close()


def test_servers_see_each_others_writes_at_once(repo, talk):
    """Several agents work on one repository, each with a server of its own."""
    one, other = talk(repo.path), talk(repo.path)

    stored = one.call("remember", content="Shared at once", type="insight")
    other.call("revise", id=stored["id"], append="and changed by the other")

    assert other.call("recall", query="shared")["total"] == 1
    assert "changed by the other" in one.call("read", id=stored["id"])["content"]


def test_a_repository_that_vanishes_and_comes_back(new_repo, talk):
    """The server outlives what it serves."""
    repo = new_repo("there")
    repo.commit_file("a.txt")
    server = talk(repo.path)
    server.call("remember", content="Before", type="insight")

    hidden = repo.path.with_name("hidden")
    repo.path.rename(hidden)
    gone = server.call("recall")
    repo.path.mkdir()
    subprocess.run(["git", "init", "-q", "-b", "main", repo.path], check=True)
    back = server.call("recall")

    assert gone["error"]["code"] == "not_a_repository"
    assert (back["total"], back["branch"]) == (0, "main")
    assert server.close() == 0


def test_a_broken_or_locked_index_costs_no_answer(repo, talk):
    """The index is derived; the memories are in git."""
    server = talk(repo.path)
    server.call("remember", content="Still found", type="insight")
    server.call("recall", query="found")
    for file in (repo.path / ".git/treering/index").rglob("*"):
        if file.is_file():
            file.write_bytes(b"broken")

    server.call("remember", content="Also found", type="insight")
    assert server.call("recall", query="found")["total"] == 2


def test_a_reader_that_went_away_ends_it(repo, talk):
    """The client closed its ends in an order of its own."""
    server = talk(repo.path)
    server.process.stdout.close()
    server.tell(call(1, "status"))

    assert server.process.wait(30) == 0


def test_a_signal_ends_it_at_once(repo, talk):
    """Nothing is half-written by design, so nothing has to be waited for."""
    server = talk(repo.path)
    server.call("remember", content="Kept", type="insight")
    server.process.send_signal(signal.SIGTERM)

    assert server.process.wait(30) in (0, -signal.SIGTERM)
    assert repo.titles() == {"Kept"}


def test_no_child_is_left_behind(repo, talk):
    """Everything it started is gone when it is."""
    server = talk(repo.path)
    server.call("remember", content="Kept", type="insight")
    pid = server.process.pid

    assert server.close() == 0
    children = subprocess.run(["ps", "--ppid", str(pid), "-o", "pid="], capture_output=True)
    assert children.stdout.strip() == b""
    assert not Path(f"/proc/{pid}/fd").exists()
