"""The index as its callers see it: catching up, visibility, listing."""

import random
from typing import Any

import pytest

from treering.errors import Invalid
from treering.model.query import Filters, parse
from treering.search.index import MAX_SEGMENTS

NOW = 1_767_225_600.0


def test_what_was_remembered_is_found(three: Any) -> None:
    """The point of it all."""
    assert three.titles("how do we authenticate?") == ["Use JWT for authentication"]


def test_another_process_finds_it_without_reading_anything(three: Any) -> None:
    """The index is on disk: a new process opens it and reads no memory."""
    three.recall("token")
    three.reads.clear()

    found = three.recall("token", index=three.fresh())

    assert found.total == 1
    assert three.reads == []


def test_only_visible_blobs_are_found(three: Any) -> None:
    """Visibility is the caller's: the index holds every branch."""
    _, *others = three.memories

    found = three.recall("jwt authentication", visible=dict.fromkeys(others, 0))

    assert found.hits == ()


def test_catching_up_reads_only_what_is_new(three: Any) -> None:
    """One capture must not cost a look at a hundred thousand memories."""
    three.recall("token")
    three.reads.clear()
    blob = three.remember("Tokens expire after an hour")

    three.index.catch_up(three.memories)

    assert set(three.reads) == {blob}


def test_catching_up_twice_adds_nothing(three: Any) -> None:
    three.index.catch_up(three.memories)

    assert three.index.catch_up(three.memories) == 0


def test_rows_written_by_another_process_are_indexed(three: Any) -> None:
    """A capture adds a row and does not wait for the index."""
    three.recall("token")
    blob = three.remember("Tokens expire after an hour")
    three.fresh().rows.add({blob: three.memories[blob]})

    assert "Tokens expire after an hour" in three.titles("tokens")


def test_an_index_without_its_database_is_compared_blob_by_blob(three: Any) -> None:
    """Either file may be deleted: the other stays of use, and nothing is added twice."""
    three.recall("token")
    for file in three.folder.glob("treering.db*"):
        file.unlink()
    three.remember("Tokens expire after an hour")

    index = three.fresh()
    three.recall("token", index=index)

    assert sorted(index.corpus().blobs) == sorted(three.memories)


def test_unreadable_blobs_are_asked_for_once(three: Any) -> None:
    """A damaged memory in a fetched branch must not be read again at every recall."""
    three.index.catch_up([*three.memories, "f" * 40])
    three.reads.clear()

    three.index.catch_up([*three.memories, "f" * 40])

    assert three.reads == []


def test_an_error_of_the_reader_reaches_the_caller(three: Any) -> None:
    """What is wrong with the store is not the index's to hide."""
    three.recall("token")
    blob = three.remember("One more")
    three.index._read = _failing

    with pytest.raises(OSError, match="no such object"):
        three.index.catch_up([blob])


def _failing(blobs: Any) -> Any:
    raise OSError("no such object")


def test_entries_hold_what_listings_need(library: Any) -> None:
    """Front matter is parsed once, when a memory is indexed."""
    blob = library.remember("Title", "Body", tags=("a", "b"), topic="x/y", confidence=0.4)
    library.recall("title")

    entry = library.fresh().entry(blob)

    assert (entry.title, entry.tags, entry.topic, entry.confidence) == (
        "Title", ("a", "b"), "x/y", 0.4,
    )  # fmt: skip
    assert set(library.fresh().corpus().blobs) == {blob}


def test_an_empty_question_lists_the_newest_first(library: Any) -> None:
    """`recall` without words is a listing."""
    library.remember("Old", created="2024-01-01T00:00:00Z")
    library.remember("New", created="2025-06-01T00:00:00Z")

    assert library.titles("") == ["New", "Old"]


@pytest.mark.parametrize(
    ("order", "titles"),
    [
        ("newest", ["c token", "b token", "a token"]),
        ("oldest", ["a token", "b token", "c token"]),
        ("confidence", ["b token", "a token", "c token"]),
        ("uncertain", ["c token", "a token", "b token"]),
    ],
)
@pytest.mark.parametrize("question", ["", "token"])
def test_every_order_works_with_and_without_words(
    library: Any, order: str, titles: list[str], question: str
) -> None:
    """The contract's orders, on listings and on searches."""
    library.remember("a token", "first thing", created="2024-01-01T00:00:00Z", confidence=0.5)
    library.remember("b token", "second matter", created="2024-02-01T00:00:00Z", confidence=0.9)
    library.remember("c token", "third subject", created="2024-03-01T00:00:00Z", confidence=0.1)

    assert library.titles(question, order=order) == titles


@pytest.mark.parametrize("options", [{"order": "best"}, {"mode": "magic"}])
def test_unknown_orders_and_modes_are_refused(three: Any, options: dict[str, str]) -> None:
    """A typing mistake is not the same as the default."""
    with pytest.raises(Invalid):
        three.recall("token", **options)


def test_rebuilding_says_how_far_it_is(three: Any) -> None:
    three.recall("token")
    seen: list[tuple[int, int]] = []

    count = three.index.rebuild(lambda done, total: seen.append((done, total)))

    assert count == len(three.index.corpus().blobs) == 3
    assert (3, 3) in seen


def test_many_small_segments_are_merged(library: Any) -> None:
    """Every capture adds a segment, and every search looks into each."""
    for number in range(20):
        library.remember(f"Note {number} on tokens", f"body of the note {number} word{number}")
        library.recall("tokens")

    segments = list((library.folder / "index").glob("knowledge_*.seg"))
    assert len(segments) <= MAX_SEGMENTS
    assert library.recall("tokens", limit=None, index=library.fresh()).total == 20
    assert library.titles("word7", index=library.fresh()) == ["Note 7 on tokens"]


def test_knowledge_and_records_are_two_indexes(library: Any) -> None:
    """Whoever asks for knowledge does not open a hundred thousand commits."""
    library.remember("Cache the totals", type="decision")
    library.remember("Cache the totals of invoices", type="commit")
    library.index.catch_up(library.memories)

    knowledge = library.index.corpus(with_records=False)

    assert (knowledge.count, library.index.corpus().count) == (1, 2)
    assert [library.index.corpus().is_record(n) for n in (0, 1)] == [False, True]


def test_a_change_of_type_moves_a_memory_to_the_other_index(library: Any) -> None:
    """It is another blob: what is not visible any more is found by nobody."""
    library.remember("Cache the totals", type="progress", id="0" * 12)
    library.recall("totals")
    library.memories.clear()
    library.remember("Cache the totals", type="decision", id="0" * 12)

    assert library.recall("totals").total == 1


def test_filters_of_options_and_text_both_hold(library: Any) -> None:
    """`--type` narrows what `tag:` in the text left."""
    library.remember("a token", tags=("x",), type="debt")
    library.remember("b token", tags=("x",), type="issue")
    library.remember("c token", type="issue")

    assert library.titles("token tag:x", filters=Filters(types=("issue",))) == ["b token"]


def test_searching_an_empty_index_finds_nothing(library: Any) -> None:
    """A new repository answers too."""
    found = library.index.search(parse("anything", NOW), {}, now=NOW)

    assert (found.hits, found.total) == ((), 0)


def test_a_seeded_random_generator_does_not_make_segments_collide(three: Any) -> None:
    """Whoosh names segments with `random`: a program that seeds it would overwrite a segment."""
    for n in range(3):
        random.seed(7)
        three.remember(f"Zebra number {n}")
        three.index.catch_up(dict(three.memories))
    three.reads.clear()

    found = three.recall("zebra", index=three.fresh())

    assert found.total == 3
    assert three.reads == []
