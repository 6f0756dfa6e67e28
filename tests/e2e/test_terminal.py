"""What a person sees: the program in a real terminal, and what a shell completes."""

import os
import pty
import re
import select
import subprocess
import time
from pathlib import Path

import pytest

from conftest import TREERING, Repo

ESCAPE = "\x1b["


def in_terminal(repo: Repo, *arguments: str, rows: int = 50, **env: str) -> str:
    """Run the program with a terminal of 100 columns as its standard streams."""
    ours, theirs = pty.openpty()
    environment = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
    environment |= {"TERM": "xterm", "COLUMNS": "100", "LINES": str(rows)} | env
    with subprocess.Popen(
        [str(TREERING), *arguments],
        cwd=repo.path,
        env=environment,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    ) as process:
        os.close(theirs)
        said = _everything(ours)
        process.wait(timeout=30)
    os.close(ours)
    return said.replace("\r\n", "\n")


def _everything(terminal: int) -> str:
    parts = []
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        if not select.select([terminal], [], [], 1)[0]:
            continue
        try:
            part = os.read(terminal, 65536)
        except OSError:  # how Linux says that the other side is closed
            break
        if not part:
            break
        parts.append(part)
    return b"".join(parts).decode()


@pytest.fixture
def told(repo: Repo) -> Repo:
    repo.tr.remember("Use WAL mode: readers never block", type="decision", tags=["db"])
    return repo


def test_a_terminal_gets_colour_and_short_ids(told: Repo) -> None:
    said = in_terminal(told, "recall")

    assert ESCAPE in said
    assert re.search(r"^[0-9a-z]{8}  ", said, re.M)


@pytest.mark.parametrize("off", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_colour_can_be_turned_off(told: Repo, off: dict[str, str]) -> None:
    said = in_terminal(told, "recall", **off)

    assert "Use WAL mode" in said
    assert ESCAPE not in said


def test_a_pipe_gets_plain_text_and_whole_ids(told: Repo) -> None:
    said = told.cli("recall").stdout

    assert ESCAPE not in said
    assert re.match(r"[0-9a-z]{12}  decision    Use WAL mode", said)


def test_a_memory_cannot_paint_the_terminal(told: Repo) -> None:
    """Hidden characters are taken out at the door; a fetched memory never passed that one."""
    told.switch("\x1b]0;title\x07x".replace("\x1b", "").replace("\x07", ""), create=True)

    said = in_terminal(told, "status", NO_COLOR="1")

    assert "\x1b]" not in said


def test_what_is_taller_than_the_screen_goes_through_the_pager(told: Repo) -> None:
    for number in range(12):
        told.tr.remember(f"Fact {number} of twelve", type="insight")
    pager = told.path / "pager"
    pager.write_text("#!/bin/sh\necho PAGED\ncat\n")
    pager.chmod(0o755)

    tall = in_terminal(told, "recall", rows=8, PAGER=str(pager))
    short = in_terminal(told, "recall", "--limit", "2", rows=8, PAGER=str(pager))

    assert "PAGED" in tall
    assert "Fact 11" in tall
    assert "PAGED" not in short


def test_the_graph_shows_where_a_branch_was_promoted(told: Repo) -> None:
    told.switch("feature", create=True)
    told.commit_file("a.txt")
    told.tr.remember("The cache is read twice", type="insight")
    told.switch("main").git("merge", "-q", "--no-ff", "-m", "merge", "feature")
    told.git("branch", "-D", "feature")
    told.tr.gc()
    told.switch("other", create=True)
    told.tr.remember("A thought of another branch", type="insight")

    said = told.cli("log", "--graph").stdout

    assert re.search(r"^\*.*\[main\] main\n\|\\\n", said, re.M)
    assert re.search(r"^[| ]*\*.*promote 1 memories$", said, re.M)
    assert re.search(r"^[| ]*\*.*The cache is read twice$", said, re.M)
    assert re.search(r"^\*.*\[other\] remember insight .*another branch$", said, re.M)
    assert "●" in in_terminal(told, "log", "--graph")


def test_the_graph_of_branches_takes_no_id(told: Repo) -> None:
    assert told.error("log", "--graph", "7k2m")["code"] == "invalid"


def test_a_hit_can_be_picked_by_its_number(told: Repo) -> None:
    """The common next step after a search is to read one of what it found."""
    told.tr.remember("Readers wait for nobody", type="insight")

    said = told.cli("recall", "readers", "--pick", feed="9\n1\n").stdout

    assert "  1  " in said
    assert re.search(r"^  status +active$", said, re.M)


def test_picking_nothing_reads_nothing(told: Repo) -> None:
    done = told.cli("recall", "readers", "--pick", feed="\n")

    assert done.returncode == 0
    assert "status" not in done.stdout


# --- completion ----------------------------------------------------------------------------------


def _completed(repo: Repo, *words: str) -> list[str]:
    """What the program tells a shell that completes the last of the words."""
    done = subprocess.run(
        [str(TREERING)],
        cwd=repo.path,
        env=os.environ
        | {
            "_TREERING_COMPLETE": "bash_complete",
            "COMP_WORDS": " ".join(["treering", *words]),
            "COMP_CWORD": str(len(words)),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    return [line.partition(",")[2] for line in done.stdout.splitlines() if line]


def test_ids_branches_types_and_commands_complete(told: Repo) -> None:
    told.git("branch", "feature/cache")
    (memory,) = told.tr.exported()

    assert _completed(told, "reca") == ["recall"]
    assert _completed(told, "read", memory["id"][:3]) == [memory["id"]]
    assert _completed(told, "recall", "--branch", "fea") == ["feature/cache"]
    assert "decision" in _completed(told, "remember", "--type", "dec")


def test_words_of_a_choice_complete(told: Repo) -> None:
    """As an option and as an argument."""
    assert _completed(told, "recall", "--order", "new") == ["newest"]
    assert _completed(told, "graph", "p") == ["path", "prerequisites"]
    assert _completed(told, "sync", "fe") == ["fetch"]


def test_completing_outside_a_repository_says_nothing(told: Repo, tmp_path: Path) -> None:
    told.path = tmp_path

    assert _completed(told, "read", "7") == []


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_gets_its_script(told: Repo, shell: str) -> None:
    done = told.cli("completion", shell)

    assert done.returncode == 0, done.stderr
    assert "_TREERING_COMPLETE" in done.stdout


def test_an_unknown_shell_is_a_clear_error(told: Repo) -> None:
    done = told.cli("completion", "tcsh")

    assert done.returncode == 1
    assert "bash, zsh, fish" in done.stderr


def test_the_demo_plays_to_its_end_and_leaves_nothing(told: Repo, tmp_path: Path) -> None:
    """It is the first thing anybody runs."""
    done = subprocess.run(
        [str(TREERING), "demo"],
        cwd=tmp_path,
        env=os.environ | {"TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert "promote into main" in done.stdout
    assert "All is well." in done.stdout
    assert "Now in a repository of yours" in done.stdout
    assert list(tmp_path.glob("treering-demo-*")) == []
