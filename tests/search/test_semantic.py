"""Search by meaning, with a model that knows three things."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from typing import Any

import pytest

from treering.derived.database import FILE

MEANINGS = {
    "car": (1.0, 0.0, 0.0),
    "automobile": (0.95, 0.1, 0.0),
    "truck": (0.9, 0.2, 0.0),
    "fruit": (0.0, 1.0, 0.0),
    "apple": (0.1, 0.95, 0.0),
}


class Fake:
    """A model whose vectors are sums of known words."""

    name = "fake"
    dimensions = 3
    weight = 1.0
    floor = 0.2
    is_quick = True

    def __init__(self) -> None:
        self.embedded: list[str] = []
        self.broken = False

    def rest(self) -> None:
        pass

    def understands(self, text: str) -> bool:
        return bool(text)

    def embed(self, texts: list[str]) -> Sequence[Sequence[float]]:
        if self.broken:
            raise RuntimeError("out of memory")
        self.embedded += texts
        return [self._vector(text) for text in texts]

    def embed_question(self, words: str, _: Any) -> Sequence[float]:
        return self.embed([words])[0]

    def _vector(self, text: str) -> tuple[float, ...]:
        known = [MEANINGS[w] for w in text.lower().split() if w in MEANINGS] or [(0.0, 0.0, 0.1)]
        return tuple(sum(axis) for axis in zip(*known, strict=True))


@pytest.fixture
def cars(library: Any) -> Any:
    library.embedder = Fake()
    library.remember("The automobile fleet", "Every automobile is insured.")
    library.remember("The apple orchard", "An apple a day.")
    return library


@pytest.mark.parametrize("mode", ["hybrid", "semantic"])
def test_meaning_finds_what_words_do_not(cars: Any, mode: str) -> None:
    """No memory holds the word `truck`."""
    found = cars.recall("truck", mode=mode)

    assert cars.memories[found.hits[0].blob].title == "The automobile fleet"
    assert "semantic" in found.hits[0].why
    assert found.mode == mode


def test_text_mode_leaves_the_model_alone(cars: Any) -> None:
    """It sees memories as they are indexed, and is not asked about the question."""
    found = cars.recall("truck", mode="text")

    assert "truck" not in cars.embedder.embedded
    assert (found.mode, found.hits) == ("text", ())


def test_a_slow_model_does_not_keep_a_recall_waiting(cars: Any) -> None:
    """Its vectors are made by whoever may take the time, and the question is answered before."""
    cars.embedder.is_quick = False

    before = cars.recall("truck", mode="hybrid")
    cars.index.make_vectors()
    after = cars.recall("truck", mode="hybrid")

    assert before.hits == ()
    assert cars.memories[after.hits[0].blob].title == "The automobile fleet"


def test_without_a_model_hybrid_is_text_and_says_so(three: Any) -> None:
    """The answer names the mode that was used."""
    found = three.recall("authentication", mode="hybrid")

    assert (found.mode, found.total) == ("text", 1)
    assert "turned off" in found.notes[0]


def test_a_model_that_fails_costs_only_its_half(cars: Any) -> None:
    """Words are still searched, and the index is not blamed."""
    cars.recall("apple", mode="hybrid")
    cars.embedder.broken = True
    cars.reads.clear()

    found = cars.recall("orchard", mode="hybrid")

    assert (found.mode, found.total) == ("text", 1)
    assert cars.reads == []


def test_vectors_are_kept_on_disk_by_blob(cars: Any) -> None:
    """A new process embeds nothing again."""
    cars.recall("truck", mode="hybrid")
    cars.embedder.embedded.clear()

    cars.recall("car", mode="hybrid", index=cars.fresh())

    assert cars.embedder.embedded == ["car"]


def test_only_new_memories_are_embedded(cars: Any) -> None:
    """One capture costs one vector."""
    cars.recall("truck", mode="hybrid")
    cars.embedder.embedded.clear()
    cars.remember("A fruit market", "It sells fruit.")

    found = cars.recall("apple", mode="semantic")

    assert cars.embedder.embedded == ["A fruit market\nIt sells fruit.", "apple"]
    assert found.total >= 2


@pytest.mark.parametrize("harm", ["cut", "zero", "lose", "short"])
def test_damaged_vectors_are_made_again(cars: Any, harm: str) -> None:
    """They are as derived as everything else."""
    expected = [h.id for h in cars.recall("truck", mode="semantic").hits]
    path = cars.folder / FILE
    if harm == "short":
        with closing(sqlite3.connect(path, isolation_level=None)) as db:
            db.execute("UPDATE vectors SET value = substr(value, 1, 9)")
    elif harm == "lose":
        path.unlink()
    else:
        path.write_bytes(path.read_bytes()[:5000] if harm == "cut" else b"")

    for _ in range(2):
        found = cars.recall("truck", mode="semantic", index=cars.fresh())
        assert [hit.id for hit in found.hits] == expected


def test_filters_and_visibility_hold_for_meaning_too(cars: Any) -> None:
    """A model must not see more than words do."""
    hidden, shown = cars.memories

    by_view = cars.recall("automobile", mode="semantic", visible={shown: 0})
    by_filter = cars.recall("automobile title:orchard", mode="hybrid")
    excluded = cars.recall("automobile -fleet", mode="hybrid")

    assert {hit.blob for hit in by_view.hits} == {shown}
    assert {hit.blob for hit in by_filter.hits} <= {shown}
    assert hidden not in {hit.blob for hit in excluded.hits}


class Slow(Fake):
    """A model that came from elsewhere, and does not even know how long its vectors are."""

    name = "slow"
    is_quick = False

    @property
    def dimensions(self) -> int:  # type: ignore[override]
        raise RuntimeError("not a model")


def test_the_table_answers_for_a_model_that_cannot_be_used(cars: Any) -> None:
    """Nobody loses search by meaning over a setting."""
    cars.index.understanding.library.add(Slow())

    found = cars.recall("truck", mode="semantic")

    assert cars.memories[found.hits[0].blob].title == "The automobile fleet"
    assert found.mode == "semantic"


def test_an_index_is_built_without_a_model_that_cannot_be_used(cars: Any) -> None:
    cars.index.understanding.library.add(Slow())

    cars.index.rebuild()

    assert cars.titles("truck", mode="semantic")[0] == "The automobile fleet"


def test_what_is_not_near_is_no_answer(cars: Any) -> None:
    """Something is always the nearest: what no two texts have more in common than any is not."""
    assert cars.titles("nothing of this", mode="semantic") == []


def test_words_are_found_where_nothing_is_near(cars: Any) -> None:
    assert cars.titles("insured", mode="semantic") == ["The automobile fleet"]
