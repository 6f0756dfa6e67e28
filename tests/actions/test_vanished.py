"""Every memory ref is gone: another tool rewrote the repository, or a fetch pruned a mirror."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import Repo
from treering.model.scope import HEADS, TRASH

FILTER_REPO = Path(sys.executable).with_name("git-filter-repo")
BOTH = {"Use WAL mode", "Threads are slow"}  # feat is seen with the trunk below it
DELETE = "git for-each-ref --format='delete %(refname)' refs/treering | git update-ref --stdin"


def shell(repo: Repo, command: str) -> None:
    env = os.environ | {"FILTER_BRANCH_SQUELCH_WARNING": "1"}
    subprocess.run(command, shell=True, cwd=repo.path, env=env, check=True, capture_output=True)


def filter_repo(repo: Repo, *arguments: str) -> None:
    command = [FILTER_REPO, *arguments, "--force"]
    subprocess.run(command, cwd=repo.path, check=True, capture_output=True)


@pytest.fixture
def shop(repo: Repo) -> Repo:
    """Memories on two branches and private ones; the index knows them all."""
    repo.commit_file("src/app.py")
    repo.tr.remember("Use WAL mode", type="decision")
    repo.tr.remember("Only for me", type="context", private=True)
    repo.switch("feat", create=True).commit_file("src/feat.py")
    repo.tr.remember("Threads are slow", type="insight")
    repo.tr.recall("threads")
    return repo


def vanished(repo: Repo, *arguments: str) -> list[dict[str, str]]:
    found = json.loads(repo.cli("doctor", *arguments, "--json").stdout)["findings"]
    return [finding for finding in found if finding["code"] == "memories-vanished"]


def test_a_repository_without_memories_misses_none(repo: Repo) -> None:
    assert vanished(repo) == []
    repo.tr.remember("Only for me", type="context", private=True)
    repo.tr.recall("me")
    assert vanished(repo) == []
    assert "vanished" not in repo.tr.status()["memories"]


def test_status_says_in_a_line_that_memories_vanished(shop: Repo) -> None:
    shell(shop, DELETE)

    assert shop.tr.status()["memories"]["vanished"] == 2
    assert "2 memories vanished with their refs: run `treering doctor`" in shop.cli("status").stdout


def test_memories_that_were_never_searched_are_missed_too(repo: Repo) -> None:
    """A capture leaves a trace of its own beside the index."""
    repo.tr.remember("Use WAL mode", type="decision")
    shell(repo, DELETE)

    assert repo.tr.status()["memories"]["vanished"] == 1


def test_doctor_brings_back_what_git_still_has(shop: Repo) -> None:
    before = shop.refs()
    shell(shop, DELETE)

    looked = vanished(shop, "--dry-run")
    assert (looked[0]["severity"], looked[0]["fixed"]) == ("error", False)
    assert "treering doctor" in looked[0]["fix"]
    assert shop.refs() == {}

    assert vanished(shop)[0]["fixed"] is True
    assert shop.refs() == before
    assert shop.titles() == BOTH
    assert shop.titles("main") == {"Use WAL mode"}
    assert vanished(shop) == []


def test_memories_of_a_branch_that_is_gone_come_back_to_the_trash(shop: Repo) -> None:
    """They may have been purged on purpose: nothing of them is shared unless somebody wants it."""
    shop.switch("main").git("branch", "-q", "-D", "feat")
    shell(shop, DELETE)

    shop.tr.doctor()

    assert [name.rpartition("/")[0] for name in shop.refs()] == [HEADS[:-1], TRASH + "feat"]
    shop.tr.restore("feat")
    assert shop.titles("feat") == BOTH


def test_memories_of_a_detached_commit_come_back_to_it(shop: Repo) -> None:
    shop.git("checkout", "-q", "--detach")
    shop.commit_file("src/aside.py")
    shop.tr.remember("Seen while bisecting", type="insight")
    before = shop.refs()
    shell(shop, DELETE)

    shop.tr.doctor()

    assert shop.refs() == before
    assert any("%40" in name for name in before)


def test_two_ends_of_a_branch_are_both_kept(shop: Repo) -> None:
    """The newer is the branch's; the other waits in the trash."""
    first = shop.refs()[HEADS + "feat"]
    shop.tr.remember("One end", type="insight")
    shop.git("update-ref", HEADS + "feat", first)
    shop.tr.remember("Another end", type="insight")
    shell(shop, DELETE)

    shop.tr.doctor()

    assert shop.titles() == {*BOTH, "Another end"}
    shop.tr.restore("feat")
    assert shop.titles() == {*BOTH, "Another end", "One end"}


def test_a_history_that_is_damaged_keeps_no_other_from_coming_back(shop: Repo) -> None:
    first = shop.refs()[HEADS + "feat"]
    shop.tr.remember("Damaged", type="insight")
    tree = shop.git("rev-parse", f"{HEADS}feat^{{tree}}")
    shop.git("update-ref", HEADS + "feat", first)
    shop.tr.remember("Another end", type="insight")
    shell(shop, DELETE)
    (shop.path / ".git" / "objects" / tree[:2] / tree[2:]).unlink()

    shop.tr.doctor()

    assert shop.titles() == {*BOTH, "Another end"}
    assert len(shop.refs()) == 2


def test_a_redacted_text_does_not_come_back(shop: Repo) -> None:
    """Its objects lie about until git prunes them, and look like any other lost memory."""
    secret = shop.tr.remember("The spare key is under the pot", type="context").id
    shop.tr.redact(secret)
    shop.tr.recall("threads")
    shell(shop, DELETE)

    shop.tr.doctor()

    assert shop.titles() == BOTH
    assert "spare key" not in shop.git("log", "-p", "--all")


def test_what_was_purged_is_not_missed(repo: Repo) -> None:
    """An empty store by choice: neither status nor doctor talks of it, nor brings it back."""
    repo.switch("idea", create=True).commit_file("idea.py")
    repo.tr.remember("Threads are slow", type="insight")
    repo.tr.recall("threads")
    repo.switch("main").git("branch", "-q", "-D", "idea")
    repo.tr.gc(purge=True, older_than="0d")

    assert repo.refs() == {}
    assert "vanished" not in repo.tr.status()["memories"]
    assert vanished(repo) == []


def test_a_lost_commit_with_a_hostile_name_is_passed_over(shop: Repo) -> None:
    """Anyone who may push objects may leave such commits about."""
    tip = shop.refs()[HEADS + "feat"]
    for name in ("../../heads/main", "a..b", "x.lock", "", "a\x01b"):
        text = f"remember\n\nTreering-Op: remember\nCode-Branch: {name}\n"
        shop.git("commit-tree", f"{tip}^{{tree}}", "-m", text)
    before = shop.refs()
    shell(shop, DELETE)

    shop.tr.doctor()

    assert shop.refs() == before


def test_filter_repo_is_named_where_it_left_nothing(shop: Repo) -> None:
    """It deletes every ref whose commits it emptied, then prunes: only others still have them."""
    filter_repo(shop, "--path", "src")

    found = vanished(shop)

    assert shop.refs() == {}
    assert "git filter-repo" in found[0]["message"]
    assert found[0]["fixed"] is False
    assert "treering import" in found[0]["fix"]
    assert shop.titles("main") == set()
    assert {memory["title"] for memory in shop.tr.exported(private=True, branch="main")} == {
        "Only for me"
    }


def test_filter_repo_leaves_memories_alone_when_told_which_refs_to_rewrite(shop: Repo) -> None:
    before = shop.refs()

    filter_repo(shop, "--path", "src", "--refs", "main", "feat")

    assert shop.refs() == before
    assert vanished(shop) == []


def test_what_was_exported_before_filter_repo_is_imported_after_it(shop: Repo) -> None:
    exported = shop.cli("export", "--all").stdout
    filter_repo(shop, "--path", "src")
    (shop.path / "memories.jsonl").write_text(exported)

    shop.json("import", "memories.jsonl")

    assert shop.titles("main") == {"Use WAL mode"}
    assert shop.titles("feat") == BOTH
    assert vanished(shop) == []


def test_what_was_shared_before_filter_repo_is_fetched_after_it(shop: Repo) -> None:
    """filter-repo removes the remote as well."""
    origin = shop.path.parent / "origin.git"
    shop.git("init", "-q", "--bare", str(origin))
    shop.git("remote", "add", "origin", str(origin))
    shop.git("push", "-q", "origin", "--all")
    shop.tr.sync()
    filter_repo(shop, "--path", "src")
    shop.git("remote", "add", "origin", str(origin))
    shop.git("push", "-q", "--force", "origin", "--all")

    shop.tr.sync()

    assert shop.titles("main") == {"Use WAL mode"}
    assert shop.titles("feat") == BOTH
    assert vanished(shop) == []


def test_what_was_remembered_before_the_fetch_is_seen_with_what_it_brings(shop: Repo) -> None:
    """Also what was shared before: by then this clone's name there counts as somebody else's."""
    origin = shop.path.parent / "origin.git"
    shop.git("init", "-q", "--bare", str(origin))
    shop.git("remote", "add", "origin", str(origin))
    shop.git("push", "-q", "origin", "--all")
    shop.tr.sync()
    filter_repo(shop, "--path", "src")
    shop.git("remote", "add", "origin", str(origin))
    shop.git("push", "-q", "--force", "origin", "--all")
    shop.tr.remember("Processes are fast", type="insight")

    shop.tr.sync()
    shop.tr.sync()

    assert shop.titles("feat") == {*BOTH, "Processes are fast"}
    assert vanished(shop) == []


def test_doctor_brings_back_what_filter_branch_emptied(shop: Repo) -> None:
    """A usual way to keep one folder; the old commits stay under refs/original."""
    keep = "git read-tree --empty; git reset -q $GIT_COMMIT -- src"
    shell(shop, f"git filter-branch -f --prune-empty --index-filter '{keep}' -- --all")
    assert shop.refs() == {}

    shop.tr.doctor()

    assert shop.titles() == BOTH
    assert shop.titles("main") == {"Use WAL mode"}


def test_doctor_brings_back_what_a_mirror_pruned(shop: Repo) -> None:
    """`git fetch --prune` into refs/* deletes every ref the other side has not."""
    origin = shop.path.parent / "origin.git"
    shell(shop, f"git clone -q --bare . {origin}")
    mirror = Repo(shop.path.parent / "mirror.git")
    shell(shop, f"git clone -q --mirror . {mirror.path}")
    mirror.tr.recall("threads", branch="feat")
    mirror.git("fetch", "-q", "--prune", str(origin), "+refs/*:refs/*")
    assert mirror.refs() == {}

    mirror.tr.doctor()

    assert mirror.titles("feat") == BOTH
