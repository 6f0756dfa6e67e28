"""Answers on screens of 80 to 200 columns: wrapped at words, coloured, and plain in a pipe."""

import re
from pathlib import Path

import pytest

from conftest import Repo, make_repo
from e2e.test_terminal import in_terminal

STYLE = re.compile(r"\x1b\[[0-9;]*m")
TITLE = (
    "Orders are written through a single connection because sqlite serialises writers anyway and"
    " a second one only waits for the lock, which made checkout slower for everybody"
)
REASON = (
    "Measured on the staging machine with a week of real orders: the ninety-fifth percentile fell"
    " from two seconds to eighty milliseconds once the pool was gone."
)
BRANCH = "feature/a-branch-with-a-name-that-somebody-thought-about-for-a-long-time"
COMMANDS = {
    "recall": ("recall", "orders connection"),
    "status": ("status",),
    "log": ("log", "--all"),
    "why": ("why", "shop.py"),
    "guard": ("guard",),
    "gc": ("gc", "--dry-run"),
    "graph": ("graph", "neighbors"),
    "stats": ("graph",),
    "diff": ("diff", f"main..{BRANCH}"),
}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """Long titles, long branch names, a link, a failed attempt, and a change that overrules."""
    repo = make_repo(tmp_path_factory.mktemp("shop") / "repo")
    repo.commit_file("shop.py", "a = 1\nb = 2\n")
    repo.switch("pool", create=True)
    first = repo.tr.remember(TITLE, type="decision", reasoning=REASON, files=["shop.py"])
    repo.commit_file("shop.py", f"a = 1\nb = 2\npool = 1  # {'x' * 220}\n", "One connection")
    repo.tr.remember(f"{TITLE}, tried with threads", type="insight", outcome="failed")
    repo.switch("main").git("merge", "-q", "--squash", "pool")
    repo.git("commit", "-q", "-m", "One connection (#12)")
    repo.git("branch", "-q", "-D", "pool")
    repo.tr.gc()
    repo.switch(BRANCH, create=True)
    repo.commit_file("shop.py", "a = 1\nb = 2\n", "Drop the pool")
    repo.tr.remember(f"Again: {TITLE}", type="pattern", links=[f"depends_on:{first.id}"])
    (repo.path / "first").write_text(first.id)
    return repo


def run(repo: Repo, name: str, columns: int) -> str:
    words = COMMANDS[name]
    if name == "graph":
        words = (*words, (repo.path / "first").read_text())
    return in_terminal(repo, *words, rows=500, COLUMNS=str(columns))


@pytest.mark.parametrize("name", COMMANDS)
def test_answers_fit_the_screen(shop: Repo, name: str) -> None:
    """Commands to copy are the one exception: a line break would be copied along."""
    for columns in (80, 119, 200):
        lines = STYLE.sub("", run(shop, name, columns)).splitlines()
        wide = [line for line in lines if len(line) > columns and " treering " not in f" {line}"]
        assert wide == []


@pytest.mark.parametrize("name", ["recall", "log", "why", "guard", "graph", "diff"])
def test_no_word_is_broken(shop: Repo, name: str) -> None:
    said = STYLE.sub("", run(shop, name, 80))

    words = set(re.split(r"[\s│]+", said))

    assert {"serialises", "everybody", "connection"} <= {word.strip(".,:") for word in words}


@pytest.mark.parametrize("name", ["recall", "status", "log", "guard", "gc", "graph"])
def test_types_and_states_have_colours(shop: Repo, name: str) -> None:
    assert re.search(r"\x1b\[3[1-6]m", run(shop, name, 100))


@pytest.mark.parametrize("name", ["recall", "status", "log", "why", "guard", "gc", "diff"])
def test_a_pipe_gets_whole_lines_without_colours(shop: Repo, name: str) -> None:
    said = shop.cli(*COMMANDS[name]).stdout

    assert "\x1b" not in said
    assert name in ("status", "gc") or any(TITLE in line for line in said.splitlines())


def test_colours_go_on_behind_a_line_break(shop: Repo) -> None:
    """Each line ends what it began, so that a pager that scrolls shows the same."""
    for line in run(shop, "recall", 80).splitlines():
        styles = STYLE.findall(line)
        assert not styles or styles[-1] == "\x1b[0m"


@pytest.fixture
def pager(tmp_path: Path) -> Path:
    """A program named like the pager that most machines have, which shows what it was given."""
    program = tmp_path / "bin" / "less"
    program.parent.mkdir()
    program.write_text('#!/bin/sh\necho "LESS=$LESS"\ncat\n')
    program.chmod(0o755)
    return program


def test_the_pager_is_asked_to_show_colours(shop: Repo, pager: Path) -> None:
    said = in_terminal(shop, "log", "--all", rows=4, PAGER=str(pager), LESS="")

    assert "LESS=-R" in said
    assert "\x1b[" in said


@pytest.mark.parametrize("less", ["-i", "-X"])
def test_a_pager_that_would_show_raw_escapes_gets_none(shop: Repo, pager: Path, less: str) -> None:
    said = in_terminal(shop, "log", "--all", rows=4, PAGER=str(pager), LESS=less)

    assert f"LESS={less}" in said
    assert "\x1b[" not in said


def test_a_drawing_for_another_program_is_not_wrapped(shop: Repo) -> None:
    """Mermaid reads lines."""
    said = in_terminal(shop, "graph", "draw", rows=500, COLUMNS="80", NO_COLOR="1")

    assert said.strip() == shop.cli("graph", "draw").stdout.strip()
