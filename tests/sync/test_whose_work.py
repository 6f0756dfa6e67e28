"""What tells that two clones are at work on one thing, where no branch on the remote does."""

import shutil

from sync.conftest import VIEWS, Team, remote_scopes, seen
from sync.test_clones import copy, on_branch


def test_memories_that_share_a_commit_are_of_one_work(clone: Team) -> None:
    """A copied machine goes on with a branch that has no commit of its own yet."""
    ada = clone("ada")
    on_branch(ada, "wip", thought="before")
    ada.tr.sync()
    twin = copy(ada, "twin")
    for repo in (ada, twin):
        repo.tr.remember(f"of {repo.path.name}", type="insight")

    for repo in (ada, twin, ada):
        repo.tr.sync()

    assert ada.titles() == twin.titles() == {"before", "of ada", "of twin"}
    assert seen(ada, "wip") == seen(twin, "wip")


def test_code_that_never_was_on_the_remote_tells_it_too(clone: Team) -> None:
    """Ben took the branch from Ada's own repository: no upstream is named anywhere."""
    ada, ben = clone("ada"), clone("ben")
    on_branch(ada, "wip", thought="of Ada", file="a.txt")
    ben.git("fetch", "-q", str(ada.path), "wip:wip")
    ben.switch("wip")
    ben.tr.remember("of Ben", type="insight")

    for repo in (ada, ben, ada):
        repo.tr.sync()

    assert ada.titles() == ben.titles() == {"of Ada", "of Ben"}


def test_code_that_ada_has_gone_on_from_tells_it_too(clone: Team) -> None:
    """What her branch was at when she said it, and Ben's never was: but it is built on his."""
    ada, ben = clone("ada"), clone("ben")
    ada.switch("wip", create=True).commit_file("a.txt")
    ben.git("fetch", "-q", str(ada.path), "wip:wip")
    ben.switch("wip")
    ben.tr.remember("of Ben", type="insight")
    ada.commit_file("more.txt")
    ada.tr.remember("of Ada", type="insight")
    ben.git("fetch", "-q", str(ada.path), "wip:refs/elsewhere/wip")

    for repo in (ada, ben):
        repo.tr.sync()

    assert ben.titles() == {"of Ada", "of Ben"}


def test_what_may_be_of_our_branch_is_shown_while_nothing_of_ours_is_there(clone: Team) -> None:
    """Its upstream is our branch, and its code is not here yet. Nothing is joined for that."""
    ada, ben = clone("ada"), clone("ben")
    ada.switch("feat", create=True).commit_file("a.txt")
    ada.git("push", "-q", "-u", "origin", "feat")
    ben.git("fetch", "-q")
    ben.switch("feat")
    ben.git("reset", "-q", "--hard", "origin/main")
    shutil.rmtree(ben.path / ".git" / "logs" / "refs" / "heads")
    ada.commit_file("b.txt")
    ada.git("push", "-q", "origin", "feat")
    ada.tr.remember("of Ada", type="insight")
    ada.tr.sync()

    ben.tr.sync()

    assert ben.titles() == {"of Ada"}
    assert f"{VIEWS}feat" not in ben.refs()


def test_the_push_that_starts_a_name_anew_carries_what_moved_aside(clone: Team) -> None:
    """The ref of the name has other work from then on. What was there stays known, everywhere under
    one name."""
    ada, ben = clone("ada"), clone("ben")
    on_branch(ada, "wip", thought="first work", file="a.txt")
    ada.tr.sync()
    ada.switch("main").git("branch", "-q", "-D", "wip")
    on_branch(ada, "wip", thought="second work", file="b.txt")

    ada.tr.sync()
    ben.tr.sync()

    aside = next(scope for scope in remote_scopes(ben) if scope.startswith("wip%7E"))
    assert remote_scopes(ben) == {"wip", aside}
    assert ada.titles() == ben.titles("wip") == {"second work"}
    name = aside.replace("%7E", "~")
    assert ada.titles(name) == ben.titles(name) == {"first work"}
