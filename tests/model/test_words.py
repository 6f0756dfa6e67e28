"""Types, statuses and dates as people write them."""

import pytest

from treering.errors import Invalid
from treering.model.choices import STATUSES
from treering.model.dates import duration, format_moment, instant, parse_moment
from treering.model.taxonomy import TYPES, one_of, type_named

NOW = instant("2026-02-08T15:30:00Z")


@pytest.mark.parametrize(
    ("word", "name"),
    [("Decision", "decision"), ("learnings", "insight"), ("tech-debt", "debt"), ("apis", "api"),
     ("tech_debt", "debt"), ("blockers", "issue"), (" decisions ", "decision")],
)  # fmt: skip
def test_types_are_known_by_their_synonyms(word: str, name: str) -> None:
    """Five other systems' names must work here."""
    assert type_named(word) == name


def test_an_unknown_type_is_refused_with_the_list() -> None:
    """The hint is what the caller needs next."""
    with pytest.raises(Invalid) as caught:
        type_named("nonsense")

    assert all(name in caught.value.hint for name in TYPES)


def test_enums_are_read_in_any_case() -> None:
    """Agents write NEEDS_REVIEW."""
    assert one_of("NEEDS_REVIEW", STATUSES, "status") == "needs-review"


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2h", "2026-02-08T13:30:00Z"),
        ("7d", "2026-02-01T15:30:00Z"),
        ("today", "2026-02-08T00:00:00Z"),
        ("yesterday", "2026-02-07T00:00:00Z"),
        ("2026-02-01", "2026-02-01T00:00:00Z"),
        ("2026-02-01T12:00:00+02:00", "2026-02-01T10:00:00Z"),
    ],
)
def test_dates_are_read_as_people_type_them(text: str, moment: str) -> None:
    """Ages count back from now, days begin at midnight UTC."""
    assert format_moment(parse_moment(text, NOW)) == moment


def test_until_a_day_includes_it() -> None:
    """`until:today` would otherwise find nothing of today."""
    assert format_moment(parse_moment("today", NOW, end=True)) == "2026-02-08T23:59:59Z"


@pytest.mark.parametrize("text", ["", "soon", "7x", "2026-02-31", "99999999d", "1" * 400])
def test_what_is_no_date_is_refused(text: str) -> None:
    """Never a crash, never a silently wrong filter."""
    with pytest.raises(Invalid):
        parse_moment(text, NOW)


def test_durations_have_units() -> None:
    """gc --older-than 30d."""
    assert duration("30d") == 30 * 86400
    with pytest.raises(Invalid):
        duration("30")
