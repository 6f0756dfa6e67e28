"""Where a command begins, and where every outcome of it becomes an exit code."""

import os

from treering.cli.failure import BUG, EXPECTED, INTERRUPTED, USAGE, Misuse, tell_failure, write_log
from treering.errors import StorageFailed, TreeringError


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
    from treering.cli.plain import read_plain

    if command := read_plain(arguments):
        return command.run()
    from treering.cli.group import run_program

    return run_program(arguments)
