"""treering web"""

import contextlib
import os
import signal
import sys
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
    from treering.web.server import serve

    # Answers pass through threads; beside one that tidies the index each would wait 5 ms.
    sys.setswitchinterval(0.0005)

    def say(address: str) -> None:
        if call.as_json:
            print_json({"url": address, "read_only": read_only})
        else:
            click.echo(address)
        sys.stdout.flush()
        if open and sys.stdout.isatty():
            _open_browser(address)

    place = ServedRepository(folder, is_named=True, **read_caller())
    with contextlib.suppress(KeyboardInterrupt):  # uvicorn raises the signal again once it is done
        serve(place, port, is_read_only=read_only, say=say)


def _end(_: int, __: FrameType | None) -> None:
    raise SystemExit(0)


def _open_browser(address: str) -> None:
    """Show the page, where there is a screen: a browser in the terminal would take it over."""
    if sys.platform == "darwin" or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"):
        import webbrowser

        with contextlib.suppress(webbrowser.Error):
            webbrowser.open(address)
