"""Likeness of two texts: one sketch of a text, one measure, and every threshold by its name.

A sketch holds the smallest hashes of a text's words. It is small, and the smallest hashes of two
sketches together are a fair sample of all words of both, so the share of them that is in both
estimates the share of words the texts have in common. Memories are compared by words at every
capture and by search terms in the index. Both keep sketches, of different sizes.
"""

import struct
import zlib
from collections.abc import Iterable, Set
from functools import cache, lru_cache
from typing import TypeVar

Sketch = frozenset[int]
Item = TypeVar("Item", int, str)

#: How many words are kept of a text that is compared at a capture, and of one in the index.
CAPTURE_SKETCH = 128
INDEX_SKETCH = 24
#: And of a title, to find others like it.
TITLE_SKETCH = 4

# --- from which likeness on -----------------------------------------------------------------------

#: Search folds a hit under a better one of the same type.
FOLDED = 0.85
#: A capture names a memory as similar, and a suggested link is `similar_to`.
SIMILAR = 0.6
#: Two titles, or two texts, are about the same: one may supersede the other, or repeat its failure.
#: Tags and files that overlap so far are worth as much.
SAME_SUBJECT = 0.5
#: Two texts are about the same though they say something else: the newer may outdate the older. Of
#: the whole texts, numbers and negations left out, or of their titles alone.
ALIKE = 0.5
ALIKE_TITLES = 0.75
#: The same, where neither a value nor a name differs, but several words do.
REWORDED = 0.52
#: Titles suggest a link, as `relates_to`.
RELATED_TITLES = 0.4
#: Texts suggest a link, as `relates_to`.
RELATED_TEXTS = 0.3
#: Two index sketches may belong to texts that are alike, as a share of the likeness wanted: a small
#: sample errs, and tags count in it. Copies and what is alike (`dedupe`) are decided by the texts.
MAYBE_ALIKE = 0.6
#: A cosine between a question and a memory says something by itself.
NEAR_IN_MEANING = 0.35

_WORD = 4  # bytes of a packed hash


def sketch(words: Iterable[str], size: int = CAPTURE_SKETCH) -> Sketch:
    """A fair sample of a text's words, at most `size` of them; all of them where they are few."""
    hashes = set(map(_hash, words))
    return frozenset(sorted(hashes)[:size] if len(hashes) > size else hashes)


def likeness(one: Set[Item], other: Set[Item], cut: int = 0) -> float:
    """Return what two sets have in common, as a share of both together.

    Of sketches cut at `cut` items only as many of the smallest are looked at: what lies beyond
    them may have been in a text, and not in its sketch.
    """
    common = one & other
    if not common:
        return 0.0
    if not cut or max(len(one), len(other)) < cut:
        return len(common) / len(one | other)
    smallest = frozenset(sorted(one | other)[:cut])
    return len(common & smallest) / len(smallest)


def pack(sketch: Sketch) -> bytes:
    """A sketch as bytes, the smallest hash first."""
    return struct.pack(f">{len(sketch)}I", *sorted(sketch))


def unpack(data: bytes) -> Sketch:
    return frozenset(struct.unpack(f">{len(data) // _WORD}I", data))


@lru_cache(4096)
def unpack_cached(data: bytes) -> Sketch:
    """The same, for sketches that are compared again and again."""
    return unpack(data)


def smallest(sketch: Sketch, count: int) -> list[int]:
    """Its smallest hashes: texts that are nearly the same share most of them."""
    return sorted(sketch)[:count]


@cache
def _hash(word: str) -> int:
    return zlib.crc32(word.encode())
