"""Advice that names commands and options, said in tools and arguments.

Errors are raised far below the doors, where nobody knows who asked. Their hints name what people
type; an agent has no command line to type it into, but the same verb as a tool. Commands that are
no tools stay as they are: an agent may tell its user.
"""

import json
import re
import shlex
from typing import Any

from treering.verbs import VERBS, find_verb
from treering.verbs.verb import Parameter, Verb

_QUOTED = r"(`[^`\n]{1,200}`)"
_OPTION = r"(?<![\w`-])--([a-z][a-z-]+)(?:[= ]([A-Z][A-Z_]*=[A-Z]+|[A-Z]{2,}|project|user)\b)?"
_STANDARD_INPUT = ("Give it as argument or on stdin.", "Give it as content.")
#: Commands that are operations of a tool.
_OPERATIONS = ("gc", "promote", "restore", "reindex", "sync")


def advise(text: str, verb: Verb | None = None) -> str:
    """The text for an agent. `verb` is the tool it has just called, whose arguments come first."""
    text = text.replace(*_STANDARD_INPUT)
    if "`" not in text and "--" not in text:
        return text
    parts = re.split(_QUOTED, text)
    return "".join(
        f"`{_quoted(part[1:-1], verb)}`" if part.startswith("`") and part.endswith("`") and part[1:]
        else re.sub(_OPTION, lambda match: _argument(match[1], match[2] or "", verb), part)
        for part in parts
    )  # fmt: skip


def spell_ways_back(answer: Any) -> Any:
    """An answer whose commands that take something back are calls of tools."""
    if isinstance(answer, list):
        return [spell_ways_back(item) for item in answer]
    if not isinstance(answer, dict):
        return answer
    return {
        key: " && ".join(_quoted(command, None) for command in value.split(" && "))
        if key == "back" and isinstance(value, str)
        else spell_ways_back(value)
        for key, value in answer.items()
    }


def _quoted(command: str, verb: Verb | None) -> str:
    if command.startswith("treering "):
        return _call(command)
    if match := re.fullmatch(r"--([a-z][a-z-]+)(?:[= ](\S+))?", command):
        return _argument(match[1], match[2] or "", verb)
    return command


def _call(command: str) -> str:
    """`treering forget --restore 7k2m` as forget(ids=["7k2m"], restore=true)."""
    try:
        _, name, *words = shlex.split(command)
    except ValueError:
        return command
    verb = find_verb(name) if name in VERBS else None
    arguments = _arguments(verb, words) if verb else None
    if verb is None or arguments is None:
        return command
    if name in _OPERATIONS:
        arguments = {"op": name} | arguments
        if "undo" in arguments:
            arguments["dry_run"] = False  # the tool only shows it until told
        return _spell("maintain", arguments)
    return _spell(name, arguments) if verb.tool else command


def _arguments(verb: Verb, words: list[str]) -> dict[str, Any] | None:
    """What a command line says, by the names of arguments; None where that is not clear."""
    arguments: dict[str, Any] = {}
    places = [item for item in verb.parameters if item.arg.place and item.name != "words"]
    rest = iter(words)
    for word in rest:
        item = _find(word[2:], verb) if word.startswith("--") else None
        if item and item.kind == "flag":
            arguments[item.name] = word[2:] != item.arg.off
        elif item:
            _put(arguments, item, next(rest, "..."))
        elif word.startswith("-") or not places:
            return None
        else:
            _put(arguments, places[0], word)
            if places[0].arg.place in ("one", "optional"):
                places.pop(0)
    in_order = [item.name for item in verb.parameters]
    return dict(sorted(arguments.items(), key=lambda pair: in_order.index(pair[0])))


def _put(arguments: dict[str, Any], item: Parameter, value: str) -> None:
    if item.kind == "list":
        arguments.setdefault(item.name, []).append(value)
    elif item.arg.place == "joined" and item.name in arguments:
        arguments[item.name] += f" {value}"
    else:
        arguments[item.name] = value


def _spell(tool: str, arguments: dict[str, Any]) -> str:
    if not arguments:
        return tool
    pairs = (f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in arguments.items())
    return f"{tool}({', '.join(pairs)})"


def _argument(option: str, value: str, verb: Verb | None) -> str:
    item = _find(option, verb) if verb else None
    name = item.name if item else option.replace("-", "_")
    if not value:
        return f"{name}=true" if item and item.kind == "flag" else name
    key, is_pair, meaning = value.partition("=")
    return f"{name}={json.dumps({key: meaning} if is_pair else value)}"


def _find(option: str, verb: Verb) -> Parameter | None:
    """The parameter that the command line spells so."""
    return next(
        (
            item
            for item in verb.parameters
            if option in (*item.arg.options, item.arg.off, item.name.replace("_", "-")) and option
        ),
        None,
    )
