"""Calls and options as agents write them: tools and arguments.

What is no tool stays a command: an agent may tell its user.
"""

import json
from typing import Any

from treering.call import Advice, Call, Option
from treering.model.choices import MAINTAIN_OPS
from treering.verbs import VERBS, find_verb
from treering.verbs.verb import Parameter, Verb


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
    arguments = _name_words(verb, part.words) | _name_options(verb, part.options)
    if verb.tool:
        return _write(verb.name, arguments)
    known = {parameter.name for parameter in find_verb("maintain").parameters}
    if verb.name in MAINTAIN_OPS and arguments.keys() <= known:
        if "undo" in arguments:
            arguments["dry_run"] = False  # the tool only shows it until told
        return _write("maintain", {"op": verb.name} | arguments)
    return str(part)


def _name_words(verb: Verb, words: tuple[str, ...]) -> dict[str, Any]:
    """Give each word the name of the parameter that takes it."""
    places = [item for item in verb.parameters_of("mcp") if item.arg.place]
    arguments: dict[str, Any] = {}
    rest = list(words)
    for parameter in places:
        if not rest:
            break
        if _is_single(parameter):
            arguments[parameter.name] = rest.pop(0)
        else:
            is_text = parameter.arg.place == "joined"
            arguments[parameter.name] = " ".join(rest) if is_text else rest
            rest = []
    return arguments


def _name_options(verb: Verb, options: dict[str, Any]) -> dict[str, Any]:
    """Give each option the name of the parameter that it sets: `apply` is dry_run=false."""
    named: dict[str, Any] = {}
    for name, value in options.items():
        option = name.replace("_", "-")
        for parameter in verb.parameters:
            if name == parameter.name or option in parameter.spellings:
                named[parameter.name] = value
            elif option == parameter.arg.off:
                named[parameter.name] = not value
    return named


def _is_single(parameter: Parameter) -> bool:
    return parameter.arg.place in ("one", "optional")


def _write(tool: str, arguments: dict[str, Any]) -> str:
    if not arguments:
        return tool
    pairs = (f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in arguments.items())
    return f"{tool}({', '.join(pairs)})"
