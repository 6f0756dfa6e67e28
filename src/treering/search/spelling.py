"""Words that were probably meant by a word no memory holds.

Every string one slip away (a letter too many, too few, wrong, or two swapped) is made, analysed
like any text and looked up. Stems would hide the slip, so it is undone in the word as it was typed.
"""

from collections.abc import Iterator
from string import ascii_lowercase

from treering.search.analysis import terms
from treering.search.corpus import Corpus

_SHORTEST, _LONGEST = 4, 24
_MOST = 3


def suggest(word: str, snapshot: Corpus) -> list[str]:
    """Indexed terms one slip away from a word, the commonest first; none for short or odd words."""
    word = word.lower()
    if not _SHORTEST <= len(word) <= _LONGEST or not word.isalpha():
        return []
    found: dict[str, int] = {}
    for candidate in dict.fromkeys(_slips(word)):
        for term in terms(candidate):
            if term not in found and (frequency := snapshot.frequency(term)):
                found[term] = frequency
    return sorted(found, key=lambda term: (-found[term], term))[:_MOST]


def _slips(word: str) -> Iterator[str]:
    for at in range(len(word)):
        head, tail = word[:at], word[at + 1 :]
        yield head + tail
        if tail:
            yield head + tail[0] + word[at] + tail[1:]
        for letter in ascii_lowercase:
            yield head + letter + tail
            yield head + letter + word[at] + tail
    for letter in ascii_lowercase:
        yield word + letter
