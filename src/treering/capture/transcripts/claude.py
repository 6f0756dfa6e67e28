"""Claude Code's transcripts: a line for each message, with what tools were told and answered."""

from collections.abc import Mapping
from typing import Any

from treering.capture.transcripts.fields import mapping_at, mappings_at, prose_of, text_at
from treering.capture.transcripts.transcript import TranscriptBuilder

_EDITS = frozenset({"Edit", "MultiEdit", "NotebookEdit", "Write"})
#: Answers of a tool that nobody let run.
_REFUSALS = ("doesn't want to proceed", "was rejected", "Request interrupted")


def read_entry(entry: Mapping[str, Any], to: TranscriptBuilder) -> None:
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
        if name in _EDITS:
            to.change(
                text_at(part, "input", "file_path") or text_at(part, "input", "notebook_path")
            )
        elif name == "Bash":
            to.run(text_at(part, "id"), text_at(part, "input", "command"))
