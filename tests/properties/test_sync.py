"""Three clones and a remote, any work in any order: once all have synced, all know the same, and
nothing that someone wrote is lost."""

import random
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import START, Repo, make_repo, remove
from treering.model.scope import Scope

CLONES = "refs/treering/clones/"
BRANCHES = ("main", "b", "c/d")


class Person(Repo):
    """A clone whose clock may be wrong."""

    def __init__(self, path: Path, chance: random.Random) -> None:
        super().__init__(path)
        self._chance = chance

    def clock(self) -> float:
        self.now += self._chance.choice((0, 1, 1, 5))
        return self.now


class Team:
    """One history: what was done, and what must be found in the end."""

    def __init__(self, seed: int, folder: Path) -> None:
        self.chance = random.Random(seed)
        self.origin = folder / "origin.git"
        seeded = make_repo(folder / "seed")
        seeded.commit_file("README.md")
        for branch in BRANCHES[1:]:  # each with code of its own, so that it is one work for all
            seeded.git("switch", "-q", "-c", branch, "main")
            seeded.commit_file(f"{branch.replace('/', '-')}.txt")
        seeded.git("switch", "-q", "main")
        _run("clone", "-q", "--bare", str(seeded.path), str(self.origin))
        self.clones = [self._clone(folder, name) for name in ("ada", "bob", "cyd")]
        self.made: dict[str, set[str]] = {}  # memory -> the branches it was made on
        self.forgotten: set[str] = set()
        self.marks: dict[str, set[str]] = {}  # memory -> words and tags added to it
        self.promoted: set[str] = set()
        self.count = 0

    def _clone(self, folder: Path, name: str) -> Person:
        _run("clone", "-q", str(self.origin), str(folder / name))
        repo = Person(folder / name, self.chance)
        repo.now = START + self.chance.randrange(20)
        repo.git("config", "user.name", name)
        repo.git("config", "user.email", f"{name}@example.org")
        for branch in BRANCHES[1:]:
            repo.git("branch", "-q", branch, f"origin/{branch}")
        return repo

    # --- what people do ---------------------------------------------------------------------------

    def step(self) -> None:
        repo = self.chance.choice(self.clones)
        branch = self.chance.choice(BRANCHES)
        deeds: list[Callable[[Person, str], None]] = [
            self.remember, self.remember, self.remember_the_same, self.append, self.append,
            self.tag, self.title, self.forget, self.bring_back, self.promote,
            self.sync, self.sync, self.sync,
        ]  # fmt: skip
        self.chance.choice(deeds)(repo, branch)

    def remember(self, repo: Person, branch: str) -> None:
        self.count += 1
        self._remember(repo, branch, f"thought {self.count}")

    def remember_the_same(self, repo: Person, branch: str) -> None:
        """What another clone may know already."""
        self._remember(repo, branch, f"common {self.chance.randrange(3)}")

    def _remember(self, repo: Person, branch: str, text: str) -> None:
        memory = repo.tr.remember(text, type="insight", branch=branch)
        self.made.setdefault(memory.id, set()).add(memory.branch)

    def _known(self, repo: Person, branch: str) -> str | None:
        ids = sorted(str(memory["id"]) for memory in repo.tr.exported(branch=branch))
        return self.chance.choice(ids) if ids else None

    def append(self, repo: Person, branch: str) -> None:
        if memory := self._known(repo, branch):
            self.count += 1
            repo.tr.revise(memory, append=f"word{self.count}.", branch=branch)
            self.marks.setdefault(memory, set()).add(f"word{self.count}.")

    def tag(self, repo: Person, branch: str) -> None:
        if memory := self._known(repo, branch):
            self.count += 1
            repo.tr.revise(memory, tags_add=[f"tag{self.count}"], branch=branch)
            self.marks.setdefault(memory, set()).add(f"tag{self.count}")

    def title(self, repo: Person, branch: str) -> None:
        if memory := self._known(repo, branch):
            self.count += 1
            repo.tr.revise(memory, title=f"title {self.count}", branch=branch)

    def forget(self, repo: Person, branch: str) -> None:
        if memory := self._known(repo, branch):
            repo.tr.forget([memory], branch=branch)
            self.forgotten.add(memory)

    def bring_back(self, repo: Person, branch: str) -> None:
        view = repo.workspace.view(branch)
        gone = [mid for mid, place in view.visible.items() if place.memory().is_forgotten]
        if gone:
            repo.tr.forget([self.chance.choice(sorted(gone))], restore=True, branch=branch)

    def promote(self, repo: Person, branch: str) -> None:
        if branch != "main" and repo.workspace.store.shared.tip(Scope(branch)):
            repo.tr.promote(branch)
            self.promoted.add(branch)

    def sync(self, repo: Person, _: str) -> None:
        repo.tr.sync(self.chance.choice(("full", "full", "push", "fetch")))

    # --- and in the end ---------------------------------------------------------------------------

    def quiesce(self) -> None:
        for _ in range(6):
            before = [repo.refs() for repo in self.clones]
            for repo in self.chance.sample(self.clones, 3):
                repo.tr.sync()
            if before == [repo.refs() for repo in self.clones]:
                return
        raise AssertionError("the clones do not come to rest")

    def check(self) -> None:
        # What a clone promoted whole, before it told anyone, is the trunk's: it need not share it.
        assert len({repo.workspace.store.shared.tip(Scope("main")) for repo in self.clones}) == 1
        for branch in BRANCHES:
            ada, *others = (_list_memories(repo, branch) for repo in self.clones)
            assert all(other == ada for other in others), f"{branch} is not the same for all"
        for scope, heads in self._list_remote_heads().items():
            for repo in self.clones:
                view = str(repo.workspace.store.shared.tip(scope))
                for head in heads:
                    repo.git("merge-base", "--is-ancestor", head, view)
        for repo in self.clones:
            for branch in BRANCHES:
                self._check_branch(repo, branch)
        _run("--git-dir", str(self.origin), "fsck", "--strict", "--no-dangling")

    def _list_remote_heads(self) -> dict[Scope, list[str]]:
        heads: dict[Scope, list[str]] = {}
        for line in self.clones[0].git("ls-remote", "origin", f"{CLONES}*").splitlines():
            oid, ref = line.split("\t")
            heads.setdefault(Scope(ref.rpartition("/")[2].replace("%2F", "/")), []).append(oid)
        return heads

    def _check_branch(self, repo: Person, branch: str) -> None:
        found = {str(memory["id"]): memory for memory in repo.tr.exported(branch=branch)}
        wanted = {
            memory
            for memory, places in self.made.items()
            if memory not in self.forgotten and places & {branch, "main"}
        }
        assert wanted <= found.keys(), (
            f"{repo.path.name} misses {wanted - found.keys()} on {branch}"
        )
        if branch != "main":
            return
        # Whoever asks all branches finds every word that was ever added.
        everywhere = {str(m["id"]): "" for m in repo.tr.exported(all=True)}
        for memory in repo.tr.exported(all=True):
            everywhere[str(memory["id"])] += f"{memory['content']} {memory.get('tags')}"
        for memory, marks in self.marks.items():
            missing = {mark for mark in marks if mark not in everywhere[memory]}
            assert not missing, f"{repo.path.name} lost {missing} of {memory}"


def _list_memories(repo: Person, branch: str) -> dict[str, tuple[object, ...]]:
    """What a clone shows on a branch."""
    keys = ("title", "content", "tags", "status")
    return {m["id"]: tuple(m.get(key) for key in keys) for m in repo.tr.exported(branch=branch)}


def _run(*arguments: str) -> None:
    subprocess.run(["git", *arguments], check=True, capture_output=True)


def _lived(seed: int) -> None:
    folder = Path(tempfile.mkdtemp(prefix="treering-sync-"))
    try:
        team = Team(seed, folder)
        for _ in range(team.chance.randrange(8, 25)):
            team.step()
        team.quiesce()
        team.check()
    except BaseException as error:
        error.add_note(f"seed {seed}")
        raise
    finally:
        remove(folder)


@pytest.mark.parametrize("seed", range(4))
def test_all_clones_come_to_know_the_same(seed: int) -> None:
    """The same few histories each time, so that a red run means a change did it."""
    _lived(seed)


@pytest.mark.deep
def test_all_clones_come_to_know_the_same_in_500_histories() -> None:
    for seed in range(100, 600):
        _lived(seed)
