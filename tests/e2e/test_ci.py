"""A build reads memories, checked out as hosted runners do it: shallow, single, detached."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Repo, make_repo

RULE, LEARNED = "Use WAL mode", "Sessions live in Redis"


@pytest.fixture
def remote(tmp_path: Path) -> Path:
    """Code and memories of main and feat, and a pull request as a host keeps it: merged, for tests
    to run on."""
    path = make_repo(tmp_path / "origin.git", "--bare").path
    dev = make_repo(tmp_path / "dev")
    dev.git("remote", "add", "origin", str(path))
    dev.commit_file("readme")
    dev.tr.remember(RULE, type="decision")
    dev.switch("feat", create=True).commit_file("feature")
    dev.tr.remember(LEARNED, type="decision")
    dev.switch("main").commit_file("more")
    dev.git("push", "-q", "origin", "main", "feat")
    dev.tr.sync()
    dev.git("switch", "-q", "--detach", "main")
    dev.git("merge", "-q", "--no-ff", "-m", "Merge feat into main", "feat")
    dev.git("push", "-q", "origin", "HEAD:refs/pull/7/merge")
    Repo(path).git("config", "uploadpack.allowAnySHA1InWant", "true")
    return path


def clone(remote: Path, *options: str) -> Repo:
    path = remote.parent / "build"
    subprocess.run(["git", "clone", "-q", *options, f"file://{remote}", str(path)], check=True)
    return Repo(path)


def fetch(remote: Path, refspec: str) -> Repo:
    """An empty repository, one fetch, and what it brought checked out."""
    path = remote.parent / "build"
    subprocess.run(["git", "init", "-q", "-b", "master", str(path)], check=True)
    build = Repo(path)
    build.git("remote", "add", "origin", f"file://{remote}")
    build.git("fetch", "-q", "--no-tags", "--depth=1", "origin", refspec)
    build.git("checkout", "-q", "--force", "FETCH_HEAD")
    return build


def shallow_branch(remote: Path) -> Repo:
    return clone(remote, "--depth=1", "-b", "feat")


def single_branch(remote: Path) -> Repo:
    return clone(remote, "--single-branch", "-b", "feat")


def detached_at_a_branch(remote: Path) -> Repo:
    return fetch(remote, "feat")


def detached_at_a_commit(remote: Path) -> Repo:
    """Only the commit's id is known, and no ref is made."""
    return fetch(remote, Repo(remote).git("rev-parse", "feat"))


def detached_at_a_pull_request(remote: Path) -> Repo:
    return fetch(remote, "+refs/pull/7/merge:refs/remotes/pull/7/merge")


CHECKOUTS = [
    shallow_branch,
    single_branch,
    detached_at_a_branch,
    detached_at_a_commit,
    detached_at_a_pull_request,
]


def by_sync(build: Repo) -> None:
    build.json("sync", "fetch")


def by_plain_git(build: Repo) -> None:
    build.git(
        "fetch", "-q", "origin", "refs/treering/clones/*:refs/treering/remotes/origin/clones/*"
    )


@pytest.mark.parametrize("get_memories", [by_sync, by_plain_git])
@pytest.mark.parametrize("check_out", CHECKOUTS)
def test_a_build_tells_what_the_branch_learned(
    remote: Path, check_out: Callable[[Path], Repo], get_memories: Callable[[Repo], None]
) -> None:
    build = check_out(remote)
    get_memories(build)

    told = build.cli("diff", "main..HEAD", "--markdown").stdout
    found = build.json("recall", "WAL")["results"]

    assert f"- **{LEARNED}**" in told
    assert RULE not in told
    assert [(hit["title"], hit["layer"]) for hit in found] == [(RULE, "trunk")]
    assert build.json("status")["repository"]["trunk"] == "main"


def test_a_build_of_the_trunk_sees_no_branch(remote: Path) -> None:
    build = fetch(remote, "main")
    by_sync(build)

    assert build.titles() == {RULE}
    assert build.json("status")["repository"]["branch"] == "main"


def test_a_branch_that_a_build_did_not_fetch_is_not_called_gone(remote: Path) -> None:
    """Status and gc say the same of it: only its own clone knows."""
    build = clone(remote, "--depth=1", "-b", "main")
    by_sync(build)

    states = {entry["branch"]: entry["state"] for entry in build.json("status")["branches"]}
    plan = {line["branch"]: line for line in build.json("gc", "--dry-run")["plan"]}

    assert states == {"main": "live", "feat": "live"}
    assert plan["feat"]["action"] == "keep"
    assert "belongs to another clone" in plan["feat"]["reason"]
