"""A branch whose name holds a credential is shared like any other; no commit repeats the name."""

from sync.conftest import Team

BRANCH = "fix/ghp_" + "a1B2c3D4e5F6" * 3
REF = f"refs/treering/heads/{BRANCH.replace('/', '%2F')}"


def test_what_both_wrote_on_a_masked_branch_is_merged_without_its_name(clone: Team) -> None:
    ada, bob = clone("ada"), clone("bob")
    for who, text in ((ada, "Use WAL mode"), (bob, "Retry with jitter")):
        who.switch(BRANCH, create=True)
        who.tr.remember(text, type="decision")

    ada.tr.sync()
    merged = bob.tr.sync()
    ada.tr.sync()

    assert [line.status for line in merged.scopes] == ["merged"]
    assert ada.refs()[REF] == bob.refs()[REF]
    assert ada.titles() == bob.titles() == {"Use WAL mode", "Retry with jitter"}
    assert BRANCH not in bob.git("log", "--format=%B", REF)
