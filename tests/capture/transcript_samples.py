"""Transcripts as the clients write them, shortened to what is read of them."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

SESSION = "11111111-2222-3333-4444-555555555555"
PROMPT = "Fix the login redirect loop"
WORDS = "The cookie was set without a path, so it never came back. Fixed in src/login.py."
COMMAND = "python -m pytest tests/test_login.py"
ERROR = "E AssertionError: redirected 20 times"


def write_lines(path: Path, entries: Iterable[Mapping[str, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    return path


def claude(root: Path, **changes: Any) -> list[dict[str, Any]]:
    """A session of Claude Code: a prompt, a failing test, an edit, the test again, last words."""
    prompt, words = changes.get("prompt", PROMPT), changes.get("words", WORDS)
    common = {
        "sessionId": changes.get("session", SESSION),
        "cwd": str(root),
        "gitBranch": changes.get("branch", "main"),
        "isSidechain": False,
    }

    def entry(second: int, kind: str, content: Any, **more: Any) -> dict[str, Any]:
        moment = f"2026-02-02T02:30:{second:02}.123Z"
        message = {"role": kind, "content": content}
        return {**common, "type": kind, "timestamp": moment, "message": message, **more}

    def use(call: str, name: str, **told: Any) -> list[dict[str, Any]]:
        return [{"type": "tool_use", "id": call, "name": name, "input": told}]

    def answer(call: str, text: str, is_error: bool = False) -> list[dict[str, Any]]:
        part = {"type": "tool_result", "tool_use_id": call, "content": text}
        return [part | ({"is_error": True} if is_error else {})]

    path = str(root / "src" / "login.py")
    return [
        {"type": "summary", "summary": "Login", "leafUuid": "x"},
        entry(1, "user", "<command-name>/clear</command-name>"),
        entry(2, "user", "Caveat: the messages below", isMeta=True),
        entry(3, "user", prompt),
        entry(4, "assistant", [{"type": "text", "text": "I will run the tests first."}]),
        entry(5, "assistant", use("a", "Bash", command=COMMAND)),
        entry(6, "user", answer("a", f"Exit code 1\n...\n{ERROR}\n", is_error=True)),
        entry(7, "assistant", use("b", "Edit", file_path=path, old_string="x", new_string="y")),
        entry(8, "user", answer("b", "The file was updated.")),
        entry(9, "assistant", use("c", "Bash", command=f"{COMMAND} -q")),
        entry(10, "user", answer("c", "1 passed")),
        entry(11, "assistant", [{"type": "text", "text": words}]),
    ]


def codex(root: Path, **changes: Any) -> list[dict[str, Any]]:
    """The same in a rollout of Codex."""
    prompt = changes.get("prompt", PROMPT)
    patch = "*** Begin Patch\n*** Update File: src/login.py\n@@\n-x\n+y\n*** End Patch\n"

    def line(second: int, kind: str, **payload: Any) -> dict[str, Any]:
        moment = f"2026-02-02T02:30:{second:02}.000Z"
        return {"timestamp": moment, "type": kind, "payload": payload}

    def call(second: int, name: str, command: str) -> dict[str, Any]:
        arguments = json.dumps({"command": ["bash", "-lc", command]})
        told = {"name": "shell", "arguments": arguments, "call_id": name}
        return line(second, "response_item", type="function_call", **told)

    def answer(second: int, name: str, code: int, text: str) -> dict[str, Any]:
        output = json.dumps({"output": text, "metadata": {"exit_code": code}})
        return line(
            second, "response_item", type="function_call_output", call_id=name, output=output
        )

    def message(second: int, role: str, text: str) -> dict[str, Any]:
        content = [{"type": "input_text", "text": text}]
        return line(second, "response_item", type="message", role=role, content=content)

    meta = {"id": changes.get("session", SESSION), "cwd": str(root), "git": {"branch": "main"}}
    return [
        line(0, "session_meta", **meta),
        message(1, "user", "<environment_context>cwd</environment_context>"),
        message(2, "user", prompt),
        line(2, "event_msg", type="user_message", message=prompt),
        call(3, "a", COMMAND),
        answer(4, "a", 1, f"...\n{ERROR}\n"),
        line(
            5,
            "response_item",
            type="custom_tool_call",
            name="apply_patch",
            call_id="b",
            input=patch,
        ),
        call(6, "c", f"{COMMAND} -q"),
        answer(7, "c", 0, "1 passed"),
        line(8, "event_msg", type="agent_message", message=changes.get("words", WORDS)),
    ]


def gemini(root: Path, **changes: Any) -> dict[str, Any]:
    """The same in a chat of Gemini CLI."""

    def call(name: str, status: str = "success", output: str = "", **told: Any) -> dict[str, Any]:
        response = {"functionResponse": {"response": {"output": output}}}
        return {"id": name, "name": name, "args": told, "status": status, "result": [response]}

    def message(second: int, kind: str, content: Any, *calls: dict[str, Any]) -> dict[str, Any]:
        moment = f"2026-02-02T02:30:{second:02}.000Z"
        fields = {"id": f"m{second}", "timestamp": moment, "type": kind, "content": content}
        return fields | ({"toolCalls": list(calls)} if calls else {})

    shell, failure = "run_shell_command", f"Output: {ERROR}\nExit Code: 1"
    return {
        "sessionId": changes.get("session", SESSION),
        "projectHash": changes.get("project", ""),
        "startTime": "2026-02-02T02:30:00.000Z",
        "lastUpdated": "2026-02-02T02:31:00.000Z",
        "messages": [
            message(1, "user", [{"text": changes.get("prompt", PROMPT)}]),
            message(2, "gemini", "Looking.", call(shell, output=failure, command=COMMAND)),
            message(3, "gemini", "", call("replace", file_path=str(root / "src/login.py"))),
            message(4, "gemini", "", call(shell, output="1 passed", command=f"{COMMAND} -q")),
            message(5, "gemini", changes.get("words", WORDS)),
        ],
    }


def write(client: str, folder: Path, root: Path, **changes: Any) -> Path:
    """The transcript of a client, where a hook of it might say it is."""
    if client == "gemini":
        path = folder / "session-2026-02-02.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(gemini(root, **changes), indent=2))
        return path
    entries = {"claude": claude, "codex": codex}[client](root, **changes)
    return write_lines(folder / f"{changes.get('session', SESSION)}.jsonl", entries)
