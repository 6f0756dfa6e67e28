"""Search by meaning, with a model that knows three things."""

import importlib.util
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("numpy")

from treering.search import embedder_named
from treering.search.semantic import SentenceTransformer, WordLlama

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

    def __init__(self) -> None:
        self.embedded: list[str] = []
        self.broken = False

    def embed(self, texts: list[str]) -> Sequence[Sequence[float]]:
        if self.broken:
            raise RuntimeError("out of memory")
        self.embedded += texts
        return [self._vector(text) for text in texts]

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
    """It is neither loaded nor asked."""
    cars.recall("truck", mode="text")

    assert cars.embedder.embedded == []


def test_without_a_model_hybrid_is_text_and_says_so(three: Any) -> None:
    """The answer names the mode that was used."""
    found = three.recall("authentication", mode="hybrid")

    assert (found.mode, found.total) == ("text", 1)
    assert "No embedding model" in found.notes[0]


def test_a_model_that_fails_costs_only_its_half(cars: Any) -> None:
    """Words are still searched, and the index is not blamed."""
    cars.recall("apple", mode="hybrid")
    cars.embedder.broken = True
    cars.reads.clear()

    found = cars.recall("orchard", mode="hybrid")

    assert (found.mode, found.total) == ("text", 1)
    assert cars.reads == []


def test_vectors_are_kept_on_disk_by_blob(cars: Any) -> None:
    """A rebuild or a new process embeds nothing again."""
    cars.recall("truck", mode="hybrid")
    cars.index.rebuild(list(cars.memories))
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


@pytest.mark.parametrize("harm", ["cut", "flip", "zero", "lose", "grow"])
def test_damaged_vectors_are_made_again(cars: Any, harm: str) -> None:
    """The file of vectors is as derived as everything else."""
    expected = [h.id for h in cars.recall("truck", mode="semantic").hits]
    (path,) = cars.folder.glob("vectors-*")
    data = path.read_bytes()
    flipped = bytearray(data)
    flipped[25] ^= 255
    changed = {"cut": data[:-3], "flip": bytes(flipped), "zero": b"", "grow": data + b"xyz"}
    path.unlink() if harm == "lose" else path.write_bytes(changed[harm])

    for _ in range(2):
        found = cars.recall("truck", mode="semantic", index=cars.fresh())
        assert [hit.id for hit in found.hits] == expected


def test_vectors_behind_a_link_are_neither_read_nor_written(cars: Any, tmp_path: Path) -> None:
    """Half a record at the end is cut off: the end of somebody's letter is none."""
    expected = [h.id for h in cars.recall("truck", mode="semantic").hits]
    (path,) = cars.folder.glob("vectors-*")
    letter = tmp_path / "letter"
    letter.write_text("Dear Ada, " * 10, encoding="utf-8")
    path.unlink()
    path.symlink_to(letter)

    found = cars.recall("truck", mode="semantic", index=cars.fresh())

    assert [hit.id for hit in found.hits] == expected
    assert letter.read_text(encoding="utf-8") == "Dear Ada, " * 10


def test_filters_and_visibility_hold_for_meaning_too(cars: Any) -> None:
    """A model must not see more than words do."""
    hidden, shown = cars.memories

    by_view = cars.recall("automobile", mode="semantic", visible={shown: 0})
    by_filter = cars.recall("automobile title:orchard", mode="hybrid")
    excluded = cars.recall("automobile -fleet", mode="hybrid")

    assert {hit.blob for hit in by_view.hits} == {shown}
    assert {hit.blob for hit in by_filter.hits} <= {shown}
    assert hidden not in {hit.blob for hit in excluded.hits}


def test_models_are_chosen_by_name() -> None:
    """A setting names the model; without its package there is none."""
    assert embedder_named("off") is None
    has_wordllama = importlib.util.find_spec("wordllama") is not None
    assert isinstance(embedder_named("auto"), WordLlama) is has_wordllama
    has_transformers = importlib.util.find_spec("sentence_transformers") is not None
    assert isinstance(embedder_named("some/model"), SentenceTransformer) is has_transformers


def test_wordllama_works_without_a_network(library: Any) -> None:
    """Its weights are in its wheel, once it is told where to look."""
    pytest.importorskip("wordllama")
    library.embedder = WordLlama()
    library.remember("Our automobile fleet", "Cars are insured.")
    library.remember("The orchard", "Apples and pears grow here.")

    found = library.recall("vehicle", mode="semantic")

    assert library.memories[found.hits[0].blob].title == "Our automobile fleet"
