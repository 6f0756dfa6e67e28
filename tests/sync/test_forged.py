"""Trailers and dates are what someone wrote: they hide nothing, promote nothing and win nothing."""

import pytest

from conftest import START, Repo
from sync.conftest import Aim, Team, own_ref, seen, write_to
from sync.test_branches import work
from treering import Treering

FAR = 4_070_908_800  # 2099


def forge(
    repo: Repo, of: str, onto: str, *, head: str = "", base: str = "", as_ada: bool = False
) -> str:
    """A commit on top of a clone's scope that changes nothing and lies about its code."""
    repo.git("fetch", "-q", "origin", f"+{of}:refs/theirs")
    repo.now = repo.clock() + 3600  # later than all Ada did
    said = f"note\n\nTreering-Op: revise\nCode-Branch: {of.rpartition('/')[2]}\n"
    said += f"Code-Head: {head}\nCode-Base: {base or head}\n"
    who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"] if as_ada else []
    made = repo.git(*who, "commit-tree", "refs/theirs^{tree}", "-p", "refs/theirs", "-m", said)
    write_to(repo, made, onto)
    return made


def shared(clone: Team) -> tuple[Repo, Repo]:
    """Ada has memories on main and on work; there is a branch beside them."""
    ada, mallory = clone("ada"), clone("mallory")
    ada.tr.remember("on main", type="insight")
    work(ada, "work", "on work")
    ada.switch("main").switch("beside", create=True).commit_file("beside.txt")
    ada.git("push", "-q", "origin", "beside")
    ada.switch("work")
    mallory.git("fetch", "-q")
    return ada, mallory


def test_a_forged_code_head_hides_no_branch(clone: Team, aim: Aim) -> None:
    """It names a commit that is here and not on the branch; all that is honest says otherwise."""
    ada, mallory = shared(clone)
    forge(mallory, own_ref(ada, "work"), aim(ada, "work"), head=ada.git("rev-parse", "beside"))

    ada.tr.sync()

    assert ada.titles("work") == {"on main", "on work"}


def test_a_forged_code_head_never_hides_the_trunk(clone: Team, aim: Aim) -> None:
    ada, mallory = shared(clone)
    beside = ada.git("rev-parse", "beside")
    forge(mallory, own_ref(ada), aim(ada), head=beside)
    ada.switch("main")

    ada.tr.sync()

    assert ada.titles() == {"on main"}
    fresh = clone("fresh")
    fresh.git("fetch", "-q")
    fresh.tr.sync()
    assert fresh.titles() == {"on main"}


def test_a_trunk_written_here_on_rewritten_code_is_still_the_trunks(repo: Repo) -> None:
    """Whatever its history did: the trunk is never left over."""
    repo.commit_file("a.txt")
    repo.tr.remember("on main", type="insight")
    other = repo.git("commit-tree", "HEAD^{tree}", "-m", "other history")
    repo.git("update-ref", "-d", "refs/heads/main")
    (repo.path / ".git/logs/refs/heads/main").unlink(missing_ok=True)
    repo.git("update-ref", "--create-reflog", "-m", "reset", "refs/heads/main", other)

    assert repo.titles() == {"on main"}


@pytest.mark.parametrize("as_ada", [False, True])
@pytest.mark.parametrize("where", ["main", "beside"])
def test_a_forged_code_head_promotes_nothing(
    clone: Team, aim: Aim, where: str, as_ada: bool
) -> None:
    """The branch is gone and its code is nowhere; the trailer says it is in another branch."""
    ada, mallory = shared(clone)
    head, base = (ada.git("rev-parse", name) for name in (where, "main~0"))
    first = ada.git("rev-list", "--max-parents=0", "main")
    forge(
        mallory,
        own_ref(ada, "work"),
        aim(ada, "work"),
        head=head,
        base=first if base == head else base,
        as_ada=as_ada,
    )
    ada.tr.sync()
    ada.git("push", "-q", "origin", ":work")
    ada.switch("beside").git("branch", "-q", "-D", "work")

    plan = {line.branch: line for line in ada.tr.gc().plan}

    assert plan["work"].action != "promote"
    assert "on work" not in ada.titles("main") | ada.titles("beside")


def test_a_forged_code_head_puts_nothing_into_the_trash(clone: Team, aim: Aim) -> None:
    """As if the name were used again for other work; a write would clear what is in its way."""
    ada, mallory = shared(clone)
    forge(mallory, own_ref(ada, "work"), aim(ada, "work"), head=ada.git("rev-parse", "beside"))
    ada.tr.sync()

    ada.tr.remember("more on work", type="insight")
    ada.tr.gc()

    assert ada.titles("work") == {"on main", "on work", "more on work"}
    assert not [ref for ref in ada.refs() if "/trash/" in ref]


def test_a_renamed_branch_keeps_its_memories_whatever_others_write_to_the_old_name(
    clone: Team, aim: Aim
) -> None:
    ada, mallory = shared(clone)
    ada.git("branch", "-q", "-m", "work", "renamed")
    forge(mallory, own_ref(ada, "work"), aim(ada, "work"), head=ada.git("rev-parse", "beside"))

    ada.tr.sync()

    assert ada.titles("renamed") == {"on main", "on work"}


# --- dates ----------------------------------------------------------------------------------------


def rivals(clone: Team) -> tuple[Repo, Repo, str]:
    """A memory both know; each will title it without knowing of the other's title."""
    ada, mallory = clone("ada"), clone("mallory")
    memory = ada.tr.remember("Use WAL mode", type="decision").id
    ada.tr.sync()
    mallory.tr.sync()
    return ada, mallory, memory


def titled_at(repo: Repo, memory: str, title: str, when: int) -> None:
    Treering.open(repo.path, clock=lambda: float(when)).revise(memory, title=title)


@pytest.mark.parametrize("ahead", [FAR - START, 3 * 86_400])
def test_a_date_of_the_future_wins_no_merge(clone: Team, ahead: int) -> None:
    """It counts as made right after its parent, in the clones that meet it and in all others."""
    ada, mallory, memory = rivals(clone)
    titled_at(mallory, memory, "forged", START + ahead)
    mallory.tr.sync("push")
    ada.tr.revise(memory, title="honest")

    for repo in (ada, mallory, ada):
        repo.tr.sync()

    assert ada.tr.read(memory).title == mallory.tr.read(memory).title == "honest"
    assert seen(ada) == seen(mallory)
    assert ada.tr.read(memory).modified < "2027"


def test_a_date_that_was_of_the_future_wins_none_when_its_time_has_come(clone: Team) -> None:
    """What was built on it tells: nobody builds on what is not there yet."""
    ada, mallory, memory = rivals(clone)
    bob = clone("bob")
    bob.tr.sync()
    titled_at(mallory, memory, "forged", START + 30 * 86_400)
    mallory.tr.sync("push")
    ada.tr.sync()
    ada.tr.revise(memory, tags_add=["built on it"])
    ada.tr.sync()
    titled_at(bob, memory, "honest", START + 20 * 86_400)

    Treering.open(bob.path, clock=lambda: float(START + 60 * 86_400)).sync()

    assert bob.tr.read(memory).title == "honest"


def test_a_date_before_its_parents_makes_no_difference(clone: Team) -> None:
    """A clock that stands still orders nothing wrongly: ancestors come first."""
    ada, mallory, memory = rivals(clone)
    titled_at(mallory, memory, "early", 1)
    mallory.tr.sync("push")
    ada.tr.revise(memory, tags_add=["db"])

    for repo in (ada, mallory, ada):
        repo.tr.sync()

    assert ada.tr.read(memory).title == "early"
    assert ada.tr.read(memory).tags == mallory.tr.read(memory).tags == ("db",)


def test_a_date_of_the_future_does_not_win_once_its_time_has_come(clone: Team) -> None:
    """Nobody built on it: a note on top tells, as long as it can be told."""
    ada, ben, mallory = clone("ada"), clone("ben"), clone("mallory")
    memory = ada.tr.remember("as agreed", type="insight").id
    for repo in (ada, ben, mallory):
        repo.tr.sync()
    week = 7 * 24 * 3600
    mallory.now = mallory.clock() + 3 * week
    later = mallory.now
    Treering.open(mallory.path, clock=lambda: later).revise(memory, title="as Mallory wants")
    tip = mallory.refs()["refs/treering/heads/main"]
    write_to(mallory, tip, own_ref(mallory))
    ben.tr.sync()  # sees it while it is of the future
    ada.tr.revise(memory, title="as agreed since")
    ada.tr.sync()
    ben.tr.sync()

    fresh = clone("fresh")
    Treering.open(fresh.path, clock=lambda: later + week).sync()

    assert fresh.titles() == {"as agreed since"}
    ada.tr.sync()
    assert ada.titles() == {"as agreed since"}


def test_who_has_a_clock_that_is_behind_answers_nobody(clone: Team) -> None:
    """Where most seem to be of the future it is our own clock that is wrong."""
    people = [clone(name) for name in ("ada", "ben", "cleo")]
    for person in people:
        person.tr.remember(f"by {person.path.name}", type="insight")
        person.tr.sync()
    late = clone("late")
    year = 365 * 24 * 3600

    answer = Treering.open(late.path, clock=lambda: START - year).sync()

    assert answer.pushed == 0
    assert "refs/treering/heads/main" not in late.refs()
    assert len(late.titles()) == 3
