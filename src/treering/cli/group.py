"""The program as click knows it: its commands, loaded when they are called."""

import os

import click

from treering import __version__
from treering.cli.failure import USAGE, Misuse
from treering.verbs import VERBS, find_verb

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
        from treering.cli.help import guess

        raise Misuse(f"There is no command {name}.", guess(name, rest, names))

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Commands first: they are what people look for, and a screen has few lines."""
        from treering.cli.help import write_commands

        write_commands(self, ctx, formatter)
        click.Command.format_options(self, ctx, formatter)


def _make(name: str) -> click.Command:
    from treering.cli.command import make_command  # --version needs no command

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
    """What is wrong with the words of a command line, and what to do about it."""
    ctx = getattr(error, "ctx", None)
    more = f"See `{ctx.command_path} --help`." if ctx else ""
    if not isinstance(error, click.NoSuchOption) or ctx is None:
        return error.format_message(), more
    from treering.model.spelling import suggest

    names = [name for param in ctx.command.get_params(ctx) for name in param.opts]
    hint = suggest(error.option_name, [name for name in names if name[:2] == "--"], more)
    return f"There is no option {error.option_name}.", hint
