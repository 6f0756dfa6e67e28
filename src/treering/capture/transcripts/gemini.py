"""Gemini CLI's chats: one JSON object with all messages, or since 2026 a line for each."""

import re
from collections.abc import Mapping
from typing import Any

from treering.capture.transcripts.fields import mapping_at, mappings_at, prose_of, text_at
from treering.capture.transcripts.transcript import TranscriptBuilder

_EDITS = frozenset({"edit", "replace", "write_file"})
_SHELL = "run_shell_command"
_EXIT_CODE = r"(?im)^Exit Code:\s*(-?\d+)"


def read_entry(entry: Mapping[str, Any], to: TranscriptBuilder) -> None:
    to.note(session=text_at(entry, "sessionId"), project=text_at(entry, "projectHash"))
    for key in ("startTime", "timestamp", "lastUpdated"):
        to.note_time(text_at(entry, key))
    for message in mappings_at(entry, "messages"):
        read_entry(message, to)
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
    if name in _EDITS and not has_failed:
        to.change(text_at(call, "args", "file_path"))
    elif name == _SHELL and call.get("status") != "cancelled":
        answer = _answer(call)
        code = re.search(_EXIT_CODE, answer)
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
    """What the command printed, without what Gemini says about it."""
    return answer.partition("Output: ")[2] or answer
