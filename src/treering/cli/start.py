"""Where the installed script begins. Starting is most of what a short command costs, so the garbage
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
    """Where a stream was closed before we began nobody hears us. Its number is taken at once, or
    the next file that is opened would be our output."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115


def _run() -> int:
    defer_pygit2()
    from treering.cli.main import main

    return main(sys.argv[1:])


if __name__ == "__main__":
    run()
