"""The query language: anything can be typed, and only bad values of filters are refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treering.errors import Invalid
from treering.model.query import LONGEST, Filters, Query, parse

NOW = 1_767_225_600.0  # 2026-01-01T00:00:00Z
DAY = 86400.0


def test_free_words_stay_as_they_were_typed() -> None:
    """The engine analyses them; the parser only takes away what is not words."""
    query = parse("Why did   getUserName fail?", NOW)

    assert query.words == "Why did getUserName fail?"


def test_phrases_are_words_too() -> None:
    """A phrase nobody wrote is still searched for by its words."""
    query = parse('before "exact phrase here" after', NOW)

    assert query.phrases == ("exact phrase here",)
    assert query.words == "before exact phrase here after"


def test_a_single_quoted_word_is_just_a_word() -> None:
    """Agents quote names; there is nothing to check beyond the word."""
    assert parse('"token"', NOW) == Query(text='"token"', words="token")


def test_exclusions_and_prefixes_are_set_apart() -> None:
    """They narrow and widen, and have no part in the free text."""
    query = parse("login -oauth auth*", NOW)

    assert (query.words, query.excluded, query.prefixes) == ("login", ("oauth",), ("auth",))


@pytest.mark.parametrize("text", ["--dry-run", "returns -1", "a - b", "x-y"])
def test_a_dash_that_is_no_exclusion_takes_nothing_away(text: str) -> None:
    """Options, numbers and compounds are full of dashes."""
    assert parse(text, NOW).excluded == ()


@pytest.mark.parametrize(
    ("text", "filters"),
    [
        ("type:decision", Filters(types=("decision",))),
        ("ns:learnings", Filters(types=("insight",))),
        ("type:decision type:debt", Filters(types=("decision", "debt"))),
        ("tag:auth tag:security", Filters(tags=("auth", "security"))),
        ("tag:auth,security", Filters(tags=("auth", "security"))),
        ("-tag:old", Filters(without_tags=("old",))),
        ("-type:commit", Filters(without_types=("commit",))),
        ("topic:backend/auth/", Filters(topic="backend/auth")),
        ('title:"two words"', Filters(title="two words")),
        ("branch:feature/x", Filters(branch="feature/x")),
        ("status:NEEDS_REVIEW", Filters(status="needs-review")),
        ("status:all", Filters(status="all")),
        ("author:ada agent:claude", Filters(author="ada", agent="claude")),
        ("session:4h1n", Filters(session="4h1n")),
        ("file:src/auth/jwt.py", Filters(file="src/auth/jwt.py")),
        ("since:7d", Filters(since=NOW - 7 * DAY)),
        ("since:7d since:2d", Filters(since=NOW - 2 * DAY)),
        ("until:2025-12-31", Filters(until=NOW - 1e-6)),
        ("confidence>=0.7", Filters(min_confidence=0.7)),
        ("confidence<=0.7", Filters(max_confidence=0.7)),
        ("TYPE:Decision", Filters(types=("decision",))),
    ],
)
def test_filters_are_understood(text: str, filters: Filters) -> None:
    """Every filter of the contract can be typed."""
    query = parse(f"words {text}", NOW)

    assert query.filters == filters
    assert query.words == "words"


def test_more_than_means_more() -> None:
    """`confidence>0.7` leaves out 0.7 itself, although the bounds are included."""
    filters = parse("confidence>0.7 confidence<0.9", NOW).filters

    assert filters.min_confidence is not None
    assert filters.max_confidence is not None
    assert 0.7 < filters.min_confidence < filters.max_confidence < 0.9


@pytest.mark.parametrize(
    "text", ["type:nonsense", "status:open", "since:someday", "confidence>2", "confidence>x"]
)
def test_bad_values_of_filters_are_refused(text: str) -> None:
    """Searching for something else than was asked would be worse than an error."""
    with pytest.raises(Invalid):
        parse(text, NOW)


@pytest.mark.parametrize(
    "text",
    [
        "http://example.org/a?b=c",
        "TypeError: bad",
        "note:something",
        "std::vector",
        "a:b:c",
        "type:",
    ],
)
def test_unknown_fields_are_words(text: str) -> None:
    """Error messages and addresses are pasted into questions all the time."""
    query = parse(text, NOW)

    assert query.filters.is_empty
    assert query.words


@pytest.mark.parametrize(
    "text", ['"', '""', '"open', "*", "-", "**", ":", "tag:", '-"', "\x00\x1b[0m"]
)
def test_broken_syntax_is_no_error(text: str) -> None:
    """Nobody should have to learn a grammar to ask."""
    assert parse(text, NOW).filters.is_empty


def test_a_question_is_cut_at_its_limit() -> None:
    """Whole files get pasted; the beginning says what it is about."""
    assert len(parse("word " * 50_000, NOW).text) <= LONGEST


def test_an_empty_question_is_a_listing() -> None:
    """Filters alone list, they do not rank."""
    assert parse("type:decision", NOW).is_empty
    assert not parse("auth*", NOW).is_empty


def test_options_become_the_same_filters() -> None:
    """The options of a command and the words of a query mean the same."""
    options = Filters.of(
        NOW, type="decisions", tags=["a"], since="7d", min_confidence=0.5, author="", file=None
    )

    assert options == parse("type:decision tag:a since:7d confidence>=0.5", NOW).filters


def test_unknown_options_are_refused() -> None:
    """A misspelt option must not widen the answer."""
    with pytest.raises(Invalid):
        Filters.of(NOW, colour="red")


def test_merged_filters_both_hold() -> None:
    """Tags add up, ranges narrow, and of two that exclude each other the second counts."""
    one = Filters(tags=("a",), since=1.0, until=9.0, types=("issue",), author="ada")
    other = Filters(tags=("b",), since=2.0, until=12.0, types=("debt",))

    assert one.merge(other) == Filters(
        tags=("a", "b"), since=2.0, until=9.0, types=("debt",), author="ada"
    )


@given(st.text(alphabet=st.characters(codec="utf-8")))
def test_anything_can_be_asked(text: str) -> None:
    """Only values of known filters may be refused, and random text hardly ever has any."""
    try:
        query = parse(text, NOW)
    except Invalid:
        assert ":" in text or "confidence" in text.lower()
    else:
        assert isinstance(query, Query)


@given(st.lists(st.sampled_from(['"', "-", "*", ":", "tag:", "a", " ", "x", "\\", "(", "é"])))
def test_any_mix_of_syntax_can_be_asked(parts: list[str]) -> None:
    """The characters that mean something, in every order."""
    query = parse("".join(parts), NOW)

    assert "\n" not in query.words
