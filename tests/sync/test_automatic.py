"""Memories that travel with the code, and clones that only read."""

import time
from pathlib import Path

from conftest import Repo, make_repo
from hooked import Hooked
from sync.conftest import HEADS, Team, own_ref, publish, remote_refs, remote_scopes
from treering.hooks import worker
from treering.hooks.worker import share_in_background

FETCH = "+refs/treering/clones/*:refs/treering/remotes/{0}/clones/*"


def refspecs(repo: Repo, remote: str = "origin") -> list[str]:
    return repo.git("config", "--get-all", f"remote.{remote}.fetch").splitlines()


def test_git_fetch_brings_memories_where_that_is_wanted(clone: Team) -> None:
    """And `fetch --prune` takes nothing that was not pushed yet."""
    ada, bob = clone("ada"), clone("bob")
    ada.tr.remember("Use WAL mode", type="decision")
    ada.tr.sync()
    bob.tr.config("sync", "true")
    bob.tr.sync()
    assert FETCH.format("origin") in refspecs(bob)
    bob.tr.remember("Not pushed yet", type="insight")
    publish(ada, "work", "On a branch")
    ada.tr.sync()

    bob.git("fetch", "-q", "--prune", "origin")

    assert bob.titles("work") == {"Use WAL mode", "Not pushed yet", "On a branch"}
    ahead = bob.tr.status()["sync"]
    assert ahead == {"remote": "origin", "ahead": 1, "behind": 0}


def test_nothing_is_configured_unless_asked_for(clone: Team) -> None:
    """But for the name of the clone and what the remote said, from the first sync on."""
    ada = clone("ada")
    ada.tr.remember("Use WAL mode", type="decision")
    before = ada.git("config", "--local", "--list").splitlines()

    for _ in range(2):
        ada.tr.sync()

        name = own_ref(ada).split("/")[3]
        now = set(ada.git("config", "--local", "--list").splitlines())
        said = f"remote.origin.treering={ada.git('config', 'remote.origin.treering')}"
        assert now == {*before, f"treering.clone={name}", said}


def test_doctor_knows_all_refs_of_those_who_share(clone: Team, origin: Path) -> None:
    """Heads, views, what was pushed and what was seen; and those a remote has itself."""
    ada, bob = clone("ada"), clone("bob")
    for repo in (ada, bob, ada):
        repo.tr.remember(f"known to {repo.path.name}", type="insight")
        repo.tr.sync()

    for repo in (ada, bob, Repo(origin)):
        findings = repo.tr.doctor(dry_run=True).findings

        assert [finding for finding in findings if finding.code == "foreign-ref"] == []


def test_a_renamed_remote_is_followed_by_sync_and_doctor(clone: Team) -> None:
    """git renames its own refspec and leaves ours."""
    ada = clone("ada")
    ada.tr.remember("Use WAL mode", type="decision")
    ada.tr.config("sync", "true")
    ada.tr.sync()
    ada.git("remote", "rename", "origin", "upstream")
    assert FETCH.format("upstream") not in refspecs(ada, "upstream")

    found = {finding.code for finding in ada.tr.doctor(dry_run=True).findings}
    ada.tr.doctor()

    assert "fetch-refspec" in found
    assert refspecs(ada, "upstream").count(FETCH.format("upstream")) == 1
    assert FETCH.format("origin") not in refspecs(ada, "upstream")
    ada.git("remote", "rename", "upstream", "origin")
    ada.tr.sync()
    assert [line for line in refspecs(ada) if "treering" in line] == [FETCH.format("origin")]
    ada.json("uninstall")
    assert [line for line in refspecs(ada) if "treering" in line] == []


def test_a_fresh_clone_reads_after_one_fetch(clone: Team) -> None:
    """As CI does: no local scope, no hooks, a detached HEAD."""
    ada = clone("ada")
    ada.tr.remember("Use WAL mode", type="decision")
    ada.switch("work", create=True).commit_file("work.txt")
    ada.tr.remember("On a branch", type="insight")
    ada.git("push", "-q", "origin", "work")
    ada.tr.sync()
    ci = clone("ci")
    ci.git("checkout", "-q", "--detach", "origin/work")

    ci.git("fetch", "-q", "origin", FETCH.format("origin").removeprefix("+"))

    assert ci.titles() == {"Use WAL mode", "On a branch"}  # the branch the remote has there
    found = ci.json("recall", "branch", "--branch", "work")["results"]
    assert [result["title"] for result in found] == ["On a branch"]
    lines = ci.cli("export", "--branch", "work").stdout.splitlines()
    assert len(lines) == 2
    assert ci.error("recall", "x", "--branch", "nobody")["code"] == "branch_not_found"
    assert [ref for ref in ci.refs() if ref.startswith(HEADS)] == []


def test_shallow_and_partial_clones_take_part(clone: Team, origin: Path, tmp_path: Path) -> None:
    """Memories come whole, whatever the code does."""
    server = Repo(origin)
    server.git("config", "uploadpack.allowFilter", "true")
    ada = clone("ada")
    ada.tr.remember("Use WAL mode", type="decision")
    ada.tr.sync()
    for name, option in (("shallow", "--depth=1"), ("partial", "--filter=blob:none")):
        ada.git("clone", "-q", option, origin.as_uri(), str(tmp_path / name))
        repo = Repo(tmp_path / name)
        repo.git("config", "user.name", name)
        repo.git("config", "user.email", f"{name}@example.org")

        repo.tr.sync()
        repo.tr.remember(f"from a {name} clone", type="insight")
        repo.tr.sync()

        assert "Use WAL mode" in repo.titles()
    ada.tr.sync()
    assert ada.titles() == {"Use WAL mode", "from a shallow clone", "from a partial clone"}


def test_a_bare_repository_and_one_without_commits_take_part(tmp_path: Path, clone: Team) -> None:
    ada = clone("ada")
    ada.tr.remember("Use WAL mode", type="decision")
    ada.tr.sync()
    url = ada.git("remote", "get-url", "origin")
    for name, options in (("bare", ("--bare",)), ("unborn", ())):
        repo = make_repo(tmp_path / name, *options)
        repo.git("remote", "add", "origin", url)

        repo.tr.sync()
        repo.tr.remember(f"from {name}", type="insight")
        repo.tr.sync()

        assert {"Use WAL mode", f"from {name}"} <= repo.titles()


def test_worktrees_of_one_repository_share_one_sync(clone: Team, tmp_path: Path) -> None:
    ada, bob = clone("ada"), clone("bob")
    ada.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    side = Repo(tmp_path / "side")
    side.now = ada.clock()
    side.commit_file("beside.txt")
    side.git("push", "-q", "-u", "origin", "side")
    side.tr.remember("From beside", type="insight")

    side.tr.sync()
    bob.tr.sync()

    assert bob.titles("side") == {"From beside"}


def test_pushing_in_the_background_asks_nobody_and_only_where_it_is_wanted(clone: Team) -> None:
    """From pre-push: the remote that was pushed to, unless memories have one of their own."""
    ada = clone("ada")
    ada.tr.remember("Use WAL mode", type="decision")

    assert share_in_background(ada.workspace, "origin") is None
    ada.tr.config("sync", "true")
    done = share_in_background(ada.workspace, "origin")

    assert done is not None
    assert (done.remote, done.pushed) == ("origin", 1)
    assert share_in_background(ada.workspace, "https://example.org/pushed/by/url.git") is not None


def test_a_remote_that_fetches_nothing_by_itself_is_left_so(repo: Repo, tmp_path: Path) -> None:
    """Our line alone would change what a plain `git fetch` does."""
    repo.git("init", "-q", "--bare", str(tmp_path / "o.git"))
    repo.git("config", "remote.origin.url", str(tmp_path / "o.git"))
    repo.tr.config("sync", "true")
    repo.tr.remember("Use WAL mode", type="decision")

    repo.tr.sync()

    assert "fetch =" not in (repo.path / ".git" / "config").read_text(encoding="utf-8")


def test_git_push_brings_memories_along_in_the_background(clone: Team) -> None:
    """Through the hook's own worker; without the setting nothing leaves."""
    ada, bob = clone("ada"), clone("bob")
    hooked = Hooked(ada.path / ".git").install()
    ada.tr.remember("Use WAL mode", type="decision")
    ada.commit_file("one.txt")
    ada.git("push", "-q", "origin", "main")
    hooked.settle()
    bob.tr.sync()
    assert bob.titles() == set()

    ada.tr.config("sync", "true")
    ada.commit_file("two.txt")
    ada.git("push", "-q", "origin", "main")
    hooked.settle()
    until = time.monotonic() + 60
    while not remote_refs(ada):
        assert time.monotonic() < until, hooked.log()
        time.sleep(0.05)

    bob.tr.sync()
    assert "Use WAL mode" in bob.titles()


def test_the_first_push_of_a_branch_shares_it_and_no_other(clone: Team, origin: Path) -> None:
    """The worker waits for the push to end: what pre-push names is not there yet."""
    ada = clone("ada")
    hooked = Hooked(ada.path / ".git").install()
    ada.tr.config("sync", "true")
    ada.switch("skunkworks", create=True).commit_file("s.txt")
    ada.tr.remember("The unannounced merger", type="decision")
    ada.switch("main").switch("feat", create=True).commit_file("f.txt")
    ada.tr.remember("Use WAL mode", type="decision")
    hook = origin / "hooks" / "update"
    hook.write_text("#!/bin/sh\ncase $1 in refs/heads/*) sleep 1 ;; esac\n", encoding="utf-8")
    hook.chmod(0o755)

    ada.git("push", "-q", "-u", "origin", "feat")
    hooked.settle()
    until = time.monotonic() + 60
    while "feat" not in remote_scopes(ada):
        assert time.monotonic() < until, hooked.log()
        time.sleep(0.05)

    assert remote_scopes(ada) == {"feat"}


def test_with_wait_memories_are_there_before_the_push_returns(clone: Team) -> None:
    """For machines that are thrown away."""
    ada = clone("ada")
    ada.json("init")
    ada.tr.config("sync", "wait")
    ada.switch("feat", create=True).commit_file("f.txt")
    ada.tr.remember("Use WAL mode", type="decision")

    ada.git("push", "-q", "-u", "origin", "feat")
    there = remote_scopes(ada)

    assert "feat" in there
    ada.tr.config("sync", "true")
    assert not (ada.path / ".git/hooks/reference-transaction").exists()


def test_another_reference_transaction_hook_is_left_alone(clone: Team) -> None:
    ada = clone("ada")
    hook = ada.path / ".git/hooks/reference-transaction"
    hook.write_text("#!/bin/sh\nexit 0\n", encoding="utf-8")
    hook.chmod(0o755)

    error = ada.error("config", "sync", "wait")

    assert error["code"] == "invalid"
    assert "sync --wait" in error["message"]
    assert hook.read_text(encoding="utf-8") == "#!/bin/sh\nexit 0\n"


def test_a_push_that_is_refused_shares_nothing(clone: Team, origin: Path, monkeypatch) -> None:
    ada = clone("ada")
    ada.tr.config("sync", "true")
    ada.switch("feat", create=True).commit_file("f.txt")
    ada.tr.remember("Use WAL mode", type="decision")
    monkeypatch.setattr(worker, "_PUSH_SECONDS", 0.2)
    head = ada.git("rev-parse", "feat")

    worker._share(ada.workspace, "full", {"refs/remotes/origin/feat": head})

    assert remote_refs(ada) == {}


def test_a_sync_can_wait_for_what_a_push_shares(clone: Team) -> None:
    """For machines that are thrown away."""
    ada = clone("ada")
    ada.tr.remember("Use WAL mode", type="decision")

    assert ada.json("sync", "--wait")["pushed"] == 1


def test_git_pull_brings_what_others_remembered_into_sight(clone: Team) -> None:
    """The line for `git fetch` brings it here, and somebody has to see it with ours. A merge sends
    nothing out."""
    ada, bob = clone("ada"), clone("bob")
    hooked = Hooked(ada.path / ".git").install()
    ada.tr.config("sync", "true")
    ada.tr.remember("Known to Ada", type="insight")
    bob.tr.remember("Use WAL mode", type="decision")
    bob.commit_file("b.txt")
    bob.git("push", "-q", "origin", "main")
    bob.tr.sync()

    ada.git("pull", "-q", "--ff-only")
    hooked.settle()
    until = time.monotonic() + 60
    while "Use WAL mode" not in ada.titles():
        assert time.monotonic() < until, hooked.log()
        time.sleep(0.05)

    assert own_ref(bob) in remote_refs(ada)
    assert len(remote_refs(ada)) == 1
