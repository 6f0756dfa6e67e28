"""Entry of the installed script. Starting is most of what a short command costs, so the garbage
collector waits until everything is imported, and pygit2 is imported only as far as it is used."""

import gc

gc.disable()

import os  # noqa: E402
import sys  # noqa: E402

from treering.git.deferral import defer_pygit2  # noqa: E402


def run() -> None:
    """One command, then out."""
    _replace_closed_streams()
    try:
        code = _run()
    except KeyboardInterrupt:  # while everything is imported
        code = 130
    except (OSError, ImportError) as error:
        code = _tell_broken_installation(error)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (BrokenPipeError, ValueError):
            continue
        except OSError:
            code = code or 1  # an answer nobody got is no success
    if database := sys.modules.get("treering.derived.database"):
        database.close_all()
    # Taking the interpreter apart costs as much as a capture; everything is on disk already.
    os._exit(code)


def _replace_closed_streams() -> None:
    """Open the null device in place of a stream that was closed before we began: else the next file
    that is opened would get its number, and our output."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115


def _tell_broken_installation(error: OSError | ImportError) -> int:
    """Say that a module or table of our own cannot be read, with none of what would take reading.

    What an error says is masked first; without the table of credentials only a reason is safe."""
    reason = os.strerror(error.errno) if isinstance(error, OSError) and error.errno else "not found"
    message = f"A file of treering itself cannot be read: {reason}."
    hint = "Try again; if it stays so, install treering again."
    text = f"error: {message}\nhint: {hint}\n"
    if "--json" in sys.argv:
        error_fields = f'"code": "storage_failed", "message": "{message}", "hint": "{hint}"'
        text = f'{{"error": {{{error_fields}}}}}\n'
    sys.stderr.write(text)
    return 1


def _run() -> int:
    defer_pygit2()
    from treering.cli.main import main

    return main(sys.argv[1:])


if __name__ == "__main__":
    run()
