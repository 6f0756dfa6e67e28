"""Clones that come, go, are copied, work on branches of one name or of several, push them or not,
land them, hand them to and fro, give them up and share through one remote, in any order: once all
have synced all see the same, nothing that was shared or is still somewhere is lost, and a branch
that was never pushed leaves no trace on the remote.

    TREERING_HISTORIES=2000 python -m pytest -n 2 -m deep tests/properties/test_clones.py
"""

import itertools
import os
import random
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from pygit2 import Repository
from pygit2.enums import SortMode

from conftest import START, Repo, make_repo, remove
from sync.conftest import HEADS, VIEWS
from treering.store import layout

#: The deep run is cut into pieces, for as many cores.
_PIECES = 20
_WEEKS = 30 * 24 * 3600
#: Branches that people share, at once or later, and the one that everybody has for themselves.
_NAMES = ("b", "c/d")
_ALONE = "wip"
#: Branches beside the trunk that stay, of which each gives to the other, in every third history.
_LASTING = ("develop", "release/1")
#: A disk in memory, where there is one: most of what is done is small files.
_MEMORY = Path("/dev/shm")


class Machine(Repo):
    """A clone whose clock is its own. What git need not be started for is read without it."""

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

    def list_refs(self, prefix: str) -> dict[str, str]:
        """Refs below a prefix, without it, and what they hold; symbolic ones are left out."""
        found = Repository(str(self.path)).references.iterator()
        pairs = ((ref.name, str(ref.target)) for ref in found if ref.name.startswith(prefix))
        return {name.removeprefix(prefix): oid for name, oid in pairs if "/" not in oid}

    def refs(self) -> dict[str, str]:
        prefix = "refs/treering/"
        return {prefix + name: oid for name, oid in self.list_refs(prefix).items()}

    @property
    def branch(self) -> str:
        text = (self.path / ".git" / "HEAD").read_text(encoding="utf-8")
        return text.strip().removeprefix("ref: refs/heads/")

    def configure(self, **settings: str) -> None:
        lines = [f"{key.replace('_', '.')} = {value}\n" for key, value in settings.items()]
        with (self.path / ".git" / "config").open("a", encoding="utf-8") as file:
            for line in lines:
                section, _, rest = line.partition(".")
                file.write(f"[{section}]\n\t{rest}")


class Crowd:
    """One history: what was done, and what must be found in the end."""

    def __init__(self, seed: int, folder: Path, most: int) -> None:
        self.chance = random.Random(seed)
        self.folder = folder
        self.ticks = itertools.count()
        self.origin = Machine(folder / "origin.git", 0, self.ticks)
        shutil.copytree(_make_origin(), self.origin.path)
        self.lasting = _LASTING if seed % 3 == 0 else ()
        for name in self.lasting:
            self.origin.git("branch", name, "main")
        self.names = itertools.count()
        self.clones = [self.new() for _ in range(self.chance.randint(3, most))]
        self.texts = itertools.count()
        self.known: dict[Machine, set[str]] = {clone: set() for clone in self.clones}
        self.shared: set[str] = set()
        self.forgotten: set[str] = set()
        self.redacted: set[str] = set()
        #: What was redacted and nobody else knows of yet, and what died with that.
        self.untold: dict[Machine, set[str]] = {}
        self.doubtful: set[str] = set()
        self.alone: dict[str, str] = {}  # thought -> the clone on whose own branch it was said
        self.branch_of: dict[str, str] = {}  # thought -> the branch it was said on
        self.writers: dict[str, set[str]] = {}  # thought -> the clones that said or changed it
        #: Versions that were written on work that was never pushed, by its first commit.
        self.unpushed: dict[str, set[str]] = {}
        self.redactors: dict[str, set[str]] = {}  # thought -> the clones that redacted it
        self.begun: list[str] = []  # the first commit of each piece of work that is shared
        #: What a wipe took, and nobody who lives had said again or still knew in the end.
        self.wiped: set[str] = set()
        self.late: set[str] = set()  # memories that were changed on a branch that had landed
        self.told: list[str] = []

    def new(self) -> Machine:
        """A clone of what the remote has by now: the first one, copied, and a fetch."""
        path = self.folder / f"clone{next(self.names)}"
        shutil.copytree(_make_clone(), path)
        clone = Machine(path, self.chance.choice((0, 0, -500, 500)), self.ticks)
        name = path.name
        clone.configure(user_name=name, user_email=f"{name}@example.org", gc_auto="0")
        for branch in ("main", *self.lasting) if self.lasting else ():
            clone.configure(treering_trunk=branch)
        self.go_home(clone)
        return clone

    def play(self, steps: int) -> None:
        deeds: list[Callable[[Machine], None]] = [
            self.remember, self.remember, self.remember, self.revise, self.forget, self.sync,
            self.sync, self.sync, self.fetch, self.fold, self.die, self.copy, self.lose_answer,
            self.redact, self.agree, self.plain_fetch, self.begin_branch, self.push_branch,
            self.join_branch, self.work_alone, self.go_home, self.land, self.land_alone, self.wipe,
            self.give_up,
        ]  # fmt: skip
        if self.lasting:
            deeds += [self.work_on, self.work_on, self.hand_over, self.hand_over]
        for _ in range(steps):
            clone, deed = self.chance.choice(self.clones), self.chance.choice(deeds)
            self.told.append(f"{clone.path.name} {deed.__name__}")
            deed(clone)

    # --- what clones do ---------------------------------------------------------------------------

    def remember(self, clone: Machine) -> None:
        title = f"thought {next(self.texts)}"
        self._note_change(clone, title, clone.tr.remember(title, type="insight").id)
        self.known[clone].add(title)
        self.branch_of[title] = clone.branch
        if clone.branch == _ALONE:
            self.alone[title] = clone.path.name

    def revise(self, clone: Machine) -> None:
        if memories := list(clone.tr.exported()):
            memory = self.chance.choice(memories)
            clone.tr.revise(memory["id"], tags_add=[f"tag{next(self.texts)}"])
            self._note_change(clone, memory["title"], memory["id"])

    def forget(self, clone: Machine) -> None:
        memories = list(clone.tr.exported())
        if memories and self.chance.random() < 0.3:
            memory = self.chance.choice(memories)
            clone.tr.forget([memory["id"]])
            self._note_change(clone, memory["title"], memory["id"])
            self.forgotten.add(memory["title"])

    def _note_change(self, clone: Machine, title: str, memory_id: str) -> None:
        """Note a version that nobody else may see yet, or that nobody else need see."""
        self.writers.setdefault(title, set()).add(clone.path.name)
        if clone.branch in (*_NAMES, _ALONE):
            work = self._work_of(clone, clone.branch)
            if work in self.unpushed:
                tip = clone.refs()[HEADS + clone.branch.replace("/", "%2F")]
                tree = Repository(str(clone.path))[tip].tree
                self.unpushed[work].add(str(tree[layout.path_of(memory_id)].id))
        self._note_late(clone, memory_id)

    def _note_late(self, clone: Machine, memory_id: str) -> None:
        """What is said on a branch that has nothing of its own any more, since all of it landed,
        may be of another one that was begun there under its name: others need not see it on theirs.
        """
        if clone.branch not in _NAMES:
            return
        refs = {**clone.list_refs("refs/heads/"), **clone.list_refs("refs/remotes/")}
        here, repository = refs[clone.branch], Repository(str(clone.path))
        trunks = [refs[name] for name in ("main", "origin/main")]
        if any(here == trunk or repository.descendant_of(trunk, here) for trunk in trunks):
            self.late.add(memory_id)

    def redact(self, clone: Machine) -> None:
        memories = list(clone.tr.exported())
        if memories and self.chance.random() < 0.3:
            memory = self.chance.choice(memories)
            clone.tr.redact(memory["id"])
            self.untold.setdefault(clone, set()).add(memory["title"])
            self.redactors.setdefault(memory["title"], set()).add(clone.path.name)

    def agree(self, clone: Machine) -> None:
        """Say yes to what others redacted: as a rule that waits, unless they had said it."""
        for memory in list(clone.tr.exported(all=True)):
            if memory["title"] in self.redacted:
                clone.tr.redact(memory["id"])
                self.redactors[memory["title"]].add(clone.path.name)
        # What was forgotten here, or lies behind a promotion, is not shown and waits as well.
        for note in clone.tr.sync("fetch").notes or ():
            if "waits for you" in note:
                for memory_id in re.findall(r"\b[0-9a-z]{12}\b", note):
                    clone.tr.redact(memory_id)

    # --- branches ---------------------------------------------------------------------------------

    def begin_branch(self, clone: Machine) -> None:
        """A piece of work that others can join."""
        name = self.chance.choice(_NAMES)
        if f"origin/{name}" not in self._list_branches(clone):
            self.go_home(clone)
            if name in self._list_branches(clone):
                return  # it landed, and this clone still has it
            clone.git("switch", "-q", "-c", name)
            self._begin(clone)
            if self.chance.random() < 0.7:
                self.push_branch(clone)

    def _begin(self, clone: Machine) -> None:
        self.begun.append(self._commit(clone))
        self.unpushed[self.begun[-1]] = set()

    def push_branch(self, clone: Machine) -> None:
        """Work that was begun is others' to join from now on."""
        if (
            clone.branch in _NAMES
            and f"origin/{clone.branch}" not in self._list_branches(clone)
            and (work := self._work_of(clone, clone.branch)) in self.unpushed
        ):
            clone.git("push", "-q", "-u", "origin", clone.branch)
            del self.unpushed[work]

    def join_branch(self, clone: Machine) -> None:
        branches = self._list_branches(clone)
        names = [name for name in _NAMES if f"origin/{name}" in branches]
        if names:
            self._switch(clone, self.chance.choice(names))

    def work_alone(self, clone: Machine) -> None:
        """Under a name that all choose, and nobody pushes."""
        if _ALONE in self._list_branches(clone):
            self._switch(clone, _ALONE)
        else:
            self.go_home(clone)
            clone.git("switch", "-q", "-c", _ALONE)
            self._begin(clone)

    def go_home(self, clone: Machine) -> None:
        self._fetch_code(clone)
        self._switch(clone, "main")
        if clone.list_refs("refs/heads/")["main"] != self.origin.list_refs("refs/heads/")["main"]:
            clone.git("merge", "-q", "--ff-only", "origin/main")

    def _switch(self, clone: Machine, branch: str) -> None:
        if clone.branch != branch:
            clone.git("switch", "-q", branch)

    def _fetch_code(self, clone: Machine) -> None:
        """Fetch and prune; git is not asked where it would do nothing."""
        if clone.list_refs("refs/remotes/origin/") != self.origin.list_refs("refs/heads/"):
            clone.git("fetch", "-q", "--prune", "origin")

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

    def land_alone(self, clone: Machine) -> None:
        """Put what one worked on alone into the trunk, without pushing the branch."""
        if _ALONE not in self._list_branches(clone) or self.chance.random() < 0.5:
            return
        work, landed = self._work_of(clone, _ALONE), self.alone.keys() & clone.titles(_ALONE)
        self.go_home(clone)
        clone.git("merge", "-q", *self.chance.choice((("--no-ff",), ("--squash",))), _ALONE)
        clone.git("commit", "-q", "--allow-empty", "-m", "what was tried")
        clone.git("push", "-q", "origin", "main")
        self.unpushed.pop(work, None)
        if self.chance.random() < 0.5:
            clone.git("branch", "-q", "-D", _ALONE)
        clone.tr.gc()
        self.branch_of |= dict.fromkeys(landed, "main")

    def give_up(self, clone: Machine) -> None:
        """Throw away what one worked on alone, and take it off the remote, perhaps for all."""
        if _ALONE not in self._list_branches(clone) or self.chance.random() < 0.5:
            return
        self.doubtful |= self.alone.keys() & clone.titles(_ALONE)  # a copy of a clone has its work
        self.go_home(clone)
        clone.git("branch", "-q", "-D", _ALONE)
        clone.tr.gc()
        if self.chance.random() < 0.5:
            clone.ahead = 2 * _WEEKS
            clone.tr.gc(purge=True, remote="origin")
            clone.ahead = 0

    def work_on(self, clone: Machine) -> None:
        """On a branch that stays; what is said comes before its commit, or after it."""
        self._go_to(clone, self.chance.choice(self.lasting))
        if is_before := self.chance.random() < 0.5:
            self.remember(clone)
        self._commit(clone)
        if not is_before:
            self.remember(clone)
        clone.git("push", "-q", "origin", clone.branch)

    def hand_over(self, clone: Machine) -> None:
        """One takes from another, all of it or what it had a while ago."""
        into, source = self.chance.sample(("main", *self.lasting, *self.lasting), 2)
        if into == source or source == "main":
            return
        self._go_to(clone, into)
        past = clone.git("rev-list", "--first-parent", "-3", f"origin/{source}").split()
        clone.git("merge", "-q", "--no-ff", "--no-edit", self.chance.choice(past))
        clone.git("push", "-q", "origin", into)
        clone.tr.gc()

    def _go_to(self, clone: Machine, branch: str) -> None:
        self._fetch_code(clone)
        self._switch(clone, branch)
        clone.git("merge", "-q", "--ff-only", f"origin/{branch}")

    def _commit(self, clone: Machine) -> str:
        name = f"{next(self.texts)}.txt"
        return clone.commit_file(name, f"{name}\n" * 3)

    def _list_branches(self, clone: Machine) -> set[str]:
        self._fetch_code(clone)
        return {*clone.list_refs("refs/heads/"), *clone.list_refs("refs/remotes/")}

    # --- sharing ----------------------------------------------------------------------------------

    def wipe(self, _: Machine) -> None:
        """A mirror push from a clone without memories; all who live had seen what was there."""
        if self.chance.random() < 0.4:
            for clone in self.clones:
                clone.tr.sync("fetch")
            for ref in self.origin.refs():
                self.origin.git("update-ref", "-d", ref)
            self.wiped |= self.shared

    def sync(self, clone: Machine) -> None:
        going = {t for t in self.known[clone] if self._is_shared(clone, self.branch_of[t])}
        notes = clone.tr.sync().notes or ()
        self.check_remote()
        self.shared |= going
        if not any("did not go out" in note for note in notes):
            self.redacted |= self.untold.pop(clone, set())

    def _is_shared(self, clone: Machine, branch: str) -> bool:
        """Whether git shows a branch of a clone on the remote: it holds a commit of it there that
        the trunk there does not have."""
        if branch in ("main", *self.lasting):
            return True
        there, here = self.origin.list_refs("refs/heads/"), clone.list_refs("refs/heads/")
        if branch not in here or branch not in there:
            return False
        work, origin = self._work_of(clone, branch), Repository(str(self.origin.path))
        return work in origin and [
            there[branch] == work or origin.descendant_of(there[branch], work),
            there["main"] == work or origin.descendant_of(there["main"], work),
        ] == [True, False]

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
            self.doubtful |= self.untold.pop(clone, set())
            remove(clone.path)
            self.clones.append(self.new())
            self.known[self.clones[-1]] = set()

    def copy(self, clone: Machine) -> None:
        """A machine's image: the same id on two of them."""
        path = self.folder / f"clone{next(self.names)}"
        # What SQLite keeps beside its file goes when the last connection is collected.
        beside = shutil.ignore_patterns("*.db-wal", "*.db-shm")
        shutil.copytree(clone.path, path, symlinks=True, ignore=beside)
        self.die(self.chance.choice([one for one in self.clones if one is not clone]))
        twin = Machine(path, clone._skew, self.ticks)
        twin.configure(user_name=path.name)
        self.clones[-1] = twin
        self.known[twin] = set(self.known[clone])
        self.untold[twin] = set(self.untold.get(clone, ()))

    def lose_answer(self, clone: Machine) -> None:
        """Killed between a push and the note of it."""
        name = "refs/treering/pushed/origin/main"
        before = clone.refs().get(name)
        self.sync(clone)
        if before and clone.refs().get(name) != before:
            clone.git("update-ref", name, before)

    # --- what must hold ---------------------------------------------------------------------------

    def check_remote(self) -> None:
        """Nothing that was pushed is of a branch that nobody pushed, or tells its name."""
        refs = "\n".join(self.origin.refs())
        texts = self.origin.git("log", "--format=%B", "--glob=refs/treering/*") if refs else ""
        assert _ALONE not in re.findall(r"\w+", refs + "\n" + texts)
        lines = self.origin.git("rev-list", "--objects", "--glob=refs/treering/*").splitlines()
        secret = set().union(*self.unpushed.values())
        assert not secret & {line.partition(" ")[0] for line in lines}

    def settle(self) -> None:
        if self.wiped:
            self.wiped -= self._list_known()
        for clone in self.clones:
            here = clone.branch
            self.go_home(clone)
            self._switch(clone, here)
            clone.tr.gc()
        for clone in self.clones:
            self.check_waiting(clone)
        for clone in self.clones:
            self.agree(clone)
        for _ in range(5):
            before = self.origin.refs()
            for clone in self.clones:
                self.sync(clone)
            if self.origin.refs() == before:
                break
        else:
            raise AssertionError("they go on pushing")

    def check_waiting(self, clone: Machine) -> None:
        """What was redacted by who wrote it does not wait, unless it is much at once; all else
        does."""
        shown = self._list_shown(clone)
        self.sync(clone)
        left = self._list_shown(clone)
        kept = clone.git("log", "-p", "--glob=refs/treering/trash", "--")
        waiting = False  # what comes with the same head waits as well
        for title in sorted(shown & self.redacted, key=self._is_written_by_redactor):
            who, names = self.redactors[title], self.writers[title]
            many = [t for t, some in self.redactors.items() if some & who]
            if not who & {*names, clone.path.name}:
                assert title in left or title in kept, f"{title} is lost to {clone.path.name}"
                waiting = True
            elif who <= names and len(many) <= 5 and not waiting:
                assert title not in left, f"{title} waits in {clone.path.name}"

    def _is_written_by_redactor(self, title: str) -> bool:
        return bool(self.redactors[title] & self.writers[title])

    def _list_shown(self, clone: Machine) -> set[str]:
        return {str(memory["title"]) for memory in clone.tr.exported(all=True)}

    def _list_known(self) -> set[str]:
        """What is on the remote, or known to a clone that lives: others may have died before they
        could say again what was wiped."""
        fresh = self.new()
        fresh.tr.sync("fetch")
        return set().union(*map(self._list_shown, (*self.clones, fresh)))

    def check(self) -> None:
        for name in ("main", *self.lasting, *_NAMES):
            views: dict[str, set[str]] = {}
            for clone in self.clones:
                tree = self._view_of(clone, name)
                if tree and (work := self._work_of(clone, name)) not in self.unpushed:
                    views.setdefault(work, set()).add(tree)
            assert all(len(trees) == 1 for trees in views.values()), f"{name} is not one: {views}"
        gone = self.forgotten | self.redacted | self.doubtful
        wanted = set(self.shared)
        for clone in self.clones:
            assert self.known[clone] - gone <= self._list_shown(clone), f"lost in {clone.path.name}"
            wanted |= {t for t in self.known[clone] if self._is_shared(clone, self.branch_of[t])}
        fresh = self.new()
        fresh.tr.sync()
        titles = self._list_shown(fresh)
        assert wanted - gone - self.wiped <= titles
        assert not self.redacted & titles
        text = self.origin.git("log", "-p", "--glob=refs/treering", "--") if self.redacted else ""
        for title in self.redacted:
            assert f"title: {title}\n" not in text
        for clone in self.clones:
            mine = {title for title, owner in self.alone.items() if owner == clone.path.name}
            if mine and _ALONE in self._list_branches(clone):
                assert mine - gone <= clone.titles(_ALONE)
        scopes = 1 + len(self.lasting) + len(_NAMES)
        assert len(self.origin.refs()) <= scopes * (next(self.names) + 1)

    def _view_of(self, clone: Machine, name: str) -> str:
        """What a clone sees on a branch it has: of the trunk the tree, of others what is shown.
        Of a branch that landed one may still have copies that the trunk has for others."""
        refs = clone.refs()
        tip = refs.get(f"{VIEWS}main") or refs.get(f"{HEADS}main")
        if name == "main":
            return str(Repository(str(clone.path))[tip].tree_id) if tip else ""
        if name not in clone.list_refs("refs/heads/"):
            return ""
        shown = [m for m in clone.tr.exported(branch=name) if m["id"] not in self.late]
        return repr(
            sorted((memory["id"], memory["content"], memory.get("tags")) for memory in shown)
        )

    def _work_of(self, clone: Machine, name: str) -> str:
        """Which piece of work a name stands for in a clone: one that landed may be there still,
        when others begin the next one under its name. Told by where the branch has been."""
        if name == "main" or name in self.lasting:
            return ""
        tip = clone.list_refs("refs/heads/")[name]
        line = Repository(str(clone.path)).walk(tip, SortMode.TOPOLOGICAL)
        line.simplify_first_parent()
        return next((str(c.id) for c in line if str(c.id) in self.begun), "")


@cache
def _make_origin() -> Path:
    """A bare repository with one commit, made once."""
    folder = Path(tempfile.mkdtemp())
    make_repo(folder / "seed").commit_file("README.md")
    _run("clone", "-q", "--bare", str(folder / "seed"), str(folder / "origin.git"))
    return folder / "origin.git"


@cache
def _make_clone() -> Path:
    """A clone of it, which finds its remote beside itself wherever it is copied to."""
    folder = _make_origin().parent
    _run("clone", "-q", str(folder / "origin.git"), str(folder / "clone"))
    _run("-C", str(folder / "clone"), "remote", "set-url", "origin", "../origin.git")
    return folder / "clone"


def play(seed: int, *, most: int = 8) -> None:
    """Every fourth history is a long one: what goes wrong late needs much that went before."""
    longest = 110 if most > 4 and seed % 4 == 0 else 12 + 4 * most
    place = _MEMORY if os.access(_MEMORY, os.W_OK) else None
    folder = Path(tempfile.mkdtemp(dir=place))
    crowd = Crowd(seed, folder, most)
    try:
        crowd.play(steps=crowd.chance.randint(8, longest))
        crowd.settle()
        crowd.check()
    except BaseException as error:
        error.add_note(f"seed {seed}: {crowd.told}")
        raise
    finally:
        remove(folder)


@pytest.fixture(autouse=True)
def _no_index(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody searches here, and making ready for it is a third of a sync."""
    monkeypatch.setattr("treering.actions.sync.catch_up", lambda _: None)


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
