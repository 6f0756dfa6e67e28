"""What a branch learned, put into another scope."""

from conftest import Repo
from treering.model.scope import HEADS


def test_what_was_promoted_before_is_not_promoted_again(repo: Repo) -> None:
    """Every clone may try: each try would be a commit that says nothing."""
    repo.switch("feat", create=True).commit_file("feat.py")
    repo.tr.remember("Threads are slow", type="insight")
    repo.tr.promote("feat")
    before = repo.refs()[HEADS + "main"]

    repo.tr.promote("feat")

    assert repo.refs()[HEADS + "main"] == before
