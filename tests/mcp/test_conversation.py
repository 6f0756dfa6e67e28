"""What is said on the wire is what the SDK's own server would say, in both eras.

Standard input and output are served without the SDK, because it takes longer to import than
clients like to wait. So the same lines are put to both, and the answers compared.
"""

import contextlib
import json
import subprocess
import sys
import threading
from pathlib import Path

import anyio
import pytest
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter, version

from treering.mcp import conversation, protocol
from treering.mcp.methods import Methods
from treering.mcp.repository import ServedRepository
from treering.mcp.server import make_server

TREERING = Path(sys.executable).with_name("treering")
CLIENT = {"name": "test", "version": "1"}
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": CLIENT,
    "io.modelcontextprotocol/clientCapabilities": {},
}
READY = {"jsonrpc": "2.0", "method": "notifications/initialized"}


def ask(number, method, **params):
    request = {"jsonrpc": "2.0", "id": number, "method": method}
    return request | {"params": params} if params else request


def hello(number, spoken="2025-11-25"):
    return ask(number, "initialize", protocolVersion=spoken, capabilities={}, clientInfo=CLIENT)


def questions(**meta):
    """Everything a client may ask, right and wrong; `meta` is what each request carries."""
    asked = [
        ("tools/list", {}),
        ("tools/list", {"cursor": 7}),
        ("tools/call", {"name": "recall", "arguments": {}}),
        ("tools/call", {"name": "recall"}),
        ("tools/call", {"name": "recall", "arguments": None}),
        ("tools/call", {"name": "recall", "arguments": {"bogus": 1}}),
        ("tools/call", {"name": "recall", "arguments": [1]}),
        ("tools/call", {"name": "no_such"}),
        ("tools/call", {"name": 3}),
        ("tools/call", {}),
        ("resources/list", {}),
        ("resources/list", {"cursor": "made up"}),
        ("resources/templates/list", {}),
        ("resources/read", {"uri": "treering://branch/main"}),
        ("resources/read", {"uri": "treering://memory/zzzz"}),
        ("resources/read", {"uri": "http://elsewhere"}),
        ("resources/read", {}),
        ("prompts/list", {}),
        ("prompts/get", {"name": "greet", "arguments": {"name": "Ada"}}),
        ("prompts/get", {"name": "greet"}),
        ("prompts/get", {"name": "greet", "arguments": {"name": 1}}),
        ("prompts/get", {"name": "no-such"}),
        ("completion/complete", {"ref": {"type": "ref/prompt", "name": "greet"},
                                 "argument": {"name": "type", "value": "de"}}),
        ("completion/complete", {"ref": {"type": "ref/resource", "uri": "treering://x/{id}"},
                                 "argument": {"name": "branch", "value": ""}}),
        ("completion/complete", {}),
        ("ping", {}),
        ("logging/setLevel", {"level": "debug"}),
        ("resources/subscribe", {"uri": "treering://branch/main"}),
        ("server/discover", {}),
        ("no/such", {}),
    ]  # fmt: skip
    return [ask(n, method, **(params | meta)) for n, (method, params) in enumerate(asked, 100)]


def by_process(folder, lines):
    done = subprocess.run(
        [TREERING, "mcp"],
        cwd=folder,
        input="".join(json.dumps(line) + "\n" for line in lines),
        capture_output=True,
        text=True,
        check=True,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def by_sdk(folder, lines):
    """The same lines, through the SDK's own loop."""

    async def main():
        to_server, incoming = anyio.create_memory_object_stream(100)
        outgoing, from_server = anyio.create_memory_object_stream(100)
        server = make_server(ServedRepository(folder))
        heard = []
        expected = sum("id" in line for line in lines)

        async def listen():
            async for item in from_server:
                heard.append(item.message.model_dump(by_alias=True, exclude_unset=True))
                if sum("id" in message for message in heard) == expected:
                    to_server.close()

        async with from_server, incoming, anyio.create_task_group() as tasks:
            tasks.start_soon(listen)
            for line in lines:
                message = jsonrpc_message_adapter.validate_python(line, by_name=False)
                to_server.send_nowait(SessionMessage(message))
            with contextlib.suppress(anyio.ClosedResourceError):
                await server.run(incoming, outgoing, server.create_initialization_options())
        return heard

    return anyio.run(main)


def answers(messages):
    """By id; of an error its code, since the words are everyone's own."""
    return {
        message["id"]: message["error"]["code"] if "error" in message else message["result"]
        for message in messages
        if "id" in message
    }


@pytest.mark.parametrize("lines", [
    [hello(0), READY, *questions()],
    [hello(0, "2024-11-05"), READY, ask(1, "ping"), hello(2, "2025-03-26")],
    [hello(0, "1999-01-01"), hello(1, "2026-07-28"), ask(2, "initialize")],
    [hello(0), READY, ask(1, "tools/list", _meta=META), ask(2, "subscriptions/listen")],
    [ask(1, "ping"), ask(2, "tools/list"), ask(3, "no/such"), ask(4, "tools/call", name="recall")],
    questions(_meta=META),
    [ask(1, "server/discover", _meta=META), hello(2), ask(3, "tools/list")],
    [ask(1, "tools/list", _meta=META | {protocol.VERSION_KEY: "2031-01-01"})],
    [ask(1, "tools/list", _meta=META | {protocol.VERSION_KEY: 3})],
    [ask(1, "tools/list", _meta={protocol.VERSION_KEY: "2026-07-28"})],
], ids=["handshake", "old handshakes", "unknown versions", "eras mixed", "no handshake",
        "stateless", "stateless, then not", "a version to come", "no version", "no envelope"]
)  # fmt: skip
def test_the_wire_says_what_the_sdk_would_say(repo, lines):
    repo.tr.prompts("save", name="greet", content="Hello {{name}}", domain="project")

    ours, theirs = answers(by_process(repo.path, lines)), answers(by_sdk(repo.path, lines))

    assert ours.keys() == theirs.keys() == {line["id"] for line in lines if "id" in line}
    for number, answer in theirs.items():
        assert ours[number] == answer, next(line for line in lines if line.get("id") == number)


def test_versions_and_codes_are_the_protocols(repo):
    """Spelled by us, so that they need not be imported."""
    import mcp_types
    from mcp.server.subscriptions import SUBSCRIPTION_ID_META_KEY

    assert protocol.HANDSHAKE_VERSIONS == version.HANDSHAKE_PROTOCOL_VERSIONS
    assert protocol.STATELESS_VERSIONS == version.MODERN_PROTOCOL_VERSIONS
    assert protocol.VERSION_KEY == mcp_types.PROTOCOL_VERSION_META_KEY
    assert protocol.CAPABILITIES_KEY == mcp_types.CLIENT_CAPABILITIES_META_KEY
    assert protocol.CLIENT_KEY == mcp_types.CLIENT_INFO_META_KEY
    assert protocol.SERVER_KEY == mcp_types.SERVER_INFO_META_KEY
    assert protocol.SUBSCRIPTION_KEY == SUBSCRIPTION_ID_META_KEY
    assert protocol.UNSUPPORTED_VERSION == mcp_types.UNSUPPORTED_PROTOCOL_VERSION
    for name in ("PARSE_ERROR", "INVALID_REQUEST", "METHOD_NOT_FOUND", "INVALID_PARAMS",
                 "INTERNAL_ERROR", "CONNECTION_CLOSED"):  # fmt: skip
        assert getattr(protocol, name) == getattr(mcp_types, name)


def test_who_listens_hears_of_changes_and_nothing_else(repo):
    """In the era without sessions a stream has to be asked for."""
    heard = by_process(repo.path, [
        ask("ear", "subscriptions/listen", _meta=META,
            notifications={"resourcesListChanged": True, "toolsListChanged": False}),
        ask(1, "tools/call", _meta=META, name="remember",
            arguments={"content": "New", "type": "insight"}),
        ask(2, "tools/call", _meta=META, name="prompts",
            arguments={"op": "save", "name": "go", "content": "Go"}),
    ])  # fmt: skip

    told = [message for message in heard if "method" in message]
    assert [message["method"] for message in told] == [
        "notifications/subscriptions/acknowledged",
        "notifications/resources/list_changed",
    ]
    assert told[0]["params"]["notifications"] == {"resourcesListChanged": True}
    assert all(message["params"]["_meta"] == {protocol.SUBSCRIPTION_KEY: "ear"} for message in told)


def test_long_work_reports_under_its_token_and_a_cancelled_one_is_not_answered(repo):
    """Progress for who asked for it; silence for who no longer waits."""
    for number in range(30):
        repo.tr.remember(f"Note {number}", type="insight")
    heard = by_process(repo.path, [
        hello(0), READY,
        ask(1, "tools/call", _meta={"progressToken": "t"}, name="maintain",
            arguments={"op": "reindex", "dry_run": False}),
        ask(2, "tools/call", name="status"),
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 2}},
    ])  # fmt: skip

    reports = [m["params"] for m in heard if m.get("method") == "notifications/progress"]
    assert reports[-1] == {"progressToken": "t", "progress": 30, "total": 30}
    assert 1 in answers(heard)


def test_the_list_of_tools_needs_neither_the_sdk_nor_the_repository(repo):
    """Clients start all their servers and wait for the slowest."""
    code = (
        "import sys; from treering.mcp.methods import Methods; from treering.mcp import stdio\n"
        "from treering.mcp.repository import ServedRepository; from pathlib import Path\n"
        "sent = []; methods = Methods(ServedRepository(Path('.')))\n"
        "c = stdio.Conversation(methods, sent.append, None)\n"
        "c.hear(b'" + json.dumps(hello(0)) + "'); c.hear(b'" + json.dumps(ask(1, "tools/list"))
        + "')\nassert len(sent[1]['result']['tools']) == 13\nprint(*sys.modules)"
    )  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=repo.path
    )

    loaded = set(done.stdout.split())
    heavy = {"mcp", "mcp_types", "pydantic", "anyio", "asyncio", "pygit2", "logging", "subprocess",
             "treering.actions.workspace", "treering.text.secrets"}  # fmt: skip
    assert loaded & heavy == set()


def test_a_look_that_takes_a_moment_is_answered_after_the_input_has_ended(repo, monkeypatch):
    """Whoever pipes a request in closes the input at once; only long looks are given up."""
    monkeypatch.setattr(conversation, "_MOMENT", 60.0)
    sent: list[dict[str, object]] = []
    methods = Methods(ServedRepository(repo.path))

    def start(work):
        threading.Thread(target=work, daemon=True).start()

    talk = conversation.Conversation(methods, sent.append, start)
    talk.hear(json.dumps(hello(0)).encode())
    arguments = {"name": "maintain", "arguments": {"op": "dedupe"}}
    talk.hear(json.dumps(ask(1, "tools/call", **arguments)).encode())

    talk.finish(60)

    assert [message["result"]["isError"] for message in sent if message.get("id") == 1] == [False]
