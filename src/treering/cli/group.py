"""The program as click knows it: its commands, made from the definitions of verbs when they are
called, its help, and what people type instead of their names."""

import os
from collections.abc import Set
from typing import Any

import click
from click.core import ParameterSource

from treering import __version__
from treering.cli.main import USAGE, Misuse
from treering.model.spelling import list_near
from treering.verbs import VERBS, find_verb
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
    """Return what the command line takes for a verb."""
    return [_argument(one) if one.arg.place else _option(one) for one in verb.parameters_of("cli")]


def options() -> list[click.Parameter]:
    """The options every command has."""
    return [
        click.Option(["-C", "--repo"], metavar="PATH", help="The repository (default: here)."),
        click.Option(["--json", "as_json"], is_flag=True, help="Answer with JSON."),
    ]


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


#: What help shows with a line each, on the first screen.
FRONT = (
    "init", "remember", "recall", "why", "guard", "context", "read", "revise", "status", "sync",
    "gc", "web",
)  # fmt: skip
#: Every command, by what people want. A test holds that each is in one of them.
GROUPS = {
    "find": ("remember", "recall", "read", "revise", "forget", "link", "checkpoint", "prompts"),
    "look": ("web", "why", "guard", "context", "status", "log", "graph", "entities"),
    "branches": ("gc", "diff", "promote", "restore"),
    "share": ("sync", "hub", "export", "import"),
    "upkeep": ("review", "doctor", "maintain", "backfill", "reindex", "revert", "redact"),
    "set up": ("init", "try", "config", "mcp", "hook", "completion", "uninstall", "demo"),
}

#: What other programs call it.
OTHER_WORDS = {
    "help": "--help",
    **dict.fromkeys(("search", "find", "grep", "query", "list", "ls"), "recall"),
    **dict.fromkeys(("show", "get", "cat", "view", "open"), "read"),
    **dict.fromkeys(("add", "new", "create", "save", "store", "note", "write"), "remember"),
    **dict.fromkeys(("edit", "update", "change", "set"), "revise"),
    **dict.fromkeys(("delete", "remove", "rm"), "forget"),
    **dict.fromkeys(("blame", "annotate", "explain"), "why"),
    "undo": "revert",
    "history": "log",
    "push": "sync push",
    **dict.fromkeys(("pull", "fetch"), "sync fetch"),
    **dict.fromkeys(("install", "setup"), "init"),
    **dict.fromkeys(("serve", "server"), "mcp"),
    **dict.fromkeys(("clean", "prune"), "gc"),
    **dict.fromkeys(("check", "fsck"), "doctor"),
}


def write_commands(
    program: click.Group, ctx: click.Context, formatter: click.HelpFormatter
) -> None:
    """Write what most people need with a line each, and the names of all other commands."""
    names = program.list_commands(ctx)
    shown = [name for name in FRONT if name in names]
    width = max(map(len, shown))
    commands = [program.get_command(ctx, name) for name in shown]
    with formatter.section("Commands"):
        formatter.write_dl([(f"{c.name:<{width}}", _first_sentence(c)) for c in commands if c])
    grouped = {name for group in GROUPS.values() for name in group}
    groups = {**GROUPS, "Others": tuple(name for name in names if name not in grouped)}
    rows = [
        (f"{title:<{width}}", ", ".join(name for name in group if name not in shown))
        for title, group in groups.items()
        if any(name not in shown for name in group)
    ]
    with formatter.section("More, each with --help"):
        formatter.write_dl(rows)


def _first_sentence(command: click.Command) -> str:
    summary = (command.help or "").partition("\n\n")[0].replace("\n", " ")
    return summary.partition(". ")[0].rstrip(".") + "."


def guess(typed: str, rest: list[str], names: list[str]) -> str:
    """Return what to try in place of a command that is not there."""
    if typed == "help" and rest and rest[0] in names:
        return f"Try `treering {rest[0]} --help`."
    meant = [OTHER_WORDS[typed]] if typed in OTHER_WORDS else list_near(typed, names)
    question = f"Did you mean `treering {meant[0]}`? " if meant else ""
    return f"{question}See `treering --help` for all commands."


#: `hub` has commands below; so has `hook`, which is for git and for agents' clients.
BESIDE_VERBS = ("hub", "hook")


class Program(click.Group):
    """Commands by name, each made from its definition only when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return [*VERBS, *BESIDE_VERBS]

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:  # noqa: ARG002
        if name not in (*VERBS, *BESIDE_VERBS):
            return None
        command = _make(name)
        if "_TREERING_COMPLETE" in os.environ:
            from treering.cli.completion import fill_in

            fill_in(command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name, *rest = args
        names = self.list_commands(ctx)
        if name in names or name.startswith("-"):
            return super().resolve_command(ctx, args)

        raise Misuse(f"There is no command {name}.", guess(name, rest, names))

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Commands first: they are what people look for, and a screen has few lines."""

        write_commands(self, ctx, formatter)
        click.Command.format_options(self, ctx, formatter)


def _make(name: str) -> click.Command:

    if name in VERBS:
        return make_command(find_verb(name))
    from importlib import import_module

    command: click.Command = import_module(f"treering.cli.{name}").command
    return command


@click.group(
    cls=Program,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Example: treering remember 'Use WAL mode: readers never block' --type decision",
)
@click.option("-C", "--repo", metavar="PATH", help="The repository (default: here).")
@click.option("--json", "as_json", is_flag=True, help="Answer with JSON.")
@click.version_option(__version__, prog_name="treering")
@click.pass_context
def program(ctx: click.Context, repo: str | None, as_json: bool) -> None:
    """Remember why the code is the way it is, inside its git repository.

    Run `treering demo` to see how it works, `treering try` on your own code.
    """
    ctx.obj = {"repo": repo, "as_json": as_json}


def run_program(arguments: list[str]) -> int:
    """Run one command as click reads it; what cannot be read is a Misuse."""
    try:
        code = program.main(arguments, prog_name="treering", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        return USAGE
    except click.ClickException as error:
        raise Misuse(*_explain(error)) from error
    except click.Abort as error:
        raise KeyboardInterrupt from error
    return code if isinstance(code, int) else 0


def _explain(error: click.ClickException) -> tuple[str, str]:
    """Return what is wrong with the words of a command line, and what to do about it."""
    ctx = getattr(error, "ctx", None)
    more = f"See `{ctx.command_path} --help`." if ctx else ""
    if not isinstance(error, click.NoSuchOption) or ctx is None:
        return error.format_message(), more
    from treering.model.spelling import suggest

    names = [name for param in ctx.command.get_params(ctx) for name in param.opts]
    hint = suggest(error.option_name, [name for name in names if name[:2] == "--"], more)
    return f"There is no option {error.option_name}.", hint
