"""The jobs of docs/howto/ci.md, run as those runners check out: detached, merged, at depth 1."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from conftest import Repo, make_repo

BIN = Path(sys.executable).parent
DECISION = "Four connections: the server allows no more"


class Host:
    """A bare repository, as a host keeps it, with a branch that overrules a decision on main."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / "origin.git"
        self.dev = make_repo(folder / "dev")
        dev = self.dev
        dev.git("init", "-q", "--bare", "-b", "main", str(self.path))
        dev.git("remote", "add", "origin", str(self.path))
        dev.commit_file("README.md", "# A project\n")
        dev.switch("pool", create=True)
        dev.commit_file("pool.py", "POOL = 4\n", "A pool")
        self.decision = dev.tr.remember(DECISION, type="decision", files=["pool.py"]).id
        dev.switch("main")
        dev.git("merge", "-q", "--no-ff", "-m", "Merge branch 'pool'", "pool")
        dev.git("branch", "-D", "pool")
        dev.tr.gc()
        dev.git("push", "-q", "origin", "main")
        dev.switch("more", create=True)
        dev.commit_file("pool.py", "POOL = 8\n", "More")
        dev.commit_file("other.py", "x = 1\n", "Unrelated")
        dev.git("push", "-q", "origin", "more")
        dev.tr.sync()
        dev.switch("main")
        self.base = dev.commit_file("main.py", "m = 1\n", "Main goes on")
        dev.git("push", "-q", "origin", "main")
        dev.switch("more")

    def merge(self, ref: str) -> None:
        """Make the commit that the host would test: main with the branch merged into it."""
        dev = self.dev
        dev.git("switch", "-q", "--detach", "main")
        dev.git("merge", "-q", "--no-ff", "-m", "Merge more into main", "more")
        dev.git("push", "-q", str(self.path), f"+HEAD:{ref}")
        dev.switch("more")

    def check_out(self, ref: str, *, depth: int, branches: bool) -> Repo:
        """As a runner does: an empty repository, one ref fetched, HEAD detached at it."""
        runner = Repo(self.folder / "runner")
        self.dev.git("init", "-q", str(runner.path))
        runner.git("remote", "add", "origin", f"file://{self.path}")
        deep = [f"--depth={depth}"] if depth else []
        refs = ["+refs/heads/*:refs/remotes/origin/*"] if branches else []
        runner.git("fetch", "-q", "--no-tags", *deep, "origin", *refs, f"+{ref}:refs/remotes/test")
        runner.git("checkout", "-q", "--detach", "refs/remotes/test")
        return runner


@pytest.fixture
def host(tmp_path: Path) -> Host:
    return Host(tmp_path)


def read_job(page: str, name: str) -> list[str]:
    """The commands of a job, without those that install programs."""
    blocks = re.findall(r"^```yaml\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    jobs = [yaml.safe_load(block) for block in blocks if name in block]
    (job,) = jobs
    if "jobs" in job:
        commands = [step["run"] for step in job["jobs"]["guard"]["steps"] if "run" in step]
    else:
        commands = job["guard"]["script"]
    return [command for command in commands if "pipx" not in command]


def run(runner: Repo, commands: list[str], **variables: str) -> tuple[int, str]:
    path = f"{BIN}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-e", "-c", "\n".join(commands)],
        cwd=runner.path, env={**os.environ, "PATH": path, **variables},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    return done.returncode, done.stdout + done.stderr


@pytest.fixture
def text(page) -> str:
    return str(page("docs/howto/ci.md").text)


def test_a_pull_request_on_github(host: Host, text: str, tmp_path: Path) -> None:
    """actions/checkout with fetch-depth 0: all branches, HEAD at the merge of the pull request."""
    host.merge("refs/pull/7/merge")
    runner = host.check_out("refs/pull/7/merge", depth=0, branches=True)
    summary = tmp_path / "summary.md"
    options = {"BASE": "origin/main", "GITHUB_STEP_SUMMARY": str(summary)}

    code, said = run(runner, read_job(text, "merge_group"), **options)
    host.dev.git("commit", "-q", "--amend", "-m", f"Unrelated\n\nOverrules: {host.decision} asked")
    host.merge("refs/pull/7/merge")
    runner.git("fetch", "-q", "origin", "+refs/pull/7/merge:refs/remotes/test")
    runner.git("checkout", "-q", "--detach", "refs/remotes/test")
    owned, _ = run(runner, read_job(text, "merge_group"), **options)

    assert (code, DECISION in said, DECISION in summary.read_text()) == (1, True, True)
    assert "main.py" not in said
    assert owned == 0


def test_the_merge_queue_of_github(host: Host, text: str, tmp_path: Path) -> None:
    """The base is a commit, and the ref one that the queue makes."""
    host.merge("refs/heads/gh-readonly-queue/main/pr-7")
    runner = host.check_out("refs/heads/gh-readonly-queue/main/pr-7", depth=0, branches=True)
    options = {"BASE": host.base, "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md")}

    code, said = run(runner, read_job(text, "merge_group"), **options)

    assert (code, DECISION in said) == (1, True)


def test_a_merge_request_on_gitlab(host: Host, text: str) -> None:
    """GIT_DEPTH 0 brings the ref of the merge request alone, and no branch."""
    host.dev.git("push", "-q", str(host.path), "more:refs/merge-requests/7/head")
    runner = host.check_out("refs/merge-requests/7/head", depth=0, branches=False)

    code, said = run(runner, read_job(text, "GIT_DEPTH"), TARGET="main")

    assert (code, DECISION in said) == (1, True)


def test_at_depth_one_a_job_is_told_what_is_missing(host: Host, text: str, tmp_path: Path) -> None:
    host.merge("refs/pull/7/merge")
    runner = host.check_out("refs/pull/7/merge", depth=1, branches=False)
    options = {"BASE": "origin/main", "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md")}

    code, said = run(runner, read_job(text, "merge_group"), **options)

    assert code == 1
    assert "--unshallow" in said


def test_the_matrix_runs_what_make_test_runs(root: Path) -> None:
    """On the three systems that a public host offers, with the same tests as here."""
    workflow = yaml.safe_load((root / ".github/workflows/ci.yml").read_text(encoding="utf-8"))
    job = workflow["jobs"]["test"]
    commands = " ".join(step.get("run", "") for step in job["steps"])
    target = re.search(r"^test:.*?\n\n", (root / "Makefile").read_text(), re.MULTILINE | re.DOTALL)

    assert [os.partition("-")[0] for os in job["strategy"]["matrix"]["os"]] == [
        "ubuntu", "macos", "windows",
    ]  # fmt: skip
    assert target is not None
    assert all(words in commands and words in target[0] for words in ("pytest", "-m 'not deep'"))
    assert "make lint" in [step.get("run") for step in workflow["jobs"]["lint"]["steps"]]
