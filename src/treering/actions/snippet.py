"""The part of a memory that shows why it was found."""

import re

_LENGTH = 240


def snippet(content: str, words: str) -> str:
    """About two lines of the content around the words asked for, else its beginning."""
    text = " ".join(content.split())
    if len(text) <= _LENGTH:
        return text
    wanted = {word.lower() for word in re.findall(r"\w{3,}", words)}
    at = _densest(text, wanted) if wanted else 0
    start = text.rfind(" ", 0, at) + 1 if at else 0
    cut = text[start : start + _LENGTH].rsplit(" ", 1)[0]
    return f"{'… ' if start else ''}{cut}{' …' if start + len(cut) < len(text) else ''}"


def _densest(text: str, wanted: set[str]) -> int:
    """Where a window of the snippet's length holds most different words asked for."""
    found = [
        (match.start(), match[0].lower())
        for match in re.finditer(r"\w{3,}", text)
        if any(match[0].lower().startswith(word[:5]) for word in wanted)
    ]
    best, place = 0, 0
    for i, (start, _) in enumerate(found):
        inside = {word[:5] for at, word in found[i : i + 40] if at < start + _LENGTH - 40}
        if len(inside) > best:
            best, place = len(inside), start
    return max(0, place - 40)
