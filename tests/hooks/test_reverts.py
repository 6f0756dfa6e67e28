"""Commits that take back others are linked to them, and the others are marked."""

from conftest import Repo


def _commit_ids(repo: Repo) -> dict[str, str]:
    return {m["title"]: str(m["id"]) for m in repo.tr.exported() if m["type"] == "commit"}


def test_a_revert_marks_what_it_reverts_until_it_is_reverted_itself(repo: Repo) -> None:
    """As `git revert` writes its message."""
    repo.commit_file("retry.py", "retries = 3\n", "Retry uploads three times")
    repo.git("revert", "--no-edit", "HEAD")
    repo.tr.backfill()
    ids = _commit_ids(repo)
    first, second = ids["Retry uploads three times"], ids['Revert "Retry uploads three times"']

    mark = repo.tr.read(first).outdated_by

    assert mark is not None
    assert (mark.id, mark.how) == (second, "revert")
    links = [(n.relation, n.id) for n in repo.tr.read(second).links if n.direction == "out"]
    assert ("supersedes", first) in links
    titles = [hit.title for hit in repo.tr.recall("retry uploads", records="only").results]
    assert titles.index(mark.title) + 1 == titles.index("Retry uploads three times")

    repo.git("revert", "--no-edit", "HEAD")
    repo.tr.backfill()
    assert repo.tr.read(first).outdated_by is None, "it holds again"
    taken_back = repo.tr.read(second).outdated_by
    assert taken_back is not None
    assert taken_back.title.startswith(("Reapply", 'Revert "Revert'))


def test_a_commit_that_says_it_replaces_others_is_linked_to_them(repo: Repo) -> None:
    one = repo.commit_file("a.py", "a\n", "Poll the queue every second")
    two = repo.commit_file("b.py", "b\n", "Sleep between two polls")
    subject = "Wait for the queue instead of polling"
    repo.commit_file("c.py", "c\n", f"{subject}\n\nThis replaces commits {one[:10]} and {two}.")
    repo.tr.backfill()
    ids = _commit_ids(repo)

    newest = ids[subject]
    olds = (ids["Poll the queue every second"], ids["Sleep between two polls"])
    marks = [repo.tr.read(old).outdated_by for old in olds]

    assert [mark.id if mark else None for mark in marks] == [newest, newest]
