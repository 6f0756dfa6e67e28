"""treering mcp"""

import gc
import os
from pathlib import Path

import click

from treering.cli import door
from treering.cli.door import Door

#: Where clients say which project they are in.
_PROJECT = ("CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR", "CURSOR_PROJECT_DIR")


@click.command("mcp", epilog="Example: treering mcp --tools core")
@click.option(
    "--tools",
    type=click.Choice(["core", "full"], case_sensitive=False),
    default="full",
    show_default=True,
    help="core: the eight tools most sessions need.",
)
@door.command
def command(door_: Door, tools: str) -> None:
    """Serve agents over MCP, on standard input and output.

    The repository is --repo, else the client's project folder, else the one around the working
    directory. The branch is looked at anew at each call.
    """
    gc.disable()  # the SDK makes a million objects at import, all of which stay
    import anyio

    from treering.mcp.place import Place
    from treering.mcp.server import make_server
    from treering.mcp.stdio import serve

    gc.freeze()
    gc.enable()

    place = Place(_folder(door_.repo), **door.who())
    anyio.run(serve, make_server(place, tools))


def _folder(repo: str) -> Path:
    """Absolute, so that it stays the same folder when the working directory is gone."""
    said = (os.environ.get(name, "") for name in _PROJECT)
    project = next((folder for folder in said if folder and Path(folder).is_dir()), "")
    folder = Path(project if repo == "." and project else repo)
    try:
        return folder.absolute()
    except OSError:  # started in a folder that is no more: each call will say so
        return folder
