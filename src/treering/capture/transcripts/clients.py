"""Readers of clients' transcripts: each entry of a file of Claude Code, Codex or Gemini CLI is told
to a builder.

Anybody may have written the JSON, so a field is of the kind that is wanted, or nothing.
"""

import json
import re
import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from treering.capture.transcripts.transcript import TranscriptBuilder

_NOTHING: Mapping[str, Any] = {}


def text_at(fields: Mapping[str, Any], *keys: str) -> str:
    """The text under a key, inside others; "" where there is none."""
    value = mapping_at(fields, *keys[:-1]).get(keys[-1])
    return value if isinstance(value, str) else ""


def mapping_at(fields: Mapping[str, Any], *keys: str) -> Mapping[str, Any]:
    for key in keys:
        value = fields.get(key)
        fields = value if isinstance(value, dict) else _NOTHING
    return fields


def mappings_at(fields: Mapping[str, Any], key: str) -> Iterator[Mapping[str, Any]]:
    """The mappings in a list."""
    return _mappings(fields.get(key))


def prose_of(value: Any) -> str:
    """A message's text: as it is, or the texts of its parts."""
    if isinstance(value, str):
        return value
    return "\n".join(filter(None, (text_at(part, "text") for part in _mappings(value))))


def _mappings(value: Any) -> Iterator[Mapping[str, Any]]:
    items = value if isinstance(value, list) else ()
    return (item for item in items if isinstance(item, dict))


# --- Claude Code: a line for each message, with what tools were told and answered -----------------


_CLAUDE_EDITS = frozenset({"Edit", "MultiEdit", "NotebookEdit", "Write"})
#: Answers of a tool that nobody let run.
_REFUSALS = ("doesn't want to proceed", "was rejected", "Request interrupted")


def read_claude(entry: Mapping[str, Any], to: TranscriptBuilder) -> None:
    if entry.get("isSidechain") is True:
        return  # another agent's, whose words come back as a tool's answer
    to.note(
        session=text_at(entry, "sessionId"),
        cwd=text_at(entry, "cwd"),
        branch=text_at(entry, "gitBranch"),
    )
    to.note_time(text_at(entry, "timestamp"))
    message = mapping_at(entry, "message")
    if entry.get("type") == "user":
        _read_user(entry, message, to)
    elif entry.get("type") == "assistant":
        _read_assistant(message, to)


def _read_user(entry: Mapping[str, Any], message: Mapping[str, Any], to: TranscriptBuilder) -> None:
    for part in mappings_at(message, "content"):
        if part.get("type") == "tool_result":
            answer = prose_of(part.get("content"))
            has_failed = part.get("is_error") is True
            if not (has_failed and any(words in answer for words in _REFUSALS)):
                to.end(text_at(part, "tool_use_id"), has_failed=has_failed, output=answer)
    if entry.get("isMeta") is not True and entry.get("isCompactSummary") is not True:
        to.ask(prose_of(message.get("content")))


def _read_assistant(message: Mapping[str, Any], to: TranscriptBuilder) -> None:
    to.say(prose_of(message.get("content")))
    for part in mappings_at(message, "content"):
        if part.get("type") != "tool_use":
            continue
        name = text_at(part, "name")
        to.use(name)
        if name in _CLAUDE_EDITS:
            to.change(
                text_at(part, "input", "file_path") or text_at(part, "input", "notebook_path")
            )
        elif name == "Bash":
            to.run(text_at(part, "id"), text_at(part, "input", "command"))


# --- Codex: a line for each item, wrapped in what kind it is since 2025 ---------------------------


_CODEX_EXIT = r"(?i)(?:exit(?:ed with)? code:?|\"exit_code\":)\s*(-?\d+)"
_LONGEST_HEAD = 4000
_REPOSITORY = "git"


def read_codex(entry: Mapping[str, Any], to: TranscriptBuilder) -> None:
    to.note_time(text_at(entry, "timestamp"))
    item = mapping_at(entry, "payload") or entry
    kind = entry.get("type")
    if kind == "session_meta" or (kind is None and text_at(entry, "id")):
        to.note(
            session=text_at(item, "id"),
            cwd=text_at(item, "cwd"),
            branch=text_at(item, _REPOSITORY, "branch"),
        )
    elif kind == "turn_context":
        to.note(cwd=text_at(item, "cwd"))
    elif kind == "event_msg":
        _read_event(item, to)
    else:
        _read_item(item, to)


def _read_event(event: Mapping[str, Any], to: TranscriptBuilder) -> None:
    kind = text_at(event, "type")
    if kind == "user_message":
        to.ask(text_at(event, "message"))
    elif kind == "agent_message":
        to.say(text_at(event, "message"))
    elif kind == "task_complete":
        to.say(text_at(event, "last_agent_message"))
    elif kind == "patch_apply_end" and event.get("success") is True:
        for path in mapping_at(event, "changes"):
            to.change(path)


def _read_item(item: Mapping[str, Any], to: TranscriptBuilder) -> None:
    kind, call = text_at(item, "type"), text_at(item, "call_id")
    if kind == "message":
        tell = {"user": to.ask, "assistant": to.say}.get(text_at(item, "role"))
        if tell:
            tell(prose_of(item.get("content")))
    elif kind == "function_call":
        to.use(text_at(item, "name"))
        to.run(call, _command(_parse(text_at(item, "arguments"))))
    elif kind == "local_shell_call":
        to.run(call, _command(mapping_at(item, "action")))
    elif kind == "custom_tool_call":
        to.use(text_at(item, "name"))
        to.patch(text_at(item, "input"))
    elif kind in ("function_call_output", "custom_tool_call_output"):
        answer = text_at(item, "output") or text_at(item, "output", "content")
        to.end(call, has_failed=_has_failed(answer), output=_output(answer))


def _command(arguments: Mapping[str, Any]) -> str:
    """The command of a call: one text, or words of which a shell's own are left out."""
    value = arguments.get("command", arguments.get("cmd", ""))
    if isinstance(value, list):
        words = [word for word in value if isinstance(word, str)]
        is_shell = len(words) > 2 and words[0].rpartition("/")[2] in ("bash", "sh", "zsh")
        return words[-1] if is_shell else shlex.join(words)
    return value if isinstance(value, str) else ""


def _has_failed(answer: str) -> bool:
    code = re.search(_CODEX_EXIT, answer[:_LONGEST_HEAD]) or re.search(
        _CODEX_EXIT, answer[-_LONGEST_HEAD:]
    )
    return bool(code and int(code[1]))


def _output(answer: str) -> str:
    """Return what the command printed, without what Codex says about it."""
    return text_at(_parse(answer), "output") or answer.rpartition("\nOutput:\n")[2]


def _parse(text: str) -> Mapping[str, Any]:
    try:
        value = json.loads(text) if text.startswith("{") else {}
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


# --- Gemini CLI: one JSON object with all messages, or since 2026 a line for each -----------------


_GEMINI_EDITS = frozenset({"edit", "replace", "write_file"})
_SHELL = "run_shell_command"
_GEMINI_EXIT = r"(?im)^Exit Code:\s*(-?\d+)"


def read_gemini(entry: Mapping[str, Any], to: TranscriptBuilder) -> None:
    to.note(session=text_at(entry, "sessionId"), project=text_at(entry, "projectHash"))
    for key in ("startTime", "timestamp", "lastUpdated"):
        to.note_time(text_at(entry, key))
    for message in mappings_at(entry, "messages"):
        read_gemini(message, to)
    if entry.get("type") == "user":
        to.ask(prose_of(entry.get("content")))
    elif entry.get("type") == "gemini":
        to.say(prose_of(entry.get("content")))
        for call in mappings_at(entry, "toolCalls"):
            _read_call(call, to)


def _read_call(call: Mapping[str, Any], to: TranscriptBuilder) -> None:
    name, key = text_at(call, "name"), text_at(call, "id")
    has_failed = call.get("status") == "error"
    to.use(name)
    if name in _GEMINI_EDITS and not has_failed:
        to.change(text_at(call, "args", "file_path"))
    elif name == _SHELL and call.get("status") != "cancelled":
        answer = _answer(call)
        code = re.search(_GEMINI_EXIT, answer)
        to.run(key or name, text_at(call, "args", "command"))
        to.end(
            key or name,
            has_failed=has_failed or bool(code and int(code[1])),
            output=_printed(answer),
        )


def _answer(call: Mapping[str, Any]) -> str:
    answers = (
        mapping_at(part, "functionResponse", "response") for part in mappings_at(call, "result")
    )
    texts = (text_at(answer, "output") or text_at(answer, "error") for answer in answers)
    return "\n".join(text for text in texts if text) or text_at(call, "resultDisplay")


def _printed(answer: str) -> str:
    """Return what the command printed, without what Gemini says about it."""
    return answer.partition("Output: ")[2] or answer
