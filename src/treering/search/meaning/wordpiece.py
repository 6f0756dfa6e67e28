"""Words cut into the pieces the table knows (WordPiece), in plain Python.

A word becomes the longest piece it begins with, then the longest that goes on from there (marked
with `##`), and so on. What a word becomes is remembered: words repeat.
"""

import re
import unicodedata
from collections.abc import Mapping

from treering.model.pattern import lazy_pattern

_MAX_WORD = 60  # letters of a word; longer runs are hashes and encoded files
_REMEMBERED = 50_000
_HUMP = lazy_pattern(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_PLAIN = lazy_pattern(r"[a-z0-9]+")
_NOT_ASCII = lazy_pattern(r"[^\x00-\x7f]+")
_RUN = lazy_pattern(r"[A-Za-z0-9]+")


class WordPiece:
    """The pieces of one vocabulary."""

    def __init__(self, numbers: Mapping[str, int]) -> None:
        self._numbers = numbers
        self._seen: dict[str, tuple[int, ...]] = {}

    def pieces(self, word: str) -> tuple[int, ...]:
        """The numbers of a word's pieces; none where a part of it is unknown."""
        pieces = self._seen.get(word)
        if pieces is None:
            if len(self._seen) >= _REMEMBERED:
                self._seen.clear()
            pieces = self._seen[word] = self._cut(word[:_MAX_WORD])
        return pieces

    def forget(self) -> None:
        self._seen.clear()

    def _cut(self, word: str) -> tuple[int, ...]:
        numbers, pieces, start, mark = self._numbers, [], 0, ""
        while start < len(word):
            for end in range(len(word), start, -1):
                number = numbers.get(mark + word[start:end])
                if number is not None:
                    break
            else:
                return ()
            pieces.append(number)
            start, mark = end, "##"
        return tuple(pieces)


def plain_words(text: str) -> list[str]:
    """The words of a text in plain small letters; names are taken apart at their humps."""
    if not text.isascii():
        text = without_accents(text)
    return _PLAIN.findall(_HUMP.sub(" ", text).lower())


def plain_runs(text: str) -> list[str]:
    """Letters and digits that stand together: each becomes one or more of the `plain_words`."""
    return _RUN.findall(text if text.isascii() else without_accents(text))


def without_accents(text: str) -> str:
    """The text with its letters' accents taken off."""
    return _NOT_ASCII.sub(_drop_marks, unicodedata.normalize("NFD", text))


def _drop_marks(match: re.Match[str]) -> str:
    return "".join([part for part in match[0] if unicodedata.category(part) != "Mn"])
