"""One invocation of one command: its repository, who called, its input, and its answer.

Here is the one place where an answer becomes text for people or JSON for programs.
"""

import json
import os
import sys
from collections.abc import Callable, Set
from functools import cached_property
from pathlib import Path
from typing import Any

from treering.actions.workspace import Workspace
from treering.cli import screen
from treering.cli.caller import read_agent, read_caller, read_hub, start_process
from treering.errors import BlockedSecret, Invalid
from treering.text.values import jsonable, strip_control_characters
from treering.verbs import find_verb


class Invocation:
    """One call of one command. `is_named` tells whether someone said which repository is meant,
    `typed` which options stand on the command line, be it with their defaults."""

    def __init__(
        self,
        repo: str,
        as_json: bool,
        is_named: bool = False,
        typed: Set[str] = frozenset(),
    ) -> None:
        self.repo = repo
        self.as_json = as_json
        self.is_named = is_named
        self.typed = typed

    @cached_property
    def workspace(self) -> Workspace:
        return Workspace.open(self.repo, is_named=self.is_named, one_shot=True, **read_caller())

    def act(self, verb: str, *args: Any, **options: Any) -> Any:
        """Do what a verb says, on the repository."""
        found = find_verb(verb)
        return found.act(self.workspace, *args, **found.name_caller(read_agent(), options))

    def ask_hub(self, verb: str, *args: Any, hub: str = "", **options: Any) -> Any:
        """The same, where only the hub is asked: that works outside a repository, too."""
        from treering.actions.hub.workspace import HubWorkspace

        setting = read_hub()
        workspace = HubWorkspace.open(setting._replace(named=hub or setting.named), self.repo)
        return find_verb(verb).act(workspace, *args, **options)

    def answer(self, value: Any, render: Callable[[Any], str]) -> None:
        """Print the answer: JSON for programs, text for people."""
        if self.as_json:
            print_json(jsonable(value))
        elif text := render(strip_control_characters(value)):
            screen.show(text)

    def say(self, text: str) -> None:
        """Tell people something beside the answer."""
        if not self.as_json:
            screen.echo(strip_control_characters(text), is_error=True)

    def list_paths(self, paths: tuple[str, ...]) -> list[str]:
        """Paths as people type them, from where they are. A missing one is meant from the top."""
        if self.workspace.repository.workdir is None:
            return list(paths)
        return [str(Path(p).resolve()) if Path(p).exists() else self.locate(p) for p in paths]

    def locate(self, text: str) -> str:
        """The same of one path that may end with lines; a link stays what it is."""
        root = self.workspace.repository.workdir
        if root is None or not Path.cwd().resolve().is_relative_to(root.resolve()):
            return text
        from treering.actions.why.source import split_target

        path = text if os.path.lexists(text) else split_target(text).path
        return str(Path.cwd() / text) if path and os.path.lexists(path) else text

    def tidy_later(self) -> None:
        """Start a process that puts the index in order once we are gone, if it needs that."""
        if self.workspace.searcher.index.is_unfinished:
            self.start_tidying()

    def start_tidying(self) -> None:
        from treering.cli.caller import own_command

        start_process(*own_command("reindex", "--tidy", "-C", str(Path(self.repo).absolute())))


def is_secret_allowed(is_wanted: bool, agent: str = "") -> bool:
    """Return whether --allow-secret counts: only a person may use it, and a person sits at a
    terminal."""
    if not is_wanted:
        return False
    if agent or read_agent():
        raise BlockedSecret("--allow-secret is for people; an agent may not use it.")
    if not (sys.stdin.isatty() or sys.stderr.isatty()):
        raise BlockedSecret(
            "--allow-secret works only at a terminal.",
            hint="Run it by hand: neither standard input nor standard error is a terminal here.",
        )
    return True


def name_invocation(repo: str | None, as_json: bool, typed: Set[str] = frozenset()) -> Invocation:
    """The invocation for a repository that was named, or is around us."""
    name = repo or os.environ.get("GIT_DIR")  # git sets it for `git --git-dir=... treering`
    return Invocation(name or ".", as_json, is_named=bool(name), typed=typed)


def read_optional_content(option: str, file: str) -> str:
    """Content where it may be left out: stdin is not read unless `-` says so."""
    return read_content(option or None, file) if option or file else ""


def read_content(argument: str | None, file: str = "") -> str:
    """Content as the argument, from a file, or from stdin with `-` or when nothing is given."""
    if argument is not None and file:
        raise Invalid("Give the content as argument or with --content-file, not both.")
    if file:
        try:
            return _decode(Path(file).read_bytes())
        except OSError as error:
            raise Invalid(f"{file} cannot be read: {error.strerror}.") from error
    if argument == "-" or (argument is None and not sys.stdin.isatty()):
        return _decode(sys.stdin.buffer.read())
    return argument or ""


def _decode(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Invalid(f"The content is not valid UTF-8 (byte {error.start}).") from error


def print_json(value: Any) -> None:
    """One JSON value a line, as programs read it."""
    screen.echo(json.dumps(value, ensure_ascii=False))
