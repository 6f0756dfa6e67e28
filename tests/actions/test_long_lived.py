"""A process that lives on keeps what it derived, and tells what a process that begins now tells."""

import json
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
from treering.git.objects import Objects
from treering.model import document
from treering.store.vault import Vault


def _marks(treering: Treering) -> dict[str, tuple[object, ...]]:
    results = treering.recall("gateway limit", limit=50).results
    return {
        hit.id: (hit.title, hit.outdated_by, hit.newer, hit.origin, hit.modified) for hit in results
    }


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
