"""treering mcp and treering web."""

import contextlib
import gc
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

import click

from treering.cli.caller import read_agent, read_caller
from treering.cli.invocation import Invocation, print_json
from treering.errors import Invalid
from treering.model.choices import TOOL_PROFILES
from treering.model.taxonomy import one_of

if TYPE_CHECKING:
    from treering.mcp.repository import ServedRepository


#: Where clients say which project they are in.
_PROJECT = ("CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR", "CURSOR_PROJECT_DIR")


def run_mcp(
    call: Invocation,
    tools: str,
    http: str,
    token_file: str,
    no_token: bool,
    hosts: tuple[str, ...],
) -> None:
    profile = one_of(tools, TOOL_PROFILES, "profile")
    from treering.mcp.repository import ServedRepository

    place = ServedRepository(
        _folder(call.repo), is_named=call.is_named, agent=read_agent(), **read_caller()
    )
    if http:
        token = None if no_token else _token(token_file)
        _serve_http(place, profile, http, token, hosts)
    else:
        _serve_stdio(place, profile)


def _serve_stdio(place: "ServedRepository", profile: str) -> None:
    from treering.mcp.methods import Methods
    from treering.mcp.stdio import serve

    # An answer is written by the thread that has it; beside one that tidies the index it would
    # wait 5 ms.
    sys.setswitchinterval(0.0005)
    gc.freeze()
    gc.enable()
    serve(Methods(place, profile))


def _serve_http(
    place: "ServedRepository", profile: str, where: str, token: str | None, hosts: tuple[str, ...]
) -> None:
    gc.disable()  # the SDK makes a million objects at import, all of which stay
    from treering.mcp import http
    from treering.mcp.listening import Address
    from treering.mcp.server import make_server

    gc.freeze()
    gc.enable()
    sys.setswitchinterval(0.0005)

    def say(url: str) -> None:
        click.echo(f"serving {url}", err=True)

    http.serve(make_server(place, profile), Address.of(where), token, hosts, say)


def _token(file: str) -> str:
    """The token, from a file only its owner can read, or from the environment."""
    if not file:
        return os.environ.get("TREERING_TOKEN", "")
    try:
        if Path(file).stat().st_mode & 0o077:
            raise Invalid(
                f"{file} can be read by others.", hint=f"`chmod 600 {file}` keeps it yours."
            )
        token = Path(file).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise Invalid(f"{file} cannot be read.") from error
    if not token:
        raise Invalid(f"{file} does not hold a token.")
    return token


def _folder(repo: str) -> Path:
    """Absolute, so that it stays the same folder when the working directory is gone."""
    projects = (os.environ.get(name, "") for name in _PROJECT)
    project = next((folder for folder in projects if folder and Path(folder).is_dir()), "")
    folder = Path(project if repo == "." and project else repo)
    try:
        return folder.absolute()
    except OSError:  # started in a folder that is no more: each call will say so
        return folder


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
