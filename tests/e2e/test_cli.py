"""The program as people and scripts run it."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import treering
from conftest import TREERING, Repo
from treering.cli.group import BESIDE_VERBS
from treering.verbs import VERBS

COMMANDS = (*VERBS, *BESIDE_VERBS)


def test_the_story_of_a_memory(repo: Repo) -> None:
    """Every verb once, by its JSON."""
    made = repo.json("remember", "Use WAL mode", "-t", "decision", "--tag", "db", "--tags", "perf")
    memory_id = made["id"]
    assert made["uri"] == f"treering://memory/{memory_id}"
    assert (made["branch"], made["type"], made["title"]) == ("main", "decision", "Use WAL mode")
    assert made["classified"]["by"] == "given"
    assert (made["links"], made["suggested_links"], made["similar"]) == ([], [], [])

    read = repo.json("read", memory_id[:4], "--history")
    assert (read["content"], read["tags"], read["version"]) == (
        "Use WAL mode",
        ["db", "perf"],
        made["version"],
    )
    assert [e["op"] for e in read["history"]] == ["remember"]

    revised = repo.json("revise", memory_id, "--title", "WAL", "--expect", made["version"])
    assert (revised["id"], revised["changed"], revised["branch"]) == (memory_id, ["title"], "main")

    assert repo.json("forget", memory_id) == {"forgotten": [memory_id], "links_hidden": 0}
    assert repo.json("forget", "--restore", memory_id) == {"restored": [memory_id]}

    entries = repo.json("log", memory_id)["entries"]
    assert [e["op"] for e in entries] == ["restore", "forget", "revise", "remember"]
    assert set(entries[0]) == {"commit", "when", "author", "op", "id", "type", "title", "branch"}

    assert repo.json("revert", memory_id, "--to", entries[-1]["commit"])["changed"] == ["title"]
    assert repo.json("status")["memories"]["visible"] == 1
    assert repo.json("doctor") == {"ok": True, "findings": []}
    exported = json.loads(repo.cli("export").stdout)
    assert (exported["id"], exported["content"], exported["branch"]) == (
        memory_id,
        "Use WAL mode",
        "main",
    )


def test_content_comes_from_stdin_a_file_or_the_argument(repo: Repo, tmp_path: Path) -> None:
    """All between outer blank lines is kept byte for byte."""
    file = tmp_path / "note.md"
    file.write_bytes(b"\n\n  from a file\r\n\n---\nend\n\n")

    piped = repo.json("remember", feed="from stdin\n")
    dashed = repo.json("remember", "-", feed="---\ntitle: plain content\n---\n")
    filed = repo.json("remember", "--content-file", str(file))

    assert repo.json("read", piped["id"])["content"] == "from stdin"
    assert repo.json("read", dashed["id"])["content"] == "---\ntitle: plain content\n---"
    assert repo.json("read", filed["id"])["content"] == "  from a file\r\n\n---\nend"


def test_files_are_named_from_where_one_stands(repo: Repo) -> None:
    """`--file jwt.py` inside src means src/jwt.py."""
    repo.commit_file("src/jwt.py", "x\n")

    made = repo.json("-C", "src", "remember", "tokens", "--file", "src/jwt.py", "--file", "new.py")

    files = repo.json("read", made["id"])["files"]
    assert [f["path"] for f in files] == ["src/jwt.py", "new.py"]


@pytest.mark.parametrize("option", ["--repo", "-C"])
@pytest.mark.parametrize("place", ["before", "after"])
def test_the_repository_can_be_named(repo: Repo, tmp_path: Path, option: str, place: str) -> None:
    """Before the command as git people do, or after it."""
    elsewhere = Repo(tmp_path)
    words = [option, str(repo.path), "log", "--json"]

    done = elsewhere.cli(*words if place == "before" else [words[2], *words[:2], words[3]])

    assert json.loads(done.stdout) == {"entries": []}


def test_git_treering_is_the_same_program(repo: Repo) -> None:
    """git finds git-treering on the path."""
    import os
    import subprocess

    done = subprocess.run(
        ["git", "treering", "remember", "through git", "--json"],
        cwd=repo.path, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
        env=os.environ | {"PATH": f"{TREERING.parent}:{os.environ['PATH']}"},
    )  # fmt: skip

    assert json.loads(done.stdout)["title"] == "through git"


@pytest.mark.parametrize(
    ("code", "arguments"),
    [
        ("memory_not_found", ["read", "zzzz"]),
        ("invalid", ["read", "zz"]),
        ("invalid", ["remember", "   "]),
        ("invalid", ["remember", "x", "--type", "nonsense"]),
        ("branch_not_found", ["remember", "x", "--branch", "never"]),
        ("blocked_secret", ["remember", "ghp_" + "a1B2" * 9]),
        ("invalid", ["import", "nowhere.jsonl"]),
        ("invalid", ["diff", "main"]),
        ("not_a_repository", ["log", "--repo", "/"]),
    ],
)
def test_expected_errors_have_a_code_and_exit_1(
    repo: Repo, code: str, arguments: list[str]
) -> None:
    """One JSON object on stderr, nothing on stdout, no traceback."""
    assert repo.error(*arguments)["code"] == code
    plain = repo.cli(*arguments)
    assert (plain.returncode, plain.stdout) == (1, "")
    assert plain.stderr.startswith("error: ")


def test_a_conflict_is_told_with_the_version_that_is_there(repo: Repo) -> None:
    """So that the caller can read again and retry."""
    made = repo.json("remember", "text")

    error = repo.error("revise", made["id"], "--title", "x", "--expect", "0" * 40)

    assert error["code"] == "conflict"
    assert made["version"] in error["message"]


def test_bytes_that_are_not_utf8_are_refused(repo: Repo) -> None:
    """From stdin and as an argument."""
    assert repo.error("remember", feed=b"bad \xff byte")["code"] == "invalid"
    assert repo.error("remember", "bad \udcff byte")["code"] == "invalid"


def test_usage_errors_exit_2(repo: Repo) -> None:
    """In words, or with --json as an object."""
    assert repo.cli("nonsense").returncode == 2
    done = repo.cli("read", "--json")
    assert done.returncode == 2
    assert json.loads(done.stderr)["error"]["code"] == "invalid"


def test_a_bug_is_a_log_and_exit_3(repo: Repo, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    """Never a traceback on the screen."""
    from treering.actions.workspace import Workspace
    from treering.cli.main import main

    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("unexpected")

    monkeypatch.setattr(Workspace, "open", broken)
    code = main(["log", "--json"])

    error = json.loads(capsys.readouterr().err)["error"]
    assert (code, error["code"]) == (3, "internal")
    log = Path(error["hint"].rpartition(": ")[2])
    assert "RuntimeError: unexpected" in log.read_text(encoding="utf-8")
    log.unlink()


def test_import_exits_1_only_if_nothing_went_in(repo: Repo, tmp_path: Path) -> None:
    """A bad line among good ones is a report, not a failure."""
    bad, mixed = tmp_path / "bad.jsonl", tmp_path / "mixed.jsonl"
    bad.write_text("nonsense\n", encoding="utf-8")
    mixed.write_text('nonsense\n{"content": "good"}\n', encoding="utf-8")

    assert repo.cli("import", str(bad)).returncode == 1
    assert repo.cli("import", str(mixed)).returncode == 0
    assert repo.json("import", "-", feed='{"content": "piped"}\n')["imported"] == 1


def test_terminal_steering_in_names_does_not_reach_the_terminal(repo: Repo) -> None:
    """An author or branch name may hold anything git lets through."""
    repo.git("config", "user.name", "Eve\x1b[2J")
    repo.cli("remember", "text")

    assert "\x1b" not in repo.cli("log").stdout


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example(repo: Repo, command: str) -> None:
    """And the options every command shares."""
    done = repo.cli(command, "--help")

    assert done.returncode == 0
    assert "Example: treering" in done.stdout
    assert "--json" in done.stdout
    assert "--repo" in done.stdout


def test_without_arguments_there_is_help(repo: Repo) -> None:
    """And every command is in it."""
    done = repo.cli()

    assert done.returncode == 2
    assert all(name in done.stdout + done.stderr for name in COMMANDS)


def test_closing_the_pipe_early_is_no_error(repo: Repo) -> None:
    """`treering log | head -1`."""
    import subprocess

    repo.cli("remember", "text")
    done = subprocess.run(
        f"{TREERING} log | head -c 1", shell=True, cwd=repo.path, capture_output=True, text=True,
        check=False,
    )  # fmt: skip

    assert done.stderr == ""


def test_the_life_of_a_branch_from_the_shell(repo: Repo) -> None:
    """Plan, deed, and undo, in the contract's words."""
    repo.switch("feature", create=True)
    repo.commit_file("work.txt")
    repo.json("remember", "learned here", "-t", "insight")
    repo.switch("main").git("branch", "-q", "-D", "feature")

    shown = repo.json("maintain", "gc")
    plan = repo.json("gc", "--dry-run")["plan"]
    done = repo.json("gc")

    line = next(line for line in plan if line["branch"] == "feature")
    assert (shown["op"], shown["dry_run"], shown["plan"]) == ("gc", True, plan)
    assert (done["dry_run"], done["plan"], done["purged"]) == (False, plan, [])
    assert (line["verdict"], line["action"], line["evidence"]) == ("abandoned", "trash", "none")
    assert set(line) >= {"branch", "verdict", "action", "into", "evidence", "merged_as", "memories",
                         "reason"}  # fmt: skip
    back = repo.json("restore", "feature")
    assert (back["branch"], back["memories"]) == ("feature", 1)
    assert back["from"].startswith("refs/treering/trash/feature/")
    promoted = repo.json("promote", "feature", "--into", "main")
    assert (promoted["action"], promoted["into"]) == ("promote", "main")
    assert repo.json("recall", "learned")["results"][0]["branch"] == "main"
    assert repo.error("restore", "never")["code"] == "branch_not_found"


def test_an_interrupt_while_it_starts_leaves_no_traceback() -> None:
    """Importing is most of what a short command takes, and people are quick."""
    code = (
        "import sys\n"
        "class Interrupted:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'treering.cli.main': raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Interrupted())\n"
        "from treering.cli.start import run; run()"
    )

    done = subprocess.run(
        [sys.executable, "-c", code, "status"], capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


@pytest.mark.parametrize("missing", ["data/credentials.txt", "cli/screen.py", "cli/main.py"])
def test_an_installation_that_lost_a_file_says_so(tmp_path: Path, missing: str) -> None:
    """Even the words of an error are masked by tables and modules that have to be read."""
    broken = tmp_path / "treering"
    shutil.copytree(Path(treering.__file__).parent, broken, ignore=shutil.ignore_patterns("*.pyc"))
    (broken / missing).unlink()
    code = "from treering.cli.start import run; run()"

    done = subprocess.run(
        [sys.executable, "-c", code, "recall", "x", "--repo", "nowhere", "--json"],
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 1
    assert json.loads(done.stderr)["error"]["code"] == "storage_failed"


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_stream_that_was_closed_before_costs_nothing(repo: Repo, closed: str) -> None:
    """Services and careless scripts start programs so. The memory is stored, and no file of ours
    takes the place of the output."""
    script = f'exec "$0" remember "Use WAL mode" {closed}'

    done = subprocess.run(
        ["sh", "-c", script, TREERING], cwd=repo.path, capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert [hit["title"] for hit in repo.json("recall", "wal")["results"]] == ["Use WAL mode"]
