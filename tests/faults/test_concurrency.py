"""Many writers on one repository: none lost, none twice."""

import threading
from pathlib import Path

import pytest

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
