"""Answers, errors and advice as an agent sees them.

Answers are cut to what an agent can take: between items, said so, and the whole kept for later.
Errors are the contract's object, with nothing about this machine in it. A message may have been
made from a path or from an argument, so absolute paths become their last part, long words are cut,
and what looks like a credential is never repeated. Calls are spelled as calls of tools; what is no
tool stays a command: an agent may tell its user.
"""

import json
import re
from typing import Any

from treering.call import Advice, Call, Option
from treering.errors import StorageFailed, TreeringError
from treering.model.choices import MAINTAIN_OPS
from treering.text import secrets
from treering.verbs import VERBS, find_verb


def advise(text: str) -> str:
    """Return a text for an agent: the calls in it as calls of tools."""
    return text.spell(spell) if isinstance(text, Advice) else text


def spell(part: Call | Option) -> str:
    """Return a call as `forget(ids=["7k2m"], restore=true)`, an option as an argument."""
    if isinstance(part, Option):
        return f"{part.name}={json.dumps(part.value)}" if part.value else part.name
    if part.verb not in VERBS:
        return str(part)
    verb = find_verb(part.verb)
    arguments = verb.name_arguments(part.words, part.options)
    if verb.tool:
        return _write(verb.name, arguments)
    known = {parameter.name for parameter in find_verb("maintain").parameters}
    if verb.name in MAINTAIN_OPS and arguments.keys() <= known:
        if "undo" in arguments:
            arguments["dry_run"] = False  # the tool only shows it until told
        return _write("maintain", {"op": verb.name} | arguments)
    return str(part)


def _write(tool: str, arguments: dict[str, Any]) -> str:
    if not arguments:
        return tool
    pairs = (f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in arguments.items())
    return f"{tool}({', '.join(pairs)})"


USUAL, MOST = 8_000, 40_000
_SPARE = 60  # for what is said about the cut itself
_PATH = r"(?<![\w.:/~-])(?:/[^\s/'\"`,;:()]+){2,}/?"
_LONGEST_WORD, _LONGEST = 100, 600


def write_json(answer: Any) -> str:
    text = json.dumps(answer, ensure_ascii=False, separators=(",", ":"))
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def how_many_fit(answer: dict[str, Any], key: str, room: int) -> int:
    """Return how many items of a list fit, beside everything else in the answer; at least one."""
    rest = room - len(write_json(answer | {key: []})) - _SPARE
    for number, item in enumerate(answer[key]):
        rest -= len(write_json(item)) + 1
        if rest < 0:
            return max(1, number)
    return len(answer[key])


def fit(answer: dict[str, Any], room: int) -> dict[str, Any]:
    """The answer without the ends of its longest lists, then without the end of its longest text.

    `total` says how long the list was, and `next_offset` where the text goes on.
    """
    while len(write_json(answer)) > room and (key := _longest(answer, list)):
        whole = answer[key]
        length = min(how_many_fit(answer, key, room), len(whole) - 1)
        answer = {"total": len(whole)} | answer | {key: whole[:length]}
    if len(write_json(answer)) > room and (key := _longest(answer, str)):
        answer = _cut_text(answer, key, room)
    return answer


def _longest(answer: dict[str, Any], kind: type[list[Any]] | type[str]) -> str:
    """The key of the longest list of more than one item, or of the longest text."""
    sizes = {
        key: len(write_json(value))
        for key, value in answer.items()
        if isinstance(value, kind) and len(value) > 1
    }
    return max(sizes, key=sizes.__getitem__, default="")


def _cut_text(answer: dict[str, Any], key: str, room: int) -> dict[str, Any]:
    """As much of a text as fits once it is escaped, found by halving."""
    whole = answer[key]
    rest = room - len(write_json(answer | {key: ""})) - _SPARE
    low, high = 0, len(whole)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if len(write_json(whole[:middle])) <= rest else (low, middle - 1)
    return answer | {key: whole[:low], "next_offset": low}


# --- errors ---------------------------------------------------------------------------------------


def describe_error(error: Exception) -> dict[str, Any]:
    """Return the error object of the contract, in the words of an agent."""
    failure = error if isinstance(error, TreeringError) else _wrap_bug(error)
    message, hint = (hide_private(advise(text)) for text in (failure.message, failure.hint))
    return {"error": {"code": failure.code, "message": message, "hint": hint}}


def _wrap_bug(error: Exception) -> TreeringError:
    if isinstance(error, OSError):
        return StorageFailed(f"{error.strerror or type(error).__name__}.")
    return TreeringError(
        f"This is a bug in treering: {type(error).__name__}.",
        hint="The server's standard error has the details.",
    )


def hide_private(text: str) -> str:
    """The text without paths, long words and credentials."""
    if secrets.secrets_in(text):
        return "The arguments look like a credential, so they are not repeated."
    text = re.sub(_PATH, lambda path: path[0].rstrip("/").rpartition("/")[2], text)
    text = re.sub(rf"\S{{{_LONGEST_WORD},}}", lambda word: f"{word[0][:40]}…", text)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
