"""The index is derived: whatever happens to its folder, recall answers as if nothing had."""

import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from treering.search import index as index_module
from treering.search.index import IndexFolder

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
    """One file after the other, in a folder of its own each time; the database is one of them."""
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


@pytest.mark.parametrize("seed", range(12))
def test_a_flipped_bit_in_the_index_forges_nothing_and_a_rebuild_heals(
    three: Any, seed: int
) -> None:
    """Whoosh has no checksums: a flip that goes unnoticed may hide a memory, and no more."""
    expected = answers(three)
    rng = random.Random(seed)
    files = [path for path in files_of(three) if path.suffix in (".seg", ".toc")]
    path = rng.choice(files)
    data = bytearray(path.read_bytes())
    data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    path.write_bytes(data)

    ids = {memory.id for memory in three.memories.values()}
    assert all(ids.issuperset(found) for found in answers(three)), (seed, path.name)
    three.fresh().rebuild()
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


def test_an_index_of_an_older_format_is_built_again(
    three: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody has to know what an index holds or when to rebuild it."""
    expected = answers(three)
    monkeypatch.setattr(index_module, "FORMAT", index_module.FORMAT + 1)
    three.reads.clear()

    assert answers(three) == expected
    assert len(three.reads) == 3


def test_an_index_of_a_newer_format_is_left_alone(three: Any) -> None:
    """Another version of the program may still be using it."""
    expected = answers(three)
    version = three.folder / "index" / "VERSION"
    version.write_text("999")
    before = {path: path.read_bytes() for path in (three.folder / "index").iterdir()}

    assert answers(three) == expected
    assert {path: path.read_bytes() for path in (three.folder / "index").iterdir()} == before


def test_a_folder_of_another_user_is_not_read(three: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever it is: what root left behind is not ours, either."""
    expected = answers(three)
    monkeypatch.setattr(os, "geteuid", lambda: 4711)
    three.reads.clear()

    assert answers(three) == expected
    assert len(three.reads) >= 3


def test_a_folder_behind_a_link_is_not_read(three: Any, tmp_path: Path) -> None:
    """A link to a folder of ours leads past a look at the owner."""
    expected = answers(three)
    folder = three.folder / "index"
    folder.rename(tmp_path / "elsewhere")
    folder.symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    three.reads.clear()

    assert answers(three) == expected
    assert len(three.reads) == 3


@pytest.mark.parametrize("plant", ["link", "pipe", "folder"])
@pytest.mark.parametrize("name", ["VERSION", "_knowledge_*.toc", "knowledge_*.seg", "*_WRITELOCK"])
def test_what_is_planted_in_place_of_a_file_is_not_opened(
    three: Any, tmp_path: Path, name: str, plant: str
) -> None:
    """A link leads elsewhere, and a pipe never ends."""
    expected = answers(three)
    for path in list((three.folder / "index").glob(name)):
        path.unlink()
        if plant == "link":
            path.symlink_to(tmp_path / "elsewhere")
        elif plant == "pipe":
            os.mkfifo(path)
        else:
            path.mkdir()
    three.remember("Rotate tokens weekly", "Old tokens leak.")

    assert answers(three) == expected
    assert not (tmp_path / "elsewhere").exists()


def test_a_folder_that_cannot_be_written_is_searched_in_memory(
    three: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A read-only repository is still recalled from, and each memory is read once."""
    monkeypatch.setattr(IndexFolder, "writing", _refused)
    assert three.titles("authenticate") == ["Use JWT for authentication"]
    three.reads.clear()

    three.remember("Rotate tokens weekly", "Old tokens leak.")

    assert "Rotate tokens weekly" in three.titles("tokens")
    assert len(set(three.reads)) == 1


def test_a_full_disk_keeps_new_memories_in_memory(
    three: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is on disk stays in use; what is new is not lost to this process."""
    three.recall("token")
    monkeypatch.setattr(IndexFolder, "writing", _refused)
    for number in range(12):
        three.remember(f"Token note {number}", f"number{number} only here")
        three.recall("token")
    assert three.titles("number3") == ["Token note 3"]

    monkeypatch.undo()
    three.remember("Rotate tokens weekly", "Old tokens leak.")

    assert three.titles("number3") == ["Token note 3"]
    assert three.titles("number3", index=three.fresh()) == ["Token note 3"]


def _refused(*_: Any) -> None:
    raise OSError(28, "No space left on device")
