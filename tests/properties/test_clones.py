"""Clones that come, go, are copied, work on branches of one name or of several, land them and share
through one remote, in any order: once all have synced all see the same, and nothing that was shared
or is still somewhere is lost.

    TREERING_HISTORIES=2000 python -m pytest -n 2 -m deep tests/properties/test_clones.py
"""

import itertools
import os
import random
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import START, Repo, make_repo
from sync.conftest import HEADS, remote_refs, seen

#: The deep run is cut into pieces, for as many cores.
_PIECES = 20
_WEEKS = 30 * 24 * 3600
#: Branches that people share, and the one that everybody has for themselves.
_NAMES = ("b", "c/d")
_ALONE = "wip"


class Machine(Repo):
    """A clone whose clock is its own."""

    def __init__(self, path: Path, skew: int, ticks: "itertools.count[int]") -> None:
        super().__init__(path)
        self._skew, self._ticks = skew, ticks
        self.ahead = 0

    def clock(self) -> float:
        self.now = float(START + next(self._ticks) + self._skew + self.ahead)
        return self.now

    def git(self, *arguments: str, feed: str | None = None) -> str:
        self.clock()  # which is git's, too
        return super().git(*arguments, feed=feed)


class Crowd:
    """One history: what was done, and what must be found in the end."""

    def __init__(self, seed: int, folder: Path, most: int) -> None:
        self.chance = random.Random(seed)
        self.folder = folder
        self.origin = folder / "origin.git"
        seeded = make_repo(folder / "seed")
        seeded.commit_file("README.md")
        _run("clone", "-q", "--bare", str(seeded.path), str(self.origin))
        self.ticks = itertools.count()
        self.names = itertools.count()
        self.clones = [self.new() for _ in range(self.chance.randint(3, most))]
        self.texts = itertools.count()
        self.known: dict[Machine, set[str]] = {clone: set() for clone in self.clones}
        self.shared: set[str] = set()
        self.forgotten: set[str] = set()
        self.redacted: set[str] = set()
        self.alone: dict[str, str] = {}  # thought -> the clone on whose own branch it was said
        self.told: list[str] = []

    def new(self) -> Machine:
        path = self.folder / f"clone{next(self.names)}"
        _run("clone", "-q", str(self.origin), str(path))
        clone = Machine(path, self.chance.choice((0, 0, -500, 500)), self.ticks)
        clone.git("config", "user.name", path.name)
        clone.git("config", "user.email", f"{path.name}@example.org")
        clone.git("config", "gc.auto", "0")
        return clone

    def play(self, steps: int) -> None:
        deeds: list[Callable[[Machine], None]] = [
            self.remember, self.remember, self.remember, self.revise, self.forget, self.sync,
            self.sync, self.sync, self.fetch, self.fold, self.die, self.copy, self.lose_answer,
            self.redact, self.push_as_before, self.plain_fetch, self.begin_branch,
            self.join_branch, self.work_alone, self.go_home, self.land, self.wipe,
        ]  # fmt: skip
        for _ in range(steps):
            clone, deed = self.chance.choice(self.clones), self.chance.choice(deeds)
            self.told.append(f"{clone.path.name} {deed.__name__}")
            deed(clone)

    # --- what clones do ---------------------------------------------------------------------------

    def remember(self, clone: Machine) -> None:
        title = f"thought {next(self.texts)}"
        clone.tr.remember(title, type="insight")
        self.known[clone].add(title)
        if clone.git("branch", "--show-current") == _ALONE:
            self.alone[title] = clone.path.name

    def revise(self, clone: Machine) -> None:
        if memories := list(clone.tr.exported()):
            memory = self.chance.choice(memories)
            clone.tr.revise(memory["id"], tags_add=[f"tag{next(self.texts)}"])

    def forget(self, clone: Machine) -> None:
        memories = list(clone.tr.exported())
        if memories and self.chance.random() < 0.3:
            memory = self.chance.choice(memories)
            clone.tr.forget([memory["id"]])
            self.forgotten.add(memory["title"])

    def redact(self, clone: Machine) -> None:
        memories = list(clone.tr.exported())
        if memories and self.chance.random() < 0.3:
            memory = self.chance.choice(memories)
            clone.tr.redact(memory["id"])
            self.redacted.add(memory["title"])

    # --- branches ---------------------------------------------------------------------------------

    def begin_branch(self, clone: Machine) -> None:
        """A piece of work that others can join."""
        name = self.chance.choice(_NAMES)
        if f"origin/{name}" not in self._list_branches(clone):
            self.go_home(clone)
            if name in self._list_branches(clone):
                return  # it landed, and this clone still has it
            clone.git("switch", "-q", "-c", name)
            self._commit(clone)
            clone.git("push", "-q", "-u", "origin", name)

    def join_branch(self, clone: Machine) -> None:
        branches = self._list_branches(clone)
        names = [name for name in _NAMES if f"origin/{name}" in branches]
        if names:
            clone.git("switch", "-q", self.chance.choice(names))

    def work_alone(self, clone: Machine) -> None:
        """Under a name that all choose, and nobody pushes."""
        if _ALONE in self._list_branches(clone):
            clone.git("switch", "-q", _ALONE)
        else:
            self.go_home(clone)
            clone.git("switch", "-q", "-c", _ALONE)
            self._commit(clone)

    def go_home(self, clone: Machine) -> None:
        clone.git("fetch", "-q", "--prune", "origin")
        clone.git("switch", "-q", "main")
        clone.git("merge", "-q", "--ff-only", "origin/main")

    def land(self, clone: Machine) -> None:
        """As a host does it: merged or squashed, and perhaps deleted there."""
        branches = self._list_branches(clone)
        names = [name for name in _NAMES if f"origin/{name}" in branches]
        if not names:
            return
        self.go_home(clone)
        name = self.chance.choice(names)
        if self.chance.random() < 0.5:
            clone.git("merge", "-q", "--no-ff", "--no-edit", f"origin/{name}")
        else:
            clone.git("merge", "-q", "--squash", f"origin/{name}")
            clone.git("commit", "-q", "--allow-empty", "-m", f"{name} in one")
        clone.git("push", "-q", "origin", "main")
        if self.chance.random() < 0.5:
            clone.git("push", "-q", "origin", f":{name}")
            if name in self._list_branches(clone):
                clone.git("branch", "-q", "-D", name)
        clone.tr.gc()

    def _commit(self, clone: Machine) -> None:
        name = f"{next(self.texts)}.txt"
        clone.commit_file(name, f"{name}\n" * 3)

    def _list_branches(self, clone: Machine) -> set[str]:
        clone.git("fetch", "-q", "--prune", "origin")
        names = clone.git("for-each-ref", "--format=%(refname:short)", "refs/heads", "refs/remotes")
        return set(names.split())

    # --- sharing ----------------------------------------------------------------------------------

    def wipe(self, _: Machine) -> None:
        """A mirror push from a clone without memories; all who live had seen what was there."""
        if self.chance.random() < 0.4:
            for clone in self.clones:
                clone.tr.sync("fetch")
            bare = Machine(self.origin, 0, self.ticks)
            for ref in bare.refs():
                bare.git("update-ref", "-d", ref)

    def sync(self, clone: Machine) -> None:
        clone.tr.sync()
        self.shared |= self.known[clone]

    def fetch(self, clone: Machine) -> None:
        clone.tr.sync("fetch")

    def plain_fetch(self, clone: Machine) -> None:
        line = "+refs/treering/clones/*:refs/treering/remotes/origin/clones/*"
        prune = ["--prune"] if self.chance.random() < 0.5 else []
        clone.git("fetch", "-q", *prune, "origin", line)

    def fold(self, clone: Machine) -> None:
        """Weeks later everyone is quiet."""
        clone.ahead = _WEEKS
        self.sync(clone)
        clone.tr.sync()
        clone.ahead = 0

    def die(self, clone: Machine) -> None:
        if len(self.clones) > 2:
            self.clones.remove(clone)
            shutil.rmtree(clone.path)
            self.clones.append(self.new())
            self.known[self.clones[-1]] = set()

    def copy(self, clone: Machine) -> None:
        """A machine's image: the same id on two of them."""
        path = self.folder / f"clone{next(self.names)}"
        shutil.copytree(clone.path, path, symlinks=True)
        self.die(self.chance.choice([one for one in self.clones if one is not clone]))
        twin = Machine(path, clone._skew, self.ticks)
        twin.git("config", "user.name", path.name)
        self.clones[-1] = twin
        self.known[twin] = set(self.known[clone])

    def lose_answer(self, clone: Machine) -> None:
        """Killed between a push and the note of it."""
        name = "refs/treering/pushed/origin/main"
        before = clone.refs().get(name)
        self.sync(clone)
        if before and clone.refs().get(name) != before:
            clone.git("update-ref", name, before)

    def push_as_before(self, clone: Machine) -> None:
        """As 0.1 does: its head goes to the one ref of all."""
        if tip := clone.refs().get(f"{HEADS}main"):
            there = remote_refs(clone).get(f"{HEADS}main")
            is_newer = (
                there is None
                or clone.refs().get("refs/treering/remotes/origin/heads/main") == there
            )
            done = subprocess.run(
                ["git", "push", "-q", "origin", f"{tip}:{HEADS}main"],
                cwd=clone.path, capture_output=True, check=False,
            )  # fmt: skip
            if is_newer and done.returncode == 0:
                self.shared |= self.known[clone]

    # --- what must hold ---------------------------------------------------------------------------

    def settle(self) -> None:
        for clone in self.clones:
            here = clone.git("branch", "--show-current")
            self.go_home(clone)
            clone.git("switch", "-q", here)
            clone.tr.gc()
        for _ in range(5):
            before = remote_refs(self.clones[0])
            for clone in self.clones:
                self.sync(clone)
            if remote_refs(self.clones[0]) == before:
                break
        else:
            raise AssertionError("they go on pushing")
        for clone in self.clones:
            clone.tr.sync("fetch")

    def check(self) -> None:
        for name in ("main", *_NAMES):
            there = [clone for clone in self.clones if name in self._list_branches(clone)]
            views = {
                clone.git("rev-parse", f"{tip}^{{tree}}")
                for clone in there
                if (tip := seen(clone, name.replace("/", "%2F")))
            }
            assert len(views) <= 1, f"{name} is not the same for all"
        wanted = self.shared.union(*(self.known[clone] for clone in self.clones))
        fresh = self.new()
        fresh.tr.sync()
        titles = {str(memory["title"]) for memory in fresh.tr.exported(all=True)}
        assert wanted - self.forgotten - self.redacted <= titles
        assert not self.redacted & titles
        fresh.git("fetch", "-q", "origin", "refs/treering/*:refs/there/*")
        text = fresh.git("log", "-p", "--glob=refs/there", "--")
        for title in self.redacted:
            assert f"title: {title}\n" not in text
        for clone in self.clones:
            mine = {title for title, owner in self.alone.items() if owner == clone.path.name}
            if mine and _ALONE in self._list_branches(clone):
                assert mine - self.forgotten - self.redacted <= clone.titles(_ALONE)
        scopes = 1 + len(_NAMES) + 1
        assert len(remote_refs(fresh)) <= scopes * (next(self.names) + 1)


def play(seed: int, *, most: int = 8) -> None:
    with tempfile.TemporaryDirectory() as folder:
        crowd = Crowd(seed, Path(folder), most)
        try:
            crowd.play(steps=crowd.chance.randint(8, 12 + 4 * most))
            crowd.settle()
            crowd.check()
        except BaseException as error:
            error.add_note(f"seed {seed}: {crowd.told}")
            raise


@pytest.mark.parametrize("seed", range(2))
def test_all_see_the_same_and_nothing_is_lost(seed: int) -> None:
    play(seed, most=4)


@pytest.mark.deep
@pytest.mark.parametrize("piece", range(_PIECES))
def test_many_histories(piece: int) -> None:
    for seed in range(2 + piece, int(os.environ.get("TREERING_HISTORIES", "200")), _PIECES):
        play(seed)


def _run(*arguments: str) -> None:
    subprocess.run(["git", *arguments], check=True, capture_output=True)
