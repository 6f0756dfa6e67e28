"""The part of a memory that shows why it was found."""

import re

_LENGTH = 240
_BEFORE = 40
_STEM = 5
_MOST_PLACES = 40


def snippet(content: str, words: str) -> str:
    """About two lines of the content around the words asked for, else its beginning."""
    text = " ".join(content.split())
    if len(text) <= _LENGTH:
        return text
    at = _densest(text.lower(), {word[:_STEM] for word in re.findall(r"\w{3,}", words.lower())})
    start = text.rfind(" ", 0, at) + 1 if at else 0
    cut = text[start : start + _LENGTH].rsplit(" ", 1)[0]
    return f"{'… ' if start else ''}{cut}{' …' if start + len(cut) < len(text) else ''}"


def _densest(text: str, stems: set[str]) -> int:
    """Where a window of the snippet's length holds most different words asked for."""
    found = sorted((at, stem) for stem in stems for at in _places(text, stem))
    best, place = 0, 0
    for i, (start, _) in enumerate(found):
        inside = {stem for at, stem in found[i:] if at < start + _LENGTH - _BEFORE}
        if len(inside) > best:
            best, place = len(inside), start
        if best == len(stems):
            break
    return max(0, place - _BEFORE)


def _places(text: str, stem: str) -> list[int]:
    """Where a word beginning with the stem stands, the first few times."""
    found: list[int] = []
    at = text.find(stem)
    while at >= 0 and len(found) < _MOST_PLACES:
        if at == 0 or not text[at - 1].isalnum():
            found.append(at)
        at = text.find(stem, at + 1)
    return found
