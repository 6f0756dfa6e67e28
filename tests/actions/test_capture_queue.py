"""Captures that wait for the lock together: one commit, and to each the answer it gets alone."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conftest import Repo
from treering import Treering
from treering.actions.workspace import Workspace
from treering.errors import BlockedSecret, MemoryNotFound, TreeringError
from treering.git import lock

SECRET = "AKIA" + "Z7QWERTY2LMNBVCX"


class Together:
    """Captures of several threads, held up until all of them wait."""

    def __init__(self, repo: Repo) -> None:
        self.workspace: Workspace = repo.workspace
        self.treering = Treering(self.workspace)
        self.answers: list[Any] = []

    def run(self, *captures: Callable[[Treering], Any]) -> list[Any]:
        self.answers = [None] * len(captures)
        threads = [
            threading.Thread(target=self._keep, args=(number, capture))
            for number, capture in enumerate(captures)
        ]
        with lock.hold(self.workspace.store.lock_path):
            for number, thread in enumerate(threads):
                thread.start()
                self._wait_for(number)
        for thread in threads:
            thread.join()
        return self.answers

    def _wait_for(self, number: int) -> None:
        queue = self.workspace._captures
        while not queue._is_busy or len(queue._waiting) < number:
            time.sleep(0.001)

    def _keep(self, number: int, capture: Callable[[Treering], Any]) -> None:
        try:
            self.answers[number] = capture(self.treering)
        except TreeringError as error:
            self.answers[number] = error


def _thought(number: int, **more: Any) -> Callable[[Treering], Any]:
    return lambda tr: tr.remember(f"Thought {number}", type="insight", **more)


def _commits(repo: Repo) -> int:
    return int(repo.git("rev-list", "--count", "refs/treering/heads/main"))


def test_captures_that_wait_together_share_one_commit(repo: Repo) -> None:
    """The first writes alone, the seven that came meanwhile together."""
    answers = Together(repo).run(*(_thought(number) for number in range(8)))

    assert _commits(repo) == 2
    assert len({answer.id for answer in answers}) == 8
    for answer in answers:
        whole = repo.tr.read(answer.id, history=True)
        assert (whole.version, whole.origin) == (answer.version, "you")
        assert [(event.op, event.title) for event in whole.history] == [("remember", whole.title)]
    events = repo.tr.log().entries
    assert {event.id for event in events} == {answer.id for answer in answers}
    assert repo.tr.recall("thought", limit=20).total == 8


def test_one_that_fails_takes_nobody_down(repo: Repo) -> None:
    """Each gets what it would have got alone."""
    known = repo.tr.remember("Known already", type="insight").id
    before = _commits(repo)

    answers = Together(repo).run(
        _thought(0),
        _thought(1),
        lambda tr: tr.remember(f"The key is {SECRET}"),
        _thought(2),
        lambda tr: tr.remember("And another", supersedes="zzzz"),
        lambda tr: tr.remember("Known already", type="insight"),
        _thought(1),
        lambda tr: tr.remember("Better known", type="insight", supersedes=known),
        _thought(3, private=True),
    )

    assert [type(answer) for answer in answers[2:5:2]] == [BlockedSecret, MemoryNotFound]
    assert answers[5].duplicate
    assert sorted(bool(answers[at].duplicate) for at in (1, 6)) == [False, True]
    assert repo.tr.read(known).status == "superseded"
    assert answers[8].private
    titles = {result.title for result in repo.tr.recall("thought known", limit=20).results}
    assert titles >= {"Thought 0", "Thought 1", "Thought 2", "Thought 3", "Better known"}
    assert _commits(repo) - before == 3
    assert SECRET not in repo.git("log", "-p", "--all")


def test_what_is_written_together_is_synced_before_it_is_named(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every object and its folder, and then the ref."""
    synced: list[str] = []
    sync = os.fsync

    def note(descriptor: int) -> None:
        synced.append(str(Path(f"/proc/self/fd/{descriptor}").readlink()))
        sync(descriptor)

    together = Together(repo)
    together.treering.remember("The first one")
    monkeypatch.setattr(os, "fsync", note)

    together.run(*(_thought(number) for number in range(6)))

    new = repo.git(
        "rev-list", "--objects", "refs/treering/heads/main", "^refs/treering/heads/main~1"
    )
    objects = repo.path / ".git" / "objects"
    for oid in {line.split()[0] for line in new.splitlines()}:
        assert str(objects / oid[:2] / oid[2:]) in synced
        assert str(objects / oid[:2]) in synced


def test_the_newest_of_one_commit_come_in_the_order_they_came(repo: Repo) -> None:
    """Dates are kept to the second, and one commit is one moment."""
    repo.now += 0.5
    moment = repo.now
    together = Together(repo)
    together.workspace.clock = lambda: moment

    together.run(*(_thought(number) for number in range(5)))

    titles = [result.title for result in repo.tr.recall("", order="newest").results]
    assert titles == [f"Thought {number}" for number in reversed(range(5))]


_WRITER = """
import sys, threading
from treering import Treering
tr = Treering.open(sys.argv[1])
said = threading.Lock()
def write(worker):
    for number in range(1000):
        answer = tr.remember(f"Thought {number} of {worker}", type="insight")
        with said:
            print(answer.id, answer.version, flush=True)
for worker in range(8):
    threading.Thread(target=write, args=(worker,)).start()
"""


def test_no_acknowledged_capture_is_lost_when_the_process_is_killed(repo: Repo) -> None:
    """Each was on disk before it was told."""
    command = [sys.executable, "-c", _WRITER, str(repo.path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        lines = [writer.stdout.readline() for _ in range(60)]
        writer.kill()
        lines += writer.stdout.read().splitlines()[:-1]  # the last may be cut

    files = repo.git("ls-tree", "-r", "refs/treering/heads/main")
    for memory_id, version in (line.split() for line in lines):
        assert f"{version}\tmemories/{memory_id[:2]}/{memory_id}.md" in files
    repo.git("fsck", "--connectivity-only")
    assert _commits(repo) < len(lines)
