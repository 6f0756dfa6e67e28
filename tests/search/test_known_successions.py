"""What outdates what is carried over a change, and is what would be looked up anew."""

import random
from collections.abc import Mapping
from typing import Any

import pytest

from conftest import Repo
from treering import Treering
from treering.actions.workspace import Workspace
from treering.search.engine import Index
from treering.search.succession import find_predecessors, find_successions
from treering.search.visible import VisibleEntries

THINGS = ("retry queue", "token cache", "schema lock", "socket pool")
STEPS = ("remember", "remember", "private", "revise", "forget", "link", "supersede", "supersede",
         "unlink", "switch", "several", "tidy")  # fmt: skip


def _text(dice: random.Random) -> str:
    """Few subjects, said over and over with other values, names and signs."""
    verb = dice.choice(("expires", "does not expire", "is flushed"))
    return f"The {dice.choice(THINGS)} {verb} after {dice.randrange(90)} seconds of idle waiting"


def _play(repo: Repo, treering: Treering, workspace: Workspace, dice: random.Random) -> None:
    step = dice.choice(STEPS)
    one, two = dice.sample(sorted(workspace.view().visible), 2)
    is_forgotten = {i: workspace.view().find(i).memory().is_forgotten for i in (one, two)}
    if step in ("remember", "several"):
        for _ in range(1 if step == "remember" else 4):
            kind = dice.choice(("insight", "decision", "progress", "commit"))
            treering.remember(_text(dice), type=kind)
    elif step == "private":
        treering.remember(_text(dice), private=True)
    elif step == "forget":
        treering.forget([one], restore=is_forgotten[one])
    elif step == "switch":
        repo.switch(dice.choice(("main", "side")))
    elif step == "tidy":
        workspace.searcher.keep()
    elif any(is_forgotten.values()):
        return
    elif step == "revise":
        treering.revise(one, content=_text(dice))
    elif step == "unlink" and (links := workspace.view().find(one).memory().links):
        treering.link(one, links[0].target, relation=links[0].relation, remove=True)
    else:
        relation = "supersedes" if step == "supersede" else "relates_to"
        treering.link(one, two, relation=relation)


def _known(view: VisibleEntries, index: Index) -> tuple[Any, Any]:
    read = index._reading_texts
    newer = find_successions(sorted(view.all), view, read)
    older = {number: find_predecessors(number, view, read) for number in sorted(view.all)}
    return newer, older


def _check(index: Index, ranks: Mapping[str, int]) -> tuple[int, int]:
    """How many marks there are, and how many documents something was known of beforehand."""
    index.newest(ranks, 1)
    snapshot = index._snapshot()
    view, plain = index._view(snapshot, ranks), VisibleEntries(snapshot, dict(ranks.items()))
    carried = len(view.successions.newer)
    found = _known(view, index)
    assert found == _known(plain, index)
    return len(found[0]), carried


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_what_is_carried_over_is_what_is_found_anew(repo: Repo, seed: int) -> None:
    """Writes, new versions, forgotten and private memories, chains and rings of links, branches."""
    dice, workspace = random.Random(seed), repo.workspace
    treering = Treering(workspace)
    repo.commit_file("first")
    repo.git("branch", "side")
    for _ in range(12):
        treering.remember(_text(dice), type="insight")

    marks = carried = 0
    for _ in range(30):
        _play(repo, treering, workspace, dice)
        searcher, view = workspace.searcher, workspace.view()
        for search_view in (searcher.knowledge_view(view), searcher.search_view(view)):
            counts = _check(search_view.index, search_view.ranks)
            marks, carried = marks + counts[0], carried + counts[1]
    assert marks > 100
    assert carried > 100


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(10, 40))
def test_what_is_carried_over_is_what_is_found_anew_at_length(repo: Repo, seed: int) -> None:
    test_what_is_carried_over_is_what_is_found_anew(repo, seed)


def test_only_what_is_near_a_new_memory_is_looked_up_again(repo: Repo) -> None:
    workspace = repo.workspace
    treering = Treering(workspace)
    treering.remember("Sessions expire after 30 days of idle waiting", type="decision")
    treering.remember("Parsers accept comments in configuration files", type="decision")

    def known() -> set[str]:
        view = workspace.searcher.knowledge_view(workspace.view())
        view.index.newest(view.ranks, 1)
        seen = view.index._view(view.index._snapshot(), view.ranks)
        titles = {seen.entry(number).title.split()[0] for number in seen.successions.newer}
        view.find_outdated(view.ranks.keys())
        return titles

    known()
    assert known() == {"Sessions", "Parsers"}
    treering.remember("Sessions expire after 14 days of idle waiting", type="decision")
    assert known() == {"Parsers"}
