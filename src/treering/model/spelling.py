"""Suggestions for a word that nothing here is called.

Whoever raises an error imports it then: nobody else needs it.
"""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

#: Comparing costs the product of both lengths, and whoever typed it decides on one of them.
_MAX_LENGTH = 100
#: Beyond this many files only names are compared, which takes no time.
_MOST_PATHS = 20_000
_MOST_NEAR = 2


def list_near(word: str, names: Iterable[str], *, most: int = 1) -> list[str]:
    """The names that are spelled much like a word, the nearest first."""
    by_lower = {name[:_MAX_LENGTH].lower(): name for name in names}
    matches = get_close_matches(word[:_MAX_LENGTH].lower(), by_lower, n=most, cutoff=0.7)
    return [by_lower[match] for match in matches]


def list_near_paths(path: str, paths: Sequence[str]) -> list[str]:
    """Files of the same name in other folders, then those that are spelled much alike."""
    name = path.rpartition("/")[2]
    namesakes = [other for other in paths if other.rpartition("/")[2] == name]
    alike = list_near(path, paths, most=_MOST_NEAR) if len(paths) <= _MOST_PATHS else []
    return list(dict.fromkeys((*namesakes, *alike)))[:_MOST_NEAR]


def suggest(word: str, names: Iterable[str], hint: str = "") -> str:
    """A hint that first asks whether a near name was meant, where there is one."""
    near = list_near(word, names)
    return f"Did you mean {near[0]}? {hint}".rstrip() if near else hint
