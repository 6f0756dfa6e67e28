"""A sync that ends anywhere: the next one goes on, and nothing is lost or said twice.

Anywhere is before and after every step that leaves something behind: a ref of ours that moves, refs
that are written or removed together, a fetch, and a push.
"""

import itertools
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Repo
from sync.conftest import CLONES, Team, let_months_pass, own_ref, remote_refs, seen, write_to
from sync.conftest import clone as clone
from sync.conftest import origin as origin
from treering.git import refs
from treering.git.remote import Remote

STEPS = ((refs, "move"), (refs, "set_together"),
         (Remote, "_fetch"), (Remote, "_push"))  # fmt: skip


class Killed(BaseException):
    """Not an error anyone handles."""


@pytest.fixture
def kill_at(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """End the process, as it were, before or after the nth step; a number below 0 ends nothing."""
    plain = [(place, name, getattr(place, name)) for place, name in STEPS]

    def arm(number: int) -> None:
        counter = itertools.count()

        def ending(step: Callable[..., object]) -> Callable[..., object]:
            def take(*arguments: object, **options: object) -> object:
                at = next(counter)
                if at * 2 == number:
                    raise Killed
                result = step(*arguments, **options)
                if at * 2 + 1 == number:
                    raise Killed
                return result

            return take

        for place, name, step in plain:
            monkeypatch.setattr(place, name, ending(step) if number >= 0 else step)

    return arm


Scene = Callable[[Team], tuple[Repo, Callable[[], object]]]


def both_have_news(clone: Team) -> tuple[Repo, Callable[[], object]]:
    """A branch was renamed, another one promoted, and a head has vanished."""
    ada, bob = clone("ada"), clone("bob")
    shared = ada.tr.remember("shared", type="insight").id
    ada.switch("old", create=True).commit_file("o.txt")
    ada.tr.remember("on old", type="insight")
    ada.tr.sync()
    bob.tr.sync()
    bob.tr.revise(shared, tags_add=["bob"])
    bob.tr.remember("by Bob", type="insight")
    bob.tr.sync()
    ada.git("branch", "-q", "-m", "old", "new")
    ada.switch("main")
    ada.tr.remember("by Ada", type="insight")

    def look() -> object:
        assert ada.titles("main") == {"shared", "by Bob", "by Ada"}
        assert ada.titles("new") == {"shared", "by Bob", "by Ada", "on old"}
        assert ada.tr.read(shared).tags == ("bob",)
        return len(remote_refs(ada))

    return ada, look


def someone_redacted(clone: Team) -> tuple[Repo, Callable[[], object]]:
    """What Bob said, and Ada changed and had not pushed; others' heads hold the text, too."""
    ada, bob, cleo = clone("ada"), clone("bob"), clone("cleo")
    memory = bob.tr.remember("The vault opens with swordfish", type="insight").id
    for repo in (bob, ada, cleo):
        repo.tr.sync()
    cleo.tr.revise(memory, tags_add=["vault"])
    cleo.tr.sync()
    ada.tr.revise(memory, tags_add=["mine"])
    ada.tr.remember("by Ada", type="insight")
    bob.tr.redact(memory)
    bob.tr.sync()

    def look() -> object:
        assert ada.titles() == {"by Ada"}
        ada.git("fetch", "-q", "origin", "+refs/treering/*:refs/there/*")
        assert "swordfish" not in ada.git("log", "-p", "--glob=refs/there", "--")
        ours = ("--glob=refs/treering/heads", "--glob=refs/treering/views")
        assert "swordfish" not in ada.git("log", "-p", *ours, "--")
        return len(remote_refs(ada))

    return ada, look


def all_heads_vanished(clone: Team) -> tuple[Repo, Callable[[], object]]:
    """Those of clones that are gone, and of a branch that is not here."""
    ada, dead, other = clone("ada"), clone("dead"), clone("other")
    dead.tr.remember("by the dead", type="insight")
    dead.switch("work", create=True).commit_file("w.txt")
    dead.tr.remember("on work", type="insight")
    dead.git("push", "-q", "-u", "origin", "work")
    other.tr.remember("by another", type="insight")
    for repo in (dead, other, ada):
        repo.tr.sync()
    ada.tr.remember("by Ada", type="insight")
    for ref in remote_refs(ada):
        write_to(ada, "", ref)

    def look() -> object:
        assert ada.titles() == {"by the dead", "by another", "by Ada"}
        assert set(remote_refs(ada)) == {own_ref(ada), own_ref(ada, "work")}
        assert "on work" in ada.titles("work")
        return None

    return ada, look


def many_are_quiet(clone: Team) -> tuple[Repo, Callable[[], object]]:
    """So many that their refs go together."""
    ada, agent = clone("ada"), clone("agent")
    agent.tr.remember("by agents", type="insight")
    agent.tr.sync()
    tip = remote_refs(ada)[own_ref(agent)]
    for number in range(12):
        person = ("-c", f"user.name=Agent {number}")
        tree = f"{tip}^{{tree}}"
        agent.git(*person, "fetch", "-q", "origin")
        made = agent.git(*person, "commit-tree", tree, "-p", tip, "-m", f"again {number}")
        write_to(agent, made, f"{CLONES}agent{number:07}/main")
    ada.tr.remember("by Ada", type="insight")
    ada.tr.sync()
    let_months_pass(ada)

    def look() -> object:
        assert ada.titles() == {"by agents", "by Ada"}
        assert set(remote_refs(ada)) == {own_ref(ada)}
        return None

    return ada, look


def many_were_folded(clone: Team) -> tuple[Repo, Callable[[], object]]:
    """What was seen of them goes together, too."""
    ada, look = many_are_quiet(clone)
    ada.tr.sync()
    return ada, look


@pytest.mark.parametrize("stride", [3, pytest.param(1, marks=pytest.mark.deep)])
@pytest.mark.parametrize(
    ("scene", "least"),
    [
        (both_have_news, 12),
        (someone_redacted, 18),
        (all_heads_vanished, 10),
        (many_are_quiet, 4),
        (many_were_folded, 2),
    ],
)
def test_a_sync_may_end_at_every_step(
    clone: Team, origin: Path, tmp_path: Path, kill_at: Callable[[int], None], scene: Scene,
    least: int, stride: int,
) -> None:  # fmt: skip
    ada, look = scene(clone)
    start = tmp_path / "start"
    for part in (ada.path, origin):
        shutil.copytree(part, start / part.name, symlinks=True)
    ends = set()
    for number in itertools.count(0, stride):
        for part in (ada.path, origin):
            shutil.rmtree(part)
            shutil.copytree(start / part.name, part, symlinks=True)
        kill_at(number)
        try:
            ada.tr.sync()
            break
        except Killed:
            kill_at(-1)
        ada.tr.gc()
        for _ in range(2):
            ada.tr.sync()
        ends.add((look(), ada.git("rev-parse", f"{seen(ada)}^{{tree}}")))
    kill_at(-1)

    assert number >= least
    assert len(ends) == 1
