"""The start and end of a command: every outcome becomes words and an exit code."""

import contextlib
import json
import os

from treering import __version__
from treering.errors import StorageFailed, TreeringError

EXPECTED, USAGE, BUG, INTERRUPTED = 1, 2, 3, 130


class Misuse(Exception):
    """Words of a command line that cannot be what was meant, and what to do about it."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


def tell_failure(as_json: bool, code: str, message: str, hint: str) -> None:
    """Say what went wrong; what callers and branch names put into it is cleaned and masked."""
    from treering.cli.screen import echo  # only an error needs them
    from treering.text.secrets import mask_secrets

    message, hint = mask_secrets(message), mask_secrets(hint)
    if as_json:
        error = {"code": code, "message": message, "hint": hint}
        text = json.dumps({"error": error}, ensure_ascii=False)
    else:
        text = f"error: {message}" + (f"\nhint: {hint}" if hint else "")
    with contextlib.suppress(OSError):  # where nothing can be said, the exit code has to do
        echo(text, is_error=True)


def write_log(error: Exception) -> str:
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


def main(arguments: list[str]) -> int:
    """Run one command."""
    as_json = "--json" in arguments
    try:
        return _run(arguments)
    except TreeringError as error:
        tell_failure(as_json, error.code, error.message, error.hint)
        return EXPECTED
    except Misuse as error:
        tell_failure(as_json, "invalid", error.message, error.hint)
        return USAGE
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has had enough; python must not complain when it closes stdout.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 0
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        tell_failure(as_json, StorageFailed.code, f"{where}{error.strerror or error}.", "")
        return EXPECTED
    except Exception as error:  # the door: a bug becomes a log, never a traceback on the screen
        bug = f"This is a bug in treering: {type(error).__name__}."
        try:
            hint = f"Please report it with the log: {write_log(error)}"
        except (OSError, ImportError):
            hint = "No log could be written."
        tell_failure(as_json, "internal", bug, hint)
        return BUG


def _run(arguments: list[str]) -> int:
    """Without click where the words are plain: to import it takes a quarter of a capture."""
    if arguments[:2] == ["hook", "agent"] and len(arguments) == 4 and "-" not in arguments[3][:1]:
        from treering.cli.agent import answer_client

        answer_client("", *arguments[2:])
        return 0
    from treering.cli.run import read_plain

    if command := read_plain(arguments):
        return command.run()
    from treering.cli.group import run_program

    return run_program(arguments)
