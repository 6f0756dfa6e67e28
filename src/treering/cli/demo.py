"""treering demo: the main job, played on a throw-away repository with the real program."""

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path
from typing import NamedTuple

import click

from treering.cli import program
from treering.cli.invocation import Invocation
from treering.cli.screen import screen

#: The project the story plays in: commit message -> files.
PROJECT: dict[str, dict[str, str]] = {
    "A shop that sells one thing": {
        "README.md": "# Shop\n\nSells one thing, once.\n",
        "shop/cart.py": "def total(items):\n    return sum(item.price for item in items)\n",
        "shop/db.py": "import sqlite3\n\n\ndef connect(path):\n    return sqlite3.connect(path)\n",
    },
    "Orders are stored": {
        "shop/orders.py": (
            "from shop.db import connect\n\n\ndef save(order):\n"
            "    with connect('shop.db') as db:\n        db.execute('insert ...', order)\n"
        ),
    },
}


class Scene(NamedTuple):
    """What is said, who is at the keyboard, and the commands that show it."""

    words: str
    commands: tuple[str, ...]
    who: str = ""


STORY: tuple[Scene, ...] = (
    Scene(
        "A small shop, two commits old. From now on its commits remember themselves. Its first"
        " decision is remembered by hand, with the file it is about.",
        (
            "treering init",
            "treering remember 'Use WAL mode: readers never block writers' -t decision"
            " --tag db --file shop/db.py",
        ),
    ),
    Scene(
        "An agent takes a branch and finds out why orders are slow. It asks what is known first.",
        (
            "git switch -q -c fix/slow-orders",
            "treering recall 'database readers'",
            "sh -c \"echo 'POOL = 4' >> shop/db.py\"",
            "git commit -q -am 'db: keep four connections'",
            "sh -c \"echo 'TIMEOUT = 5' >> shop/db.py\"",
            "git commit -q -am 'db: wait for a connection'",
            "treering remember 'Root cause of slow orders: a new connection per order' -t insight"
            " --tag db --file shop/db.py --link affects:6zx1",
            "treering revise 6zx1 --outcome success --reason 'p95 fell by half'",
        ),
        who="claude",
    ),
    Scene(
        "Another agent tries something else on another branch, and it does not work.",
        (
            "git switch -q -c try/threads main",
            "sh -c \"echo 'WORKERS = 16' >> shop/orders.py\"",
            "git commit -q -am 'orders: sixteen workers'",
            "treering remember 'Threads made orders slower: one writer at a time' -t decision"
            " --outcome failed --tag db",
            "treering recall --tag db",
        ),
        who="codex",
    ),
    Scene(
        "main knows none of this yet. What would each branch bring?",
        (
            "git switch -q main",
            "treering recall --tag db",
            "treering diff main..fix/slow-orders",
            "treering status",
        ),
    ),
    Scene(
        "The fix is squashed into main. git does not record where it came from. The other branch"
        " is thrown away. The plan finds out what became of both.",
        (
            "git merge -q --squash fix/slow-orders",
            "git commit -q -m 'Keep connections (#12)'",
            "git branch -q -D fix/slow-orders try/threads",
            "treering gc --dry-run",
            "treering gc",
        ),
    ),
    Scene(
        "What the fix taught is on main now, and so is what the failed attempt taught. The rest of"
        " that attempt is in the trash, and comes back.",
        (
            "treering recall 'why were orders slow'",
            "treering restore try/threads",
            "treering promote try/threads",
            "treering recall threads",
        ),
    ),
    Scene(
        "Why is this line here? git blame knows who and when. The squash leads to its branch, and"
        " that to what was learned there.",
        ("git --no-pager blame -s -L6,7 shop/db.py", "treering why shop/db.py:6-7"),
    ),
    Scene(
        "How it hangs together, and the whole story, drawn. Main joins what landed. Nothing was"
        " lost on the way.",
        ("treering graph neighbors 6zx1 --depth 2", "treering log --graph"),
    ),
    Scene(
        "It all lies in plain git, on refs of its own. Your branches and files are untouched.",
        ("git for-each-ref refs/treering", "git status --short --branch", "treering doctor"),
    ),
)

NEXT = """
Now in a repository of yours:
  treering init --client claude      # or codex, gemini, cursor, vscode, opencode
  treering remember 'what you learned today'
  treering recall 'anything'
  treering --help"""


def run_demo(call: Invocation, keep: bool) -> None:
    folder = Path(tempfile.mkdtemp(prefix="treering-demo-"))
    try:
        _make_project(folder)
        for scene in STORY:
            _play(scene, folder)
    finally:
        if not keep:
            shutil.rmtree(folder, ignore_errors=True)
    note = f"\nThe repository is {folder}" if keep else ""
    call.answer({"folder": str(folder) if keep else ""}, lambda _: note + NEXT)


def _make_project(folder: Path) -> None:
    """The project as it was before treering came."""
    _run(shlex.split("git init -q -b main ."), folder)
    for message, files in PROJECT.items():
        for name, text in files.items():
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")
        _run(shlex.split("git add ."), folder)
        _run(shlex.split(f"git commit -q -m {shlex.quote(message)}"), folder)


def _play(scene: Scene, folder: Path) -> None:
    """Run the commands of a scene as a person would, and show what they print."""
    click.echo()
    for line in textwrap.wrap(scene.words, min(screen().width, 100)):
        _say(line, bold=True)
    for line in scene.commands:
        _say(f"{scene.who}$ {line}", fg="cyan")
        words = shlex.split(line)
        if words[0] == "treering":
            words = program.command(*words[1:])
        _run(words, folder, agent=scene.who)


def _say(text: str, **style: bool | str) -> None:
    click.echo(click.style(text, **style), color=screen().has_color)  # type: ignore[arg-type]
    sys.stdout.flush()  # the next command writes to the same place by itself


def _run(words: list[str], folder: Path, agent: str = "") -> None:
    """One command, by Ada, with nothing of the user's own configuration."""
    rest = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    ada = {
        f"GIT_{role}_{part}": value
        for role in ("AUTHOR", "COMMITTER")
        for part, value in (("NAME", "Ada Lovelace"), ("EMAIL", "ada@example.org"))
    }
    settings = {
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "TREERING_AGENT": agent,
    }
    subprocess.run(
        words, cwd=folder, env=rest | ada | settings, stdin=subprocess.DEVNULL, check=True
    )
