"""Memories shared through a remote, as two or three people do."""

from pathlib import Path

import pytest

from conftest import Repo
from sync.conftest import HEADS, VIEWS, Team, own_ref, publish, remote_refs, seen
from treering.errors import BlockedSecret, SyncRefused


def statuses(answer: object) -> dict[str, str]:
    return {line.branch: line.status for line in answer.scopes}  # type: ignore[attr-defined]


def test_what_one_remembers_the_other_knows(clone: Team) -> None:
    """The whole point."""
    ada, bob = clone("ada"), clone("bob")
    ada.tr.remember("Use WAL mode", type="decision")

    out = ada.tr.sync()
    back = bob.tr.sync()

    assert (statuses(out), out.pushed, out.fetched) == ({"main": "pushed"}, 1, 0)
    assert (statuses(back), back.pushed, back.fetched) == ({"main": "new"}, 0, 1)
    assert bob.titles() == {"Use WAL mode"}
    assert statuses(bob.tr.sync()) == {"main": "unchanged"}
    assert ada.tr.status()["sync"] == {"remote": "origin", "ahead": 0, "behind": 0}


def test_both_wrote_and_both_know(clone: Team) -> None:
    """Each says what it knows on its own; both see the same commit."""
    ada, bob = clone("ada"), clone("bob")
    ada.tr.remember("Use WAL mode", type="decision")
    ada.tr.sync()
    bob.tr.remember("Retry with jitter", type="pattern")

    merged = bob.tr.sync()
    ada.tr.sync()

    assert (statuses(merged), merged.merged, merged.pushed) == ({"main": "merged"}, 1, 1)
    assert seen(ada) == seen(bob)
    assert ada.refs()[HEADS + "main"] != bob.refs()[HEADS + "main"]
    assert ada.titles() == bob.titles() == {"Use WAL mode", "Retry with jitter"}


def test_two_clones_make_the_same_merge(clone: Team) -> None:
    """Else they would answer each other's merges for ever."""
    ada, bob = clone("ada"), clone("bob")
    memory = ada.tr.remember("Use WAL mode", type="decision").id
    ada.tr.sync()
    bob.tr.sync()
    ada.tr.revise(memory, tags_add=["one"])
    bob.tr.revise(memory, title="WAL")
    tips = [repo.refs()[HEADS + "main"] for repo in (ada, bob)]

    for repo in (ada, bob, ada):
        repo.tr.sync()

    assert seen(ada) == seen(bob)
    assert ada.git("log", "-1", "--format=%an <%ae> %cn %P", f"{VIEWS}main") == (
        f"treering <treering@invalid> treering {' '.join(sorted(tips))}"
    )
    assert ada.tr.read(memory).tags == ("one",)
    assert ada.tr.read(memory).title == "WAL"


def test_a_deletion_loses_to_an_edit_that_did_not_know_of_it(clone: Team) -> None:
    """And the answer says so."""
    ada, bob = clone("ada"), clone("bob")
    memory = ada.tr.remember("Use WAL mode", type="decision").id
    ada.tr.sync()
    bob.tr.sync()
    ada.tr.forget([memory])
    bob.tr.revise(memory, tags_add=["still true"])
    ada.tr.sync()

    answer = bob.tr.sync()
    ada.tr.sync()

    assert memory in (answer.scopes[0].notes or ("",))[0]
    for repo in (ada, bob):
        kept = repo.tr.read(memory)
        assert (kept.status, kept.tags) == ("needs-review", ("still true",))


def test_several_branches_go_at_once(clone: Team) -> None:
    """One connection; a branch nobody here has is read, and not made local."""
    ada, bob = clone("ada"), clone("bob")
    for branch in ("one", "two/three"):
        publish(ada.switch("main"), branch, f"learned on {branch}")

    assert set(statuses(ada.tr.sync()).values()) == {"pushed"}
    answer = bob.tr.sync()

    assert statuses(answer) == {"one": "new", "two/three": "new"}
    assert [ref for ref in bob.refs() if ref.startswith(HEADS)] == []
    assert bob.titles("two/three") == {"learned on two/three"}
    assert bob.titles() == set()


def test_the_first_write_makes_a_remote_scope_local(clone: Team) -> None:
    """On top of what is there."""
    ada, bob = clone("ada"), clone("bob")
    publish(ada, "work", "learned by Ada")
    ada.tr.sync()
    bob.git("fetch", "-q")
    bob.tr.sync()

    bob.tr.remember("learned by Bob", type="insight", branch="work")
    bob.tr.sync()
    ada.tr.sync()

    assert ada.titles("work") == {"learned by Ada", "learned by Bob"}


def test_what_a_teammate_wrote_at_code_not_yet_here_is_no_strangers(clone: Team) -> None:
    """Its commit is unknown here, which must not look like a name used again."""
    ada, bob = clone("ada"), clone("bob")
    ada.switch("work", create=True).commit_file("a.txt")
    ada.git("push", "-q", "origin", "work")
    bob.git("fetch", "-q")
    bob.switch("work")
    ada.commit_file("b.txt")
    ada.tr.remember("seen at b", type="insight")
    ada.tr.sync()

    bob.tr.sync()
    bob.tr.remember("seen at a", type="insight")
    bob.tr.gc()
    bob.tr.sync()

    assert bob.titles() == {"seen at a", "seen at b"}
    ada.git("push", "-q", "origin", "work")
    bob.git("fetch", "-q")
    assert bob.titles() == {"seen at a", "seen at b"}  # known now, and in the remote's branch


# --- refusals ------------------------------------------------------------------------------------


def test_without_a_remote_nothing_is_lost(repo: Repo) -> None:
    """A clear error, and everything still there."""
    repo.tr.remember("Use WAL mode", type="decision")

    assert repo.error("sync")["code"] == "sync_refused"
    assert repo.error("sync", "--remote", "nowhere")["code"] == "sync_refused"
    assert repo.titles() == {"Use WAL mode"}


@pytest.mark.parametrize(
    "url",
    [
        "/nowhere/at/all.git",
        "http://127.0.0.1:1/x.git",
        "ssh://127.0.0.1:1/x.git",
        "https://user:hunter2@127.0.0.1:1/x.git",
    ],
)
def test_a_dead_remote_is_refused_and_named(repo: Repo, url: str) -> None:
    """Offline is a state, not a fault; and no password is repeated."""
    repo.git("remote", "add", "origin", url)
    repo.tr.remember("Use WAL mode", type="decision")

    error = repo.error("sync")

    assert error["code"] == "sync_refused"
    assert "origin" in error["message"]
    assert "hunter2" not in error["message"]
    assert repo.titles() == {"Use WAL mode"}


def test_a_remote_that_takes_nothing_is_refused(clone: Team, origin: Path) -> None:
    """A hook on the server says no: what is here stays, and the next sync may succeed."""
    hook = origin / "hooks" / "pre-receive"
    hook.write_text("#!/bin/sh\necho no memories here >&2\nexit 1\n", encoding="utf-8")
    hook.chmod(0o755)
    ada = clone("ada")
    ada.tr.remember("Use WAL mode", type="decision")

    with pytest.raises(SyncRefused, match="main"):
        ada.tr.sync()

    hook.unlink()
    assert statuses(ada.tr.sync()) == {"main": "pushed"}


def test_a_credential_does_not_leave(clone: Team) -> None:
    """Not even one that was revised away: history would carry it. The rest goes all the same."""
    ada = clone("ada")
    token = "ghp_" + "a1B2c3D4e5" * 4
    memory = ada.tr.remember("A token", type="config").id
    ada.tr.revise(memory, content=f"The token is {token}", allow_secret=True)
    ada.tr.revise(memory, content="The token is in the vault")
    publish(ada, "clean", "Use WAL mode")

    with pytest.raises(BlockedSecret) as error:
        ada.tr.sync()

    assert memory in error.value.message
    assert "GitHub token" in error.value.message
    assert token not in error.value.message
    assert list(remote_refs(ada)) == [own_ref(ada, "clean")]
    assert statuses(ada.tr.sync(allow_secret=True))["main"] == "pushed"


def test_private_memories_keep_and_trash_stay(clone: Team) -> None:
    """Only what is under heads is in our refspecs."""
    ada = clone("ada")
    ada.tr.remember("my own", type="insight", private=True)
    ada.switch("gone", create=True).commit_file("x.txt")
    ada.tr.remember("thrown away", type="insight")
    ada.tr.gc()
    ada.switch("main").git("branch", "-q", "-D", "gone")
    ada.tr.gc()
    ada.tr.remember("shared", type="insight")

    ada.tr.sync()

    assert list(remote_refs(ada)) == [own_ref(ada)]
    assert any("/trash/" in ref for ref in ada.refs())


def test_plain_git_behaves_as_ever(clone: Team) -> None:
    """push, fetch --prune and clone neither carry nor lose memories."""
    ada = clone("ada")
    ada.tr.remember("Use WAL mode", type="decision")
    ada.tr.sync()
    before = ada.refs()
    ada.commit_file("x.txt")

    ada.git("push", "-q", "origin", "main")
    ada.git("fetch", "-q", "--prune", "origin")

    assert ada.refs() == before
    assert not any("treering" in ref for ref in clone("bob").git("for-each-ref").splitlines())


def test_a_dry_run_changes_nothing(clone: Team) -> None:
    ada, bob = clone("ada"), clone("bob")
    ada.tr.remember("Use WAL mode", type="decision")

    assert statuses(ada.tr.sync(dry_run=True)) == {"main": "pushed"}
    assert remote_refs(ada) == {}
    ada.tr.sync()
    assert statuses(bob.tr.sync(dry_run=True)) == {"main": "new"}
    assert bob.refs() == {}


def test_one_direction_only(clone: Team) -> None:
    ada, bob = clone("ada"), clone("bob")
    ada.tr.remember("Use WAL mode", type="decision")

    ada.tr.sync("fetch")
    assert remote_refs(ada) == {}
    ada.tr.sync("push")
    bob.tr.remember("Retry with jitter", type="pattern")
    bob.tr.sync("push")

    assert bob.titles() == {"Retry with jitter"}  # nothing of others is needed to say it
    assert len(remote_refs(ada)) == 2
    assert ada.titles() == {"Use WAL mode"}


def test_the_command_answers_in_the_contracts_words(clone: Team) -> None:
    ada = clone("ada")
    ada.cli("remember", "Use WAL mode")

    answer = ada.json("sync")

    assert answer["remote"] == "origin"
    assert answer["scopes"] == [{"branch": "main", "status": "pushed"}]
    assert (answer["fetched"], answer["pushed"], answer["merged"]) == (0, 1, 0)
    assert "nothing new" in ada.cli("sync").stdout


def test_memories_may_go_through_a_remote_of_their_own(clone: Team, tmp_path: Path) -> None:
    """A team may keep its code in public and its memories not."""
    ada = clone("ada")
    ada.git("init", "-q", "--bare", str(tmp_path / "memories.git"))
    ada.git("remote", "add", "memories", str(tmp_path / "memories.git"))
    ada.tr.config("remote", "memories")
    ada.tr.remember("Use WAL mode", type="decision")

    assert ada.tr.sync().remote == "memories"
    assert remote_refs(ada) == {}


def test_maintain_syncs_too(clone: Team) -> None:
    """A dry run until it is told: what leaves a machine cannot be called back."""
    ada = clone("ada")
    ada.tr.remember("Use WAL mode", type="decision")

    shown = ada.json("maintain", "sync", "--direction", "push")
    assert (shown["op"], shown["dry_run"], shown["pushed"]) == ("sync", True, 1)
    answer = ada.json("maintain", "sync", "--direction", "push", "--apply")

    assert (answer["op"], answer["dry_run"], answer["pushed"]) == ("sync", False, 1)
