"""What went wrong, in words and exit codes: for people, or with --json for programs."""

import contextlib
import json

from treering import __version__

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
