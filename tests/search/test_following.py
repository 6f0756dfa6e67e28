"""What is kept from one call to the next is what would be derived anew, whatever was changed."""

import json
import random
from collections.abc import Mapping
from typing import Any

import pytest

from conftest import Repo
from treering import Treering
from treering.actions.workspace import Workspace
from treering.graph.network import Network
from treering.model.changed_map import ChangedMap
from treering.search.corpus import Corpus, WeightedSegment
from treering.search.engine import Index
from treering.search.knowledge import KnowledgeLists
from treering.search.visible import VisibleEntries

WORDS = ("cache", "token", "lock", "index", "retry", "schema", "queue", "socket", "tenant")
STEPS = ("remember", "remember", "several", "private", "revise", "forget", "link", "switch", "tidy")


def _text(dice: random.Random) -> str:
    return " ".join(dice.choices(WORDS, k=6)) + f" {dice.random()}"


def _play(repo: Repo, treering: Treering, workspace: Workspace, dice: random.Random) -> None:
    """Change something, as one of many ways has it."""
    step = dice.choice(STEPS)
    ids = sorted(workspace.view().visible)
    one, two = dice.sample(ids, 2)
    is_forgotten = {i: workspace.view().find(i).memory().is_forgotten for i in (one, two)}
    if step in ("remember", "several"):
        for _ in range(1 if step == "remember" else 5):
            session = dice.choice(("", "monday", "tuesday"))
            kind = dice.choice(("insight", "progress", "commit"))
            treering.remember(_text(dice), type=kind, session=session)
    elif step == "private":
        treering.remember(_text(dice), private=True)
    elif step == "revise" and not is_forgotten[one]:
        treering.revise(one, content=_text(dice))
    elif step == "forget":
        treering.forget([one], restore=is_forgotten[one])
    elif step == "link" and not any(is_forgotten.values()):
        treering.link(one, two, relation=dice.choice(("relates_to", "depends_on")))
    elif step == "switch":
        repo.switch(dice.choice(("main", "side")))
    elif step == "tidy":
        workspace.searcher.keep()
        for index in workspace.searcher.indexes:
            index.tidy()


def _edges(network: Network) -> set[Any]:
    return set(network.edges()) | {("node", node) for node in network.nodes.values()}


def _check_index(index: Index, ranks: Mapping[str, int]) -> None:
    """The view and the weights an index keeps, against those of the same segments."""
    index.newest(ranks, 3)
    snapshot = index._snapshot()
    anew = Corpus([WeightedSegment(shelf.segment) for shelf in snapshot.shelves])
    assert snapshot.entries[: snapshot.count] == anew.entries
    assert snapshot.numbers == anew.numbers
    for word in WORDS:
        assert dict(snapshot.weights(word)) == pytest.approx(dict(anew.weights(word)))
    view, plain = index._view(snapshot, ranks), VisibleEntries(anew, dict(ranks.items()))
    assert view.all == plain.all
    assert view.ids == plain.ids
    assert view.by_status == plain.by_status
    assert view.in_force == plain.in_force
    assert view.knowledge == plain.knowledge
    assert view.sessions == plain.sessions
    assert view.places == plain.places


def _check(repo: Repo, workspace: Workspace) -> None:
    searcher, view = workspace.searcher, workspace.view()
    other = repo.workspace.view()
    lists = KnowledgeLists(repo.path / "nowhere")
    for every_copy in (False, True):
        search_view = searcher.search_view(view, every_copy=every_copy)
        ranks = other.ranks_of_all() if every_copy else other.ranks()
        assert dict(search_view.ranks) == ranks
        small = searcher.knowledge_view(view, every_copy=every_copy)
        assert dict(small.ranks) == lists.ranks(other, every_copy=every_copy)
        _check_index(searcher.index, search_view.ranks)
        _check_index(searcher.knowledge, small.ranks)
    nearest = searcher.search_view(view)
    entries = sorted(nearest.entries(), key=lambda entry: nearest.ranks[entry.blob])
    assert _edges(nearest.network) == _edges(Network(entries))


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_what_is_kept_is_what_would_be_made_anew(repo: Repo, seed: int) -> None:
    """Writes, forgotten and private memories, links, branches, an index put in order meanwhile."""
    dice, workspace = random.Random(seed), repo.workspace
    treering = Treering(workspace)
    repo.commit_file("first")
    repo.git("branch", "side")
    for _ in range(12):
        treering.remember(_text(dice), type="insight")

    for number in range(30):
        _play(repo, treering, workspace, dice)
        treering.recall(" ".join(dice.choices(WORDS, k=2)))
        if number % 3 == 2:
            _check(repo, workspace)


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(10, 40))
def test_what_is_kept_is_what_would_be_made_anew_at_length(repo: Repo, seed: int) -> None:
    test_what_is_kept_is_what_would_be_made_anew(repo, seed)


def test_what_waits_to_be_written_is_found_by_the_next_process(repo: Repo) -> None:
    """A few new memories are indexed in memory. Whoever comes next indexes them again."""
    treering = repo.tr
    treering.recall("nothing")
    treering.remember("Use WAL mode")
    assert treering.recall("wal").total == 1
    treering.remember("WAL needs shared memory")

    assert treering.recall("wal").total == 2
    assert repo.tr.recall("wal").total == 2
    assert json.loads(repo.cli("recall", "wal", "--json").stdout)["total"] == 2


def test_a_changed_map_is_a_mapping_like_any_other() -> None:
    dice, plain = random.Random(4), {str(number): number for number in range(300)}
    changed: Mapping[str, int] = dict(plain)

    for _ in range(400):
        key = str(dice.randrange(400))
        value = dice.choice((None, dice.randrange(9)))
        changed = ChangedMap.of(changed, {key: value})
        plain.pop(key, None)
        if value is not None:
            plain[key] = value

        assert len(changed) == len(plain)
    assert dict(changed.items()) == plain
    assert set(changed) == set(plain)
    assert all((key in changed) == (key in plain) for key in map(str, range(400)))
