"""A credential handed in anywhere is refused by its kind, and its value is nowhere afterwards."""

import contextlib
import json
import os
import pty
import subprocess
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import TREERING, Repo

TOKEN = "ghp_" + "a1B2c3D4e5F6" * 3
KIND = "GitHub token"


def _is_anywhere_below(folder: Path, value: bytes) -> list[str]:
    """Files that hold the value, plain or as a git object."""
    found = []
    for file in (file for file in folder.rglob("*") if file.is_file()):
        data = file.read_bytes()
        with contextlib.suppress(zlib.error):
            data += zlib.decompress(data)
        if value in data:
            found.append(str(file.relative_to(folder)))
    return found


@pytest.mark.parametrize(
    "arguments",
    [
        ["remember", f"deploy with {TOKEN}"],
        ["remember", "text", "--title", TOKEN],
        ["remember", "text", "--tag", TOKEN],
        ["remember", "text", "--topic", f"deploy/{TOKEN}"],
        ["remember", "text", "--reasoning", f"because {TOKEN}"],
        ["remember", "text", "--session", TOKEN],
        ["remember", "text", "--agent", TOKEN],
        ["remember", "text", "--file", f"notes/{TOKEN}.md"],
        ["remember", "text", "--link", f"{TOKEN}:ID"],
        ["remember", "text", "--private", "--tag", TOKEN],
        ["remember", f"{TOKEN[:9]}\u200b{TOKEN[9:]}"],
        ["revise", "ID", "--content", TOKEN],
        ["revise", "ID", "--append", TOKEN],
        ["revise", "ID", "--title", TOKEN],
        ["revise", "ID", "--tag-add", TOKEN],
        ["revise", "ID", "--reason", TOKEN],
        ["revise", "ID", "--content", f"{TOKEN[:9]}\u200b{TOKEN[9:]}"],
        ["forget", "ID", "--reason", TOKEN],
    ],
)
def test_a_credential_in_any_field_is_refused_and_left_nowhere(
    repo: Repo, arguments: list[str]
) -> None:
    known = repo.json("remember", "Use WAL mode")["id"]
    before = repo.refs()

    error = repo.error(*[known.join(part.split("ID")) for part in arguments])
    repo.json("recall", "deploy")  # brings the index up to date

    assert (error["code"], KIND in error["message"]) == ("blocked_secret", True)
    assert TOKEN not in json.dumps(error)
    assert repo.refs() == before
    assert _is_anywhere_below(repo.path / ".git", TOKEN.encode()) == []


@pytest.mark.parametrize(
    "arguments",
    [
        ["remember", "text", "--type", TOKEN],
        ["remember", "text", "--outcome", TOKEN],
        ["remember", "text", "--branch", TOKEN],
        ["remember", "text", "--file", f"../{TOKEN}"],
        ["read", TOKEN],
        ["recall", "x", "--since", TOKEN],
        ["recall", "x", "--status", TOKEN],
        ["revise", TOKEN],
        ["remember", "text", "--confidence", TOKEN],
        ["remember", "text", f"--{TOKEN}"],
        [TOKEN],
        ["config", TOKEN],
    ],
)
def test_an_error_does_not_repeat_a_credential(repo: Repo, arguments: list[str]) -> None:
    """An agent that mixes up its arguments should not find the key in its transcript twice."""
    done = repo.cli(*arguments)

    assert done.returncode in (1, 2)
    assert TOKEN not in done.stdout + done.stderr


def test_an_import_leaves_out_the_lines_with_credentials(repo: Repo, tmp_path: Path) -> None:
    lines = [{"content": "good"}, {"content": f"bad {TOKEN}"}, {"content": "b", "tags": [TOKEN]}]
    file = tmp_path / "m.jsonl"
    file.write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")

    answer = repo.json("import", str(file))

    assert answer["imported"] == 1
    assert [(e["line"], e["code"]) for e in answer["errors"]] == [
        (2, "blocked_secret"),
        (3, "blocked_secret"),
    ]
    assert TOKEN not in json.dumps(answer)
    assert _is_anywhere_below(repo.path / ".git", TOKEN.encode()) == []


@pytest.fixture
def at_a_terminal(repo: Repo) -> Callable[..., subprocess.CompletedProcess[str]]:
    def run(*arguments: str, agent: str = "") -> subprocess.CompletedProcess[str]:
        master, slave = pty.openpty()
        try:
            return subprocess.run(
                [str(TREERING), *arguments],
                cwd=repo.path,
                stdin=slave,
                capture_output=True,
                text=True,
                check=False,
                env=os.environ | ({"TREERING_AGENT": agent} if agent else {}),
            )
        finally:
            os.close(master)
            os.close(slave)

    return run


def test_a_person_at_a_terminal_may_insist(
    repo: Repo, at_a_terminal: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    """And may tag, forget and restore it afterwards without saying so again."""
    done = at_a_terminal("remember", f"no real key: {TOKEN}", "--allow-secret", "--json")

    assert done.returncode == 0, done.stderr
    id = json.loads(done.stdout)["id"]
    assert repo.json("revise", id, "--tag-add", "fixture")["changed"] == ["tags"]
    assert repo.json("forget", id)["forgotten"] == [id]
    assert repo.json("forget", "--restore", id)["restored"] == [id]
    assert repo.error("revise", id, "--append", "ghp_" + "Z9y8X7w6V5u4" * 3)["code"] == (
        "blocked_secret"
    )


def test_programs_and_agents_may_not_insist(
    repo: Repo, at_a_terminal: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    """An agent that meets a refusal must not find the way round it in --help."""
    file = repo.path / "m.jsonl"
    file.write_text(json.dumps({"content": TOKEN}), encoding="utf-8")

    for arguments in (
        ["remember", TOKEN],
        ["revise", "abcd", "--content", TOKEN],
        ["import", "m.jsonl"],
    ):
        assert repo.error(*arguments, "--allow-secret")["code"] == "blocked_secret"
    named = at_a_terminal("remember", TOKEN, "--allow-secret", "--agent", "claude-code")
    known = at_a_terminal("remember", TOKEN, "--allow-secret", agent="claude-code")

    assert (named.returncode, known.returncode) == (1, 1)
    assert repo.refs() == {}
