"""What the command line shows: every page of help, and the JSON of every verb."""

import json
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from conftest import START, Repo
from snapshots.golden import Placeholders, check, pretty
from treering.cli.group import program

HERE = Path(__file__).parent


def test_every_page_of_help(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")

    pages = [f"$ {name} --help\n{text}" for name, text in _list_help(program, None, "treering")]

    check("help", {"all.txt": Placeholders().replace("\n\n".join(pages))})


def _list_help(
    command: click.Command, parent: click.Context | None, name: str
) -> Iterator[tuple[str, str]]:
    with command.make_context(name, [], parent, resilient_parsing=True) as context:
        yield context.command_path, command.get_help(context)
        if isinstance(command, click.Group):
            for below in command.list_commands(context):
                found = command.get_command(context, below)
                assert found is not None
                yield from _list_help(found, context, below)


def test_the_json_of_every_verb(repo: Repo) -> None:
    """Told as one story; each verb has a file of its own."""
    done = subprocess.run(
        [sys.executable, str(HERE / "program.py"), str(START)],
        cwd=repo.path,
        input=(HERE / "story.txt").read_text(encoding="utf-8"),
        env=os.environ | {"COLUMNS": "80"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    answers = [json.loads(line) for line in done.stdout.splitlines()]

    names = {value: f"<{name}>" for name, value in answers[-1]["names"].items()}
    known = names | {
        str(repo.path): "<repo>", os.environ["HOME"]: "<home>", sys.executable: "<python>",
    }  # fmt: skip
    files: dict[str, list[str]] = defaultdict(list)
    words: dict[str, Placeholders] = defaultdict(lambda: Placeholders(known))
    for answer in answers:
        verb = answer["line"].split()[1]
        text = words[verb].replace("\n".join(_show(answer)))
        files[verb].append(f"$ {answer['line']}\n{text}")
    check("json", {f"{verb}.txt": "\n\n".join(texts) for verb, texts in files.items()})


def _show(answer: dict[str, Any]) -> Iterator[str]:
    if answer["code"]:
        yield f"exit {answer['code']}"
    for line in (answer["out"] + answer["error"]).splitlines():
        yield pretty(json.loads(line)) if line.startswith("{") else line
