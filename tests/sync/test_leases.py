"""Nothing on a remote is moved or deleted that is not as it was seen: whoever is faster stays."""

import shutil
from collections.abc import Callable
from typing import Any

import pytest

from conftest import Repo
from sync.conftest import (
    HEADS,
    Team,
    let_months_pass,
    own_ref,
    publish,
    remote_scopes,
    write_to,
)
from sync.test_branches import land, work
from sync.test_clones import clone_id, copy
from treering.errors import SyncRefused
from treering.git.remote import Remote

#: Lets something happen just before the next push that meets a condition.
Interrupt = Callable[[Callable[[], object], Callable[[dict[str, str], list[str]], bool]], None]


@pytest.fixture
def before_push(monkeypatch: pytest.MonkeyPatch) -> Interrupt:
    """What others do after the remote was looked at, and before it is written to."""
    push = Remote._push

    def interrupt(
        deed: Callable[[], object], is_due: Callable[[dict[str, str], list[str]], bool]
    ) -> None:
        waiting = [deed]

        def be_slow(self: Remote, new: Any, gone: Any, leases: Any) -> Any:
            gone = list(gone)
            if waiting and is_due(dict(new), gone):
                waiting.pop()()
            return push(self, new, gone, leases)

        monkeypatch.setattr(Remote, "_push", be_slow)

    return interrupt


def say(repo: Repo, thought: str) -> None:
    """Say something more, and never again."""
    repo.tr.remember(thought, type="insight")
    repo.tr.sync()
    shutil.rmtree(repo.path)


def push(repo: Repo, branch: str, thought: str) -> None:
    """The same with plain git, for a branch that the remote has no longer."""
    repo.tr.remember(thought, type="insight")
    write_to(repo, repo.refs()[f"{HEADS}{branch}"], own_ref(repo, branch))
    shutil.rmtree(repo.path)


def titles_there(clone: Team, branch: str = "main") -> set[str]:
    fresh = clone("fresh")
    fresh.tr.sync()
    return fresh.titles(branch)


def test_a_copy_that_is_faster_is_not_overwritten(clone: Team, before_push: Interrupt) -> None:
    """Both look, both find their ref as they left it, and both push to it."""
    ada = clone("ada")
    ada.tr.remember("before", type="insight")
    ada.tr.sync()
    twin = copy(ada, "twin")
    name = clone_id(ada)
    ada.tr.remember("of the first", type="insight")
    before_push(lambda: say(twin, "of the copy"), lambda new, _: bool(new))

    ada.tr.sync()

    assert clone_id(ada) != name
    assert titles_there(clone) == {"before", "of the copy", "of the first"}


def test_a_new_ref_that_a_copy_made_first_is_not_overwritten(
    clone: Team, before_push: Interrupt
) -> None:
    """A lease on nothing: the ref must not be there yet."""
    ada = clone("ada")
    ada.tr.remember("before", type="insight")
    ada.tr.sync()
    publish(ada, "dev-box")
    twin = copy(ada, "twin")
    ada.tr.remember("of the first", type="insight")
    before_push(lambda: say(twin, "of the copy"), lambda new, _: bool(new))

    ada.tr.sync()

    fresh = clone("fresh")
    fresh.tr.sync()
    titles = {hit.title for hit in fresh.tr.recall("of the", scope="all").results}
    assert titles == {"of the copy", "of the first"}


def test_who_speaks_while_a_head_is_redacted_is_heard(clone: Team, before_push: Interrupt) -> None:
    """What others have there is written again only as it was seen."""
    ada, bob = clone("ada"), clone("bob")
    memory = ada.tr.remember("The vault opens with swordfish", type="insight").id
    ada.tr.sync()
    bob.tr.sync()
    bob.tr.revise(memory, tags_add=["vault"])
    bob.tr.sync()
    ada.tr.sync()
    ada.tr.redact(memory)
    theirs = own_ref(bob)
    before_push(lambda: say(bob, "meanwhile"), lambda new, _: theirs in new)

    ada.tr.sync()

    assert titles_there(clone) == {"meanwhile"}
    server = clone("server")
    server.git("fetch", "-q", "origin", "refs/treering/*:refs/there/*")
    assert "swordfish" not in server.git("log", "-p", "--glob=refs/there", "--")


def test_who_speaks_while_being_folded_is_heard(clone: Team, before_push: Interrupt) -> None:
    """The head that was found to be held by another is not what lies there any more."""
    agents = [clone(f"agent{number}") for number in range(4)]
    for agent in agents:
        agent.tr.remember(f"by {agent.path.name}", type="insight")
        agent.tr.sync()
    ada = clone("ada")
    ada.tr.sync()
    let_months_pass(ada)
    before_push(lambda: say(agents[0], "back again"), lambda _, gone: bool(gone))

    ada.tr.sync()

    names = {f"by {agent.path.name}" for agent in agents}
    assert titles_there(clone) == {*names, "back again"}


def test_who_speaks_while_a_branch_is_withdrawn_is_heard(
    clone: Team, before_push: Interrupt
) -> None:
    """What was said since is not in the trash of who withdraws."""
    ada = clone("ada")
    publish(ada, "work", "thrown away", file="w.txt")
    ada.tr.sync()
    twin = copy(ada, "twin")
    ada.git("push", "-q", "origin", ":work")
    ada.switch("main").git("branch", "-q", "-D", "work")
    ada.tr.gc()
    let_months_pass(ada)
    before_push(lambda: push(twin, "work", "gone on with"), lambda _, gone: bool(gone))

    with pytest.raises(SyncRefused):
        ada.tr.gc(purge=True, remote="origin")

    assert "gone on with" in titles_there(clone, "work")


def test_who_speaks_while_what_landed_is_cleared_away_is_heard(
    clone: Team, before_push: Interrupt
) -> None:
    """A head of another clone goes with the promotion only as it was when it was promoted."""
    ada, bob = clone("ada"), clone("bob")
    work(bob, "work", "learned by Bob")
    ada.git("fetch", "-q")
    ada.switch("work").tr.sync()
    land(ada, "work")
    ada.tr.gc()
    before_push(lambda: push(bob, "work", "more by Bob"), lambda _, gone: bool(gone))

    ada.tr.sync()

    assert remote_scopes(ada) == {"main", "work"}
    assert "more by Bob" in titles_there(clone, "work")
