"""The index is derived: whatever happens to its folder, recall answers as if nothing had."""

import json
import os
import random
import shutil
import struct
import zlib
from array import array
from collections.abc import Callable
from itertools import accumulate
from pathlib import Path
from typing import Any

import pytest

from treering.search import storage as folder_module
from treering.search.contents import read_contents
from treering.search.entry import IN_ROW
from treering.search.entry_table import HEAD, unpack

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
    """A path in it could lead anywhere."""
    expected = answers(three)
    pointer = three.folder / "CURRENT"
    stamp = json.loads(pointer.read_text(encoding="utf-8"))
    foreign = tmp_path / "data-foreign"
    shutil.copytree(three.folder / stamp["data"], foreign)
    pointer.write_text(json.dumps(stamp | {"data": f"../{foreign.name}"}), encoding="utf-8")
    shutil.rmtree(three.folder / stamp["data"])

    assert answers(three) == expected


@pytest.mark.parametrize(
    "body",
    [
        "[]",
        "null",
        '{"generation": 1}',
        '{"generation": 1, "segments": {}}',
        '{"generation": true, "segments": []}',
        '{"generation": -1, "segments": []}',
        '{"generation": 1e99, "segments": []}',
        '{"generation": 1, "segments": [["MAIN_0123456789abcdef"]]}',
        '{"generation": 1, "segments": [["../../../etc/passwd", 1]]}',
        '{"generation": 1, "segments": [["MAIN_0123456789abcdef/../x", 1]]}',
        '{"generation": 1, "segments": [["MAIN_0123456789abcdef", 99999999999]]}',
        '{"generation": 1, "segments": [["MAIN_0123456789abcdef", 1]], "more": 1}',
    ],
)
def test_a_table_of_contents_of_another_shape_is_built_again(three: Any, body: str) -> None:
    """Names of exact shape, numbers within bounds, and no other key, whatever the checksum says."""
    expected = answers(three)
    (table,) = three.folder.rglob("CONTENTS")
    table.write_bytes(b"%08x %s" % (zlib.crc32(body.encode()), body.encode()))

    with pytest.raises(ValueError, match="table of contents"):
        read_contents(table.parent)
    assert answers(three) == expected


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("created", "yesterday"),
        ("created", float("nan")),
        ("created", None),
        ("tags", "auth"),
        ("tags", [1]),
        ("files", [["a"]]),
        ("links", [["relates_to"]]),
        ("links", ["relates_to"]),
        ("links", [["relates_to", "x", "y", "z", 0]]),
        ("place", 1.5),
        ("flags", "none"),
        ("flags", [None]),
        ("title", 5),
        ("title", "two\nlines"),
        *((name, text) for name in ("id", "sketch") for text in ("abc", "../" * 4, "\ud800", [])),
    ],
)
def test_entries_of_another_shape_are_built_again(three: Any, field: str, value: Any) -> None:
    """Every door reads them, and none expects a date that is a word."""
    at = IN_ROW.index(field)
    _check_entries(three, lambda rows: [row.__setitem__(at, value) for row in rows])


@pytest.mark.parametrize("change", [list.pop, lambda rows: rows.append(rows[0])])
def test_entries_too_few_or_too_many_are_built_again(three: Any, change: Any) -> None:
    _check_entries(three, change)


@pytest.mark.parametrize("change", [list.pop, lambda row: row.append(1), list.clear])
def test_an_entry_of_another_length_is_built_again(three: Any, change: Any) -> None:
    _check_entries(three, lambda rows: [change(row) for row in rows])


@pytest.mark.parametrize("at", [5, 40, 90, -1, -40])
def test_a_bit_that_fell_over_in_the_entries_changes_no_answer(three: Any, at: int) -> None:
    expected = answers(three)
    (file,) = three.folder.rglob("*.entries")
    data = bytearray(file.read_bytes())
    data[at] ^= 1
    file.write_bytes(data)

    with pytest.raises(ValueError):  # noqa: PT011  each says it in words of its own
        unpack(bytes(data[4:]))
    assert answers(three) == expected


def test_entries_that_are_cut_short_under_a_reader_are_noticed(three: Any) -> None:
    """They are read one by one, long after the file was opened."""
    answers(three)
    (segment,) = folder_module.IndexFolder(three.folder, is_lazy=True).segments()
    (file,) = three.folder.rglob("*.entries")
    with file.open("r+b") as opened:
        opened.truncate(file.stat().st_size // 2)

    with pytest.raises(ValueError, match=r"damaged|cut short"):
        list(segment.entries)
    with pytest.raises(ValueError, match="damaged"):
        segment.entries[len(segment.entries) - 1]


def test_entries_are_the_same_one_by_one_and_all_at_once(three: Any) -> None:
    answers(three)
    (lazy,) = folder_module.IndexFolder(three.folder, is_lazy=True).segments()
    (whole,) = folder_module.IndexFolder(three.folder).segments()

    assert [lazy.entries[number] for number in range(len(whole.entries))] == list(whole.entries)
    assert lazy.entries[-1] == whole.entries[-1]
    with pytest.raises(IndexError):
        lazy.entries[len(whole.entries)]


def _check_entries(library: Any, change: Callable[[list[list[Any]]], object]) -> None:
    """Write other entries with checksums that are right: they are refused, and answers the same."""
    expected = answers(library)
    (file,) = library.folder.rglob("*.entries")
    crc, data = file.read_bytes()[:4], file.read_bytes()[4:]
    size, _ = HEAD.unpack_from(data)
    start = HEAD.size + size
    rows = json.loads(b"[" + data[start:] + b"]")
    count = len(rows)
    change(rows)
    written = [json.dumps(row).encode() for row in rows]
    ends = list(accumulate((len(row) + 1 for row in written), initial=-1))[1:]
    columns = [
        ends[:count] + ends[-1:] * (count - len(ends)),
        [*map(zlib.crc32, written), 0][:count],
    ]
    tail = b"".join(array("I", column).tobytes() for column in columns)
    head = data[HEAD.size : start][: -8 * count] + tail
    file.write_bytes(crc + HEAD.pack(len(head), zlib.crc32(head)) + head + b",".join(written))

    with pytest.raises(ValueError):  # noqa: PT011  each says it in words of its own
        unpack(file.read_bytes()[4:])
    assert answers(library) == expected


def test_a_term_table_that_leads_in_circles_is_noticed(three: Any) -> None:
    """Lengths in it are signed: one below zero would be walked for ever."""
    expected = answers(three)
    (table,) = three.folder.rglob("*.trm")
    data = bytearray(table.read_bytes())
    keylen, _ = struct.unpack_from("!ii", data, 13)
    struct.pack_into("!ii", data, 13, keylen, -8 - keylen)
    table.write_bytes(data)
    entries = table.with_suffix(".entries")
    crc = zlib.crc32(data).to_bytes(4, "little")
    entries.write_bytes(crc + entries.read_bytes()[4:])

    (segment,) = folder_module.IndexFolder(three.folder).segments()
    with pytest.raises(ValueError, match="damaged"):
        segment.terms_from("", 1000)
    assert answers(three) == expected


def test_a_folder_of_another_user_is_not_read(three: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever it is: what root left behind is not ours, either."""
    expected = answers(three)
    monkeypatch.setattr(os, "geteuid", lambda: 4711)
    three.reads.clear()

    assert answers(three) == expected
    assert len(three.reads) == 3


@pytest.mark.parametrize("name", ["index", "data"])
def test_a_folder_behind_a_link_is_not_read(three: Any, tmp_path: Path, name: str) -> None:
    """A link to a folder of ours leads past a look at the owner."""
    expected = answers(three)
    folder = three.folder if name == "index" else next(three.folder.glob("data-*"))
    folder.rename(tmp_path / "elsewhere")
    folder.symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    three.reads.clear()

    assert answers(three) == expected
    assert len(three.reads) == 3


def test_a_folder_that_cannot_be_written_is_searched_in_memory(
    three: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A read-only repository is still recalled from, and each memory is read once."""
    monkeypatch.setattr(folder_module.IndexFolder, "replace", _refused)

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
    monkeypatch.setattr(folder_module.IndexFolder, "append", _refused)
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
