"""Words and meaning in one order: words decide as far as they hold the question."""

from typing import Any

import pytest

from treering.search.matching import Clause
from treering.search.meaning.table import StaticTable
from treering.search.ranking import fuse, trust_in_words


def clauses(*holders: set[int], rarity: float = 2.0) -> list[Clause]:
    """A word of a question for each set of documents that hold it."""
    pairs = enumerate(holders)
    return [Clause(f"w{at}", dict.fromkeys(mine, 1.0), rarity) for at, mine in pairs]


@pytest.fixture
def shelf(library: Any) -> Any:
    library.embedder = StaticTable()
    library.remember("Passwords are hashed with bcrypt", "Every credential gets a salt of its own.")
    library.remember("Pages are rendered on the server", "The browser gets finished HTML.")
    library.remember("The nightly backup runs at two", "A dump of all tables is kept for a week.")
    return library


def test_words_and_meaning_add_up() -> None:
    scores = fuse({1: 8.0, 2: 4.0}, {1: 0.1, 2: 0.5, 3: 0.9}, trust=1.0, weight=0.5, floor=0.1)

    assert scores == pytest.approx({1: 1.0, 2: 0.7, 3: 0.4})


def test_words_that_are_not_trusted_leave_the_order_to_meaning() -> None:
    scores = fuse({1: 8.0, 2: 4.0}, {1: 0.1, 2: 0.5, 3: 0.9}, trust=0.01, weight=0.5, floor=0.1)

    assert sorted(scores, key=scores.__getitem__, reverse=True) == [3, 2, 1]


def test_nothing_found_by_words_is_an_order_by_meaning() -> None:
    assert fuse({}, {1: 0.05, 2: 0.3}, trust=1.0, weight=1.0, floor=0.1) == pytest.approx(
        {1: 0.0, 2: 0.2}
    )


@pytest.mark.parametrize(("held", "trust"), [(4, 1.0), (2, 0.25), (1, 0.0625 * 0.25 / 0.3)])
def test_words_are_trusted_as_far_as_the_best_match_holds_the_question(
    held: int, trust: float
) -> None:
    question = clauses(*({7} if at < held else set[int]() for at in range(4)))

    assert trust_in_words({7: 3.0}, question) == pytest.approx(trust)


def test_a_long_question_need_not_be_held_whole() -> None:
    """Nobody repeats a paragraph word for word."""
    question = clauses(*({7} if at < 8 else set[int]() for at in range(30)))

    assert trust_in_words({7: 3.0}, question) == 1.0


def test_a_word_in_common_does_not_outdo_the_meaning_of_the_rest(shelf: Any) -> None:
    """`server` is the only word of the question that anybody wrote."""
    question = "how are login secrets protected on our server"

    assert shelf.titles(question, mode="text")[0] == "Pages are rendered on the server"
    assert shelf.titles(question, mode="hybrid")[0] == "Passwords are hashed with bcrypt"


def test_a_memory_that_holds_the_question_comes_before_what_means_the_same(shelf: Any) -> None:
    shelf.remember("Secrets protected by hardware", "Login on our server asks for a key.")
    question = "how are login secrets protected on our server"

    assert shelf.titles(question, mode="hybrid")[0] == "Secrets protected by hardware"
