"""Absence is not a deletion: a teammate who leaves memories out of a tree takes nothing away."""

import pytest

from conftest import Repo
from sync.conftest import (
    CLONES,
    HEADS,
    Aim,
    Team,
    own_ref,
    publish,
    remote_refs,
    seen,
    seen_scopes,
    write_to,
)

MAIN = f"{HEADS}main"
EMPTY = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"


def known(repo: Repo, count: int = 4) -> set[str]:
    titles = {f"thought {number}" for number in range(count)}
    for title in titles:
        repo.tr.remember(title, type="insight")
    repo.tr.prompts("save", name="review", content="Look at tests.")
    repo.tr.sync()
    return titles


def leave_out(
    repo: Repo, of: str, tree: str = EMPTY, op: str = "forget", onto: str = "", on: str = ""
) -> str:
    """One commit on top of a ref of the remote, with what is left of the tree; pushed as git would,
    to the same ref or to another."""
    repo.git("fetch", "-q", "origin", f"+{of}:refs/theirs")
    repo.git("hash-object", "-t", "tree", "-w", "/dev/null")
    parents = [word for parent in on.split() or ["refs/theirs"] for word in ("-p", parent)]
    repo.clock()
    said = f"forget 4 memories\n\nTreering-Op: {op}\nCode-Branch: main"
    made = repo.git("commit-tree", tree, *parents, "-m", said)
    write_to(repo, made, onto or of)
    return made


def prompts(repo: Repo) -> set[str]:
    listed = repo.tr.prompts("list", domain="project")["prompts"]
    return {prompt["name"] for prompt in listed}


def test_an_empty_tree_takes_nothing_away_and_its_author_is_named(clone: Team, aim: Aim) -> None:
    """One fast-forward commit; by sync, status and doctor, on which branch, and how many."""
    ada, mallory = clone("ada"), clone("mallory")
    titles = known(ada)
    bad = leave_out(mallory, own_ref(ada), onto=aim(ada))

    line = ada.tr.sync().scopes[0]

    assert ada.titles() == titles
    assert prompts(ada) == {"review"}
    assert {r.title for r in ada.tr.recall("thought").results} == titles
    told = " ".join(line.notes or ())
    assert "Mallory" in told
    assert bad[:12] in told
    assert "5" in told
    kept = ada.tr.status()["sync"]["kept"]
    assert [(k["branch"], k["files"], k["commit"]) for k in kept] == [("main", 5, bad)]
    assert kept[0]["author"].startswith("Mallory")
    said = [f.message for f in ada.tr.doctor(dry_run=True).findings if f.code == "kept"]
    assert any("Mallory" in message and "main" in message for message in said)


def test_what_a_plain_fetch_brought_is_looked_at_too(clone: Team, aim: Aim) -> None:
    """After `treering init --sync` any `git fetch` brings heads, and nobody looks at them then."""
    ada, mallory, bob = clone("ada"), clone("mallory"), clone("bob")
    titles = known(ada)
    bob.tr.sync()
    leave_out(mallory, own_ref(ada), onto=aim(ada))
    for repo in (ada, bob):
        repo.git("fetch", "-q", "origin", f"+{CLONES}*:refs/treering/remotes/origin/clones/*")

    for repo in (ada, bob):
        repo.tr.sync()

        assert repo.titles() == titles
        assert prompts(repo) == {"review"}


def test_some_left_out_come_back_as_they_last_were(clone: Team, aim: Aim) -> None:
    """Also what was changed between our last sync and the commit that leaves it out."""
    ada, mallory, bob = clone("ada"), clone("mallory"), clone("bob")
    titles = known(ada)
    bob.tr.sync()
    memory = bob.tr.recall("thought 1").results[0].id
    bob.tr.revise(memory, append="Seen on xfs.")
    new = bob.tr.remember("by Bob", type="insight")
    bob.tr.sync()
    mallory.git("fetch", "-q", "origin", f"{own_ref(bob)}:refs/theirs")
    shard = mallory.git("ls-tree", "refs/theirs:memories").splitlines()[-1]
    some = mallory.git("mktree", feed=f"{shard}\n")
    left = mallory.git("mktree", feed=f"040000 tree {some}\tmemories\n")
    leave_out(mallory, own_ref(bob), left, onto=aim(bob))

    ada.tr.sync()

    assert ada.titles() == titles | {"by Bob"}
    assert "xfs" in ada.tr.read(memory).content
    assert ada.tr.read(new.id).content == "by Bob"


def test_a_clone_that_never_had_the_scope_sees_all_of_it(clone: Team, aim: Aim) -> None:
    """The history it fetches has the vanishing in it, with honest work on top."""
    ada, mallory = clone("ada"), clone("mallory")
    titles = known(ada)
    leave_out(mallory, own_ref(ada))
    mallory.git("fetch", "-q", "origin", f"+{own_ref(ada)}:{MAIN}")
    mallory.tr.remember("an honest word", type="insight")
    write_to(mallory, MAIN, aim(ada))
    bob = clone("bob")

    answer = bob.tr.sync()

    assert bob.titles() == titles | {"an honest word"}
    assert prompts(bob) == {"review"}
    assert "Mallory" in " ".join(answer.scopes[0].notes or ())
    ada.tr.sync()
    assert ada.titles() == bob.titles()


def test_two_clones_that_put_back_at_once_agree(clone: Team, aim: Aim) -> None:
    """The same range gives the same commit; and all come to rest whatever the order."""
    ada, bob, cyd, mallory = clone("ada"), clone("bob"), clone("cyd"), clone("mallory")
    titles = known(ada)
    bob.tr.sync()
    cyd.tr.sync()
    cyd.tr.remember("not yet pushed", type="insight")
    leave_out(mallory, own_ref(ada), onto=aim(ada))

    ada.tr.sync("fetch")
    bob.tr.sync("fetch")
    assert seen(ada) == seen(bob)
    for repo in (cyd, ada, bob, cyd, ada, bob):
        repo.tr.sync()

    assert seen(ada) == seen(bob) == seen(cyd)
    assert ada.titles() == titles | {"not yet pushed"}


def test_who_repeats_it_does_not_win(clone: Team, aim: Aim) -> None:
    """Each day another empty tree, and someone works on."""
    ada, mallory = clone("ada"), clone("mallory")
    titles = known(ada)
    for day in range(3):
        leave_out(mallory, own_ref(ada), onto=aim(ada))
        ada.tr.sync()
        ada.tr.remember(f"day {day}", type="insight")
        ada.tr.sync()
        titles.add(f"day {day}")

        assert ada.titles() == titles
    bob = clone("bob")
    bob.tr.sync()
    assert bob.titles() == titles


@pytest.mark.parametrize("op", ["sync", "promote", "keep"])
def test_a_vanishing_inside_a_merge_counts(clone: Team, aim: Aim, op: str) -> None:
    """A merge of two honest tips whose tree has neither's memories; also as a promotion."""
    ada, mallory, bob = clone("ada"), clone("mallory"), clone("bob")
    titles = known(ada)
    mallory.tr.sync()
    side = mallory.git("commit-tree", EMPTY, "-m", "x\n\nTreering-Op: remember")
    leave_out(mallory, own_ref(ada), op=op, onto=aim(ada), on=f"{side} refs/theirs")

    for repo in (ada, bob):
        repo.tr.sync()

        assert repo.titles() == titles
        assert prompts(repo) == {"review"}


def test_a_vanishing_on_one_side_of_a_merge_counts(clone: Team, aim: Aim) -> None:
    """The merge has the tree of its other side, so that side alone would explain it."""
    ada, mallory = clone("ada"), clone("mallory")
    titles = known(ada)
    mallory.tr.sync()
    before = remote_refs(mallory)[own_ref(ada)]
    mallory.git("update-ref", MAIN, before)
    mallory.tr.remember("on the side", type="insight")
    said = "x\n\nTreering-Op: forget\nCode-Branch: main"
    tree = f"{before}^{{tree}}"
    side = mallory.git("commit-tree", tree, "-p", MAIN, "-m", said)
    leave_out(mallory, own_ref(ada), tree, "sync", aim(ada), on=f"{before} {side}")

    ada.tr.sync()

    assert ada.titles() == titles | {"on the side"}


def test_a_file_put_out_of_its_place_is_put_back(clone: Team, aim: Aim) -> None:
    """A link, or two of one name, is as good as absent."""
    ada, mallory = clone("ada"), clone("mallory")
    titles = known(ada)
    mallory.git("fetch", "-q", "origin", f"{own_ref(ada)}:refs/theirs")
    lines = mallory.git("ls-tree", "refs/theirs:memories").splitlines()
    shards = []
    for line in lines:
        head, _, name = line.partition("\t")
        files = mallory.git("ls-tree", head.split()[2]).replace("100644", "120000")
        shards.append(f"040000 tree {mallory.git('mktree', feed=files + chr(10))}\t{name}")
    memories = mallory.git("mktree", feed="".join(f"{line}\n" for line in shards))
    left = mallory.git("mktree", feed=f"040000 tree {memories}\tmemories\n")
    leave_out(mallory, own_ref(ada), left, onto=aim(ada))

    ada.tr.sync()
    bob = clone("bob")
    bob.tr.sync()

    assert ada.titles() == bob.titles() == titles


def test_a_merge_takes_absence_for_no_change(clone: Team, aim: Aim) -> None:
    """Ada has work of her own, so the histories are merged and not followed."""
    ada, mallory = clone("ada"), clone("mallory")
    titles = known(ada)
    memory = ada.tr.recall("thought 2").results[0].id
    ada.tr.revise(memory, append="More.")
    leave_out(mallory, own_ref(ada), onto=aim(ada))

    ada.tr.sync()

    assert ada.titles() == titles
    assert "More." in ada.tr.read(memory).content


def test_a_branch_that_is_not_here_is_mended_there(clone: Team, aim: Aim) -> None:
    """Whoever sees it puts it back, for those who come later; nothing becomes ours by it."""
    ada, mallory, bob = clone("ada"), clone("mallory"), clone("bob")
    publish(ada, "work", "learned on work")
    ada.tr.sync()
    leave_out(mallory, own_ref(ada, "work"), onto=aim(ada, "work"))

    bob.tr.sync()

    assert seen_scopes(bob) == set()
    assert bob.titles("work") == {"learned on work"}
    cyd = clone("cyd")
    cyd.tr.sync()
    assert cyd.titles("work") == {"learned on work"}


def test_what_is_put_back_is_no_news_to_the_search_for_credentials(clone: Team, aim: Aim) -> None:
    """Someone allowed it once; to leave it out must not keep everyone from syncing."""
    ada, mallory = clone("ada"), clone("mallory")
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    ada.tr.remember(f"the token of the example is {token}", type="insight", allow_secret=True)
    ada.tr.sync(allow_secret=True)
    leave_out(mallory, own_ref(ada), onto=aim(ada))

    ada.tr.sync()

    assert len(ada.titles()) == 1
    assert clone("bob").tr.sync().fetched == 1


def test_what_was_really_forgotten_or_redacted_stays_so(clone: Team) -> None:
    """Only what is written down takes a memory away; and that it does."""
    ada, bob = clone("ada"), clone("bob")
    known(ada)
    bob.tr.sync()
    ids = {r.title: r.id for r in ada.tr.recall("thought", limit=10).results}
    ada.tr.forget([ids["thought 0"]])
    ada.tr.redact(ids["thought 1"])
    ada.tr.sync()

    bob.tr.sync()

    assert bob.titles() == {"thought 2", "thought 3"}
    assert not bob.tr.status()["sync"].get("kept")


def test_a_promotion_leaves_behind_what_is_about_work_that_is_over(clone: Team) -> None:
    """Checkpoints and progress notes of a branch do not enter the trunk by the back door."""
    ada, bob = clone("ada"), clone("bob")
    ada.switch("work", create=True).commit_file("work.txt")
    ada.tr.remember("learned on work", type="insight")
    ada.tr.remember("half way", type="progress")
    ada.switch("main").git("merge", "-q", "work")
    ada.tr.gc()
    ada.tr.sync()

    line = bob.tr.sync().scopes[0]

    assert bob.titles() == {"learned on work"}
    assert not line.notes


def test_what_vanished_before_anyone_looked_is_found_by_doctor(clone: Team) -> None:
    """An earlier treering followed such a history without a word."""
    ada, mallory = clone("ada"), clone("mallory")
    titles = known(ada)
    leave_out(mallory, own_ref(ada))
    ada.git("fetch", "-q", "origin", f"{own_ref(ada)}:{MAIN}")
    assert ada.titles() == set()

    found = {finding.code: finding for finding in ada.tr.doctor().findings}

    assert found["vanished"].fixed
    assert "Mallory" in found["vanished"].message
    assert ada.titles() == titles


def test_a_loss_beside_a_redaction_is_mended_at_once(clone: Team) -> None:
    """Both came with the same sync: the history is written again, and what it lacks is put back."""
    ada, ben, mallory = clone("ada"), clone("ben"), clone("mallory")
    left_out = ada.tr.remember("left out", type="insight").id
    ada.tr.sync()
    word = ben.tr.remember("a word too many", type="insight").id
    for repo in (ben, mallory, ada):
        repo.tr.sync()
    ben.tr.redact(word)
    ben.tr.sync()
    mallory.git("fetch", "-q", "origin", "+refs/treering/clones/*:refs/theirs/*")
    tip = mallory.refs()["refs/treering/views/main"]
    tree = mallory.git("rev-parse", f"{tip}^{{tree}}")
    lines = mallory.git("ls-tree", "-r", tree).splitlines()
    kept = [line for line in lines if f"/{left_out}.md" not in line]
    mallory.git("read-tree", "--empty")
    mallory.git("update-index", "--index-info", feed="\n".join(kept) + "\n")
    made = mallory.git("commit-tree", mallory.git("write-tree"), "-p", tip, "-m", "less")
    write_to(mallory, made, f"{CLONES}mallory00000/main")

    answer = ada.tr.sync()

    assert ada.titles() == {"left out"}
    notes = [note for scope in answer.scopes for note in scope.notes or ()]
    assert [note for note in notes if "left out by" in note], answer
    ben.tr.sync()  # who redacted it takes it off the remote again
    fresh = clone("fresh")
    fresh.tr.sync()
    assert fresh.titles() == {"left out"}
    assert "a word too many" not in fresh.git("log", "-p", "--all", "--")
