"""Many writers on one repository: none lost, none twice."""

import shutil
import subprocess
import threading
from pathlib import Path

import pytest

from conftest import Repo, make_repo
from hooked import Hooked

WRITERS = 8


@pytest.mark.parametrize("each", [12, pytest.param(100, marks=pytest.mark.deep)])
def test_eight_processes_on_one_branch_lose_nothing(repo, each):
    """Six agents through the library, two loops of the program, all at once on `main`."""
    wanted = {f"writer {w} thought {n}" for w in range(WRITERS) for n in range(each)}
    writers = [repo.writer() for _ in range(WRITERS - 2)]
    for number, writer in enumerate(writers):
        writer.wait_until_ready()
        writer.say(*(("", f"writer {number} thought {n}") for n in range(each)))
    loops = [_Loop(repo, w, each) for w in range(WRITERS - 2, WRITERS)]

    for loop in loops:
        loop.start()
    for runner in [*writers, *loops]:
        runner.finish()

    acknowledged = [i for runner in [*writers, *loops] for i in runner.acknowledged]
    assert [e for runner in writers for e in runner.errors] == []
    assert len(acknowledged) == WRITERS * each
    assert sorted(acknowledged) == sorted(repo.stored())
    assert len(wanted) == _commits(repo, "main")
    assert wanted == set(repo.contents())


@pytest.mark.parametrize("branches", [4, pytest.param(60, marks=pytest.mark.deep)])
def test_the_first_capture_of_a_new_branch_raced_by_eight_loses_nothing(repo, branches):
    """A ref that does not exist yet has no old value to compare with: the classic lost update."""
    other = _second_worktree(repo)
    writers = [repo.writer(other if n % 2 else None) for n in range(WRITERS)]
    for writer in writers:
        writer.wait_until_ready()

    for branch in range(branches):
        repo.git("branch", f"new-{branch}")
        for number, writer in enumerate(writers):
            writer.say((f"new-{branch}", f"first thought of {number} on {branch}"))
        ids = [writer.hear() for writer in writers]

        assert sorted(ids) == sorted(repo.stored(f"new-{branch}"))
        assert len(set(ids)) == WRITERS
        assert _commits(repo, f"new-{branch}") == WRITERS
        repo.git("branch", "-D", f"new-{branch}")


def test_the_same_thought_of_eight_processes_is_one_memory(repo):
    """Retrying must be safe, also when all retry at once: one commit, one id."""
    writers = [repo.writer() for _ in range(WRITERS)]
    for writer in writers:
        writer.wait_until_ready()

    for writer in writers:
        writer.say(("", "The cache is keyed by blob id"))
    ids = {writer.hear() for writer in writers}

    assert ids == set(repo.stored())
    assert _commits(repo, "main") == 1


def test_each_worktree_writes_to_its_own_branch(repo):
    """Two agents, two worktrees, one repository: refs and lock are shared, branches are not."""
    other = _second_worktree(repo)
    writers = {"main": repo.writer(), "other": repo.writer(other)}
    for branch, writer in writers.items():
        writer.wait_until_ready()
        writer.say(*(("", f"thought {n} on {branch}") for n in range(10)))

    for writer in writers.values():
        writer.finish()

    for branch, writer in writers.items():
        assert len(writer.acknowledged) == 10
        assert sorted(writer.acknowledged) == sorted(repo.stored(branch))


def _second_worktree(repo) -> Path:
    other = repo.path.with_name("other")
    repo.git("worktree", "add", "-q", "-b", "other", str(other))
    repo.found = repo.fingerprint()
    return other


def _commits(repo, branch: str) -> int:
    return int(repo.git("rev-list", "--count", f"refs/treering/heads/{branch}"))


class _Loop(threading.Thread):
    """The program, started anew for each capture, as a shell loop would."""

    def __init__(self, repo, number: int, each: int) -> None:
        super().__init__()
        self._repo = repo
        self._contents = [f"writer {number} thought {n}" for n in range(each)]
        self.acknowledged: list[str] = []

    def run(self) -> None:
        for content in self._contents:
            self.acknowledged.append(self._repo.remember(content))

    def finish(self) -> None:
        self.join()


# --- drivers, readers and git against each other --------------------------------------------------


@pytest.mark.parametrize("rounds", [2, pytest.param(12, marks=pytest.mark.deep)])
def test_all_at_once_ends_as_one_after_the_other(tmp_path, rounds):
    """Worker, gc, sync, restore, rename, checkouts and readers: whoever comes when, the memories
    end where they belong. Trees are compared; commits name moments and parents."""
    first = _busy_repository(tmp_path / "first")
    shutil.copytree(tmp_path / "first", tmp_path / "second", symlinks=True)
    second = Repo(tmp_path / "second" / "repo")
    second.git("remote", "set-url", "origin", str(tmp_path / "second" / "far.git"))

    told = [_run(first, *words) for chain in _chains(rounds) for words in chain]
    threads = [_Chain(second, chain) for chain in _chains(rounds)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    told += [code for thread in threads for code in thread.codes]
    for repo in (first, second):
        _settle(repo)

    assert set(told) == {0}
    assert _trees(first) == _trees(second)
    assert set(_trees(first)) == {"main", "restored", "new-name", "living"}
    assert "learned on landed" in second.titles("main")


def _busy_repository(folder: Path) -> Repo:
    """Something for each to do: a branch that landed, one to be renamed, one in the trash."""
    folder.mkdir()
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", folder / "far.git"], check=True)
    repo = make_repo(folder / "repo")
    repo.commit_file("README.md")
    repo.git("remote", "add", "origin", str(folder / "far.git"))
    for branch in ("restored", "landed", "old-name", "living"):
        repo.switch("main").switch(branch, create=True).commit_file(f"{branch}.txt")
        repo.tr.remember(f"learned on {branch}", type="insight")
    repo.switch("main").git("branch", "-q", "-D", "restored")
    repo.tr.gc()
    repo.tr.sync()
    Hooked(repo.path / ".git").install()
    repo.git("worktree", "add", "-q", "--detach", str(folder / "side"))
    repo.git("worktree", "remove", "--force", str(folder / "side"))
    _settle(repo)
    return repo


def _chains(rounds: int) -> list[list[tuple[str, ...]]]:
    """What each does, one after the other; `git` or treering."""
    return [
        [
            ("git", "merge", "-q", "--no-ff", "--no-edit", "landed"),
            ("git", "branch", "-q", "-D", "landed"),
            *[("git", "switch", "-q", name) for _ in range(rounds) for name in ("living", "main")],
        ],
        [("git", "branch", "-m", "old-name", "new-name"), *[("recall",)] * rounds],
        [("restore", "restored"), *[("hook", "work", "post-merge")] * rounds],
        [("gc",)] * rounds,
        [("sync",)] * rounds,
        [("recall", "learned", "--scope", "all"), ("context",), ("status",)] * rounds,
    ]


def _run(repo: Repo, *words: str) -> int:
    if words[0] == "git":
        repo.git(*words[1:])
        return 0
    return repo.cli(*words).returncode


class _Chain(threading.Thread):
    def __init__(self, repo: Repo, chain: list[tuple[str, ...]]) -> None:
        super().__init__()
        self._repo, self._chain = repo, chain
        self.codes: list[int] = []

    def run(self) -> None:
        self.codes += [_run(self._repo, *words) for words in self._chain]


def _settle(repo: Repo) -> None:
    Hooked(repo.path / ".git").settle()
    repo.tr.gc()


def _trees(repo: Repo) -> dict[str, str]:
    heads = "refs/treering/heads/"
    lines = repo.git("for-each-ref", "--format=%(refname) %(tree)", heads).splitlines()
    return {name.removeprefix(heads): tree for name, tree in (line.split() for line in lines)}
