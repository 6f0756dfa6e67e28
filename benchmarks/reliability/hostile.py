"""R12: bytes that claim to be memories, and names, ids and queries that want to break something."""

import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random

from benchmarks.reliability import messages
from benchmarks.reliability.trial import Outcome, Trial
from faults.ground import Repo
from treering.errors import InvalidDocument
from treering.model import document

_SECONDS = 2

_SEED = b"""---
id: 7k2m9qx4c0wd
type: decision
title: Use JWT for authentication
tags: [auth, security]
topic: backend/auth/tokens
status: active
confidence: 0.9
source: agent
author: Ada Lovelace <ada@example.org>
files:
- {path: src/auth/jwt.py, blob: 3b18e512dba79e4c8300dd08aeb37f8e728b8dad}
created: 2026-02-08T10:00:00Z
modified: 2026-02-08T10:00:00Z
links:
- {relation: affects, target: 0c5x8m2qw7vz, confidence: 0.85, by: system}
details: {reasoning: stateless services, outcome: success}
---
We need stateless authentication for the services.
"""
_BITS = [
    b"---\n", b"?\n", b"[", b"{", b"&a ", b"*a", b"!!python/object:os.system ", b"<<: ", b"\x00",
    b"\xff\xfe", b"\xed\xa0\x80", b"\r\n", b"\t", b": ", b"- ", b"|\n", b">-\n", b"'", b'"', b"#",
    b"1e999", b".nan", b"0x", b"~", b"2026-99-99", b"\xe2\x80\xae", b"\x1b[2J", b"%YAML 9.9\n",
    b"id: ", b"links: ", b"details: ", b"[" * 500, b"{a: " * 200, b"a" * 70_000, b"\n" * 1000,
]  # fmt: skip

_NAMES = [
    "`id`", "a&&b", "a|b", "$(touch canary)", "-x", "--upload-pack=x", "a'b", 'a"b', "a\u202eb",
    "\U000e0041", "@{-1}", "a" * 250, "é" * 100, "..", "a..b", "a.lock", "refs/heads/x", "%2F",
    "%", "a%+b", "HEAD", "\n", "", " ", "a b", "*", "?", "[", "\\", "~1", "^", ":", "main:x", "/",
]  # fmt: skip
_QUERIES = [
    "*", "**", "?" * 50, "(" * 2000, "a OR " * 5000, '"' * 999, "type:", "tag:" * 500, "~" * 100,
    "since:99999d", "confidence>x", "a*b*c*d*", "\x00", "[a TO", "title:" + "(" * 500, "-" * 1000,
    "x" * 100_000, "\u202e", "AND OR NOT", "file:../../etc/passwd", "*:*", "a" + "?" * 300,
]  # fmt: skip


def inputs(trial: Trial) -> Outcome:
    """No crash, no hang, nothing written but to our refs and our folder."""
    outcome = Outcome(rounds=trial.amount(3_000, 100_000))
    for number in range(outcome.rounds):
        data = _mutated(trial.dice)
        with _noted(outcome, number, data), _time_limit():
            _parsed(data)
    _through_the_program(trial, outcome)
    return outcome


def _parsed(data: bytes) -> None:
    try:
        memory = document.parse(data)
    except InvalidDocument:
        return
    assert document.parse(document.dump(memory)) == memory, "not the same after a round trip"


def _mutated(dice: Random) -> bytes:
    data = bytearray(_SEED)
    for _ in range(dice.randrange(1, 6)):
        at = dice.randrange(len(data) + 1)
        how = dice.randrange(5)
        if how == 0:
            data[at:at] = dice.choice(_BITS)
        elif how == 1:
            del data[at : at + dice.randrange(1, 40)]
        elif how == 2 and at < len(data):
            data[at] = dice.randrange(256)
        elif how == 3:
            data[at:at] = data[at : at + dice.randrange(1, 60)]
        else:
            end = data.find(b"\n", at)
            data[at : end if end >= 0 else len(data)] = dice.choice(_BITS)
    return bytes(data)


@contextmanager
def _noted(outcome: Outcome, number: int, data: bytes) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        outcome.failures.append(f"document {number}: {type(error).__name__}: {data[:200]!r}")


@contextmanager
def _time_limit() -> Iterator[None]:
    def late(*_: object) -> None:
        raise TimeoutError

    signal.signal(signal.SIGALRM, late)
    signal.alarm(_SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)


def _through_the_program(trial: Trial, outcome: Outcome) -> None:
    repo = trial.repo()
    kept = repo.remember("there from the start")
    before = _outside(repo)
    calls = [["recall", query] for query in _QUERIES]
    calls += [[verb, "--branch", name] for name in _NAMES for verb in ("recall", "status")]
    calls += [["read", name] for name in _NAMES] + [
        ["remember", "x", "--branch", n] for n in _NAMES
    ]
    calls += [["remember", "x", "--file", name] for name in _NAMES]
    for call in calls if trial.is_deep else trial.dice.sample(calls, 40):
        if any("\0" in word for word in call):
            continue  # no program can be given one
        with outcome.watching(repr(call)[:80]):
            done = _called(repo, call)
            assert done.returncode in (0, 1, 2), done.stderr
            assert "Traceback" not in done.stderr, done.stderr
        outcome.rounds += 1
    messages.play(trial, repo, outcome)
    outcome.judge(repo, {kept})
    with outcome.watching("afterwards"):
        assert before == _outside(repo), "something was written outside our refs and our folder"
        repo.close()


def _called(repo: Repo, call: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(repo.program), *call],
        cwd=repo.path, env=repo.env, capture_output=True, text=True, errors="replace",
        stdin=subprocess.DEVNULL, timeout=30, check=False,
    )  # fmt: skip


def _outside(repo: Repo) -> set[str]:
    git_dir = repo.git_dir
    ours = ("treering", "objects", "refs/treering", "logs/refs/treering")
    return {
        name
        for path in git_dir.rglob("*")
        if not (name := str(path.relative_to(git_dir))).startswith(ours) and path.is_file()
    } | {str(path) for path in git_dir.parent.iterdir()}
