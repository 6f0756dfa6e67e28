"""A head holds what it reaches without going through a promotion: what a promotion left behind is
nobody's but the head's that said it. Whoever takes reach for holding loses it."""

import pytest

from conftest import Repo
from sync.conftest import CLONES, Team, let_months_pass, own_ref, remote_refs, write_to


def give_back(repo: Repo) -> str:
    """As in many a flow of branches: a release takes a part of develop, gets a fix, and comes back
    to develop. The memories go the same way, each with its code. Returns the one that develop
    changed since the release took it."""
    for name in ("main", "develop", "release/1"):
        repo.git("config", "--add", "treering.trunk", name)
    for name in ("develop", "release/1"):
        repo.git("branch", name)
    memory = repo.switch("develop").tr.remember(
        "with the first commit", type="insight", tags=["early"]
    )
    first = repo.commit_file("first.txt")
    repo.commit_file("second.txt")
    repo.tr.revise(memory.id, tags_add=["late"], tags_remove=["early"])
    repo.tr.remember("with the second commit", type="insight")
    repo.tr.remember("only of develop", type="progress")
    repo.switch("release/1").git("merge", "-q", "--no-ff", "--no-edit", first)
    repo.tr.gc()
    repo.tr.remember("the fix", type="insight")
    repo.commit_file("fix.txt")
    repo.switch("develop").git("merge", "-q", "--no-ff", "--no-edit", "release/1")
    return memory.id


OF_DEVELOP = {"with the first commit", "with the second commit", "only of develop", "the fix"}


def test_a_release_that_comes_back_takes_nothing_from_develop(repo: Repo) -> None:
    """The promotion from the release has develop's own memories behind it, and not in it."""
    give_back(repo)

    repo.tr.gc()

    assert repo.titles("develop") >= OF_DEVELOP


def test_what_develop_changed_since_stays_changed(repo: Repo) -> None:
    """The version that comes back is older than the one develop has, and its history tells so."""
    memory = give_back(repo)

    repo.tr.gc()

    assert repo.tr.read(memory, branch="develop").tags == ("late",)


def test_nor_for_another_clone(clone: Team) -> None:
    """It hears both heads, and one of them leads to the other."""
    ada, bob = clone("ada"), clone("bob")
    give_back(ada)
    ada.git("push", "-q", "origin", "develop", "release/1")
    ada.tr.sync()
    bob.git("fetch", "-q")
    for name in ("main", "develop", "release/1"):
        bob.git("config", "--add", "treering.trunk", name)
    bob.switch("release/1")
    bob.switch("develop")
    bob.tr.sync()

    bob.tr.gc()
    bob.tr.sync()
    ada.tr.sync()

    assert bob.titles("develop") >= OF_DEVELOP
    assert ada.titles("develop") >= OF_DEVELOP


def test_what_develop_gave_away_is_said_once_more_and_stays(clone: Team) -> None:
    """All of it is in the trunk, and develop goes on: whoever says it again must not be the one who
    takes it away as done, or two push and delete for ever."""
    ada, bob, cleo = clone("ada"), clone("bob"), clone("cleo")
    for repo in (ada, bob, cleo):
        for name in ("main", "develop"):
            repo.git("config", "--add", "treering.trunk", name)
    ada.switch("develop", create=True).tr.remember("of develop", type="insight")
    ada.commit_file("d.txt")
    ada.switch("main").git("merge", "-q", "--no-ff", "--no-edit", "develop")
    ada.git("push", "-q", "origin", "main", "develop")
    ada.tr.gc()
    for repo in (ada, bob, cleo):
        repo.git("fetch", "-q")
        repo.tr.sync()
    write_to(ada, "", own_ref(ada, "develop"))

    moments = []
    for _ in range(3):
        for repo in (bob, cleo):
            repo.tr.sync()
            moments.append(set(remote_refs(repo)))

    assert [ref for ref in moments[-1] if ref.endswith("/develop")]
    assert moments[-1] == moments[-2] == moments[-3]


def forge_promotion(mallory: Repo, *heads: str, into: str = "main") -> str:
    """A promotion that says it took all there is, and has nothing in its tree."""
    for number, head in enumerate(heads):
        mallory.git("fetch", "-q", "origin", f"+{head}:refs/theirs/{number}")
    mallory.clock()
    said = f"promote 2 memories\n\nTreering-Op: promote\nCode-Branch: {into}\n"
    said += f"Promoted-From: work\nPromoted-Into: {into}\nMerge-Kind: squash\n"
    empty = mallory.git("mktree", feed="")
    parents = [word for n in range(len(heads)) for word in ("-p", f"refs/theirs/{n}")]
    return mallory.git("commit-tree", empty, *parents, "-m", said)


@pytest.mark.parametrize("is_known", [True, False])
def test_a_forged_promotion_hides_nothing_of_what_it_has_behind_it(
    clone: Team, is_known: bool
) -> None:
    """Else one push would empty the trunk for everybody, whether they knew its heads or not."""
    ada, bob, mallory = clone("ada"), clone("bob"), clone("mallory")
    for repo in (ada, bob):
        repo.tr.remember(f"of {repo.path.name}", type="insight")
        repo.tr.sync()
    if is_known:
        ada.tr.sync()
    forged = forge_promotion(mallory, own_ref(ada), own_ref(bob))
    write_to(mallory, forged, f"{CLONES}mallory00000/main")

    for repo in (ada, bob, ada):
        repo.tr.sync()

    fresh = clone("fresh")
    fresh.tr.sync()
    for repo in (ada, bob, fresh):
        assert repo.titles() == {"of ada", "of bob"}


def test_a_forged_promotion_is_no_reason_to_take_heads_off_a_remote(clone: Team) -> None:
    ada, bob, mallory = clone("ada"), clone("bob"), clone("mallory")
    for repo in (ada, bob):
        repo.tr.remember(f"of {repo.path.name}", type="insight")
        repo.tr.sync()
    forged = forge_promotion(mallory, own_ref(ada), own_ref(bob))
    write_to(mallory, forged, f"{CLONES}mallory00000/main")
    ada.tr.sync()

    let_months_pass(ada)
    for _ in range(2):
        ada.tr.sync()

    fresh = clone("fresh")
    fresh.tr.sync()
    assert fresh.titles() == {"of ada", "of bob"}


def test_what_a_remote_lost_is_said_again_though_a_promotion_there_leads_to_it(
    clone: Team,
) -> None:
    """Nobody else has what the promotion left behind."""
    ada, mallory = clone("ada"), clone("mallory")
    ada.tr.remember("of ada", type="insight")
    ada.tr.sync()
    forged = forge_promotion(mallory, own_ref(ada))
    write_to(mallory, forged, f"{CLONES}mallory00000/main")
    write_to(mallory, "", own_ref(ada))

    ada.tr.sync()

    assert own_ref(ada) in remote_refs(ada)
    fresh = clone("fresh")
    fresh.tr.sync()
    assert fresh.titles() == {"of ada"}
