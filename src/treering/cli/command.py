"""A command of the program, made from the definition of its verb.

The module of the command is imported when it runs. It has `text`, which tells the answer in words;
`run`, where the words of the command line are not yet the action's arguments; and `exit_code`,
where an answer can mean that something is left to do.
"""

import gc
from collections.abc import Callable
from importlib import import_module
from typing import Any

import click

from treering.actions.verbs.verb import Parameter, Verb
from treering.errors import Invalid

#: Quoted: the type takes no parameter in older versions of click.
_TYPES: "dict[str, click.ParamType[Any]]" = {"number": click.FLOAT, "whole": click.INT}
_MODULES = {"import": "imports"}  # the other name is a word of Python


def make_command(verb: Verb) -> click.Command:
    """The command, with its options and help; what it needs to run is not loaded yet."""

    def run(**given: Any) -> int:
        return _run(verb, **given)

    return click.Command(
        verb.name,
        params=[*map(_param, verb.parameters_of("cli")), *options()],
        callback=run,
        help=f"{verb.summary}\n\n{verb.more}".strip(),
        epilog=f"Example: {verb.example}",
    )


def options() -> list[click.Parameter]:
    """The options every command has."""
    return [
        click.Option(["-C", "--repo"], metavar="PATH", help="The repository (default: here)."),
        click.Option(["--json", "as_json"], is_flag=True, help="Answer with JSON."),
    ]


def _run(verb: Verb, repo: str | None, as_json: bool, **given: Any) -> int:
    from treering.cli.shared import door_of  # and all that works on a repository

    module = load_module(verb.name)
    act: Callable[..., Any] = getattr(module, "run", None) or _act(verb)
    stop_collecting_imports()
    given |= {p.name: _pairs(given[p.name]) for p in verb.parameters_of("cli") if p.kind == "map"}

    called = door_of(repo, as_json)
    answer = act(called, **given)
    if answer is None:
        return 0  # it has said itself what there was to say
    called.answer(answer, module.text)
    code: int = module.exit_code(answer) if hasattr(module, "exit_code") else 0
    return code


def load_module(name: str) -> Any:
    return import_module(f"treering.cli.{module_of(name)}")


def module_of(name: str) -> str:
    """The module below treering.cli that has a command."""
    return _MODULES.get(name, name)


def stop_collecting_imports() -> None:
    """What was imported stays as long as the process: the collector never looks at it again."""
    gc.freeze()
    gc.enable()


def _act(verb: Verb) -> Callable[..., Any]:
    action = verb.load_action()
    return lambda called, **given: action(called.open(), **given)


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
        metavar=parameter.metavar or None,
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


def _help(parameter: Parameter) -> str:
    sentences = [parameter.help]
    if parameter.choices:
        sentences.append(f"One of {', '.join(parameter.choices)}.")
    if parameter.kind in ("list", "map"):
        sentences.append("May be repeated.")
    return " ".join([*sentences, parameter.by_hand]).strip()
