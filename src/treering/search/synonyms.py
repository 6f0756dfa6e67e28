"""Words that mean the same to developers, and a project's own.

A text is lines; each is a group of words with commas between them, `#` begins a comment:

    db, database, datastore
    ci, continuous integration, pipeline

A word of a question also finds the others of its group, for a share of what it counts itself.
The text may come from a repository of anyone's: it is data, short, and adds to what is found only.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from treering.search.analysis import question_terms

TAG = "synonyms"
LONGEST = 64_000  # characters of a text
_MOST_GROUPS, _MOST_WORDS, _MOST_TERMS = 2000, 16, 4
_MOST_TEXTS = 256  # whose groups are remembered: lines of our own, and a few of projects
_START = 3  # letters by which a word is looked for, before it is taken apart
_FILE = Path(__file__).parent / "meaning" / "data" / "synonyms.txt"

#: A word or a few, as search terms.
Terms = tuple[str, ...]


class Expansion(NamedTuple):
    """A part of a question, and what says the same."""

    terms: Terms
    others: tuple[Terms, ...]


class Synonyms:
    """Groups of words, found by the words of a question."""

    def __init__(self, groups: Iterable[Sequence[Terms]]) -> None:
        self._groups: dict[str, list[tuple[Terms, Sequence[Terms]]]] = {}
        for group in groups:
            for terms in group:
                self._groups.setdefault(terms[0], []).append((terms, group))

    def expand(self, terms: Sequence[str]) -> list[Expansion]:
        """The parts of a question that others could say in other words."""
        asked, others = set(terms), dict[Terms, dict[Terms, None]]()
        for term in terms:
            for words, group in self._groups.get(term, ()):
                if asked.issuperset(words):
                    mine = others.setdefault(words, {})
                    mine.update(dict.fromkeys(o for o in group if not asked.issuperset(o)))
        return [Expansion(words, tuple(rest)) for words, rest in others.items() if rest]


@lru_cache(_MOST_TEXTS)
def parse_groups(text: str) -> Sequence[Sequence[Terms]]:
    """The groups in a text; lines that hold fewer than two words are passed over."""
    groups = []
    for line in text[:LONGEST].splitlines()[: 2 * _MOST_GROUPS]:
        words = line.partition("#")[0].split(",")[:_MOST_WORDS]
        group = list(dict.fromkeys(terms for word in words if (terms := _terms(word))))
        if len(group) > 1:
            groups.append(group)
    return groups[:_MOST_GROUPS]


def _terms(word: str) -> Terms:
    return tuple(question_terms(word)[:_MOST_TERMS]) if word.strip() else ()


def synonyms_of(question: str, *texts: str) -> Synonyms:
    """The groups in some texts, and those of the program's own that a question may need."""
    starts = {term[: _start_of(term)] for term in question_terms(question)}
    numbers = {number for start in ("", *starts) for number in _common().by_start.get(start, ())}
    lines = (_common().lines[number] for number in sorted(numbers))
    return Synonyms(group for text in (*lines, *texts) for group in parse_groups(text))


class CommonSynonyms(NamedTuple):
    """The lines that come with the program, and which of them have words that begin with some
    letters. Those that are more than plain small words are found by none."""

    lines: list[str]
    by_start: dict[str, list[int]]


def _start_of(term: str) -> int:
    """Return how many of its first letters every form of a word has."""
    return max(1, min(_START, len(term) - 2))


@lru_cache(1)
def _common() -> CommonSynonyms:
    lines = _FILE.read_text(encoding="utf-8").splitlines()
    by_start: dict[str, list[int]] = {}
    for number, line in enumerate(lines):
        words = line.partition("#")[0].replace(",", " ").split()
        is_plain = all(word.isalpha() and word.isascii() and word.islower() for word in words)
        lengths = range(1, _START + 1) if is_plain else (0,)
        for start in {word[:length] for word in words for length in lengths}:
            by_start.setdefault(start, []).append(number)
    return CommonSynonyms(lines, by_start)
