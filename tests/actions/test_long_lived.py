"""A process that lives on keeps what it derived, and tells what a process that begins now tells."""

import json
import random
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from conftest import Repo
from treering import Treering
from treering.actions.workspace import Workspace
from treering.git.objects import Objects
from treering.model import document
from treering.store.vault import Vault

TOPICS = ("retry", "timeout", "pool", "cache")
STEPS = ("remember", "remember", "revise", "supersede", "forget", "elsewhere", "switch", "recall")


def _ids(workspace: Workspace) -> list[str]:
    return sorted(workspace.view().visible)


def _text(dice: random.Random) -> str:
    """Texts of few kinds that differ by a value: many of them outdate each other."""
    return f"The {dice.choice(TOPICS)} limit of the gateway is {dice.randrange(99)} seconds"


def _step(repo: Repo, lasting: Treering, ids: list[str], step: str, dice: random.Random) -> None:
    one, details = dice.choice(ids), {"reasoning": "it was: slow", "place": 3}
    is_forgotten = repo.tr.read(one).status == "deleted"
    if is_forgotten and step in ("revise", "supersede"):
        step = "forget"
    if step == "remember":
        lasting.remember(_text(dice), type="decision", details=details, confidence=1)
    elif step == "elsewhere":
        repo.tr.remember(_text(dice), type="decision")
    elif step == "revise":
        lasting.revise(one, title=f"{dice.choice(TOPICS)} {dice.randrange(9)}")
    elif step == "supersede":
        lasting.remember(_text(dice), supersedes=[one])
    elif step == "forget":
        lasting.forget([one], restore=is_forgotten)
    elif step == "switch":
        repo.switch(dice.choice(("main", "side")))
    else:
        lasting.recall(dice.choice(TOPICS))


def _marks(treering: Treering) -> dict[str, tuple[object, ...]]:
    results = treering.recall("gateway limit", limit=50).results
    return {
        hit.id: (hit.title, hit.outdated_by, hit.newer, hit.origin, hit.modified) for hit in results
    }


@pytest.mark.parametrize("seed", [3, 4])
def test_reading_tells_what_a_new_process_tells(repo: Repo, seed: int) -> None:
    """Whose word it is, since when, what outdates it and what it outdates, after every change."""
    dice, workspace = random.Random(seed), repo.workspace
    lasting = Treering(workspace)
    repo.commit_file("first")
    repo.git("branch", "side")
    for topic in TOPICS:
        lasting.remember(f"The {topic} limit of the gateway is 7 seconds", type="decision")

    marks = 0
    for _ in range(16):
        _step(repo, lasting, _ids(workspace), dice.choice(STEPS), dice)
        for memory_id in dice.sample(_ids(workspace), 3):
            read = lasting.read(memory_id)
            assert read == repo.tr.read(memory_id)
            marks += bool(read.newer or read.outdates)

    assert marks > 5
    assert _marks(lasting) == _marks(repo.tr)


@contextmanager
def _counting(monkeypatch: pytest.MonkeyPatch) -> Iterator[Counter[str]]:
    """How much is looked at: objects read, documents parsed, scopes listed."""
    counts: Counter[str] = Counter()

    def count(owner: Any, name: str) -> None:
        plain = getattr(owner, name)

        def counted(*arguments: Any, **more: Any) -> Any:
            counts[name] += 1
            return plain(*arguments, **more)

        patch.setattr(owner, name, counted)

    with monkeypatch.context() as patch:
        for name in ("blob", "commit", "tree", "raw_tree"):
            count(Objects, name)
        count(document, "parse")
        count(Vault, "scopes")
        yield counts


def _fill(repo: Repo, folder: Path, size: int) -> None:
    with (folder / "records.jsonl").open("w") as file:
        for number in range(size):
            text = f"Finding {number} of module m{number} in folder f{number % 7}"
            file.write(json.dumps({"content": text, "type": "insight"}) + "\n")
    repo.tr.import_path(folder / "records.jsonl")


def _cost_after_a_write(
    repo: Repo, monkeypatch: pytest.MonkeyPatch, ask: Callable[[Treering], object]
) -> Counter[str]:
    treering = Treering(repo.workspace)
    for number in range(3):
        treering.remember(f"Zebras cross at stripe {number}", type="insight")
        ask(treering)
    treering.remember("Zebras cross at night", type="insight")
    with _counting(monkeypatch) as counts:
        ask(treering)
    return counts


@pytest.mark.parametrize("verb", ["read", "recall"])
def test_what_is_looked_at_after_a_write_does_not_grow_with_the_store(
    new_repo: Callable[[str], Repo], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, verb: str
) -> None:
    """What this process wrote itself is not searched for."""
    costs = []
    for size in (40, 400):
        repo = new_repo(f"repo{size}")
        repo.commit_file("README.md")
        _fill(repo, tmp_path, size)
        one = repo.tr.recall("module m7", limit=1).results[0].id

        def ask(treering: Treering, one: str = one) -> object:
            return treering.read(one) if verb == "read" else treering.recall("zebras night")

        costs.append(_cost_after_a_write(repo, monkeypatch, ask))

    assert costs[0] == costs[1]
    assert costs[0]["parse"] == 0, "it was written by this very process"
    assert costs[0]["missing"] <= 4
    assert verb == "recall" or costs[0]["scopes"] == 0


def test_captures_of_a_server_are_known_to_the_next_one(repo: Repo) -> None:
    """What is found out in memory alone is found out again by whoever comes next."""
    lasting = Treering(repo.workspace)
    ids = [lasting.remember(f"Thought {number}", type="insight").id for number in range(3)]
    mine = [lasting.read(one) for one in ids]

    theirs = [repo.tr.read(one) for one in ids]

    assert theirs == mine
    assert {read.origin for read in theirs} == {"you"}


def test_threads_that_read_while_others_write_are_told_the_truth(repo: Repo) -> None:
    """Each of them sees what was written before it asked."""
    treering, errors = Treering(repo.workspace), []
    treering.remember("The pool limit of the gateway is 7 seconds", type="decision")

    def work(number: int) -> None:
        for turn in range(4):
            text = f"The pool limit of the gateway is {number * 10 + turn} minutes"
            made = treering.remember(text, type="decision")
            read = treering.read(made.id)
            if (read.content, read.origin) != (text, "you"):
                errors.append(read)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)  # they meet everywhere
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)

    assert not errors
    assert _marks(treering).keys() == _marks(repo.tr).keys()


def test_a_memory_that_takes_over_from_another_is_noticed_by_that_one(repo: Repo) -> None:
    """What a memory outdates may be outdated anew by one that has nothing to do with itself."""
    treering = Treering(repo.workspace)
    body = "Every call waits {} seconds for an answer of the ledger, then the invoice is parked"
    title = "Retry limit of the gateway is {}"
    old = treering.remember(body.format(20), title=title.format(3), type="decision")
    newer = treering.remember(
        "Measured under load with many clients", title=title.format(5), type="decision"
    )
    assert [one.id for one in treering.read(newer.id).outdates or ()] == [old.id]

    newest = treering.remember(body.format(40), title="Parked invoices", type="decision")

    assert treering.read(newer.id).outdates is None
    mark = treering.read(old.id).newer
    assert mark
    assert mark.id == newest.id
