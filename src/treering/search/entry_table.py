"""The entries of a segment as bytes, and read back one by one.

A process that answers one question looks at the entries of a few hits among thousands. So a file of
entries has a head, which is read whole, and a row for each, which is read when it is asked for:

    8 bytes    the length of the head, and its checksum
    head       a line of JSON: how many there are, and the words of some columns
               columns: blobs, lengths, the words by number, whether nobody has looked at it yet,
               where each row ends, and its checksum
    rows       the other fields of each entry, as JSON, a comma after each but the last

Nothing in it can run, and each value is looked at before it is used: it may be planted.
"""

from __future__ import annotations

import json
import os
import struct
import weakref
import zlib
from array import array
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NoReturn, SupportsIndex

from treering.git.files import open_file
from treering.search.entry import Entry, join_columns, refuse, row_of

HEAD = struct.Struct("<II")
_BLOB = 20
_WORD = 4
#: Fields of few different words, which a view looks at for all it shows.
_CODED = ("type", "status", "session")
#: When more than one in so many was asked for, all others are read at once.
_MANY = 4

#: Reads bytes of a file: where they begin, and how many.
ReadBytes = Callable[[int, int], bytes]


def pack(entries: Sequence[Entry]) -> bytes:
    """Entries as bytes."""
    rows = [json.dumps(row_of(entry), separators=(",", ":")).encode() for entry in entries]
    words: dict[str, list[str]] = {}
    columns = [bytes.fromhex("".join(entry.blob for entry in entries))]
    columns.append(array("I", [entry.length for entry in entries]).tobytes())
    for name in _CODED:
        texts = [getattr(entry, name) for entry in entries]
        words[name] = list(dict.fromkeys(texts))
        codes = {word: code for code, word in enumerate(words[name])}
        columns.append(array("I", [codes[text] for text in texts]).tobytes())
    columns.append(bytes(entry.flags is None for entry in entries))
    ends, at = array("I"), 0
    for row in rows:
        at += len(row)
        ends.append(at)
        at += 1
    columns += [ends.tobytes(), array("I", map(zlib.crc32, rows)).tobytes()]
    line = json.dumps({"count": len(entries), **words}, separators=(",", ":")).encode()
    head = b"\n".join((line, b"".join(columns)))
    return HEAD.pack(len(head), zlib.crc32(head)) + head + b",".join(rows)


def unpack(data: bytes) -> list[Entry]:
    """All entries in these bytes; ValueError when they are not what was written."""
    return EntryTable(lambda at, size: data[at : at + size]).read_all()


class EntryTable(Sequence[Entry]):
    """The entries of one segment, as they are asked for."""

    def __init__(self, read: ReadBytes) -> None:
        size, crc = _unpack(HEAD, read(0, HEAD.size))
        head = read(HEAD.size, size)
        if len(head) != size or zlib.crc32(head) != crc:
            raise ValueError("the entries are damaged")
        self._read, self._start = read, HEAD.size + size
        line, _, columns = head.partition(b"\n")
        match json.loads(line, parse_constant=refuse):
            case {"count": int(count), **words} if words.keys() == set(_CODED):
                self._count = count
            case _:
                raise ValueError("the entries are not ours")
        at = 0
        raws = []
        for width in (_BLOB, _WORD, *[_WORD] * len(_CODED), 1, _WORD, _WORD):
            raws.append(columns[at : at + width * self._count])
            at += width * self._count
        if at != len(columns) or self._count < 0:
            raise ValueError("the entries are cut short")
        self._raw_blobs, *numbers, self._unseen, ends, crcs = raws
        self.lengths, *codes, self._ends, self._crcs = map(_numbers, [*numbers, ends, crcs])
        self._codes = dict(zip(_CODED, codes, strict=True))
        self._words = {name: _check_words(words[name]) for name in _CODED}
        self._made: dict[int, Entry] = {}

    def __len__(self) -> int:
        return self._count

    @cached_property
    def blobs(self) -> list[str]:
        digits, size = self._raw_blobs.hex(), 2 * _BLOB
        return [digits[at : at + size] for at in range(0, len(digits), size)]

    @property
    def uninspected(self) -> list[str]:
        """The blobs nobody has looked at yet."""
        if not any(self._unseen):
            return []
        return [blob for blob, unseen in zip(self.blobs, self._unseen, strict=True) if unseen]

    def column(self, name: str) -> list[str]:
        """The type, status or session of each entry."""
        words, codes = self._words[name], self._codes[name]
        if len(words) == 1 and not any(codes):
            return words * self._count
        try:
            return [words[code] for code in codes]
        except IndexError as error:
            raise ValueError("the entries are damaged") from error

    def __getitem__(self, number: Any) -> Any:
        if isinstance(number, slice):
            return [self[at] for at in range(*number.indices(self._count))]
        entry = self._made.get(number)
        if entry is None:
            if not -self._count <= number < self._count:
                raise IndexError(number)
            entry = self._made[number] = self._make(number % self._count)
            if len(self._made) * _MANY > self._count:
                self._made = dict(enumerate(self.read_all()))
        return entry

    def __iter__(self) -> Iterator[Entry]:
        if len(self._made) < self._count:
            self._made = dict(enumerate(self.read_all()))
        return iter([self._made[number] for number in range(self._count)])

    def _make(self, number: int) -> Entry:
        start = self._ends[number - 1] + 1 if number else 0
        raw = self._read(self._start + start, max(0, self._ends[number] - start))
        if zlib.crc32(raw) != self._crcs[number]:
            raise ValueError("an entry is damaged")
        values = json.loads(raw, parse_constant=refuse)
        columns: dict[str, Sequence[Any]] = {
            name: [_word(self._words[name], self._codes[name][number])] for name in _CODED
        }
        columns["blob"] = [self._raw_blobs[number * _BLOB : (number + 1) * _BLOB].hex()]
        columns["length"] = self.lengths[number : number + 1]
        (entry,) = join_columns([values], columns, 1)
        if bool(self._unseen[number]) != (entry.flags is None):
            raise ValueError("an entry does not agree with itself")
        return entry

    def read_all(self) -> list[Entry]:
        """All of them, which is quicker than one by one."""
        last = self._ends[-1] if self._count else 0
        raw = self._read(self._start, last + 1)
        if len(raw) != last:
            raise ValueError("the entries are cut short, or too long")
        starts = [0, *(end + 1 for end in self._ends[:-1])]
        for start, end, crc in zip(starts, self._ends, self._crcs, strict=False):
            if zlib.crc32(memoryview(raw)[start:end]) != crc:
                raise ValueError("an entry is damaged")
        rows = json.loads(b"[" + raw + b"]", parse_constant=refuse)
        columns: dict[str, Sequence[Any]] = {name: self.column(name) for name in _CODED}
        columns |= {"blob": self.blobs, "length": self.lengths}
        return join_columns(rows, columns, self._count)


class EntryList(list[Entry]):
    """The entries of a corpus by number. Those of tables are read as they are asked for; until then
    the table stands in their place."""

    def __init__(self) -> None:
        super().__init__()
        self._tables: list[tuple[int, EntryTable]] = []

    def add_table(self, table: EntryTable) -> None:
        self._tables.append((len(self), table))
        super().extend([table] * len(table))  # type: ignore[list-item]

    def column(self, name: str) -> list[str]:
        """The type, status or session of every entry; a blob is one, too."""
        texts: list[Any] = [None] * len(self)
        for base, table in self._tables:
            column = table.blobs if name == "blob" else table.column(name)
            texts[base : base + len(table)] = column
        return [
            getattr(self[number], name) if text is None else text
            for number, text in enumerate(texts)
        ]

    def blob(self, number: int) -> str:
        for base, table in self._tables:
            if base <= number < base + len(table):
                return table.blobs[number - base]
        entry: Entry = self[number]
        return entry.blob

    def __getitem__(self, number: Any) -> Any:
        item: Any = super().__getitem__(number)
        if type(item) is Entry:
            return item
        if isinstance(number, slice):
            return [self[at] for at in range(*number.indices(len(self)))]
        number %= len(self)
        base = next(base for base, table in self._tables if base <= number < base + len(table))
        entry: Entry = item[number - base]
        self[number] = entry
        return entry

    def __iter__(self) -> Iterator[Entry]:
        return (self[number] for number in range(len(self)))

    def copy(self) -> NoReturn:
        raise TypeError("what is read as it is asked for is not copied")

    def pop(self, index: SupportsIndex = -1) -> NoReturn:
        raise TypeError(f"entry {index!r} cannot be taken out")


def open_entries(path: Path, offset: int) -> EntryTable:
    """The entries of a file, behind so many bytes. The file stays open: it may be replaced."""
    descriptor = open_file(path)
    try:
        table = EntryTable(lambda at, size: os.pread(descriptor, _limit(size), at + offset))
    except BaseException:
        os.close(descriptor)
        raise
    weakref.finalize(table, os.close, descriptor)
    return table


def _limit(size: int) -> int:
    """No more than a file of entries can have: the memory for it would be asked for first."""
    if size >= 1 << 31:
        raise ValueError("the entries are damaged")
    return size


def _unpack(shape: struct.Struct, data: bytes) -> tuple[int, ...]:
    if len(data) != shape.size:
        raise ValueError("the entries are cut short")
    return shape.unpack(data)


def _numbers(raw: bytes) -> array[int]:
    numbers = array("I")
    numbers.frombytes(raw)
    return numbers


def _check_words(words: Any) -> list[str]:
    if not isinstance(words, list) or set(map(type, words)) - {str}:
        raise ValueError("the entries are not ours")
    return words


def _word(words: list[str], code: int) -> str:
    if code >= len(words):
        raise ValueError("the entries are damaged")
    return words[code]
