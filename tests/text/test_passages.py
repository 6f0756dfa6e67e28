"""Passages: whole sentences that answer, in their order, within a room."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treering.text.passages import (
    GAP,
    choose_passage,
    holds_together,
    reason_of_message,
    snippet,
    split_sentences,
)
from treering.text.words import words

CHAT = """\
Asked: The merge shows tags twice. Can you look?
Said: I could lowercase every tag on the way in. Would that be fine?

Asked: No, the provider treats casing as significant.
Said: Then I keep the first casing. What about the dash entries?

Asked: They remove a tag from sources below.
Said: Settled then: the first casing wins. A dash entry removes the tag from lower sources only.
"""


def test_a_text_that_fits_is_taken_whole() -> None:
    assert choose_passage("One  line.\nAnother.", [], 100) == "One line. Another."


def test_where_somebody_sums_up_counts_most() -> None:
    passage = choose_passage(CHAT, words("tags appear twice in the merge"), 140)

    assert "Settled then: the first casing wins." in passage
    assert "lower sources only." in passage
    assert "lowercase every tag" not in passage


def test_sentences_that_hold_the_question_are_chosen_and_gaps_are_marked() -> None:
    filler = " ".join(f"The weather was fine on day {n}." for n in range(40))
    text = f"{filler} Refunds are rounded down. {filler} Invoices are numbered. {filler}"

    passage = choose_passage(text, words("refund rounding and invoice numbers"), 80)

    assert passage == f"{GAP} Refunds are rounded down. {GAP} Invoices are numbered. {GAP}"


def test_the_reasoning_is_part_of_what_is_said() -> None:
    filler = " ".join(f"Sentence number {n} tells little." for n in range(40))

    passage = choose_passage(f"{filler}\n\nReason: parallel batches gave wrong totals.", [], 120)

    assert "Reason: parallel batches gave wrong totals." in passage


def test_lines_that_were_only_wrapped_are_one_sentence() -> None:
    sentences = [
        one.text for one in split_sentences("The pool has\nten slots. It\nwaits.\n- one\n- two")
    ]

    assert sentences == ["The pool has ten slots.", "It waits.", "- one", "- two"]


@given(st.text(max_size=400), st.text(max_size=40), st.integers(min_value=4, max_value=300))
def test_a_passage_never_exceeds_its_room(text: str, question: str, room: int) -> None:
    assert len(choose_passage(text, words(question), room)) <= room


def test_a_snippet_without_a_question_is_the_beginning() -> None:
    text = "word " * 100

    assert snippet(text, "").startswith("word word")
    assert len(snippet(text, "")) <= 242
    assert snippet("short", "anything") == "short"


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        ("Fix it", ""),
        ("Fix it\n\nSigned-off-by: Ada <ada@example.org>\nFixes #12", ""),
        ("Fix it\n\nhttps://example.org/issues/12", ""),
        ("Merge (#7)\n\n* first shot\n* fix tests\n\n---------", ""),
        ("Fix it\n\nThe driver hangs on the eleventh.", "The driver hangs on the eleventh."),
        (
            "Fix it\n\nThe driver hangs.\nissue with pools of ten\n\nReviewed-by: B <b@x.org>",
            "The driver hangs.\nissue with pools of ten",
        ),
        (
            "Merge (#7)\n\n* ten slots, because the driver hangs",
            "* ten slots, because the driver hangs",
        ),
    ],
)
def test_a_reason_is_what_a_message_says_beyond_subject_and_trailers(
    message: str, reason: str
) -> None:
    assert reason_of_message(message) == reason


def test_words_stand_together_or_are_only_somewhere() -> None:
    apart = "The job is done. " + "Nothing else. " * 20 + "It ran on windows. " + "Fine. " * 20
    near = "Nothing else. " * 20 + "The job fails on windows. " + "Fine. " * 20

    question = words("why does the job fail on windows")

    assert not holds_together(apart + "CI is red, and tests fail.", question)
    assert holds_together(near, question)
    assert not holds_together("Nothing of it.", question)
