"""What init sets in git's configuration: fetching brings memories along, nothing else changes."""

import subprocess

import pytest

from conftest import Repo

REFSPEC = "+refs/treering/clones/*:refs/treering/remotes/origin/clones/*"


@pytest.fixture
def clone(repo: Repo, tmp_path) -> Repo:
    """A repository with a remote that has memories."""
    repo.tr.remember("Use WAL mode", type="decision")
    repo.git("update-ref", "refs/treering/clones/abcdefghijkl/main", "refs/treering/heads/main")
    repo.git("update-ref", "-d", "refs/treering/heads/main")
    subprocess.run(["git", "clone", "-q", str(repo.path), str(tmp_path / "clone")], check=True)
    return Repo(tmp_path / "clone")


def test_a_plain_fetch_brings_memories(clone: Repo):
    """Into a place of their own, where a prune cannot touch what was remembered here."""
    mine = clone.tr.remember("Mine alone", type="insight")

    done = clone.json("init", "--no-hooks")
    clone.git("fetch", "-q", "--prune")

    assert done["config"] == [f"remote.origin.fetch={REFSPEC}"]
    assert "refs/treering/remotes/origin/clones/abcdefghijkl/main" in clone.refs()
    assert clone.tr.read(mine.id).title == "Mine alone"
    assert clone.git("config", "--get-all", "remote.origin.fetch").splitlines() == [
        "+refs/heads/*:refs/remotes/origin/*",
        REFSPEC,
    ]


def test_pushing_is_left_as_it_is(clone: Repo):
    """`remote.*.push` would make a plain push send memories in place of the branch."""
    clone.json("init", "--no-hooks", "--sync")

    keys = clone.git("config", "--local", "--name-only", "--list").splitlines()

    assert not [key for key in keys if key.startswith("remote.") and key.endswith(".push")]
    assert clone.git("config", "treering.sync") == "true"


def test_uninstall_gives_the_configuration_back_byte_for_byte(clone: Repo):
    """The refspec, the section of our own, and no empty headings."""
    path = clone.path / ".git" / "config"
    before = path.read_bytes()
    clone.json("init", "--sync")
    assert path.read_bytes() != before

    clone.json("uninstall")

    assert path.read_bytes() == before


def test_uninstall_leaves_what_was_there_before_and_what_came_after(clone: Repo):
    """A refspec someone set by hand, settings, and what is known of branches."""
    clone.git("config", "--add", "remote.origin.fetch", REFSPEC)
    clone.json("init", "--no-hooks")
    clone.git("config", "treering.trunk", "main")
    clone.git("config", "branch.main.treeringscope", "main")

    clone.json("uninstall")

    assert REFSPEC in clone.git("config", "--get-all", "remote.origin.fetch")
    assert clone.git("config", "treering.trunk") == "main"
    assert clone.git("config", "branch.main.treeringscope") == "main"


def test_a_renamed_remote_gets_its_own_place(clone: Repo):
    """git renames its own refspecs and leaves ours as they were."""
    clone.json("init", "--no-hooks")
    clone.git("remote", "rename", "origin", "upstream")

    clone.json("init", "--no-hooks")

    assert clone.git("config", "--get-all", "remote.upstream.fetch").splitlines() == [
        "+refs/heads/*:refs/remotes/upstream/*",
        REFSPEC.replace("origin", "upstream"),
    ]
    clone.json("uninstall")
    assert "treering" not in (clone.path / ".git" / "config").read_text()


@pytest.mark.parametrize("way", ["init", "doctor", "sync"])
@pytest.mark.parametrize("prefix", ["refs/treering/clones", "refs/heads/treering"])
def test_what_an_earlier_version_wrote_is_put_right_for_every_remote(
    clone: Repo, way: str, prefix: str
):
    """Beside lines of the user's own, which stay; and for the place that was chosen."""
    clone.git("remote", "add", "backup", clone.git("config", "remote.origin.url"))
    clone.git("config", "treering.remoteprefix", prefix)
    clone.git("config", "--add", "remote.origin.fetch", "+refs/treering/*:refs/copy/*")
    for remote in ("origin", "backup"):
        line = f"+refs/treering/heads/*:refs/treering/remotes/{remote}/*"
        clone.git("config", "--add", f"remote.{remote}.fetch", line)
    command = {"init": ["init", "--no-hooks"], "doctor": ["doctor"], "sync": ["sync", "fetch"]}

    for _ in range(2):
        clone.cli(*command[way])

    for remote in ("origin", "backup"):
        lines = clone.git("config", "--get-all", f"remote.{remote}.fetch").splitlines()
        ours = [line for line in lines if ":refs/treering/" in line]
        assert ours == [f"+{prefix}/*:refs/treering/remotes/{remote}/clones/*"]
    lines = clone.git("config", "--get-all", "remote.origin.fetch").splitlines()
    assert "+refs/treering/*:refs/copy/*" in lines


def test_a_remote_without_a_refspec_stays_without(repo: Repo):
    """One refspec would be all a plain `git fetch` looked at, and a mirror has them all."""
    repo.git("config", "remote.bundle.url", "../x.bundle")
    repo.git("remote", "add", "--mirror=fetch", "mirror", "../y")

    done = repo.json("init", "--no-hooks")

    assert done["config"] == []
    assert [note.split()[0] for note in done["notes"]][:2] == ["bundle", "mirror"]


def test_git_log_does_not_name_our_refs(repo: Repo):
    """Where git would, they are excluded; where it would not, the key would show others."""
    repo.tr.remember("Use WAL mode")
    ref = "refs/treering/heads/main"
    repo.git("update-ref", "refs/other/x", "HEAD")

    plain = repo.json("init", "--no-hooks")["config"]
    repo.git("config", "log.initialDecorationSet", "all")
    all_of_them = repo.json("init", "--no-hooks")["config"]

    assert (plain, all_of_them) == ([], ["log.excludeDecoration=refs/treering/*"])
    shown = repo.git("log", "--decorate", "--format=%D", ref)
    assert "treering" not in shown
