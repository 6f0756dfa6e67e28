"""treering demo: the main job, played on a throw-away repository with the real program."""

import json
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

from treering.cli.caller import own_command
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


class Edit(NamedTuple):
    """An edit that an agent is about to make; its client asks our hook first."""

    path: str
    old: str
    new: str


class Scene(NamedTuple):
    """The words before a scene, whoever is at the keyboard, and the commands that show it."""

    words: str
    commands: tuple[str | Edit, ...]
    who: str = ""


STORY: tuple[Scene, ...] = (
    Scene(
        "A small shop. Ada makes orders faster on a branch, and writes down why: the decision,"
        " and what she tried before it.",
        (
            "git switch -q -c fix/slow-orders",
            "sh -c \"echo 'POOL = 4' >> shop/db.py\"",
            "git commit -q -am 'db: keep four connections'",
            "treering remember 'Keep four connections: the server refuses a fifth' -t decision"
            " --file shop/db.py",
            "treering remember 'Eight connections: orders failed with too many clients'"
            " -t insight --outcome failed --file shop/db.py",
            "sh -c \"echo 'TIMEOUT = 5' >> shop/db.py\"",
            "git commit -q -am 'db: wait for a connection'",
        ),
    ),
    Scene(
        "The branch is squashed into main and deleted. git no longer knows that it existed."
        " treering recognises the squash and moves what was learned to main. With hooks, which"
        " `treering init` installs, that happens by itself.",
        (
            "git switch -q main",
            "git merge -q --squash fix/slow-orders",
            "git commit -q -m 'Keep connections (#12)'",
            "git branch -q -D fix/slow-orders",
            "treering gc",
            "treering why shop/db.py:6",
        ),
    ),
    Scene(
        "Weeks later an agent wants more connections. It never heard of Ada's branch. Before the"
        " edit, its client asks treering's hook, which hands over what binds that very line:",
        ("git switch -q -c more-connections", Edit("shop/db.py", "POOL = 4", "POOL = 8")),
        who="claude",
    ),
    Scene(
        "Suppose the edit is made all the same. The guard names what the branch overrules: in a"
        " review, in CI, or before a push.",
        (
            "sed -i.bak 's/POOL = 4/POOL = 8/' shop/db.py",
            "git commit -q -m 'More connections' shop/db.py",
            "treering guard",
        ),
        who="claude",
    ),
    Scene(
        "Overruling a decision is fine, if it is done knowingly. One line in the commit says so.",
        (
            "git commit -q --amend -m 'More connections'"
            " -m 'Overrules: 891gneh7e1wz the new server allows sixteen'"
            " -m 'Overrules: b1208mxfmqkc the new server allows sixteen'",
            "treering guard --strict",
        ),
    ),
    Scene(
        "A branch that is thrown away takes nothing with it: lessons of failed attempts stay, and"
        " the rest waits in the trash.",
        (
            "git switch -q -c try/threads main",
            "sh -c \"echo 'WORKERS = 16' >> shop/orders.py\"",
            "git commit -q -am 'orders: sixteen workers'",
            "treering remember 'Threads made orders slower: one writer at a time' -t insight"
            " --outcome failed",
            "git switch -q main",
            "git branch -q -D try/threads",
            "treering gc",
            "treering recall threads",
        ),
    ),
    Scene(
        "All of it is plain git, in refs of its own. Your branches and files are untouched.",
        ("git for-each-ref refs/treering/heads", "treering status", "treering doctor"),
    ),
)

NEXT = """
Now in a repository of yours:
  treering try                       # what its history can already explain; writes nothing
  treering init --client claude      # or codex, gemini, cursor, vscode, opencode
  treering remember 'what you learned today'
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
    for command in scene.commands:
        if isinstance(command, Edit):
            _play_edit(command, folder, scene.who)
            continue
        _say(f"{scene.who}$ {command}", fg="cyan")
        words = shlex.split(command)
        if words[0] == "treering":
            words = own_command(*words[1:])
        _run(words, folder, agent=scene.who)


def _play_edit(edit: Edit, folder: Path, agent: str) -> None:
    """Call the hook as the agent's client does, and show the text that the agent gets."""
    _say(f"{agent} is about to change {edit.old!r} to {edit.new!r} in {edit.path}", fg="cyan")
    path = str(folder / edit.path)
    told = {"file_path": path, "old_string": edit.old, "new_string": edit.new}
    event = {"session_id": "demo", "cwd": str(folder), "tool_name": "Edit", "tool_input": told}
    words = own_command("hook", "agent", agent, "PreToolUse")
    answer = _run(words, folder, agent, feed=json.dumps(event))
    text = json.loads(answer)["hookSpecificOutput"]["additionalContext"] if answer else ""
    for line in text.splitlines():
        click.echo(f"  {line}")


def _say(text: str, **style: bool | str) -> None:
    click.echo(click.style(text, **style), color=screen().has_color)  # type: ignore[arg-type]
    sys.stdout.flush()  # the next command writes to the same place by itself


def _run(words: list[str], folder: Path, agent: str = "", feed: str | None = None) -> str:
    """Run one command as Ada, with nothing of the user's own configuration. What it prints goes to
    the screen, or is returned where it is fed something."""
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
        "TREERING_HOOK_SECONDS": "30",  # nobody waits here as a client would
    }
    done = subprocess.run(
        words,
        cwd=folder,
        env=rest | ada | settings,
        input=feed or "",
        stdout=None if feed is None else subprocess.PIPE,
        encoding="utf-8",
        check=True,
    )
    return done.stdout or ""
