"""Which branch is the trunk, in every kind of clone, and which ones are like it."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Repo, make_clone
from treering.branches.long_lived import is_long_lived, long_lived
from treering.branches.trunk import (
    RemoteAnswer,
    former_names,
    note_listing,
    read_answers,
    tips_of,
    trunk_of,
)
from treering.git.remote import RemoteListing

RULE, TRIED = "Use WAL mode", "Tried a cache"


class World:
    """A folder of repositories; remotes are bare ones in it."""

    def __init__(self, folder: Path, trunk: str) -> None:
        self.folder = folder
        self.remote = self.bare("o.git", trunk)
        self.ann = self.clone(self.remote, "ann")

    def bare(self, name: str, trunk: str) -> Path:
        subprocess.run(
            ["git", "init", "-q", "--bare", "-b", trunk, str(self.folder / name)], check=True
        )
        return self.folder / name

    def clone(self, source: Path, name: str, *options: str) -> Repo:
        path = self.folder / name
        url = f"file://{source}" if "--depth=1" in options else str(source)
        return make_clone(url, path, name, *options)

    def person(self, repo: Repo, name: str) -> Repo:
        repo.git("config", "user.name", name.capitalize())
        repo.git("config", "user.email", f"{name}@example.org")
        return repo


def begin(folder: Path, trunk: str) -> tuple[World, Repo]:
    """Ann pushed the first commit of a trunk."""
    world = World(folder, trunk)
    world.ann.git("switch", "-q", "-C", trunk)
    world.ann.commit_file("readme")
    world.ann.git("push", "-qu", "origin", trunk)
    return world, world.ann


@pytest.fixture
def busy(tmp_path: Path) -> World:
    """Ann is on feat; main and feat are pushed, with memories of both."""
    world, ann = begin(tmp_path, "main")
    ann.tr.sync("fetch")
    ann.tr.remember(RULE, type="decision")
    ann.switch("feat", create=True).commit_file("feature")
    ann.git("push", "-qu", "origin", "feat")
    ann.tr.remember(TRIED, type="insight")
    ann.tr.sync()
    return world


@pytest.fixture
def renamed(tmp_path: Path) -> World:
    """Ann works on master; Ben has a clone, and then the host renames master to main."""
    world, ann = begin(tmp_path, "master")
    ann.tr.remember(RULE, type="decision")
    ann.tr.sync()
    ann.tr.remember("Answer in JSON", type="decision")
    ann.tr.sync()
    world.clone(world.remote, "ben").tr.sync()
    subprocess.run(["git", "branch", "-m", "master", "main"], cwd=world.remote, check=True)
    return world


@pytest.fixture
def gitflow(tmp_path: Path) -> World:
    """The remote's HEAD is develop; Ann began with main, before there was a remote."""
    world = World(tmp_path, "develop")
    ann = world.ann
    ann.git("switch", "-q", "-C", "main")
    ann.commit_file("readme")
    ann.tr.remember("Written before anyone was asked", type="insight")
    ann.git("push", "-qu", "origin", "main")
    ann.switch("develop", create=True)
    ann.git("push", "-qu", "origin", "develop")
    ann.tr.remember(RULE, type="decision")
    ann.tr.sync()
    return world


def trunk(repo: Repo) -> str:
    return trunk_of(repo.workspace.repository)


# --- 13 kinds of clones ---------------------------------------------------------------------------


def fresh(world: World) -> Repo:
    return world.clone(world.remote, "fresh")


def of_a_busy_clone(world: World) -> Repo:
    return world.clone(world.ann.path, "copy")


def of_a_busy_clone_with_memories(world: World) -> Repo:
    return fetched(of_a_busy_clone(world))


def of_one_shallow_branch(world: World) -> Repo:
    return fetched(world.clone(world.remote, "ci", "--depth=1", "-b", "feat"))


def as_a_hosted_runner_checks_out(world: World) -> Repo:
    path = world.folder / "runner"
    subprocess.run(["git", "init", "-q", "-b", "master", str(path)], check=True)
    runner = world.person(Repo(path), "runner")
    runner.git("remote", "add", "origin", f"file://{world.remote}")
    runner.git("fetch", "-q", "--depth=1", "origin", "feat")
    runner.git("checkout", "-q", "FETCH_HEAD")
    return fetched(runner)


def restored_from_a_mirror(world: World) -> Repo:
    world.clone(world.ann.path, "mirror.git", "--mirror")
    return fetched(world.clone(world.folder / "mirror.git", "restored"))


def of_a_fork_with_another_head(world: World) -> Repo:
    fork = world.clone(world.remote, "fork.git", "--bare")
    fork.git("symbolic-ref", "HEAD", "refs/heads/feat")
    mine = world.clone(fork.path, "mine")
    mine.git("remote", "add", "upstream", str(world.remote))
    mine.git("fetch", "-q", "upstream")
    mine.tr.sync("fetch", remote="upstream")
    mine.tr.sync("fetch", remote="origin")
    return mine


def fetched(repo: Repo) -> Repo:
    repo.tr.sync("fetch")
    return repo


def without_prune(world: World) -> Repo:
    ben = Repo(world.folder / "ben")
    ben.git("fetch", "-q")
    return fetched(ben)


def with_prune(world: World) -> Repo:
    ben = Repo(world.folder / "ben")
    ben.git("fetch", "-q", "--prune")
    return fetched(ben)


def with_its_old_trunk_deleted(world: World) -> Repo:
    ben = Repo(world.folder / "ben")
    ben.git("fetch", "-q", "--prune")
    ben.git("switch", "-q", "-c", "main", "origin/main")
    ben.git("branch", "-q", "-D", "master")
    return fetched(ben)


def after_the_rename(world: World) -> Repo:
    return fetched(world.clone(world.remote, "new"))


def first_of_all(world: World) -> Repo:
    return world.ann


def with_memories(world: World) -> Repo:
    return fetched(world.clone(world.remote, "new"))


@pytest.mark.parametrize(
    "kind",
    [
        fresh,
        of_a_busy_clone,
        of_a_busy_clone_with_memories,
        of_one_shallow_branch,
        as_a_hosted_runner_checks_out,
        restored_from_a_mirror,
        of_a_fork_with_another_head,
    ],
)
def test_a_clone_knows_the_trunk(busy: World, kind: Callable[[World], Repo]) -> None:
    """Wrong, the trunk's rules are hidden, and a branch's leak to all others."""
    clone = kind(busy)

    assert trunk(clone) == "main"


@pytest.mark.parametrize(
    "kind", [without_prune, with_prune, with_its_old_trunk_deleted, after_the_rename]
)
def test_a_clone_knows_a_renamed_trunk(renamed: World, kind: Callable[[World], Repo]) -> None:
    """What was remembered under the former name is still the trunk's."""
    clone = kind(renamed)

    assert trunk(clone) == "main"
    assert former_names(clone.workspace.repository, "main") == ["master"]
    assert RULE in clone.titles(branch="main")
    clone.git("switch", "-q", "-C", "later", "origin/main")
    assert RULE in clone.titles()


@pytest.mark.parametrize("kind", [first_of_all, with_memories])
def test_a_clone_believes_the_remote_and_no_guess(
    gitflow: World, kind: Callable[[World], Repo]
) -> None:
    """Before a remote answered, main was a guess; written down, it would be believed."""
    clone = kind(gitflow)

    assert trunk(clone) == "develop"


# --- who tells it ---------------------------------------------------------------------------------


def test_the_first_setting_is_the_trunk_and_all_are_long_lived(repo: Repo) -> None:
    for value in ("develop", "legacy"):
        repo.git("config", "--add", "treering.trunk", value)

    assert trunk(repo) == "develop"
    assert long_lived(repo.workspace.repository) == ["develop", "legacy", "main"]
    assert repo.json("config", "trunk")["settings"][0]["value"] == "develop, legacy"


@pytest.mark.parametrize("name", ["trunk", "develop", "mainline"])
def test_usual_names_are_known(repo: Repo, name: str) -> None:
    repo.git("branch", "-m", name)
    repo.git("config", "init.defaultBranch", "mainline")
    repo.git("branch", "other")

    assert trunk(repo) == name


def test_an_unusual_head_of_a_remote_is_believed_where_no_usual_name_is(tmp_path: Path) -> None:
    world = World(tmp_path, "production")
    world.ann.git("switch", "-q", "-C", "production")
    world.ann.commit_file("readme")
    world.ann.git("push", "-q", "origin", "HEAD", "HEAD:refs/heads/other")
    ben = world.clone(world.remote, "ben")
    ben.switch("other")

    assert trunk(ben) == "production"
    ben.tr.sync()
    assert trunk(ben) == "production"


# --- what a remote said ---------------------------------------------------------------------------


def test_a_default_branch_that_changed_is_seen_by_a_sync(busy: World) -> None:
    """A fetch moves no refs/remotes/origin/HEAD."""
    ben = busy.clone(busy.remote, "ben")
    ben.git("branch", "-q", "develop", "origin/main")
    ben.git("push", "-q", "origin", "develop")
    subprocess.run(
        ["git", "symbolic-ref", "HEAD", "refs/heads/develop"], cwd=busy.remote, check=True
    )
    empty = busy.clone(busy.remote, "late")
    for line in busy.ann.git("ls-remote", "origin", "refs/treering/*").splitlines():
        busy.ann.git("push", "-q", "origin", f":{line.split()[1]}")

    ben.tr.sync("fetch")

    assert ben.git("symbolic-ref", "refs/remotes/origin/HEAD").endswith("/main")
    assert trunk(ben) == "develop"
    assert trunk(empty) == "develop"


def test_a_pruned_trunk_is_followed_without_a_sync(renamed: World) -> None:
    """`git fetch --prune` leaves refs/remotes/origin/HEAD pointing nowhere."""
    ben = Repo(renamed.folder / "ben")
    ben.git("fetch", "-q", "--prune")
    ben.git("switch", "-q", "-c", "main", "origin/main")
    ben.git("branch", "-q", "-D", "master")

    assert trunk(ben) == "main"
    assert RULE in ben.titles()


def test_a_branch_that_merged_the_trunk_is_no_new_name_of_it(busy: World) -> None:
    """Ann deletes main in her clone; whoever cloned that has no trunk called feat."""
    busy.ann.git("branch", "-q", "-D", "main")
    copy = of_a_busy_clone_with_memories(busy)

    assert trunk(copy) == "main"
    assert former_names(copy.workspace.repository, "feat") == []


def test_deleting_derived_state_does_not_change_the_trunk(gitflow: World) -> None:
    """What the remote said stands in git's configuration."""
    for name in ("index", "state"):
        shutil.rmtree(gitflow.ann.path / ".git/treering" / name, ignore_errors=True)

    assert trunk(gitflow.ann) == "develop"


@pytest.mark.parametrize(
    "words",  # believed, each of them would make another branch the trunk
    [
        "",
        "feat",
        "url=URL head=../x former=main",
        "url=URL head=x\x07 former=main",
        "url=URL head=feat tip=-x former=main",
        "url=URL head=feat former=main former=-x~",
        "url=other head=develop former=main",
    ],
)
def test_a_line_that_is_not_as_we_write_it_says_nothing(busy: World, words: str) -> None:
    """A repository may be shared, and a remote's names are a stranger's."""
    line = busy.ann.git("config", "remote.origin.treering")
    url = line.split()[0].removeprefix("url=")
    busy.ann.git("config", "remote.origin.treering", words.replace("URL", url))

    assert trunk(busy.ann) == "main"
    assert former_names(busy.ann.workspace.repository, "feat") == []
    assert busy.ann.tr.status()["repository"]["trunk"] == "main"


def test_names_a_remote_makes_up_are_not_kept(busy: World) -> None:
    repository = busy.ann.workspace.repository
    tip = busy.ann.git("rev-parse", "main")
    listing = RemoteListing({}, {"dev\x1b[2J": tip, "release/..": tip}, "main\x1b[2J")

    note_listing(repository, "origin", listing, has_memories=True)

    assert read_answers(repository)["origin"] == RemoteAnswer("main", "", True)


def test_a_remote_of_another_url_has_not_answered_yet(gitflow: World) -> None:
    other = gitflow.bare("other.git", "main")

    gitflow.ann.git("remote", "set-url", "origin", str(other))
    for ref in gitflow.ann.refs():
        gitflow.ann.git("update-ref", "-d", ref)

    assert trunk(gitflow.ann) == "main"


# --- long-lived branches --------------------------------------------------------------------------


def test_branches_others_were_merged_into_are_long_lived(repo: Repo) -> None:
    """A release branch with fixes of its own is one; one that only kept up with main is not."""
    repo.git("branch", "next")
    repo.git("branch", "release/2.0")
    repo.git("branch", "develop")
    repo.switch("fix", create=True).commit_file("fix")
    repo.switch("release/1.0", create=True)
    repo.git("reset", "-q", "--hard", "main")
    repo.git("merge", "-q", "--no-ff", "-m", "take fix", "fix")
    repo.switch("main").commit_file("more")
    repo.switch("release/2.0").commit_file("version")
    repo.git("merge", "-q", "--no-ff", "-m", "keep up", "main")

    found = repo.workspace.repository

    assert long_lived(found) == ["main", "develop", "release/1.0"]
    assert is_long_lived(found, "release/1.0")
    assert not is_long_lived(found, "release/2.0")
    assert not is_long_lived(found, "next")
    assert not is_long_lived(found, "fix")
    assert not is_long_lived(found, "trunk")


def test_tips_are_those_here_and_on_remotes(busy: World) -> None:
    ben = busy.clone(busy.remote, "ben")
    ben.commit_file("mine")

    assert tips_of(ben.workspace.repository, "main") == [
        ben.git("rev-parse", "main"),
        ben.git("rev-parse", "origin/main"),
    ]
    assert tips_of(ben.workspace.repository, "feat") == [ben.git("rev-parse", "origin/feat")]
    assert is_long_lived(ben.workspace.repository, "main")


def test_gc_keeps_what_a_former_name_holds(renamed: World) -> None:
    """Its branch is gone, and no branch that was thrown away."""
    ben = with_its_old_trunk_deleted(renamed)

    plan = ben.json("gc")["plan"]

    assert not [line for line in plan if line["action"] == "trash"]
    assert RULE in ben.titles(branch="main")


def test_what_was_written_under_a_former_name_is_the_trunks(renamed: World) -> None:
    """Ben went on with master after it was renamed, and deleted it: the commit he spoke of is
    nowhere, but the trunk is never judged, under none of its names."""
    ben = with_prune(renamed)
    ben.commit_file("of-ben.txt")
    ben.tr.remember("Of a commit that landed nowhere", type="insight")
    ben.git("switch", "-q", "-c", "main", "origin/main")
    ben.git("branch", "-q", "-D", "master")

    plan = {line["branch"]: line for line in ben.json("gc")["plan"]}

    assert (plan["master"]["verdict"], plan["master"]["action"]) == ("live", "keep")
    assert "Of a commit that landed nowhere" in ben.titles(branch="main")


def test_a_former_name_that_is_used_again_hides_nothing_of_the_trunk(tmp_path: Path) -> None:
    """The name is no usual one, so a branch made anew would have it for itself."""
    world = World(tmp_path, "production")
    ann = world.ann
    ann.git("switch", "-q", "-C", "production")
    ann.commit_file("readme")
    ann.git("push", "-qu", "origin", "production")
    ann.tr.sync("fetch")
    ann.tr.remember(RULE, type="decision")
    ann.tr.sync()
    subprocess.run(["git", "branch", "-m", "production", "main"], cwd=world.remote, check=True)
    ann.git("fetch", "-q", "--prune")
    ann.tr.sync("fetch")
    ann.git("switch", "-q", "-c", "main", "origin/main")
    ann.git("branch", "-q", "-D", "production")
    ann.now += 60
    ann.git("branch", "-q", "production", "main")

    plan = ann.json("gc")["plan"]

    assert former_names(ann.workspace.repository, "main") == ["production"]
    assert [(line["branch"], line["verdict"]) for line in plan] == [("production", "live")]
    assert RULE in ann.titles(branch="main")
