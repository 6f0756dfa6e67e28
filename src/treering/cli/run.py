"""Running a command whose words were read, by whatever reads them.

The module of a command is imported when it runs. For a verb NAME it has `render_NAME`, which makes
text of the answer. It has `run_NAME` where the words of the command line are not yet the action's
arguments, and `exit_code_NAME` where an answer can mean that something is left to do.
"""

import gc
from collections.abc import Callable, Set
from importlib import import_module
from typing import Any

from treering.errors import Invalid
from treering.verbs import VERBS
from treering.verbs.verb import Verb

#: Commands that have a module of their own. The others are by subject, as their verbs are.
_OWN_MODULES = frozenset({"completion", "demo", "guard", "mcp", "review", "web", "why"})


def run_verb(
    verb: Verb, repo: str | None, as_json: bool, typed: Set[str], options: dict[str, Any]
) -> int:
    """Act, answer, and tell the exit code. `typed` are the options that somebody wrote."""
    from treering.cli.invocation import name_invocation  # and all that works on a repository

    run = _find(verb, "run")
    if run is None:
        verb.load()
    stop_collecting_imports()
    maps = (p.name for p in verb.parameters_of("cli") if p.kind == "map")
    options |= {name: _pairs(options[name]) for name in maps}

    call = name_invocation(repo, as_json, typed)
    answer = run(call, **options) if run else call.act(verb.name, **options)
    if answer is None or isinstance(answer, int):
        return answer or 0  # it has printed its answer itself
    call.answer(answer, _find(verb, "render") or _render_plainly)
    exit_code = _find(verb, "exit_code")
    return exit_code(answer) if exit_code else 0


def _find(verb: Verb, what: str) -> Callable[..., Any] | None:
    """Return a function of the command's module, if it has it."""
    subject = VERBS[verb.name].rpartition(".")[2]
    name = verb.name if verb.name in _OWN_MODULES else subject
    try:
        module = import_module(f"treering.cli.{name}")
    except ModuleNotFoundError:
        return None
    function: Callable[..., Any] | None = getattr(module, f"{what}_{verb.name}", None)
    return function


def _render_plainly(answer: object) -> str:
    """Show the answer of a verb that nobody wrote a text for: a line per field."""
    from treering.actions.answers import jsonable

    fields = jsonable(answer)
    return "\n".join(f"{key}: {value}" for key, value in fields.items())


def stop_collecting_imports() -> None:
    """What was imported stays as long as the process: the collector never looks at it again."""
    gc.freeze()
    gc.enable()


def _pairs(words: tuple[str, ...]) -> dict[str, str]:
    pairs = {}
    for word in words:
        name, sign, value = word.partition("=")
        if not sign or not name.strip():
            raise Invalid(f"{word!r} is not NAME=VALUE.", hint="Write a name, `=` and a value.")
        pairs[name.strip()] = value
    return pairs
