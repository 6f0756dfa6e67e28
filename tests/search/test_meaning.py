"""Meaning as installed: the table that comes with the program, and words for the same."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from treering.derived.database import Database
from treering.search.meaning.models import ModelChoice
from treering.search.meaning.table import FILE, StaticTable
from treering.search.meaning.vectors import VectorTable, shrink

ROOM = 8_000_000


@pytest.fixture
def shelf(library: Any) -> Any:
    """A few memories about different things, with the table in use."""
    library.embedder = StaticTable()
    library.remember("Passwords are hashed with bcrypt", "Every credential gets a salt of its own.")
    library.remember("Retry the payment webhook", "It fails with ERR_1234 now and then.")
    library.remember("Pages are rendered on the server", "The browser gets finished HTML.")
    library.remember("The nightly backup runs at two", "A dump of all tables is kept for a week.")
    return library


def cosine(one: str, other: str) -> float:
    table = StaticTable()
    return nearness(*table.embed([one, other]))


def nearness(one: Sequence[float], other: Sequence[float]) -> float:
    first, second = shrink(one), shrink(other)
    dot = sum((a - 128) * (b - 128) for a, b in zip(first.numbers, second.numbers, strict=True))
    return dot / (first.length * second.length)


def test_the_table_is_small_and_needs_no_numpy() -> None:
    """It travels with every installation."""
    assert FILE.stat().st_size <= ROOM
    assert "numpy" not in (FILE.parents[1] / "table.py").read_text(encoding="utf-8").split("import")


def test_texts_that_mean_the_same_are_nearer() -> None:
    """Without a word in common."""
    near = cosine("delete the folder", "remove a directory")
    far = cosine("delete the folder", "certificates expire every ninety days")

    assert near > far + 0.2


def test_a_question_in_other_words_finds_its_memory(shelf: Any) -> None:
    """As installed, with nothing but the table."""
    found = shelf.recall("how do we protect user accounts", mode="hybrid")

    assert shelf.memories[found.hits[0].blob].title == "Passwords are hashed with bcrypt"
    assert found.mode == "hybrid"


def test_semantic_mode_works_as_installed(shelf: Any) -> None:
    found = shelf.recall("database copy made every night", mode="semantic")

    assert shelf.memories[found.hits[0].blob].title == "The nightly backup runs at two"
    assert "semantic" in found.hits[0].why


@pytest.mark.parametrize(
    "question", ["warum ist die Datenbank so langsam geworden", "数据库备份", "データベースの復元"]
)
def test_another_language_is_left_to_its_words(shelf: Any, question: str) -> None:
    """The table would make noise of it."""
    shelf.remember("数据库备份在夜里运行", "数据库备份保留一周。")
    shelf.remember("Die Datenbank ist langsam", "Ein Index fehlt auf der Tabelle der Kunden.")

    assert shelf.titles(question, mode="hybrid") == shelf.titles(question, mode="text")


def test_text_of_any_size_makes_a_vector() -> None:
    """Sums of numbers must not run into each other."""
    values = StaticTable().embed(["elephant " * 100_000, "", "\0 \u202e 你好"])

    assert shrink(values[0]).length > 0
    assert [shrink(value).length for value in values[1:]] == [0.0, 0.0]


def test_a_question_of_any_size_makes_a_vector() -> None:
    """Rare words count several times, and there is no more room for them."""
    table = StaticTable()
    long = table.embed_question("elephant " * 100_000, lambda _: 1.0)

    assert nearness(long, table.embed(["elephant"])[0]) > 0.99


def test_a_word_that_all_memories_hold_tells_none_from_the_others(library: Any) -> None:
    """In a conversation it is the speaker's name, in a project its own."""
    library.embedder = StaticTable()
    for thing in ("window", "garden", "ticket", "recipe", "bridge", "lesson"):
        library.remember(
            f"Melanie and the {thing}", f"Melanie thought about the {thing} of Melanie."
        )
    library.remember("Melanie and the picture", "A sunrise over a lake, in oil.")

    assert (
        library.titles("the painting of Melanie", mode="semantic")[0] == "Melanie and the picture"
    )


# --- synonyms -------------------------------------------------------------------------------------


def test_a_synonym_finds_what_the_word_does_not(library: Any) -> None:
    library.remember("Our database is replicated", "Two copies are kept.")

    found = library.recall("db", mode="hybrid")

    assert [hit.why for hit in found.hits] == [("synonym",)]
    assert library.recall("db", mode="text").hits == ()


def test_the_word_itself_comes_before_its_synonyms(library: Any) -> None:
    library.remember("The db is replicated", "Two copies are kept.")
    library.remember("The database is replicated", "Two copies are kept of it.")

    assert library.titles("db replicated", mode="hybrid")[0] == "The db is replicated"


def test_a_project_has_words_of_its_own(library: Any) -> None:
    """`treering.synonyms` names a file: comments, and a group a line."""
    library.own_words = "# ours\nheron, billing service  # the old name\n\nlonely\n"
    library.remember("The billing service is written in Go", "It was a rewrite.")

    found = library.recall("heron", mode="hybrid")

    assert "synonym" in found.hits[0].why


def test_a_convention_tagged_synonyms_adds_words(library: Any) -> None:
    library.remember("Our words", "kestrel, scheduler", type="convention", tags=("synonyms",))
    library.remember("The scheduler wakes every minute", "It polls the queue.")

    found = library.recall("kestrel", mode="hybrid")

    titles = [library.memories[hit.blob].title for hit in found.hits]
    assert "The scheduler wakes every minute" in titles


def test_hostile_words_change_nothing_but_what_is_found(library: Any) -> None:
    """A file of a clone may hold anything, and much of it."""
    library.own_words = "," * 100_000 + "\n" + "a, b\n" * 50_000 + "\0, \u202e, x" * 1000
    library.remember("The scheduler wakes every minute", "It polls the queue.")

    assert library.titles("scheduler", mode="hybrid") == ["The scheduler wakes every minute"]


# --- vectors on disk ------------------------------------------------------------------------------


def test_a_rebuild_makes_vectors_anew(shelf: Any) -> None:
    """Whatever was planted in their place."""
    shelf.recall("backup", mode="hybrid")
    dimensions, database = StaticTable().dimensions, Database(shelf.folder)
    (model,) = database.ask(lambda db: db.execute("SELECT model FROM vectors").fetchone(), ("",))
    planted = shrink([1.0] * dimensions)
    VectorTable(database, model, dimensions).write((blob, planted) for blob in shelf.memories)

    index = shelf.fresh()
    index.rebuild()
    found = shelf.recall("database copy made every night", mode="semantic", index=index)

    assert shelf.memories[found.hits[0].blob].title == "The nightly backup runs at two"


# --- models ---------------------------------------------------------------------------------------


def test_settings_name_models(tmp_path: Path) -> None:
    """Nothing is loaded to find out."""
    assert ModelChoice("off").best is None
    assert isinstance(ModelChoice("table").best, StaticTable)
    assert isinstance(ModelChoice(str(tmp_path / "nothing")).best, StaticTable)
