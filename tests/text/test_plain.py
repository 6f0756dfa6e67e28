"""Text as a reader takes it: no alphabet, markup or length hides a word, and none costs much."""

import pytest

from treering.text.steering.plain import read, views

FORMS = {
    "full width": "ｉｇｎｏｒｅ",
    "mathematical": "𝗶𝗴𝗻𝗼𝗿𝗲",
    "circled": "ⓘⓖⓝⓞⓡⓔ",
    "white on black": "🅘🅖🅝🅞🅡🅔",
    "accents": "ígnóre\u0301\u0302",
    "entities": "&#105;&#x67;nore",
    "capitals": "IGNORE",
}


@pytest.mark.parametrize("form", FORMS)
def test_letters_are_read_as_what_they_look_like(form: str) -> None:
    assert read(FORMS[form]) == "ignore"


@pytest.mark.parametrize(
    "text", ["ig**no**re", "ig<b>no</b>re", "ig<i></i>nore", "`ig`nore", "ig<!-- x -->nore"]
)
def test_markup_inside_a_word_is_looked_through(text: str) -> None:
    assert "ignore" in views(text)


def test_a_sign_of_many_letters_makes_no_text_longer() -> None:
    """U+FDFA alone is eighteen letters in compatibility form: a memory of them would be 1.5 MB."""
    assert len(read("\ufdfa" * 1000)) <= 1000


def test_a_run_of_accents_is_not_sorted_as_one() -> None:
    """Sorting is quadratic: this text would take minutes."""
    assert read("a" + "\u0315\u0300" * 60_000 + " b") == "a b"


def test_a_number_no_character_has_is_a_space() -> None:
    """A number of thousands of digits is not even read: that is quadratic as well."""
    assert read("&#9999999;") == " "
    assert read(f"&#{'9' * 9000};").startswith(" 99")
