"""When a later text says nearly the same as an earlier one, and when both may hold."""

import pytest

from treering.text.rewording import APART, Statement, find_difference


def _compare(old: str, new: str, apart: float = APART) -> tuple[str, str, str] | None:
    found = find_difference(Statement(old, old), Statement(new, new), apart)
    return (found.how, *found.find_words()) if found else None


@pytest.mark.parametrize(
    ("old", "new", "said", "says"),
    [
        ("Tokens live for 15 minutes", "Tokens live for 60 minutes", "15", "60"),
        ("Requires Python 3.9 or newer", "Requires Python 3.11 or newer", "3.9", "3.11"),
        ("We support Python 3.9 and newer", "We support Python 3.11 and newer", "3.9", "3.11"),
        ("Keep the last three backups", "Keep the last seven backups", "three", "seven"),
        ("Production runs Postgres 13", "Production runs Postgres 16 on RDS", "13", "16 on RDS"),
        ("The limit is 30.", "The limit is 60.", "30", "60"),
    ],
)  # fmt: skip
def test_another_value(old: str, new: str, said: str, says: str) -> None:
    """However soon it was said: a number is no matter of style."""
    assert _compare(old, new, apart=0) == ("value", said, says)


@pytest.mark.parametrize(
    ("old", "new", "how"),
    [
        ("Use tabs for indentation", "Never use tabs for indentation", "wording"),
        ("The cache is enabled on staging", "The cache is disabled on staging", "name"),
    ],
)
def test_yes_and_no_are_words_like_others(old: str, new: str, how: str) -> None:
    found = _compare(old, new)

    assert found is not None
    assert found[0] == how
    assert _compare(old, new, apart=60) is None


def test_a_name_or_another_wording_takes_time() -> None:
    """Things of one kind are written together, and none replaces the other."""
    old = "The host of the build server is read from the environment"
    new = "The port of the build server is read from the environment"

    assert _compare(old, new, apart=60) is None
    assert _compare(old, new) == ("name", "host", "port")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Rule number 1: use plain names", "Rule number 3: use plain names"),
        ("Rule number 1", "Rule number 3"),
        ("Rule 7: keep it short", "Rule 8: keep it short"),
        ("1. Fetch the package index", "2. Fetch the package index"),
        ("Fix the upload of files (#1201)", "Fix the upload of files (#1388)"),
        ("Merge pull request #12 from fork/main", "Merge pull request #31 from fork/main"),
        ("Fact number 12 about the build cache", "Fact number 13 about the build cache"),
        ("The decision in ADR-0012 holds for queues", "The decision in ADR-0013 holds for queues"),
        ("node-a1 serves the staging site", "node-a2 serves the staging site"),
        ("Python 3.12 support", "Python 3.11 support"),
        ("Add Python 3.12 support", "Drop Python 3.8 support"),
        ("Support for Python 3.12 was added", "Support for Python 3.8 was dropped"),
        ("The staging queue has 4 workers", "The mail queue has 16 workers"),
    ],
)  # fmt: skip
def test_members_of_a_series_are_told_apart(one: str, other: str) -> None:
    """However long after each other they were said."""
    assert _compare(one, other) is None
    assert _compare(other, one, apart=0) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Tokens live for 15 minutes", "Uploads are cut off at 25 MB"),
        ("Tokens live for 15 minutes", "Tokens live for 15 minutes"),
        ("", ""),
        ("1 2 3", "4 5 6"),
    ],
)
def test_what_may_hold_together(one: str, other: str) -> None:
    assert _compare(one, other) is None


def test_titles_are_compared_where_texts_have_little_in_common() -> None:
    """A decision is put in a sentence, and its reasons are other ones by now."""
    old = Statement("Workers retry 3 times", "Workers retry 3 times\n\nMore overloads the proxy.")
    new = Statement("Workers retry 5 times", "Workers retry 5 times\n\nIt sheds load today.")

    found = find_difference(old, new)

    assert found is not None
    assert (found.how, *found.find_words()) == ("value", "3", "5")


def test_long_and_strange_texts_take_no_time() -> None:
    """Everything remembered is hostile."""
    for text in ("a" * 200_000, "3." * 100_000, "not " * 50_000, "--" * 100_000, "\0'’" * 50_000):
        assert len(Statement(text[:200], text).whole.tokens) <= 160
        _compare(text, text + " 5")
