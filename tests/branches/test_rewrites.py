"""Commits that were amended and rebased, by people without hooks: what was learned at the first
lands with what took its place, and only with that."""

from conftest import Repo


def _work(repo: Repo, name: str, memory: str = "") -> None:
    """A commit of a file of that name, and something learned about it."""
    repo.commit_file(f"{name}.txt", f"work on {name}\n" * 3)
    if memory:
        repo.tr.remember(memory, type="insight")


def _amend(repo: Repo, name: str = "") -> None:
    """Reword the last commit; with a name, do it in another way, too."""
    repo.now += 60
    if name:
        text = f"{name} in another way at {repo.now}\n" * 3
        repo.path.joinpath(f"{name}.txt").write_text(text, encoding="utf-8")
    repo.git("commit", "-q", "-a", "--amend", "-m", f"reworked at {repo.now}")


def _rebase(repo: Repo, branch: str) -> None:
    repo.switch("main").commit_file(f"meanwhile-{repo.now}.txt")
    repo.switch(branch).git("rebase", "-q", "main")


def _land(repo: Repo, branch: str, how: str) -> None:
    repo.switch("main").commit_file(f"meanwhile-{repo.now}.txt")
    repo.now += 60
    if how == "squash":
        repo.git("merge", "-q", "--squash", branch)
        repo.git("commit", "-q", "-m", "squashed")
    else:
        repo.git("cherry-pick", f"main..{branch}")


def test_a_commit_amended_rebased_and_amended_again_is_known(repo: Repo) -> None:
    """No log tells of all these steps, and the patch is another one; who wrote it when is kept."""
    repo.switch("feat", create=True)
    _work(repo, "feat", "fact")
    _amend(repo)
    _rebase(repo, "feat")
    _amend(repo, "feat")
    _land(repo, "feat", "pick")

    repo.tr.gc()

    assert repo.titles("main") == {"fact"}


def test_a_branch_renamed_reworked_squashed_and_deleted_is_known(repo: Repo) -> None:
    """All before anyone looked: only HEAD's log tells what it was called, and where it was left."""
    repo.switch("feat", create=True)
    _work(repo, "feat", "fact")
    repo.git("branch", "-q", "-m", "feat", "better")
    _amend(repo, "feat")
    _rebase(repo, "better")
    _work(repo, "more")
    _land(repo, "better", "squash")
    repo.git("branch", "-q", "-D", "better")

    repo.tr.gc()

    assert repo.titles("main") == {"fact"}


def test_what_was_rebased_lands_with_the_squash_that_took_it_along(repo: Repo) -> None:
    """The branch goes on after that, so that its tip has not landed."""
    repo.switch("feat", create=True)
    _work(repo, "feat", "fact")
    _rebase(repo, "feat")
    _work(repo, "more")
    _land(repo, "feat", "squash")
    repo.switch("feat")
    _work(repo, "later", "of later work")

    repo.tr.gc()

    assert repo.titles("main") == {"fact"}


def test_a_dropped_commit_of_the_same_second_did_not_become_its_neighbour(repo: Repo) -> None:
    """A script makes two commits in one second. Only one of them lands."""
    repo.switch("feat", create=True)
    _work(repo, "feat", "fact")
    repo.now -= 60
    _work(repo, "dropped", "of a dropped commit")
    repo.git("reset", "-q", "--hard", "HEAD~1")
    _rebase(repo, "feat")
    _land(repo, "feat", "pick")
    repo.git("branch", "-q", "-D", "feat")

    repo.tr.gc()

    assert repo.titles("main") == {"fact"}


def test_another_try_in_the_same_second_is_other_work(repo: Repo) -> None:
    """The first one was thrown away, and has no file in common with what landed."""
    repo.switch("feat", create=True)
    _work(repo, "first", "of the first try")
    repo.git("reset", "-q", "--hard", "HEAD~1")
    repo.now -= 60 + 1
    _work(repo, "second")
    _land(repo, "feat", "pick")

    repo.tr.gc()

    assert repo.titles("main") == set()


def test_what_a_rebase_melted_into_another_commit_is_kept_in_doubt(repo: Repo) -> None:
    """HEAD's log says that the work was rebased, and not what became of each commit of it."""
    repo.switch("feat", create=True)
    _work(repo, "feat")
    _work(repo, "fixed", "of a fix-up")
    repo.git("-c", "sequence.editor=sed -i -e 2s/pick/fixup/", "rebase", "-q", "-i", "HEAD~2")
    _amend(repo, "feat")
    _amend(repo, "fixed")
    _land(repo, "feat", "squash")
    repo.git("branch", "-q", "-D", "feat")

    (line,) = (line for line in repo.tr.gc().plan if line.branch == "feat")

    assert (line.verdict, line.action) == ("unsure", "keep")
    assert "rebased" in line.reason
