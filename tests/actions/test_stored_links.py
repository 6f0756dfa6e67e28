"""Links as `read` shows them: without the index, and the same as the whole network of a view."""

import random
import subprocess

import pytest

from conftest import Repo
from treering import Treering
from treering.actions.link import links_seen, neighbours
from treering.actions.workspace import Workspace
from treering.model import document

STEPS = ("remember", "link", "link", "unlink", "forget", "switch")
RELATIONS = ("relates_to", "depends_on", "follows", "supersedes")


def _ids(workspace: Workspace) -> list[str]:
    return sorted(workspace.view().visible)


def _compare(workspace: Workspace) -> None:
    """Both ways to the links, of every memory that is seen."""
    view, now = workspace.view(), workspace.clock()
    stored = links_seen(workspace, view)
    indexed = workspace.searcher.search_view(view).network
    for memory_id in _ids(workspace):
        memory = view.find(memory_id).memory()
        for hops in (1, 3):
            ends = neighbours(stored, memory, hops, now=now, flags=lambda _: None)
            others = neighbours(indexed, memory, hops, now=now, flags=lambda _: None)
            assert set(ends) == set(others)
            assert [end.depth for end in ends] == [end.depth for end in others]


@pytest.mark.parametrize("seed", [1, 2])
def test_reading_finds_the_links_that_the_index_knows(repo: Repo, seed: int) -> None:
    """Whatever was written, forgotten or linked, and on which branch."""
    dice, workspace = random.Random(seed), repo.workspace
    treering = Treering(workspace)
    repo.commit_file("first")
    repo.git("branch", "side")
    for number in range(6):
        treering.remember(f"Thought {number}", type="insight", private=number == 5)

    for number in range(24):
        ids, step = _ids(workspace), dice.choice(STEPS)
        one, two = dice.sample(ids, 2)
        alive = [i for i in (one, two) if not workspace.view().find(i).memory().is_forgotten]
        if step == "remember":
            treering.remember(f"Another {number}", links=[f"follows:{i}" for i in alive])
        elif step in ("link", "unlink") and len(alive) == 2:
            treering.link(one, two, relation=dice.choice(RELATIONS), remove=step == "unlink")
        elif step == "forget":
            treering.forget([one], restore=one not in alive)
        elif step == "switch":
            repo.switch(dice.choice(("main", "side")))
        if number % 4 == 3:
            _compare(workspace)


def test_a_broken_table_of_clues_hides_no_link(repo: Repo) -> None:
    """It is derived: what it no longer tells is read again."""
    one, two = (repo.tr.remember(text).id for text in ("Use WAL mode", "Name things twice"))
    repo.tr.link(one, two, relation="depends_on")
    table = repo.path / ".git" / "treering" / "treering.db"

    for damage in (b"", b"nonsense" * 1000, table.read_bytes()[:5000]):
        table.write_bytes(damage)
        assert [link.id for link in repo.tr.read(two).links] == [one]
    table.unlink()
    assert [link.id for link in repo.tr.read(two).links] == [one]


def test_a_read_after_a_write_starts_no_process_and_opens_no_index(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it needs is kept, and changed by what was written."""
    treering = repo.tr
    one = treering.remember("Use WAL mode").id
    treering.read(one)
    two = treering.remember("WAL needs shared memory", links=[f"depends_on:{one}"]).id
    monkeypatch.setattr(subprocess, "Popen", None)

    whole = treering.read(one)

    assert [link.id for link in whole.links] == [two]
    assert whole.origin == "you"
    assert not list((repo.path / ".git" / "treering" / "index").glob("data-*"))


def test_what_links_to_a_memory_is_not_parsed_to_read_it(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stranger's links are as many, and their documents as long, as they please."""
    one = repo.tr.remember("Use WAL mode").id
    for number in range(10):
        repo.tr.remember(f"Reader number {number}", links=[f"depends_on:{one}"])
    Treering.open(repo.path).recall()
    parsed: list[bytes] = []
    parse = document.parse
    monkeypatch.setattr(document, "parse", lambda data: (parsed.append(data), parse(data))[1])

    links = Treering.open(repo.path).read(one).links

    assert len(links) == 10
    assert len(parsed) == 1
