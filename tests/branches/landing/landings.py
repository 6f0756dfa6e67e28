"""What the tests of landings share: a branch of three commits, ways to land it, and a judge."""

from pathlib import Path

from conftest import Repo
from treering.branches.landing.judge import Judge, Landing, Limits, Target
from treering.derived.database import Database
from treering.git.repository import Repository

LINES = [f"line {number}\n" for number in range(60)]
WIDE = Limits()


def targets_of(repo: Repo, *names: str) -> list[Target]:
    return [Target(name, repo.git("rev-parse", name)) for name in names or ("main",)]


def judged(
    repo: Repo,
    tip: str,
    *names: str,
    limits: Limits = WIDE,
    folder: Path | None = None,
) -> Landing:
    judge = Judge(Repository.discover(repo.path), limits, Database(folder))
    tip = repo.git("rev-parse", tip)
    return judge.landing(tip, targets_of(repo, *names))


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
