"""A remote is a set of heads: every clone says what it knows on refs of its own."""

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from conftest import Repo
from sync.conftest import (
    CLONES,
    HEADS,
    Clone,
    Team,
    let_months_pass,
    own_ref,
    publish,
    remote_refs,
    remote_scopes,
    seen,
    write_to,
)
from treering.errors import SyncRefused
from treering.git import process
from treering.git.remote import Remote

PUSHED = "refs/treering/pushed/origin/"


def clone_id(repo: Repo) -> str:
    return repo.git("config", "--local", "treering.clone")


def copy(repo: Clone, name: str) -> Clone:
    """`cp -r` of a clone, as an image of a machine is."""
    path = repo.path.parent / name
    shutil.copytree(repo.path, path, symlinks=True)
    return Clone(path, repo._clock)


def note_questions(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """What git is asked from now on, each time it is started: the command and its arguments."""
    asked: list[list[str]] = []
    ask = process.ask

    def note(git_dir: Path, *words: str, **options: Any) -> process.ProcessResult:
        asked.append(list(process._split(words)[1]))
        return ask(git_dir, *words, **options)

    monkeypatch.setattr(process, "ask", note)
    return asked


# --- many clones, no contention ------------------------------------------------------------------


def test_one_push_each_none_refused_and_two_rounds_make_all_equal(
    clone: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever comes last sees all in the first round, all others in the second."""
    pushes: list[int] = []
    push = Remote._push

    def count(self: Remote, *arguments: object) -> object:
        results = push(self, *arguments)  # type: ignore[arg-type]
        pushes.append(sum(not result.is_done for result in results))
        return results

    monkeypatch.setattr(Remote, "_push", count)
    team = [clone(f"p{number}") for number in range(6)]
    for number, repo in enumerate(team):
        repo.tr.remember(f"fact {number}", type="insight")

    for repo in team:
        repo.tr.sync()
    assert pushes == [0] * 6
    for repo in team:
        repo.tr.sync()

    assert pushes == [0] * 6
    assert len({seen(repo) for repo in team}) == 1
    assert team[0].titles() == {f"fact {number}" for number in range(6)}
    assert len(remote_refs(team[0])) == 6


def test_a_new_memory_goes_on_our_own_head_alone(clone: Team) -> None:
    """Sixty clones would else carry each other's trees along with every memory."""
    ada, bob = clone("ada"), clone("bob")
    ada.tr.remember("one", type="insight")
    ada.tr.sync()
    bob.tr.sync()

    bob.tr.remember("two", type="insight")
    bob.tr.sync()

    assert bob.git("rev-list", "--count", f"{HEADS}main") == "1"
    assert bob.titles() == {"one", "two"}


def test_a_change_of_what_others_brought_knows_it(clone: Team) -> None:
    ada, bob = clone("ada"), clone("bob")
    memory = ada.tr.remember("Use WAL mode", type="decision").id
    ada.tr.sync()
    bob.tr.sync()

    bob.tr.revise(memory, tags_add=["sqlite"])
    bob.tr.sync()
    ada.tr.sync()

    assert ada.tr.read(memory).tags == ("sqlite",)
    ada.git("merge-base", "--is-ancestor", f"{HEADS}main", seen(ada) or "")


def test_nothing_to_do_is_one_question(clone: Team, monkeypatch: pytest.MonkeyPatch) -> None:
    ada, bob = clone("ada"), clone("bob")
    for repo in (ada, bob):
        repo.tr.remember(f"by {repo.path.name}", type="insight")
        repo.tr.sync()
    for repo in (ada, bob):
        repo.tr.sync()
    asked = note_questions(monkeypatch)

    ada.tr.sync()

    assert [words[0] for words in asked] == ["ls-remote"]


@pytest.mark.parametrize("is_new", [True, False])
def test_hearing_more_heads_starts_git_no_more_often(
    clone: Team, monkeypatch: pytest.MonkeyPatch, is_new: bool
) -> None:
    """Each process costs more than a head, whether it is new or said something more."""
    bob, cleo = clone("bob"), clone("cleo")
    people = [clone(f"p{number}") for number in range(9)]
    for number, person in enumerate(people):
        person.tr.remember(f"fact {number}", type="insight")
    if not is_new:
        for person in people:
            person.tr.sync("push")
        for listener in (bob, cleo):
            listener.tr.sync()
        for number, person in enumerate(people):
            person.tr.remember(f"more {number}", type="insight")
    for person in people[:3]:
        person.tr.sync("push")
    asked = note_questions(monkeypatch)

    bob.tr.sync()
    few = [words[0] for words in asked]
    for person in people[3:]:
        person.tr.sync("push")
    asked.clear()
    cleo.tr.sync()

    assert [words[0] for words in asked] == few
    assert len(cleo.titles()) == (9 if is_new else 18)


def test_a_name_for_all_of_a_users_repositories_is_none(clone: Team, tmp_path: Path) -> None:
    """Not even where the repository's own file takes in another: all would push to one ref."""
    shared = tmp_path / "shared"
    shared.write_text("[treering]\n\tclone = abcdefabcdef\n", encoding="utf-8")
    ada = clone("ada")
    ada.git("config", "include.path", str(shared))
    ada.tr.remember("one", type="insight")

    ada.tr.sync()

    assert clone_id(ada) != "abcdefabcdef"
    assert list(remote_refs(ada)) == [f"{CLONES}{clone_id(ada)}/main"]


# --- copies, lost answers, wiped remotes ---------------------------------------------------------


def test_a_copied_clone_takes_a_name_of_its_own(clone: Team) -> None:
    ada = clone("ada")
    ada.tr.remember("before", type="insight")
    ada.tr.sync()
    twin = copy(ada, "twin")
    twin.tr.remember("of the copy", type="insight")
    ada.tr.remember("of the first", type="insight")
    ada.git(
        "config",
        "--add",
        "remote.origin.fetch",
        f"+{CLONES}*:refs/treering/remotes/origin/clones/*",
    )

    twin.tr.sync()
    ada.git("fetch", "-q")  # an editor, or a hook
    ada.tr.sync()
    twin.tr.sync()

    assert clone_id(ada) != clone_id(twin)
    assert ada.titles() == twin.titles() == {"before", "of the copy", "of the first"}
    assert seen(ada) == seen(twin)
    fresh = clone("fresh")
    fresh.tr.sync()
    assert fresh.titles() == ada.titles()


def test_a_lost_answer_is_no_copy(clone: Team) -> None:
    """The push went through, and we were killed before we knew."""
    ada = clone("ada")
    ada.tr.remember("one", type="insight")
    ada.tr.sync()
    name = clone_id(ada)
    before = ada.refs()[f"{PUSHED}main"]
    ada.tr.remember("two", type="insight")
    ada.tr.sync()
    ada.git("update-ref", f"{PUSHED}main", before)
    ada.tr.remember("three", type="insight")

    ada.tr.sync()

    assert clone_id(ada) == name
    assert len(remote_refs(ada)) == 1


def test_what_a_dead_clone_said_survives_a_wiped_remote(clone: Team, origin: Path) -> None:
    """A mirror push took everyone's heads: whoever saw them says them again."""
    dead, ada = clone("dead"), clone("ada")
    dead.tr.remember("on main", type="insight")
    publish(dead, "work", "on work")
    dead.tr.sync()
    ada.tr.sync()
    shutil.rmtree(dead.path)
    bare = origin.parent / "bare.git"
    subprocess.run(["git", "clone", "-q", "--bare", str(origin), str(bare)], check=True)
    Repo(bare).git("push", "-q", "--mirror", str(origin))
    assert remote_refs(ada) == {}

    ada.tr.sync()

    fresh = clone("fresh")
    fresh.tr.sync()
    assert fresh.titles() == {"on main"}
    assert fresh.titles("work") == {"on main", "on work"}
    assert set(remote_refs(ada)) == {own_ref(ada), own_ref(ada, "work")}
    ada.tr.sync()
    assert len(remote_refs(ada)) == 2


def test_what_a_remote_was_given_on_purpose_is_not_judged_again(clone: Team, origin: Path) -> None:
    """Else nobody could say it again once the one who allowed it is gone."""
    dead, ada = clone("dead"), clone("ada")
    token = "ghp_" + "a1B2c3D4e5" * 4
    dead.tr.remember(f"The example token is {token}", type="config", allow_secret=True)
    dead.tr.sync(allow_secret=True)
    ada.tr.sync()
    for ref in remote_refs(ada):
        write_to(ada, "", ref)

    ada.tr.sync()

    assert list(remote_refs(ada)) == [own_ref(ada)]


def test_a_head_that_was_put_back_to_an_old_state_loses_nothing(clone: Team) -> None:
    """A server restored from yesterday's backup."""
    ada, bob = clone("ada"), clone("bob")
    ada.tr.remember("old", type="insight")
    ada.tr.sync()
    old = remote_refs(ada)[own_ref(ada)]
    ada.tr.remember("new", type="insight")
    ada.tr.sync()
    bob.tr.sync()
    bob.git("push", "-q", "--force", "origin", f"{old}:{own_ref(ada)}")

    bob.tr.sync()

    assert bob.titles() == {"old", "new"}
    fresh = clone("fresh")
    fresh.tr.sync()
    assert fresh.titles() == {"old", "new"}


@pytest.mark.parametrize("branch", ["main", "feat"])
def test_a_view_that_was_lost_is_made_again(clone: Team, branch: str) -> None:
    """It is written without a sync: a power cut may leave the ref alone."""
    ada, bob = clone("ada"), clone("bob")
    if branch != "main":
        ada.switch(branch, create=True).commit_file("a.txt")
        ada.git("push", "-q", "-u", "origin", branch)
        bob.git("fetch", "-q")
        bob.switch(branch)
    ada.tr.remember("of Ada", type="insight")
    ada.tr.sync()
    bob.tr.remember("of Bob", type="insight")
    bob.tr.sync()
    view = seen(bob, branch) or ""
    (bob.path / ".git" / "objects" / view[:2] / view[2:]).unlink()

    assert bob.titles() == {"of Ada", "of Bob"}
    bob.tr.remember("more", type="insight")
    assert bob.titles() == {"of Ada", "of Bob", "more"}
    bob.tr.sync()
    ada.tr.sync()
    assert seen(ada, branch) == seen(bob, branch)


def test_a_join_alone_is_no_reason_to_push(clone: Team, origin: Path) -> None:
    """All of it is there already: who answers others with joins is answered with joins."""
    for number in range(4):
        agent = clone(f"agent{number}")
        agent.tr.remember(f"by agent {number}", type="insight")
        agent.tr.sync()
    ada = clone("ada")
    ada.tr.sync()
    before = ada._clock.ticks
    hook = origin / "hooks" / "update"
    hook.write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    hook.chmod(0o755)
    let_months_pass(ada)
    ada.tr.sync()  # which wants to fold
    hook.unlink()
    ada._clock.ticks = before
    assert ada.refs()[f"{HEADS}main"] == seen(ada)

    ada.tr.sync()

    assert own_ref(ada) not in remote_refs(ada)
    assert len(remote_refs(ada)) == 4


# --- others --------------------------------------------------------------------------------------


def test_a_host_that_takes_branches_only_gets_another_place(clone: Team, origin: Path) -> None:
    Repo(origin).git("config", "transfer.hideRefs", "refs/treering")
    ada, bob = clone("ada"), clone("bob")
    ada.tr.remember("Use WAL mode", type="decision")

    with pytest.raises(SyncRefused) as error:
        ada.tr.sync()
    assert "treering.remoteprefix" in error.value.hint
    for repo in (ada, bob):
        repo.git("config", "treering.remoteprefix", "refs/heads/treering")
        repo.tr.sync()

    assert bob.titles() == {"Use WAL mode"}
    assert "treering" not in str(bob.tr.status()["branches"])


@pytest.mark.parametrize("prefix", ["treering", "refs/..", "refs/a b"])
def test_a_place_that_is_none_is_refused(clone: Team, prefix: str) -> None:
    ada = clone("ada")
    ada.git("config", "treering.remoteprefix", prefix)

    assert ada.error("sync")["code"] == "invalid"


def test_several_remotes_each_get_what_they_lack(clone: Team, tmp_path: Path) -> None:
    """A fork and its source: what was seen at one is said at the other."""
    ada, bob = clone("ada"), clone("bob")
    fork = tmp_path / "fork.git"
    ada.git("init", "-q", "--bare", str(fork))
    ada.git("remote", "add", "fork", str(fork))
    ada.git("push", "-q", "fork", "main")
    bob.tr.remember("by Bob", type="insight")
    bob.tr.sync()
    ada.tr.remember("by Ada", type="insight")
    ada.tr.sync()

    ada.tr.sync(remote="fork")

    assert set(remote_refs(ada, "fork")) == {own_ref(ada)}
    reader = clone("reader")
    reader.git("remote", "set-url", "origin", str(fork))
    reader.tr.sync()
    assert reader.titles() == {"by Ada", "by Bob"}


def test_a_remote_that_may_only_be_read_is_read(clone: Team, origin: Path) -> None:
    ada, bob = clone("ada"), clone("bob")
    ada.tr.remember("by Ada", type="insight")
    ada.tr.sync()
    hook = origin / "hooks" / "pre-receive"
    hook.write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    hook.chmod(0o755)

    assert bob.tr.sync().fetched == 1  # nothing to say, nothing refused
    bob.tr.remember("by Bob", type="insight")
    with pytest.raises(SyncRefused):
        bob.tr.sync()
    assert bob.titles() == {"by Ada", "by Bob"}


# --- what is not ours ----------------------------------------------------------------------------


def test_a_prune_forgets_no_head_of_a_branch_that_is_not_here(clone: Team) -> None:
    """The remote was wiped, and `git fetch --prune` came before the next sync."""
    dead, ada = clone("dead"), clone("ada")
    publish(dead, "work", "on work")
    dead.tr.sync()
    ada.tr.sync()
    shutil.rmtree(dead.path)
    for ref in remote_refs(ada):
        ada.git("push", "-q", "origin", f":{ref}")
    line = f"+{CLONES}*:refs/treering/remotes/origin/clones/*"
    ada.git("fetch", "-q", "--prune", "origin", line)
    assert not [ref for ref in ada.refs() if "/clones/" in ref]

    ada.tr.sync()

    fresh = clone("fresh")
    fresh.tr.sync()
    assert fresh.titles("work") == {"on work"}
    ada.tr.sync()
    assert set(remote_refs(ada)) == {own_ref(ada, "work")}
    assert not ada.json("doctor")["findings"]


def test_what_is_kept_of_others_holds_no_text_that_was_redacted(clone: Team) -> None:
    ann, ada = clone("ann"), clone("ada")
    ann.tr.remember("on main", type="insight")
    publish(ann, "work", "a word too many")
    memory = ann.tr.recall("word").results[0].id
    ann.tr.sync()
    ada.tr.sync()
    ann.tr.redact(memory)
    ann.tr.sync()

    ada.tr.sync()

    text = ada.git("log", "-p", "--glob=refs/treering/seen", "--glob=refs/treering/remotes", "--")
    assert "a word too many" not in text


def test_one_work_of_two_people_is_one_for_who_has_neither(clone: Team) -> None:
    """Their memories share no commit, their code does."""
    ann, ben, ada = clone("ann"), clone("ben"), clone("ada")
    publish(ann, "wip", "of Ann")
    ben.git("fetch", "-q")
    ben.switch("wip").tr.remember("of Ben", type="insight")
    for repo in (ann, ben):
        repo.tr.sync("push")
    ada.git("fetch", "-q")

    ada.tr.sync()

    assert ada.titles("wip") == {"of Ann", "of Ben"}


def test_a_branch_that_lives_on_is_seen_alike_though_one_promoted_first(clone: Team) -> None:
    """Ada's whole head was promoted before she ever pushed it."""
    ada, bob = clone("ada"), clone("bob")
    publish(ada, "work", "of Ada")
    bob.git("fetch", "-q")
    bob.switch("work").tr.remember("of Bob", type="insight")
    ada.switch("main").git("merge", "-q", "--no-edit", "work")
    ada.tr.gc()
    ada.switch("work")

    for repo in (ada, bob, ada, bob):
        repo.tr.sync()

    assert seen(ada, "work") == seen(bob, "work")
    assert seen(ada) == seen(bob)


def test_what_landed_is_not_pushed_again_by_who_still_has_the_branch(clone: Team) -> None:
    """Most people keep branches that landed: their clones would say its head again each time that
    someone takes it away, and take it away themselves."""
    ada, bob = clone("ada"), clone("bob")
    publish(ada, "work", "of Ada")
    ada.tr.sync()
    bob.git("fetch", "-q")
    bob.switch("work").tr.sync()
    ada.switch("main").git("merge", "-q", "--no-edit", "work")
    ada.git("push", "-q", "origin", "main", ":work")
    ada.git("branch", "-q", "-D", "work")
    ada.tr.gc()
    ada.tr.sync()
    assert remote_scopes(ada) == {"main"}
    bob.git("fetch", "-q", "--prune")

    for _ in range(3):
        bob.tr.sync()
        assert remote_scopes(ada) == {"main"}
        ada.tr.sync()

    assert bob.titles("main") == {"of Ada"}
    assert bob.titles("work") == {"of Ada"}
