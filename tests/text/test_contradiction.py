"""When a newer text says something else about the same, and when both may hold."""

import pytest

from treering.text.contradiction import APART, Contradiction, Statement, compare


def _compare(old: str, new: str, apart: float = APART) -> Contradiction | None:
    return compare(Statement(old, old), Statement(new, new), apart)


@pytest.mark.parametrize(
    ("old", "new", "said", "says"),
    [
        ("Tokens live for 15 minutes", "Tokens live for 60 minutes", "15", "60"),
        ("Requires Python 3.9 or newer", "Requires Python 3.11 or newer", "3.9", "3.11"),
        ("Keep the last three backups", "Keep the last seven backups", "three", "seven"),
        ("Production runs Postgres 13", "Production runs Postgres 16 on RDS", "13", "16 on RDS"),
    ],
)  # fmt: skip
def test_another_value(old: str, new: str, said: str, says: str) -> None:
    """However soon it was said: a number is no matter of style."""
    assert _compare(old, new, apart=0) == Contradiction("value", said, says)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Use tabs for indentation", "Never use tabs for indentation"),
        ("The cache is enabled on staging", "The cache is disabled on staging"),
        ("Deployments on Friday are allowed", "Deployments on Friday are not allowed"),
    ],
)
def test_yes_and_no(old: str, new: str) -> None:
    found = _compare(old, new, apart=0)

    assert found is not None
    assert found.how == "polarity"


def test_a_revert_is_known_by_the_title_it_quotes() -> None:
    found = _compare("Cache the manifest", 'Revert "Cache the manifest" (#12)')

    assert found is not None
    assert found.how == "revert"
    assert _compare("Cache the index", 'Revert "Cache the manifest"') is None


def test_a_name_or_another_wording_is_a_guess_that_takes_time() -> None:
    """Things of one kind are written together, and none replaces the other."""
    old = "The host of the build server is read from the environment"
    new = "The port of the build server is read from the environment"

    assert _compare(old, new, apart=60) is None
    assert _compare("The staging queue has 4 workers", "The mail queue has 16 workers", 60) is None
    found = _compare(old, new)
    assert found == Contradiction("name", "host", "port")
    assert not found.is_sure


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

    found = compare(old, new)

    assert found is not None
    assert (found.how, found.said, found.says) == ("value", "3", "5")


def test_long_and_strange_texts_take_no_time() -> None:
    """Everything remembered is hostile."""
    for text in ("a" * 200_000, "3." * 100_000, "not " * 50_000, "--" * 100_000, "\0'’" * 50_000):
        assert len(Statement(text[:200], text).whole.tokens) <= 160
        _compare(text, text + " 5")
