"""Raw trees whose lines are all of one length: cut, compared, searched and changed as bytes.

A store of any size has a thousand shards, and a capture changes one of them.
"""

from collections.abc import Callable, Iterator
from operator import lt
from typing import NamedTuple

from treering.model.memory import ALPHABET

_ALPHABET = ALPHABET.encode()
_OID = 20


class LineShape(NamedTuple):
    """A raw line of ours: bytes that are always the same around a name of fixed length."""

    start: bytes
    name: int
    end: bytes

    @property
    def size(self) -> int:
        return len(self.start) + self.name + len(self.end) + _OID

    def is_every_line_of(self, raw: bytes) -> bool:
        """Whether a tree holds lines of this shape alone, so that it can be cut at once.

        Looked at column by column: a thousand lines cost as much as one, nearly.
        """
        if len(raw) % self.size:
            return False
        count, after = len(raw) // self.size, len(self.start) + self.name
        constants = (*enumerate(self.start), *enumerate(self.end, after))
        names = (raw[at :: self.size] for at in range(len(self.start), after))
        return all(
            raw[at :: self.size] == bytes((byte,)) * count for at, byte in constants
        ) and not any(column.translate(None, _ALPHABET) for column in names)

    def cut(self, raw: bytes) -> Iterator[tuple[str, str]]:
        """The name and object of every line."""
        first, last = len(self.start), len(self.start) + self.name
        for at in range(0, len(raw), self.size):
            end = at + self.size
            yield raw[at + first : at + last].decode(), raw[end - _OID : end].hex()

    def differ(self, one: bytes, other: bytes) -> tuple[bytes, bytes]:
        """The lines of two trees between the first and the last that are not in both alike."""
        most = min(len(one), len(other)) // self.size
        first = _bisect(most, lambda count: one[: count * self.size] == other[: count * self.size])
        left, right = one[first * self.size :], other[first * self.size :]
        last = _bisect(
            most - first,
            lambda n: left[len(left) - n * self.size :] == right[len(right) - n * self.size :],
        )
        return left[: len(left) - last * self.size], right[: len(right) - last * self.size]

    def put(self, raw: bytes, name: str, oid: str) -> bytes:
        """A tree whose names ascend, with one more line, or one in the place of another."""
        head = self.start + name.encode() + self.end
        at, last = 0, len(raw) // self.size
        while at < last:
            middle = (at + last) // 2
            if raw[middle * self.size : middle * self.size + len(head)] < head:
                at = middle + 1
            else:
                last = middle
        before, after = raw[: at * self.size], raw[at * self.size :]
        rest = after[self.size :] if after.startswith(head) else after
        return before + head + bytes.fromhex(oid) + rest

    def ascends(self, raw: bytes) -> bool:
        """Whether the lines are in the order git has them in, no name twice."""
        names = [raw[at : at + self.size - _OID] for at in range(0, len(raw), self.size)]
        return all(map(lt, names, names[1:]))

    def find(self, raw: bytes, name: str) -> str | None:
        """The object of the line with a name, if there is exactly one."""
        line = self.start + name.encode() + self.end
        places, at = [], raw.find(line)
        while at >= 0:
            if at % self.size == 0:  # or it is a part of an object's id
                places.append(at + len(line))
            at = raw.find(line, at + 1)
        return raw[places[0] : places[0] + _OID].hex() if len(places) == 1 else None


def _bisect(most: int, is_alike: Callable[[int], bool]) -> int:
    """The largest number up to `most` that is alike, where every smaller one is as well."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if is_alike(middle):
            low = middle
        else:
            high = middle - 1
    return low


#: A line of a tree of memories: a shard.
SHARD = LineShape(b"40000 ", 2, b"\0")
