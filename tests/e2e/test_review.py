"""The review queue at a real terminal: one key a memory."""

import os
import pty
import select
import subprocess
import time

import pytest

from conftest import TREERING, Repo


class Terminal:
    """The program in a terminal, typed at when it asks."""

    def __init__(self, repo: Repo, *arguments: str, **env: str) -> None:
        self._ours, theirs = pty.openpty()
        self._process = subprocess.Popen(
            [str(TREERING), *arguments],
            cwd=repo.path,
            env=os.environ | {"TERM": "dumb", "COLUMNS": "100"} | env,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
        )
        os.close(theirs)
        self.said = ""
        self._at = 0

    def expect(self, words: str) -> "Terminal":
        """Read on until these words were said."""
        until = time.monotonic() + 60
        while words not in self.said[self._at :]:
            assert time.monotonic() < until, self.said
            self._read()
        self._at = self.said.index(words, self._at) + len(words)
        return self

    def press(self, keys: str) -> "Terminal":
        os.write(self._ours, keys.encode())
        return self

    def end(self) -> int:
        until = time.monotonic() + 60
        while time.monotonic() < until and self._read():
            pass
        os.close(self._ours)
        return self._process.wait(timeout=60)

    def _read(self) -> bool:
        if not select.select([self._ours], [], [], 1)[0]:
            return True
        try:
            part = os.read(self._ours, 65536)
        except OSError:  # how Linux says that the other side is closed
            return False
        self.said += part.decode().replace("\r\n", "\n")
        return bool(part)


@pytest.fixture
def unsure(repo: Repo) -> Repo:
    for number in range(5):
        repo.now += 60
        repo.tr.remember(
            f"Guess {number} about {'abcde'[number] * 9}", confidence=0.1, type="insight"
        )
    return repo


def test_one_key_decides(unsure: Repo, tmp_path):
    """keep, revise, supersede, forget; merge needs another one; q ends with the rest undecided."""
    editor = tmp_path / "editor.sh"
    editor.write_text("#!/bin/sh\necho 'Guess 1 was right' > \"$1\"\n")
    editor.chmod(0o755)
    ids = [item.id for item in unsure.tr.review().items]
    terminal = Terminal(unsure, "review", EDITOR=str(editor), VISUAL=str(editor))

    terminal.expect("[q]uit? ").press("k").expect("kept")
    terminal.expect("[q]uit? ").press("r").expect("revised")
    terminal.expect("[q]uit? ").press("s").expect("By which memory").press(f"{ids[0]}\n")
    terminal.expect("superseded by").expect("[q]uit? ").press("x").expect("[q]uit? ").press("f")
    terminal.expect("forgotten").expect("[q]uit? ").press("q")

    assert terminal.end() == 0
    assert "5 of 5" in terminal.said
    statuses = [unsure.tr.read(memory_id).status for memory_id in ids]
    assert statuses == ["active", "active", "superseded", "deleted", "active"]
    assert unsure.tr.read(ids[1]).content == "Guess 1 was right"
    assert [item.id for item in unsure.tr.review().items] == [ids[4]]


def test_two_that_say_the_same_are_merged(repo: Repo, tmp_path):
    """The editor starts with both texts."""
    text = "Sessions live in Redis because the database could not keep up with the many writes of "
    for extra in ("the shop on busy days in winter", "the shop on busy days in winter again"):
        repo.tr.remember(text + extra, type="decision")
    editor = tmp_path / "editor.sh"
    count = 'grep -c Redis "$1" > "$OUT"'
    editor.write_text(f"#!/bin/sh\n{count}\necho 'Sessions: Redis' > \"$1\"\n")
    editor.chmod(0o755)
    out = tmp_path / "out"
    env = {"EDITOR": str(editor), "VISUAL": str(editor), "OUT": str(out)}
    terminal = Terminal(repo, "review", **env)

    terminal.expect("duplicate").expect("[q]uit? ").press("m").expect("With which memory")
    terminal.press("\n").expect("merged with")

    assert terminal.end() == 0
    assert out.read_text() == "2\n"
    assert [hit.title for hit in repo.tr.recall().results] == ["Sessions: Redis"]


def test_nothing_to_do(repo: Repo):
    terminal = Terminal(repo, "review")

    assert terminal.end() == 0
    assert "Nothing doubtful on main." in terminal.said
