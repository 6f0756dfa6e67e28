"""Whoever called, as the environment tells it, and a repository opened in their name."""

import contextlib
import os
import sys
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TypedDict

from treering.actions.workspace import Workspace
from treering.git.objects import Person
from treering.hub.place import HubSetting


def open_workspace(repo: str) -> Workspace:
    """Open a repository for one call, in the name of whoever calls."""
    return Workspace.open(repo, one_shot=True, **read_caller())


def read_agent() -> str:
    """Return the agent that calls, empty for a person."""
    return os.environ.get("TREERING_AGENT", "")


class Caller(TypedDict):
    """Whoever called, as the environment tells it."""

    person: Person | None
    cache: Path
    user_folder: Path
    driver: Callable[[Path], None]
    hub: HubSetting


def read_caller() -> Caller:
    return {
        "person": _person(),
        "cache": _cache(),
        "user_folder": _config(),
        "driver": start_driver,
        "hub": read_hub(),
    }


def read_hub() -> HubSetting:
    """Return where the hub is, as far as the environment tells."""
    data = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    return HubSetting(os.environ.get("TREERING_HUB", ""), data / "treering", _cache())


def start_driver(common_dir: Path) -> None:
    """Work off in the background what hooks noted, as a shim does."""
    if not os.environ.get("TREERING_WORKER"):
        words = own_command("hook", "work", "-C", str(common_dir))
        start_process("nice", *words, env={"TREERING_WORKER": "1"})


def start_process(*words: str, env: Mapping[str, str] | None = None) -> None:
    """Start a process and forget it."""
    import subprocess

    with contextlib.suppress(OSError):
        subprocess.Popen(
            words,
            cwd="/",  # nobody's folder is held back
            env=os.environ | dict(env or {}),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )


def _person() -> Person | None:
    """Return who git was told to commit as for this process, if it was."""
    name, email = os.environ.get("GIT_AUTHOR_NAME"), os.environ.get("GIT_AUTHOR_EMAIL")
    return Person(name, email) if name and email else None


def _cache() -> Path:
    """The user's own folder for what can be made again."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "treering"


def _config() -> Path:
    """The user's own folder for what they saved for all their repositories."""
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "treering"


def own_command(*arguments: str) -> list[str]:
    """Return the words that start treering with some arguments, by this Python.

    It is started in isolation (`-I`): neither the folder it stands in nor PYTHONPATH nor what a
    user installed is searched for modules, since a clone may hold a folder called `treering` or
    `click`. So it is told where this process has them from, however treering was installed.
    """
    return [sys.executable, "-I", "-c", _code(), *arguments]


def _code() -> str:
    """Other packages lie where click does. All come after the standard library, as they do here:
    what someone installed must not take the place of its modules."""
    specs = (find_spec(name) for name in ("treering", "click"))  # found, and not run
    folders = [str(Path(str(spec.origin)).parents[1]) for spec in specs if spec]
    return (
        "import sys; ends = [path.endswith('-packages') for path in sys.path] + [True];"
        f"at = ends.index(True); sys.path[at:at] = {folders!r};"
        "from treering.cli.start import run; run()"
    )
