"""Text analysis: what can be found by which word."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treering.search import analysis
from treering.search.analysis import flatten, join_terms, question_terms, terms


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("getUserName", "user name"),
        ("getUserName", "get_user_name"),
        ("get_user_name", "getUserName"),
        ("--dry-run", "dry_run"),
        ("HTTPServer", "http server"),
        ("src/auth/jwt_token.py", "jwt_token.py"),
        ("src/auth/jwt_token.py", "auth"),
        ("os.path.join", "os.path.join"),
        ("std::vector_view", "vector_view"),
        ("ERR_1234", "err_1234"),
        ("v1.2.3", "1.2.3"),
        ("UTF-8", "utf8"),
        ("sha256", "SHA256"),
        ("running tests", "run test"),
        ("the user's tokens", "user token"),
        ("Ada’s notes", "ada note"),
        ("café", "cafe"),
        ("cafe\u0301", "café"),
        ("認証モジュール", "認証"),
        ("Überprüfung", "überprüfung"),
        ("नमस्ते दुनिया", "नमस्ते"),
    ],
)
def test_what_is_written_one_way_is_found_in_another(text: str, asked: str) -> None:
    """People and agents rarely type a name exactly as the code spells it."""
    assert set(question_terms(asked)) & set(terms(text))


def test_identifiers_are_kept_whole_beside_their_parts() -> None:
    """A whole name is rarer than its parts, so an exact look-up comes first."""
    assert terms("getUserName") == ["getusername", "get", "user", "name"]


def test_versions_are_one_term() -> None:
    """`1` and `2` alone would match half of everything."""
    assert terms("v1.2.3") == ["1.2.3"]


def test_stop_words_are_left_out() -> None:
    """They cost time and say nothing."""
    assert terms("How does the deploy happen?") == ["deploi", "happen"]


def test_a_question_of_stop_words_keeps_them() -> None:
    """Nothing at all could not even be explained."""
    assert question_terms("what is it") == ["what", "is", "it"]


def test_neighbouring_words_are_also_tried_as_one() -> None:
    """`data frame` is often called `dataframe`."""
    assert "datafram" in join_terms("the data frame of it")


def test_a_long_run_is_cut() -> None:
    """A base64 blob must not become a term of its own size."""
    assert max(map(len, terms("x" * 5000))) <= 64


def test_phrases_are_compared_without_punctuation() -> None:
    """`Use JWT, always` holds the phrase `use jwt always`."""
    assert flatten("use jwt always") in flatten("We use JWT, always.")


@pytest.mark.parametrize(
    "unit",
    [
        "a",
        "a.",
        "a-",
        "_",
        "aB",
        "認",
        "é",
        "e\u0301.",
        "'",
        "a'",
        "1.",
        "A" * 50 + "b ",
        "::",
        "@a/",
    ],
)
def test_hostile_text_takes_no_time(unit: str) -> None:
    """A content may have 256 KB, and one of them must not stop recall for everyone."""
    text = (unit * 262_144)[:262_144]

    began = time.process_time()
    terms(text)

    assert time.process_time() - began < 1.0


@given(st.text())
def test_any_text_becomes_terms_without_blanks(text: str) -> None:
    """Terms are looked up in a table: an empty one or one with a blank could never be found."""
    assert all(term and not term.isspace() for term in terms(text) + question_terms(text))


@given(st.text(), st.text())
def test_a_text_is_found_by_itself(text: str, other: str) -> None:
    """Index and question go through the same function, so what was written can be asked for."""
    found = terms(f"{text} {other}")

    assert not terms(text) or set(found) & set(question_terms(text))


def test_a_run_of_accents_is_normalised_in_slices(monkeypatch):
    """On a run of 100,000 Unicode's rules are quadratic: one memory could stall every recall."""
    lengths = []
    normalize = analysis.unicodedata.normalize

    def note(form, text):
        lengths.append(len(text))
        return normalize(form, text)

    monkeypatch.setattr(analysis.unicodedata, "normalize", note)
    terms("e" + "\u0301" * 5000)
    flatten("e" + "\u0301" * 5000)

    assert lengths
    assert max(lengths) <= 256


def test_a_letter_keeps_its_accents_wherever_a_slice_ends():
    """Decomposed text is found by composed words, however far into it they stand."""
    for padding in range(120, 136):
        assert "caf\u00e9" in flatten("x" * padding + " cafe\u0301 ")
