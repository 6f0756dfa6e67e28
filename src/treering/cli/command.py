"""A command of the program as click knows it, made from the definition of its verb."""

from collections.abc import Set
from typing import Any

import click
from click.core import ParameterSource

from treering.verbs.verb import Parameter, Verb

#: Quoted: the type takes no parameter in older versions of click.
_TYPES: "dict[str, click.ParamType[Any]]" = {"number": click.FLOAT, "whole": click.INT}


def make_command(verb: Verb) -> click.Command:
    """The command, with its options and help; what it needs to run is not loaded yet."""

    def run(repo: str | None, as_json: bool, **options: Any) -> int:
        from treering.cli.run import run_verb

        return run_verb(verb, *join_outer(repo, as_json), list_typed(), options)

    return click.Command(
        verb.name,
        params=[*make_params(verb), *options()],
        callback=run,
        help=f"{verb.summary}\n\n{verb.more}".strip(),
        epilog=f"Example: {verb.example}",
    )


def join_outer(repo: str | None, as_json: bool) -> tuple[str | None, bool]:
    """Both options may also stand before the command's name."""
    outer: dict[str, Any] = click.get_current_context().obj or {}
    return repo or outer.get("repo"), as_json or outer.get("as_json", False)


def list_typed() -> Set[str]:
    """The options that stand on the command line, be it with their defaults."""
    context = click.get_current_context()
    return {
        name
        for name in context.params
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE
    }


def make_params(verb: Verb) -> list[click.Parameter]:
    """What the command line takes for a verb."""
    return [_param(parameter) for parameter in verb.parameters_of("cli")]


def options() -> list[click.Parameter]:
    """The options every command has."""
    return [
        click.Option(["-C", "--repo"], metavar="PATH", help="The repository (default: here)."),
        click.Option(["--json", "as_json"], is_flag=True, help="Answer with JSON."),
    ]


def _param(parameter: Parameter) -> click.Parameter:
    return _argument(parameter) if parameter.arg.place else _option(parameter)


def _argument(parameter: Parameter) -> click.Argument:
    is_joined = parameter.arg.place == "joined"
    return click.Argument(
        [parameter.name],
        nargs=-1 if is_joined or parameter.arg.place in ("several", "any") else 1,
        required=parameter.arg.place in ("one", "several"),
        type=_TYPES.get(parameter.kind),
        metavar=parameter.arg.metavar or None,
        callback=(lambda _, __, words: " ".join(words)) if is_joined else None,
        **({} if is_joined else _default(parameter)),
    )


def _option(parameter: Parameter) -> click.Option:
    is_flag = parameter.kind == "flag"
    return click.Option(
        [*_spellings(parameter), parameter.name],
        is_flag=is_flag,
        multiple=parameter.kind in ("list", "map"),
        show_default=parameter.has_default
        or bool(parameter.arg.off and parameter.default is False),
        type=None if is_flag else _TYPES.get(parameter.kind),
        metavar=parameter.arg.metavar or _choices(parameter),
        help=_help(parameter),
        **_default(parameter),
    )


def _default(parameter: Parameter) -> dict[str, Any]:
    """None stands for a default that was left to click, too, but not in every version of it."""
    is_left_out = parameter.is_required or parameter.kind in ("list", "map")
    return {} if is_left_out else {"default": parameter.default}


def _spellings(parameter: Parameter) -> list[str]:
    names = parameter.spellings
    off = f"/--{parameter.arg.off}" if parameter.arg.off else ""
    short = [f"-{parameter.arg.short}"] if parameter.arg.short else []
    return short + [f"--{name}{off}" for name in names]


def _choices(parameter: Parameter) -> str | None:
    """They are not checked here: the action takes them in any case, and says what was meant."""
    return f"[{'|'.join(parameter.arg.choices)}]" if parameter.arg.choices else None


def _help(parameter: Parameter) -> str:
    sentences = [parameter.arg.help]
    if parameter.kind in ("list", "map"):
        sentences.append("May be repeated.")
    return " ".join([*sentences, parameter.arg.by_hand]).strip()
