"""The index is derived: whatever happens to its folder, recall answers as if nothing had."""

import json
import os
import pickle
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from treering.index import folder as folder_module

QUESTIONS = ("authenticate", "ERR_1234", "rendered page")


def answers(library: Any) -> list[list[str]]:
    """What a new process answers to a few questions, as ids."""
    index = library.fresh()
    return [[h.id for h in library.recall(q, index=index).hits] for q in QUESTIONS]


def files_of(library: Any) -> list[Path]:
    return sorted(path for path in library.folder.rglob("*") if path.is_file())


def _zero(path: Path) -> None:
    path.write_bytes(b"")


def _halve(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])


def _garble(path: Path) -> None:
    path.write_bytes(random.Random(1).randbytes(path.stat().st_size))


def _grow(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b"more")


@pytest.mark.parametrize("harm", [Path.unlink, _zero, _halve, _garble, _grow])
def test_every_file_may_be_lost_or_broken(
    make_library: Callable[[str], Any], harm: Callable[[Path], None]
) -> None:
    """One file after the other, in a folder of its own each time."""
    whole = _filled(make_library("whole"))
    expected = answers(whole)
    for number in range(len(files_of(whole))):
        library = make_library(f"copy{number}")
        library.memories = whole.memories
        shutil.copytree(whole.folder, library.folder)

        harm(files_of(library)[number])

        assert answers(library) == expected, files_of(whole)[number].name
        assert answers(library) == expected


def _filled(library: Any) -> Any:
    library.remember("Use JWT for authentication", "Stateless tokens for every service.")
    library.remember("Retry the payment webhook", "It fails with ERR_1234 now and then.")
    library.recall("token")
    library.remember("Cache rendered templates", "Rendering took 80 ms a page.")
    library.recall("token")
    return library


@pytest.mark.parametrize("seed", range(40))
def test_flipped_bits_never_change_an_answer(three: Any, seed: int) -> None:
    """Checksums over everything we read: a flip is noticed or does not matter."""
    expected = answers(three)
    rng = random.Random(seed)
    path = rng.choice([path for path in files_of(three) if path.stat().st_size])
    data = bytearray(path.read_bytes())
    data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    path.write_bytes(data)

    assert answers(three) == expected, (seed, path.name)


def test_a_deleted_folder_is_built_again(three: Any) -> None:
    """People may delete it at any time."""
    expected = answers(three)
    shutil.rmtree(three.folder)

    assert answers(three) == expected
    assert files_of(three)


def test_a_folder_deleted_under_a_running_process_is_built_again(three: Any) -> None:
    """The server goes on, and the next new memory brings the files back."""
    three.recall("token")
    shutil.rmtree(three.folder)
    three.remember("Rotate tokens weekly", "Old tokens leak.")

    assert "Rotate tokens weekly" in three.titles("tokens")
    assert three.recall("authenticate", index=three.fresh()).total == 1


def test_postings_broken_under_a_running_process_are_built_again(three: Any) -> None:
    """A file cut short while it is open must neither crash nor mislead."""
    three.recall("token")
    for path in three.folder.rglob("*.pst"):
        os.truncate(path, 3)

    assert three.titles("authenticate") == ["Use JWT for authentication"]


@pytest.mark.parametrize("question", ["cache lock needs", "lock", "The cache needs a lock"])
def test_equals_are_the_same_ones_in_whatever_order_they_were_indexed(
    library: Any, make_library: Callable[[str], Any], question: str
) -> None:
    """A rebuild after damage numbers documents anew; among many equals others were shown."""
    words = ("cache", "lock", "branch", "disk")
    for number in range(160):
        library.remember(f"The {words[number % 4]} {number} needs a {words[number // 4 % 4]}")
    expected = [hit.blob for hit in library.recall(question, limit=20).hits]

    for seed in range(3):
        shuffled = list(library.memories.items())
        random.Random(seed).shuffle(shuffled)
        other = make_library(f"other{seed}")
        other.memories = dict(shuffled)
        assert [hit.blob for hit in other.recall(question, limit=20).hits] == expected


def test_an_index_of_another_version_is_built_again(
    three: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody has to know what an index holds or when to rebuild it."""
    expected = answers(three)
    monkeypatch.setattr(folder_module, "_STAMP", {"version": 999})
    three.reads.clear()

    assert answers(three) == expected
    assert len(three.reads) == 3


@pytest.mark.parametrize(
    "text", ["", "{}", "[]", "null", "not json", '{"data": "../../etc"}', '{"data": null}', "\x00"]
)
def test_a_foreign_pointer_is_not_followed(three: Any, text: str) -> None:
    """CURRENT may hold anything; only a data folder of ours is opened."""
    expected = answers(three)
    (three.folder / "CURRENT").write_text(text, encoding="utf-8")

    assert answers(three) == expected


def test_a_pointer_outside_the_folder_is_not_followed(three: Any, tmp_path: Path) -> None:
    """A table of contents is a pickle: one from elsewhere must never be loaded."""
    expected = answers(three)
    pointer = three.folder / "CURRENT"
    stamp = json.loads(pointer.read_text(encoding="utf-8"))
    foreign = tmp_path / "data-foreign"
    shutil.copytree(three.folder / stamp["data"], foreign)
    pointer.write_text(json.dumps(stamp | {"data": f"../{foreign.name}"}), encoding="utf-8")
    shutil.rmtree(three.folder / stamp["data"])

    assert answers(three) == expected


def test_a_table_of_contents_of_foreign_objects_is_built_again(three: Any) -> None:
    """A pickle that holds other things than segments is damage like any other."""
    expected = answers(three)
    (toc,) = three.folder.rglob("*.toc")
    head = toc.read_bytes()[:20]
    toc.write_bytes(head + pickle.dumps({"what": "ever"}))

    assert answers(three) == expected


def test_a_folder_of_another_user_is_not_read(three: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading it would run what its owner put into a pickle."""
    expected = answers(three)
    monkeypatch.setattr(os, "geteuid", lambda: 4711)
    monkeypatch.setattr(folder_module, "_TRUSTED", ())
    three.reads.clear()

    assert answers(three) == expected
    assert len(three.reads) == 3


def test_a_folder_that_cannot_be_written_is_searched_in_memory(
    three: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A read-only repository is still recalled from, and each memory is read once."""
    monkeypatch.setattr(folder_module.Folder, "replace", _refused)

    assert three.titles("authenticate") == ["Use JWT for authentication"]
    three.reads.clear()
    three.remember("Rotate tokens weekly", "Old tokens leak.")
    assert "Rotate tokens weekly" in three.titles("tokens")
    assert len(three.reads) == 1


def test_a_full_disk_keeps_new_memories_in_memory(
    three: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is on disk stays in use; what is new is not lost to this process."""
    three.recall("token")
    three.reads.clear()
    monkeypatch.setattr(folder_module.Folder, "append", _refused)
    for number in range(12):
        three.remember(f"Token note {number}", f"number{number} only here")
        three.recall("token")

    assert three.titles("number3") == ["Token note 3"]
    assert len(three.reads) == 12

    monkeypatch.undo()
    three.index.tidy()
    assert three.titles("number3", index=three.fresh()) == ["Token note 3"]
    assert len(three.reads) == 12


def _refused(*_: Any) -> None:
    raise OSError(28, "No space left on device")
