"""Every sync that hides, drops or overwrites memories of ours can be taken back by one verb."""

import pytest

from conftest import Repo
from sync.conftest import Team, own_ref
from sync.test_absence import leave_out
from treering.errors import BranchNotFound, MemoryNotFound

MAIN = "refs/treering/heads/main"
UNDO = "refs/treering/undo/"


def known(repo: Repo, count: int = 4) -> dict[str, str]:
    made = {
        f"thought {n}": repo.tr.remember(f"thought {n}", type="insight").id for n in range(count)
    }
    repo.tr.sync()
    return made


def forget_all(clone: Team) -> tuple[Repo, Repo, dict[str, str]]:
    """What Ada knows and shared is forgotten by Mallory, who shared that."""
    ada, mallory = clone("ada"), clone("mallory")
    ids = known(ada)
    mallory.tr.sync()
    mallory.tr.forget(list(ids.values()))
    mallory.tr.sync()
    return ada, mallory, ids


def undo_refs(repo: Repo) -> list[str]:
    return [ref for ref in repo.refs() if ref.startswith(UNDO)]


def test_tombstones_on_everything_are_taken_back(clone: Team) -> None:
    """A teammate forgets all there is; the sync says so, and how to undo it; the way back is a
    commit on top, so that it is shared on."""
    ada, mallory, ids = forget_all(clone)

    line = ada.tr.sync().scopes[0]

    assert ada.titles() == set()
    assert line.undo in undo_refs(ada)
    assert "treering restore main --before-sync" in " ".join(line.notes or ())
    assert ada.tr.status()["sync"]["undo"][0]["ref"] == line.undo
    said = [f for f in ada.tr.doctor(dry_run=True).findings if f.code == "undo"]
    assert "4" in said[0].message
    assert "--before-sync" in said[0].fix
    done = ada.json("restore", "main", "--before-sync")
    assert (done["branch"], done["memories"], done["from"]) == ("main", 4, line.undo)
    assert ada.titles() == set(ids)
    assert undo_refs(ada) == []
    ada.tr.sync()
    mallory.tr.sync()
    assert mallory.titles() == set(ids)


def test_a_dry_run_counts_and_changes_nothing(clone: Team) -> None:
    ada, *_ = forget_all(clone)
    ada.tr.sync()
    before = ada.refs()

    assert ada.tr.restore("main", before_sync=True, dry_run=True).memories == 4

    assert ada.refs() == before


def test_words_that_were_overwritten_come_back_and_news_stay(clone: Team) -> None:
    ada, mallory = clone("ada"), clone("mallory")
    ids = known(ada)
    ada.tr.prompts("save", name="review", content="Look at tests.")
    ada.tr.sync()
    mallory.tr.sync()
    mallory.tr.revise(ids["thought 1"], content="something else")
    mallory.tr.prompts("save", name="review", content="Do something else.")
    mallory.tr.remember("news", type="insight")
    mallory.tr.sync()
    ada.tr.sync()

    done = ada.tr.maintain("restore", branch="main", before_sync=True)

    assert done.answer.memories == 2  # a prompt is one
    assert ada.titles() == {*ids, "news"}
    assert ada.tr.prompts("get", name="review")["content"] == "Look at tests."


def test_a_sync_that_only_brings_news_keeps_nothing(clone: Team) -> None:
    ada, bob = clone("ada"), clone("bob")
    known(ada)
    bob.tr.sync()
    bob.tr.remember("news", type="insight")
    bob.tr.sync()

    line = ada.tr.sync().scopes[0]

    assert undo_refs(ada) == []
    assert line.undo is None
    assert not line.notes
    with pytest.raises(BranchNotFound):
        ada.tr.restore("main", before_sync=True)


def test_each_call_goes_one_sync_further_back(clone: Team) -> None:
    ada, mallory = clone("ada"), clone("mallory")
    ids = known(ada)
    mallory.tr.sync()
    for title in ("thought 0", "thought 1"):
        mallory.tr.forget([ids[title]])
        mallory.tr.sync()
        ada.tr.sync()

    ada.tr.restore("main", before_sync=True)
    assert ada.titles() == {"thought 1", "thought 2", "thought 3"}
    ada.tr.restore("main", before_sync=True)

    assert ada.titles() == set(ids)


def test_what_was_redacted_does_not_come_back(clone: Team) -> None:
    """The text is gone from the kept tip, too."""
    ada, _, ids = forget_all(clone)
    ada.tr.sync()
    ada.tr.redact(ids["thought 2"])

    ada.tr.restore("main", before_sync=True)

    assert ada.titles() == set(ids) - {"thought 2"}


def test_kept_tips_end_after_thirty_days(clone: Team) -> None:
    ada, mallory = clone("ada"), clone("mallory")
    ids = known(ada)
    mallory.tr.sync()
    old = f"{UNDO}main/20200101T000000Z"
    ada.git("update-ref", old, ada.refs()[MAIN])
    mallory.tr.forget([ids["thought 0"]])
    mallory.tr.sync()

    ada.tr.sync()

    assert old not in undo_refs(ada)
    assert len(undo_refs(ada)) == 1


def test_restore_from_the_trash_restores_what_it_says(clone: Team) -> None:
    """Tombstones of the same memories have come in since: what is counted is seen."""
    ada, mallory = clone("ada"), clone("mallory")
    ada.switch("work", create=True).commit_file("work.txt")
    ids = [ada.tr.remember(f"thought {n}", type="insight").id for n in range(4)]
    ada.git("push", "-q", "origin", "work")
    ada.tr.sync()
    mallory.git("fetch", "-q")
    mallory.switch("work")
    mallory.tr.sync()
    mallory.tr.forget(ids)
    mallory.tr.sync()
    tip = ada.refs()["refs/treering/heads/work"]
    ada.tr.sync()
    ada.git("update-ref", "refs/treering/trash/work/20260202T000000Z", tip)

    done = ada.tr.restore("work")

    assert done.memories == 4
    assert ada.titles("work") == {f"thought {n}" for n in range(4)}
    ada.tr.sync()
    mallory.tr.sync()
    assert len(mallory.titles("work")) == 4


def test_where_the_trash_is_empty_the_other_way_back_is_named(clone: Team) -> None:
    ada, *_ = forget_all(clone)
    ada.tr.sync()

    assert "--before-sync" in ada.error("restore", "main")["hint"]


def test_revert_to_a_commit_brings_back_what_is_absent(clone: Team) -> None:
    """As where git itself was used to follow a history that left everything out."""
    ada, mallory = clone("ada"), clone("mallory")
    ids = known(ada)
    good = ada.refs()[MAIN]
    leave_out(mallory, own_ref(ada))
    ada.git("fetch", "-q", "origin", f"{own_ref(ada)}:{MAIN}")
    with pytest.raises(MemoryNotFound):
        ada.tr.revert(ids["thought 1"])

    done = ada.tr.revert(ids["thought 1"][:8], to=good)

    assert (done.id, done.branch) == (ids["thought 1"], "main")
    assert ada.titles() == {"thought 1"}
