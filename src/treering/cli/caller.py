"""Whoever called, as the environment tells it, and a repository opened in their name."""

import contextlib
import os
from collections.abc import Callable, Mapping
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
    """Where the hub is, as far as the environment tells."""
    data = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    return HubSetting(os.environ.get("TREERING_HUB", ""), data / "treering", _cache())


def start_driver(common_dir: Path) -> None:
    """What a shim does: work off in the background what hooks noted."""
    if not os.environ.get("TREERING_WORKER"):
        from treering.cli import program

        words = program.command("hook", "work", "-C", str(common_dir))
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
    """Who git was told to commit as for this process, if it was."""
    name, email = os.environ.get("GIT_AUTHOR_NAME"), os.environ.get("GIT_AUTHOR_EMAIL")
    return Person(name, email) if name and email else None


def _cache() -> Path:
    """The user's own folder for what can be made again."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "treering"


def _config() -> Path:
    """The user's own folder for what they saved for all their repositories."""
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "treering"
