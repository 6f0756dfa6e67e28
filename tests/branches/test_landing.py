"""Whether a branch's code has landed: each way in, and each trap, on a real repository."""

from conftest import Repo
from treering.branches.landing import Judge, Landing, Limits, Target
from treering.git.repository import Repository

LINES = [f"line {number}\n" for number in range(60)]
WIDE = Limits()


def judged(repo: Repo, tip: str, *names: str, had: bool = True, limits: Limits = WIDE) -> Landing:
    targets = [Target(name, repo.git("rev-parse", name)) for name in names or ("main",)]
    judge = Judge(Repository.discover(repo.path), limits)
    return judge.landing(repo.git("rev-parse", tip), targets, had_own_commits=had)


def edit(repo: Repo, number: int, text: str, name: str = "code.txt") -> str:
    """Change one line of a file and commit it."""
    lines = (repo.path / name).read_text(encoding="utf-8").splitlines(keepends=True)
    lines[number] = f"{text}\n"
    return repo.commit_file(name, "".join(lines), f"{text} at {number}")


def feature(repo: Repo) -> str:
    """A branch of three commits, two edits and a file, beside a trunk that went on."""
    repo.commit_file("code.txt", "".join(LINES))
    repo.switch("feature", create=True)
    edit(repo, 10, "one")
    edit(repo, 30, "two")
    tip = repo.commit_file("feature.txt")
    repo.switch("main").commit_file("trunk.txt")
    return tip


def squash(repo: Repo, branch: str = "feature", *, fix: bool = False) -> str:
    repo.now += 60
    repo.git("merge", "-q", "--squash", branch)
    if fix:
        file = repo.path / "code.txt"
        file.write_text(file.read_text(encoding="utf-8") + "a fix\n", encoding="utf-8")
    repo.git("commit", "-q", "-a", "-m", f"{branch} in one")
    return repo.git("rev-parse", "HEAD")


def test_merged_branch_is_an_ancestor(repo):
    """A true merge keeps the commits, and the merge commit is what brought them."""
    tip = feature(repo)
    repo.git("merge", "-q", "--no-ff", "-m", "merge", "feature")
    merge = repo.git("rev-parse", "HEAD")
    repo.commit_file("later.txt")

    found = judged(repo, tip)

    assert ("ancestor", "main", merge) == found[:3]


def test_squashed_branch_is_found_by_its_whole_diff(repo):
    """A squash leaves no ancestry and none of the commits."""
    tip = feature(repo)
    commit = squash(repo)
    edit(repo, 10, "later")

    found = judged(repo, tip)

    assert ("squash", "main", commit) == found[:3]


def test_squash_with_a_review_fix_is_a_no_op_merge(repo):
    """No patch is equal, but all that the branch did is there."""
    tip = feature(repo)
    commit = squash(repo, fix=True)

    found = judged(repo, tip)

    assert ("noop", "main", commit) == found[:3]


def test_unmerged_branch_has_not_landed(repo):
    """The commonest answer of all."""
    tip = feature(repo)

    found = judged(repo, tip)

    assert found[:3] == ("none", "", None)
    assert not found.is_partial
    assert found.bound == ""
