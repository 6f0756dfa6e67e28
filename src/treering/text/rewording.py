"""Differences of a later text from an earlier one that says nearly the same.

Two texts say nearly the same when their telling words are alike, numbers left out. They differ by a
value ("30 days", "14 days"), by a name, or by their wording. All of it is a guess: people also
write things of one kind side by side ("Rule 1 ...", "Rule 2 ..."; "P4HOST is ...", "P4PASS is
..."), and none of these replaces the other. Members of such a series are told apart.
"""

import re
from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import Literal, NamedTuple

from treering.model.tables import read_word_list
from treering.model.text_merge import find_gaps
from treering.text.likeness import ALIKE, ALIKE_TITLES, REWORDED, likeness
from treering.text.words import STOP_WORDS, bare, words

#: How a later text differs, the surest first; `amends` is for one that names what it changes.
HowNewer = Literal["value", "name", "wording", "amends"]

#: Seconds between two texts, from which on one may be the other reworded: siblings are written
#: together.
APART = 3600.0
_MOST_TOKENS = 160
_LONGEST_WORDS = 80
_NAME_WORDS = 3
_LABEL_PLACE = 4  # tokens: "Rule number 7:" names a member of a series, at the start of a text

_PIECE = r"[$#~^]?(?:--?)?\w[\w.:/@+%'’-]*"
_VALUE = r"[$#~^]?v?\d[\w.,:+%-]*"
_NUMBER_WORDS = read_word_list("words", "numbers")
_NEGATIONS = read_word_list("words", "negations")
#: A number after one of these names a member of a series.
_LABELS = read_word_list("words", "labels")
#: Words of changes that stand side by side in a list, and of a limit, which is one.
_LISTED, _BOUNDS = read_word_list("words", "listed"), read_word_list("words", "limits")
#: Words that say nothing about a subject.
_PASSED_OVER = STOP_WORDS.union(read_word_list("words", "empty")) - _NEGATIONS

#: How a text says that it changes what was decided before.
_AMENDS = (
    r"(?i)\b(?:amend(?:s|ed|ing|ments?)?|supersed(?:es?|ed|ing)|overrul(?:es?|ed|ing)"
    r"|(?:the|our|that|its) (?:old|earlier|previous|original|former) (?:rule|decision|policy"
    r"|convention|behaviou?r|agreement|plan|approach|one)|no longer (?:holds?|applies|true)"
    r"|changed? (?:our|my) minds?|from now on|going forward"
    r"|revis(?:es?|ed|ing) (?:the|our|that) (?:rule|decision|policy))\b"
)
_SAME_SUBJECT, _FEWEST_SHARED = 0.3, 4


class Token(NamedTuple):
    """A word as it is written, and as it is compared."""

    written: str
    key: str
    is_value: bool = False


class Passage:
    """Some words in order, ready to be compared with others."""

    def __init__(self, text: str) -> None:
        self._pieces = re.findall(_PIECE, text)[:_MOST_TOKENS]
        self.tokens = [_token(piece) for piece in self._pieces]

    @cached_property
    def frame(self) -> frozenset[str]:
        """The telling words but for values: what it is about."""
        return frozenset(t.key for t in self.tokens if _is_telling(t) and not t.is_value)

    @cached_property
    def values(self) -> frozenset[str]:
        return frozenset(t.key for t in self.tokens if t.is_value)

    @cached_property
    def labels(self) -> frozenset[str]:
        """The numbers that name a member of a series rather than say how much."""
        words = [token.written.lower() for token in self.tokens]
        return frozenset(
            token.key
            for at, (piece, token) in enumerate(zip(self._pieces, self.tokens, strict=True))
            if token.is_value
            and (
                piece.startswith("#")
                or (at > 0 and words[at - 1] in _LABELS)
                or (at < _LABEL_PLACE and piece.endswith(":"))
                or (at == 0 and piece.endswith("."))
            )
        )

    @cached_property
    def is_listed(self) -> bool:
        """Return whether it tells of a version as one of several: both of two such may hold."""
        words = {token.written.lower() for token in self.tokens}
        has_version = any("." in token.key for token in self.tokens if token.is_value)
        return has_version and not words.isdisjoint(_LISTED) and words.isdisjoint(_BOUNDS)

    def slots(self, values: frozenset[str]) -> set[tuple[str, str]]:
        """The words right before and right after some of its values."""
        slots = set[tuple[str, str]]()
        words = [token for token in self.tokens if _is_telling(token)]
        for at, token in enumerate(words):
            if token.is_value and token.key in values:
                if at:
                    slots.add(("after", words[at - 1].key))
                if at + 1 < len(words):
                    slots.add(("before", words[at + 1].key))
        return slots


class Statement:
    """A memory's title and content, taken apart once to be compared with several others."""

    def __init__(self, title: str, content: str) -> None:
        self.title = title
        #: Whether the title is all it says.
        self.is_short = content == title
        self.whole = Passage(content if content.startswith(title) else f"{title}\n{content}")

    @cached_property
    def head(self) -> Passage:
        return self.whole if self.is_short else Passage(self.title)


class TextDifference(NamedTuple):
    """The difference of a later text; its words take ten times as long to find out."""

    how: HowNewer
    older: Passage
    newer: Passage

    def find_words(self) -> tuple[str, str]:
        """The words only one of the two has, in their order."""
        gaps = _find_gaps(self.older, self.newer)
        one = " ".join(_written(self.older, span) for span, _ in gaps)
        other = " ".join(_written(self.newer, span) for _, span in gaps)
        return _cut(one), _cut(other)


def find_difference(
    older: Statement, newer: Statement, apart: float = APART
) -> TextDifference | None:
    """Return how the newer one, said `apart` seconds later, differs; None where both may hold."""
    is_alike = likeness(older.whole.frame, newer.whole.frame) >= ALIKE
    if is_alike and (found := _compare(older.whole, newer.whole, apart)):
        return found
    one, other = older.head, newer.head
    if (older.is_short and newer.is_short) or len(one.frame & other.frame) < 2:
        return None
    return _compare(one, other, apart) if likeness(one.frame, other.frame) >= ALIKE_TITLES else None


def says_it_amends(newer: str, older: str) -> bool:
    """Tell whether a text says that it changes an earlier decision, and may mean another text: most
    of what the shorter one speaks of, both do. Of two texts that answer one question."""
    if not re.search(_AMENDS, newer):
        return False
    one, other = frozenset(words(newer)), frozenset(words(older))
    shared = len(one & other)
    return shared >= max(_FEWEST_SHARED, _SAME_SUBJECT * min(len(one), len(other)))


def are_siblings(one: Statement, other: Statement) -> bool:
    """Return whether two texts look like members of one series, by their words alone."""
    return are_numbered(one.head, other.head) or are_numbered(one.whole, other.whole)


def are_numbered(one: Passage, other: Passage) -> bool:
    """Return whether each has a number or a numbered name that the other has not ("Rule 1",
    "host-b2")."""
    if one.labels - other.labels and other.labels - one.labels:
        return True
    mine, theirs = (
        {re.sub(r"\d+", "0", word) for word in words if re.search(r"\d", word)}
        for words in (one.frame - other.frame, other.frame - one.frame)
    )
    return not mine.isdisjoint(theirs)


def _compare(older: Passage, newer: Passage, apart: float) -> TextDifference | None:
    if are_numbered(older, newer):
        return None
    went, came = older.values - newer.values, newer.values - older.values
    if went and came:
        if older.is_listed and newer.is_listed:
            return None
        if older.frame == newer.frame:
            return TextDifference("value", older, newer)
        is_within = older.frame <= newer.frame or newer.frame <= older.frame
        if is_within and older.slots(went) & newer.slots(came):
            return TextDifference("value", older, newer)
    if apart < APART or older.labels != newer.labels:
        return None
    return _reworded(older, newer)


def _reworded(older: Passage, newer: Passage) -> TextDifference | None:
    gaps = [
        (went, came)
        for one, other in _find_gaps(older, newer)
        if (went := _telling(older, one)) + (came := _telling(newer, other))
    ]
    if not gaps:
        return None
    has_value = [
        any(t.is_value for t in went) and any(t.is_value for t in came) for went, came in gaps
    ]
    is_name = len(gaps) <= 2 and all(
        0 < len(went) <= _NAME_WORDS and 0 < len(came) <= _NAME_WORDS for went, came in gaps
    )
    if is_name and any(has_value) and not all(has_value):
        return None  # one has another name and another value: "staging has 4", "production has 16"
    if not is_name and likeness(older.frame, newer.frame) < REWORDED:
        return None
    return TextDifference("name" if is_name else "wording", older, newer)


def _find_gaps(older: Passage, newer: Passage) -> list[tuple[slice, slice]]:
    """Return where two passages differ."""
    one, other = ([t.key for t in passage.tokens] for passage in (older, newer))
    return find_gaps(one, other)


def _telling(passage: Passage, span: slice) -> list[Token]:
    return [token for token in passage.tokens[span] if _is_telling(token)]


def _written(passage: Passage, span: slice) -> str:
    some: Sequence[Token] = passage.tokens[span][:_LONGEST_WORDS]  # more of them would be cut
    return " ".join(token.written for token in some)


def _is_telling(token: Token) -> bool:
    return token.is_value or token.key not in _PASSED_OVER


@lru_cache(16_384)
def _token(written: str) -> Token:
    word = written.rstrip(".:/@+'’-") or written
    low = word.lower().replace("’", "'")
    if re.fullmatch(_VALUE, low) or low in _NUMBER_WORDS:
        return Token(word, low.lstrip("$#~^v").rstrip(",.") or low, is_value=True)
    if low in _PASSED_OVER or low in _NEGATIONS:
        return Token(word, low)
    return Token(word, bare(low) if low.isalpha() else low)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_WORDS else text[: _LONGEST_WORDS - 1].rstrip() + "…"
