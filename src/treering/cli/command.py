"""A command of the program, made from the definition of its verb.

The module of the command is imported when it runs. For a verb NAME it has `render_NAME`, which
makes text of the answer. It has `run_NAME` where the words of the command line are not yet the
action's arguments, and `exit_code_NAME` where an answer can mean that something is left to do.
"""

import gc
from collections.abc import Callable
from importlib import import_module
from typing import Any, cast

import click

from treering.actions.verbs import VERBS
from treering.actions.verbs.verb import Parameter, Verb
from treering.errors import Invalid

#: Quoted: the type takes no parameter in older versions of click.
_TYPES: "dict[str, click.ParamType[Any]]" = {"number": click.FLOAT, "whole": click.INT}
#: Commands that are no more than themselves. The others are by subject, as their definitions are.
_OWN_MODULES = frozenset({"completion", "demo", "mcp", "web", "why"})


def make_command(verb: Verb) -> click.Command:
    """The command, with its options and help; what it needs to run is not loaded yet."""

    def run(**options: Any) -> int:
        return _run(verb, **options)

    return click.Command(
        verb.name,
        params=[*make_params(verb), *options()],
        callback=run,
        help=f"{verb.summary}\n\n{verb.more}".strip(),
        epilog=f"Example: {verb.example}",
    )


def make_params(verb: Verb) -> list[click.Parameter]:
    """What the command line takes for a verb."""
    return [_param(parameter) for parameter in verb.parameters_of("cli")]


def options() -> list[click.Parameter]:
    """The options every command has."""
    return [
        click.Option(["-C", "--repo"], metavar="PATH", help="The repository (default: here)."),
        click.Option(["--json", "as_json"], is_flag=True, help="Answer with JSON."),
    ]


def _run(verb: Verb, repo: str | None, as_json: bool, **options: Any) -> int:
    from treering.cli.invocation import current_invocation  # and all that works on a repository

    run = _find(verb, "run")
    if run is None:
        verb.load_action()
    stop_collecting_imports()
    maps = (p.name for p in verb.parameters_of("cli") if p.kind == "map")
    options |= {name: _pairs(options[name]) for name in maps}

    call = current_invocation(repo, as_json)
    answer = run(call, **options) if run else call.act(verb.name, **options)
    if answer is None:
        return 0  # it has printed its answer itself
    call.answer(answer, cast(Callable[[Any], str], _find(verb, "render")))
    exit_code = _find(verb, "exit_code")
    return exit_code(answer) if exit_code else 0


def _find(verb: Verb, what: str) -> Callable[..., Any] | None:
    """A function of the command's module."""
    module = import_module(f"treering.cli.{module_of(verb.name)}")
    function: Callable[..., Any] | None = getattr(module, f"{what}_{verb.name}", None)
    return function


def module_of(name: str) -> str:
    """The module below treering.cli that has a command."""
    return name if name in _OWN_MODULES else VERBS.get(name, name)


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


def _param(parameter: Parameter) -> click.Parameter:
    return _argument(parameter) if parameter.argument else _option(parameter)


def _argument(parameter: Parameter) -> click.Argument:
    return click.Argument(
        [parameter.name],
        nargs=-1 if parameter.argument in ("several", "any") else 1,
        required=parameter.argument in ("one", "several"),
        type=_TYPES.get(parameter.kind),
        metavar=parameter.metavar or None,
        **_default(parameter),
    )


def _option(parameter: Parameter) -> click.Option:
    is_flag = parameter.kind == "flag"
    return click.Option(
        [*_spellings(parameter), parameter.name],
        is_flag=is_flag,
        multiple=parameter.kind in ("list", "map"),
        show_default=parameter.has_default or bool(parameter.off and parameter.default is False),
        type=None if is_flag else _TYPES.get(parameter.kind),
        metavar=parameter.metavar or _choices(parameter),
        help=_help(parameter),
        **_default(parameter),
    )


def _default(parameter: Parameter) -> dict[str, Any]:
    """None stands for a default that was left to click, too, but not in every version of it."""
    is_left_out = parameter.is_required or parameter.kind in ("list", "map")
    return {} if is_left_out else {"default": parameter.default}


def _spellings(parameter: Parameter) -> list[str]:
    names = parameter.options or (parameter.name.replace("_", "-"),)
    off = f"/--{parameter.off}" if parameter.off else ""
    short = [f"-{parameter.short}"] if parameter.short else []
    return short + [f"--{name}{off}" for name in names]


def _choices(parameter: Parameter) -> str | None:
    """They are not checked here: the action takes them in any case, and says what was meant."""
    return f"[{'|'.join(parameter.choices)}]" if parameter.choices else None


def _help(parameter: Parameter) -> str:
    sentences = [parameter.help]
    if parameter.kind in ("list", "map"):
        sentences.append("May be repeated.")
    return " ".join([*sentences, parameter.by_hand]).strip()
