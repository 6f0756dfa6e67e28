"""Codex's rollouts: a line for each item, wrapped in what kind it is since 2025."""

import json
import re
import shlex
from collections.abc import Mapping
from typing import Any

from treering.capture.transcripts.fields import mapping_at, prose_of, text_at
from treering.capture.transcripts.transcript import TranscriptBuilder

_EXIT_CODE = r"(?i)(?:exit(?:ed with)? code:?|\"exit_code\":)\s*(-?\d+)"
_LONGEST_HEAD = 4000
_REPOSITORY = "git"


def read_entry(entry: Mapping[str, Any], to: TranscriptBuilder) -> None:
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
    code = re.search(_EXIT_CODE, answer[:_LONGEST_HEAD]) or re.search(
        _EXIT_CODE, answer[-_LONGEST_HEAD:]
    )
    return bool(code and int(code[1]))


def _output(answer: str) -> str:
    """What the command printed, without what Codex says about it."""
    return text_at(_parse(answer), "output") or answer.rpartition("\nOutput:\n")[2]


def _parse(text: str) -> Mapping[str, Any]:
    try:
        value = json.loads(text) if text.startswith("{") else {}
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
