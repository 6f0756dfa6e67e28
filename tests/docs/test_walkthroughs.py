"""A page that fails at step three loses its reader, so every command of every page is run.

A page may set its scene in an HTML comment, `<!-- before` and commands below it.
"""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent
MARK = "--- exit code of the command above: "


class Step(NamedTuple):
    """A command of the page, and the output shown below it."""

    command: str
    shown: str


PAGES = [
    str(file.relative_to(ROOT))
    for shelf in ("tutorial", "howto")
    for file in sorted((ROOT / "docs" / shelf).glob("*.md"))
]


@pytest.mark.parametrize("name", PAGES)
def test_every_command_of_a_page_prints_what_the_page_shows(page, name, tmp_path):
    """In one repository and in order, with the installed script, as a reader would."""
    text = page(name)
    before = re.findall(r"^<!-- before\n(.*?)^-->$", text.text, re.MULTILINE | re.DOTALL)
    scene = [Step(line, "...\n") for block in before for line in block.splitlines()]
    steps = scene + [step for block in text.blocks("console") for step in _steps(block)]

    answers = _run([step.command for step in steps], tmp_path)

    assert len(answers) == len(steps)
    for step, (printed, code) in zip(steps, answers, strict=True):
        assert re.fullmatch(_pattern(step.shown), _stable(printed)), (
            f"$ {step.command}\n--- the page shows\n{step.shown}--- it printed\n{printed}"
        )
        assert (code != 0) is step.shown.startswith("error: "), step.command


@pytest.mark.parametrize("name", PAGES)
def test_no_page_shows_a_command_that_is_not_run(page, name):
    """Blocks that are not run (settings files, workflows) hold no command of ours to type."""
    text = page(name).text
    others = re.findall(r"^```(?!console)(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)

    typed = [line for kind, block in others if kind in ("sh", "") for line in block.splitlines()]

    assert [line for line in typed if line.startswith(("treering ", "git "))] == []


def test_the_commands_of_the_readme_run(page, tmp_path):
    """In this order, in a repository of one's own."""
    blocks = page("README.md").blocks("sh")[1:]
    scene = [
        "git init -q -b main .",
        "git config user.name A",
        "git config user.email a@example.org",
        "echo 'PRAGMA journal_mode = WAL' > db.py",
        "git add db.py && git commit -q -m 'A database'",
    ]
    commands = [
        line for block in blocks for line in block.splitlines() if line.startswith("treering")
    ]

    answers = _run([*scene, *commands], tmp_path)

    assert commands
    for command, (printed, code) in zip([*scene, *commands], answers, strict=True):
        assert code == 0, f"$ {command}\n{printed}"


def _steps(block: str) -> list[Step]:
    """Commands start with `$ `, their further lines with `> `; all else is output."""
    steps = []
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        lines = part.splitlines(keepends=True)
        command = [lines.pop(0)]
        while lines and command[-1].endswith("\\\n"):
            command.append(lines.pop(0).removeprefix("> "))
        steps.append(Step("".join(command).strip(), "".join(lines)))
    return steps


def _run(commands: list[str], folder: Path) -> list[tuple[str, int]]:
    """What each command printed and its exit code, all of them in one shell."""
    script = "".join(f"{command}\necho '{MARK}'$?\n" for command in commands)
    clean = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    clean.pop("TREERING_AGENT", None)
    home = {"HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C.UTF-8"}
    done = subprocess.run(
        ["sh", "-c", script],
        cwd=folder,
        env=clean | home | {"PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=True,
    )
    found = re.findall(rf"(.*?)^{MARK}(\d+)\n", done.stdout, re.MULTILINE | re.DOTALL)
    return [(printed, int(code)) for printed, code in found]


def _stable(text: str) -> str:
    """Times and object ids, which differ from run to run, as fixed words; no blank end."""
    text = re.sub(r"\bin [\d.]+ s\b", "in <seconds> s", text)
    text = re.sub(r"\b\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\dZ)?\b", "<time>", text)
    return re.sub(r"\b(?:[0-9a-f]{40}|[0-9a-f]{12})\b", "<object>", text).rstrip() + "\n"


def _pattern(shown: str) -> str:
    """The shown output as a pattern: a line `...` stands for any lines."""
    return re.escape(_stable(shown)).replace(r"\.\.\." + "\\\n", r"(?:.*\n)*")
