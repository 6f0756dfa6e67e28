"""Deleting what is derived, at any moment, changes no answer."""

import json
import random
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conftest import Repo, make_repo
from sync.conftest import Team

FILES = ("treering.db", "treering.db-wal", "treering.db-shm")
Step = tuple[str, ...]


def delete(repo: Repo) -> None:
    folder = repo.path / ".git" / "treering"
    for name in FILES:
        (folder / name).unlink(missing_ok=True)
    shutil.rmtree(folder / "index", ignore_errors=True)


def play(repo: Repo, steps: list[Step], between: Callable[[Repo], None]) -> list[Any]:
    """Carry out commands of git and verbs, and return what the verbs answer, without the time."""
    answers: list[Any] = []
    repo.clock = lambda: repo.now  # type: ignore[method-assign]
    for words in steps:
        repo.now += 100
        if words[0] == "git":
            repo.git(*words[1:])
        elif words[0] == "file":
            repo.commit_file(*words[1:])
        else:
            answers.append(ask(repo, *words))
        between(repo)
    return answers


def ask(repo: Repo, verb: str, *arguments: str) -> Any:
    """Ask the library with a pinned clock, so that two repositories give the same answers."""
    treering = repo.tr
    match verb:
        case "remember":
            answer: Any = treering.remember(arguments[0], type=arguments[1], tags=["wal"])
        case "gc":
            answer = treering.gc(dry_run=False)
        case "recall":
            answer = treering.recall(arguments[0], limit=20)
        case "log":
            answer = treering.log(limit=20)
        case "why":
            answer = treering.why(arguments[0])
        case "status":
            answer = treering.status()
        case "first":
            answer = treering.read(treering.recall(limit=50).results[-1].id)
        case _:
            answer = treering.context(task=arguments[0])
    return json.loads(json.dumps(answer, default=_plain))


def _plain(value: Any) -> Any:
    if hasattr(value, "as_json"):
        return value.as_json()
    names = getattr(value, "__dataclass_fields__", None) or getattr(value, "__slots__", ())
    return {name: getattr(value, name) for name in names} if names else str(value)


STEPS: list[Step] = [
    ("file", "db.py", "one\ntwo\nthree\n"),
    ("remember", "Use WAL mode: readers never block", "decision"),
    ("remember", "Retry the webhook with jitter", "pattern"),
    ("recall", "readers"),
    ("git", "switch", "-q", "-c", "feature"),
    ("file", "db.py", "one\nwal\nthree\n"),
    ("remember", "WAL needs shared memory, so it uses WAL mode", "decision"),
    ("recall", "wal memory"),
    ("log",),
    ("why", "db.py:2"),
    ("git", "switch", "-q", "main"),
    ("git", "merge", "-q", "--squash", "feature"),
    ("git", "commit", "-q", "-m", "Write ahead"),
    ("gc",),
    ("recall", "wal memory"),
    ("first",),
    ("why", "db.py:2"),
    ("context", "wal readers"),
    ("git", "branch", "-q", "-D", "feature"),
    ("gc",),
    ("log",),
    ("status",),
    ("recall", ""),
]


@pytest.fixture
def expected(tmp_path: Path) -> list[Any]:
    return play(make_repo(tmp_path / "whole"), STEPS, lambda _: None)


def without_place(answers: list[Any]) -> str:
    """Return answers as text, without the folder they are of and what is drawn by lot."""
    text = json.dumps(answers, indent=1).replace("/whole", "").replace("/deleted", "")
    return re.sub(r"nonce=\\\"\w+", "", text)


def test_the_database_and_the_index_may_be_deleted_between_any_two_verbs(
    tmp_path: Path, expected: list[Any]
) -> None:
    answers = play(make_repo(tmp_path / "deleted"), STEPS, delete)

    for ours, theirs in zip(answers, expected, strict=True):
        assert without_place([ours]) == without_place([theirs])


@pytest.mark.parametrize("seed", range(3))
def test_they_may_be_damaged_at_random(tmp_path: Path, expected: list[Any], seed: int) -> None:
    dice = random.Random(seed)

    def damage(repo: Repo) -> None:
        file = repo.path / ".git" / "treering" / "treering.db"
        match dice.randrange(5):
            case 0:
                delete(repo)
            case 1 if file.exists():
                file.write_bytes(file.read_bytes()[: dice.randrange(file.stat().st_size + 1)])
            case 2 if file.exists():
                file.write_bytes(dice.randbytes(20_000))

    answers = play(make_repo(tmp_path / "deleted"), STEPS, damage)

    assert without_place(answers) == without_place(expected)


def test_a_synced_clone_knows_the_same_without_it(clone: Team) -> None:
    """Whose words memories are, after edits by two people."""
    ada, bob = clone("ada"), clone("bob")
    made = [ada.tr.remember(f"Rule {n} of the house", type="decision").id for n in range(3)]
    ada.tr.sync()
    bob.tr.sync()
    bob.tr.revise(made[0], content="Rule 0 is another one")
    bob.tr.remember("A word of Bob's", type="pattern")
    bob.tr.sync()
    ada.tr.sync()
    before = [(hit.id, hit.origin, hit.edited_by) for hit in ada.tr.recall(limit=10).results]

    delete(ada)

    after = [(hit.id, hit.origin, hit.edited_by) for hit in ada.tr.recall(limit=10).results]
    assert after == before
    assert len({origin for _, origin, _ in before}) > 1
