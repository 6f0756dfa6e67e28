"""The program: its commands, loaded when they are called, and the one place that turns errors into
words and exit codes."""

import contextlib
import json
import os

import click

from treering import __version__
from treering.actions.verbs import VERBS, find_verb
from treering.errors import StorageFailed, TreeringError

EXPECTED, USAGE, BUG, INTERRUPTED = 1, 2, 3, 130

#: In the order help shows them. `hub` has commands below; so has `hook`, which is for git and for
#: agents' clients.
COMMANDS = (*VERBS, "hub", "hook")


class Program(click.Group):
    """Commands by name, each made from its definition only when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:  # noqa: ARG002
        if name not in COMMANDS:
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
        if name in COMMANDS or name.startswith("-"):
            return super().resolve_command(ctx, args)
        from treering.cli.help import guess

        raise UnknownWord(f"There is no command {name}.", guess(name, rest, list(COMMANDS)))

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Commands first: they are what people look for, and a screen has few lines."""
        from treering.cli.help import write_commands

        write_commands(self, ctx, formatter)
        click.Command.format_options(self, ctx, formatter)


class UnknownWord(click.ClickException):
    """A word that is no command, with what was probably meant."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.hint = hint


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
    """The memory of a repository, kept in the repository.

    `demo` shows how it works, `init` sets it up, `sync` shares it with others.
    """
    ctx.obj = {"repo": repo, "as_json": as_json}


def main(arguments: list[str]) -> int:
    """Run one command; every outcome becomes an exit code here."""
    as_json = "--json" in arguments
    try:
        code = program.main(arguments, prog_name="treering", standalone_mode=False)
        return code if isinstance(code, int) else 0
    except TreeringError as error:
        _say(as_json, error.code, error.message, error.hint)
        return EXPECTED
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        return USAGE
    except UnknownWord as error:
        _say(as_json, "invalid", error.message, error.hint)
        return USAGE
    except click.ClickException as error:
        _say(as_json, "invalid", *_explain(error))
        return USAGE
    except (KeyboardInterrupt, click.Abort):
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has had enough; python must not complain when it closes stdout.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 0
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        _say(as_json, StorageFailed.code, f"{where}{error.strerror or error}.", "")
        return EXPECTED
    except Exception as error:  # the door: a bug becomes a log, never a traceback on the screen
        bug = f"This is a bug in treering: {type(error).__name__}."
        try:
            hint = f"Please report it with the log: {_log_of(error)}"
        except (OSError, ImportError):
            hint = "No log of it could be written."
        _say(as_json, "internal", bug, hint)
        return BUG


def _explain(error: click.ClickException) -> tuple[str, str]:
    """What is wrong with the words of a command line, and what to do about it."""
    ctx = getattr(error, "ctx", None)
    more = f"`{ctx.command_path} --help` says more." if ctx else ""
    if not isinstance(error, click.NoSuchOption) or ctx is None:
        return error.format_message(), more
    from treering.model.spelling import suggest

    names = [name for param in ctx.command.get_params(ctx) for name in param.opts]
    hint = suggest(error.option_name, [name for name in names if name[:2] == "--"], more)
    return f"There is no option {error.option_name}.", hint


def _say(as_json: bool, code: str, message: str, hint: str) -> None:
    """Say what went wrong; what callers and branch names put into it is cleaned and masked."""
    from treering.text.secrets import mask_secrets  # only an error needs it

    message, hint = mask_secrets(message), mask_secrets(hint)
    if as_json:
        error = {"code": code, "message": message, "hint": hint}
        text = json.dumps({"error": error}, ensure_ascii=False)
    else:
        text = f"error: {message}" + (f"\nhint: {hint}" if hint else "")
    with contextlib.suppress(OSError):  # where nothing can be said, the exit code has to do
        click.echo(text, err=True)


def _log_of(error: Exception) -> str:
    """A file with everything a report needs, in a folder of the user's own."""
    import platform
    import tempfile
    import traceback

    from treering.text.secrets import mask_secrets

    trace = mask_secrets("".join(traceback.format_exception(error)))
    with tempfile.NamedTemporaryFile(
        "w", prefix="treering-bug-", suffix=".md", delete=False, encoding="utf-8"
    ) as log:
        log.write(f"treering {__version__}, Python {platform.python_version()}, ")
        log.write(f"{platform.platform()}\n\n```\n{trace}```\n")
    return log.name
