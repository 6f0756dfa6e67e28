"""treering web"""

import contextlib
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from types import FrameType

import click

from treering.cli.caller import read_caller
from treering.cli.invocation import Invocation, print_json
from treering.errors import Invalid


def run_web(call: Invocation, port: int, open: bool, read_only: bool) -> None:
    if not 0 <= port <= 65_535:
        raise Invalid(f"{port} is not a port.", hint="Give one between 1 and 65535.")
    signal.signal(signal.SIGTERM, _end)
    folder = call.workspace.repository.git_dir  # before anything else: is there one?
    from treering.mcp.repository import ServedRepository
    from treering.web.app import serve

    # Answers pass through threads; beside one that tidies the index each would wait 5 ms.
    sys.setswitchinterval(0.0005)

    doorway = ExitStack()

    def say(address: str, to_open: str) -> None:
        if call.as_json:
            print_json({"url": address, "read_only": read_only})
        else:
            click.echo(address)
        sys.stdout.flush()
        if open and sys.stdout.isatty():
            doorway.enter_context(_open_browser(to_open))

    place = ServedRepository(folder, is_named=True, **read_caller())
    with (
        doorway,
        contextlib.suppress(KeyboardInterrupt),
    ):  # uvicorn raises the signal again once it is done
        serve(place, port, is_read_only=read_only, say=say)


def _end(_: int, __: FrameType | None) -> None:
    raise SystemExit(0)


@contextlib.contextmanager
def _open_browser(address: str) -> Iterator[None]:
    """Show the page, where there is a screen: a browser in the terminal would take it over.

    What is opened is a file that only its owner can read: every user of this machine sees the
    arguments of a program.
    """
    if not (
        sys.platform == "darwin" or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    ):
        yield
        return
    import tempfile
    import webbrowser

    with tempfile.NamedTemporaryFile("w", prefix="treering-", suffix=".html") as file:
        file.write(f'<!doctype html><meta http-equiv="refresh" content="0;url={address}">')
        file.flush()
        with contextlib.suppress(webbrowser.Error):
            webbrowser.open(f"file://{file.name}")
        yield
