"""A branch whose name holds a credential is shared like any other; no commit repeats the name."""

from sync.conftest import HEADS, VIEWS, Team, seen

BRANCH = "fix/ghp_" + "a1B2c3D4e5F6" * 3
NAME = BRANCH.replace("/", "%2F")


def test_what_both_wrote_on_a_masked_branch_is_merged_without_its_name(clone: Team) -> None:
    ada, bob = clone("ada"), clone("bob")
    ada.switch(BRANCH, create=True).commit_file("fix.txt")
    ada.git("push", "-q", "origin", BRANCH)
    bob.git("fetch", "-q")
    bob.switch(BRANCH)
    ada.tr.remember("Use WAL mode", type="decision")
    bob.tr.remember("Retry with jitter", type="decision")

    ada.tr.sync()
    merged = bob.tr.sync()
    ada.tr.sync()

    assert [line.status for line in merged.scopes] == ["merged"]
    assert seen(ada, NAME) == seen(bob, NAME)
    assert ada.titles() == bob.titles() == {"Use WAL mode", "Retry with jitter"}
    assert VIEWS + NAME in bob.refs()
    assert BRANCH not in bob.git("log", "--format=%B", HEADS + NAME, VIEWS + NAME)
