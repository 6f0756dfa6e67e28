"""treering demo: the main job, played on a throw-away repository with the real program."""

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import click

from treering.cli import door
from treering.cli.door import Door

_PERSON = {"GIT_AUTHOR_NAME": "Ada Lovelace", "GIT_AUTHOR_EMAIL": "ada@example.org"}

#: What is said, and the commands that show it.
STORY: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        "A new project. Its first decision is remembered on main.",
        (
            "git init -q -b main .",
            "git commit -q --allow-empty -m 'first commit'",
            "treering remember 'Use WAL mode: readers never block writers' -t decision --tag db",
        ),
    ),
    (
        "A branch learns something of its own. main does not see it.",
        (
            "git switch -q -c feature/cache",
            "treering remember 'Root cause of the slow start: the cache is read twice' --tag cache",
            "treering diff main..feature/cache",
            "treering status",
        ),
    ),
    (
        "On the branch the decision is revised: main keeps its own version until the branch lands.",
        (
            "treering revise 6zx1sx --outcome success --reason 'p95 fell by half'",
            "treering read 6zx1sx --history",
            "treering read 6zx1sx --branch main",
        ),
    ),
    (
        "The branch is squashed into main and deleted. git keeps no trace of where it came from;"
        " the plan finds out all the same, and its memories move to main.",
        (
            "sh -c 'echo read once > cache.txt'",
            "git add cache.txt",
            "git commit -q -m 'cache: read once'",
            "git switch -q main",
            "git merge -q --squash feature/cache",
            "git commit -q -m 'Cache (squashed)'",
            "git branch -q -D feature/cache",
            "treering gc --dry-run",
            "treering gc",
            "treering recall 'why was the start slow'",
        ),
    ),
    (
        "Another branch is thrown away. What it learned goes to the trash, and can come back.",
        (
            "git switch -q -c experiment",
            "sh -c 'echo more threads > idea.txt'",
            "git add idea.txt",
            "git commit -q -m 'an idea'",
            "treering remember 'Threads made it slower' -t insight --outcome failed",
            "git switch -q main",
            "git branch -q -D experiment",
            "treering gc",
            "treering restore experiment",
        ),
    ),
    (
        "It all lies in plain git, on refs of its own. Your branches and files are untouched.",
        (
            "git for-each-ref refs/treering",
            "git status --short --branch",
            "treering doctor",
        ),
    ),
)


@click.command("demo", epilog="Example: treering demo --keep")
@click.option("--keep", is_flag=True, help="Leave the repository there to look at.")
@door.command
def command(door_: Door, keep: bool) -> None:
    """Play the main job on a throw-away repository."""
    folder = Path(tempfile.mkdtemp(prefix="treering-demo-"))
    try:
        for words, commands in STORY:
            click.secho(f"\n{words}", bold=True)
            for line in commands:
                _play(line, folder)
    finally:
        if not keep:
            shutil.rmtree(folder, ignore_errors=True)
    door_.answer({"folder": str(folder) if keep else ""}, lambda _: _closing(folder, keep))


def _play(line: str, folder: Path) -> None:
    """Run one command of the story as a person would, and show what it prints."""
    click.secho(f"$ {line}", fg="cyan")
    words = shlex.split(line)
    if words[0] == "treering":
        words[:1] = [sys.executable, "-m", "treering.cli.start"]
    environment = os.environ | _PERSON
    environment |= {"GIT_COMMITTER_NAME": "Ada Lovelace", "GIT_COMMITTER_EMAIL": "ada@example.org"}
    environment.pop("GIT_DIR", None)
    subprocess.run(words, cwd=folder, env=environment, stdin=subprocess.DEVNULL, check=True)


def _closing(folder: Path, keep: bool) -> str:
    left = f"\nThe repository is {folder}" if keep else ""
    return f"{left}\nNow in a repository of yours: treering remember 'what you learned today'"
