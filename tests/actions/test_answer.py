"""The one place every answer passes on its way out."""

from treering.text.values import jsonable


def test_no_text_of_an_answer_can_steer_a_terminal() -> None:
    """Names of branches and authors were chosen by others, and stand in keys as well as values."""
    told = jsonable({"by\u202eline": ["a\x1b[2Jb", ("c\u200bd", 1, None, True)]})

    assert told == {"byline": ["ab", ["cd", 1, None, True]]}


def test_what_json_has_no_word_for_is_a_text() -> None:
    assert jsonable({"score": float("inf")}) == {"score": "inf"}
