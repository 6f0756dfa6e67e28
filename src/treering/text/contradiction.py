"""Whether a newer text says something else than an older one about the same, and in which words.

Two texts are about the same when their telling words are alike, numbers and negations left out.
What they say differs by a value ("30 days", "14 days"), by polarity ("use", "do not use"), by a
name, or by wording. The last two are guesses: people write things of one kind side by side
("P4HOST is ...", "P4PASS is ..."), and these are alike, too, and none replaces the other.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache, cached_property, lru_cache, partial
from typing import Literal

from treering.model.value import NamedTuple
from treering.text.alignment import find_gaps
from treering.text.likeness import ALIKE, ALIKE_TITLES, likeness
from treering.text.words import STOP_WORDS, bare

#: How a newer memory outdates an older one; the strongest first.
HowOutdated = Literal["supersedes", "revert", "value", "polarity", "name", "wording"]

#: What is worth more than a hint.
_SURE: tuple[HowOutdated, ...] = ("supersedes", "revert", "value", "polarity")
#: Seconds between two texts, from which on one may be the other reworded: siblings are written
#: together.
APART = 3600.0
_MOST_TOKENS = 160
_LONGEST_WORDS = 80
_NAME_WORDS = 3

_PIECE = r"[$#~^]?(?:--?)?\w[\w.:/@+%'’-]*"
_VALUE = r"[$#~^]?v?\d[\w.,:+%-]*"
_NUMBERS = """
    two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty fifty
    sixty ninety hundred thousand once twice
"""
#: Verbs and adverbs that say nothing about a subject. In words.py a few more are, which are names.
_EMPTY = """
    use uses using used now currently default still always only we our please must should
"""
_NEGATIONS = """
    not no never without neither nor longer cannot stop stopped avoid don't doesn't isn't aren't
    can't won't shouldn't mustn't wasn't weren't didn't unless
"""
#: Words that are the opposite of each other, by what they are about.
_OPPOSITES = (
    ("enable enabled enables on true yes allow allowed allows permit permitted accept accepted "
     "accepts include included includes require required requires mandatory support supported "
     "supports add added adds public",
     "disable disabled disables off false forbid forbidden forbids deny denied disallow disallowed "
     "reject rejected rejects exclude excluded excludes optional unsupported remove removed "
     "removes drop dropped drops private"),
    ("before", "after"),
    ("synchronous", "asynchronous"),
    ("mutable", "immutable"),
    ("increase increased", "decrease decreased"),
    ("strict", "lenient"),
)  # fmt: skip
_SIGNS = {
    word: sign
    for pair in (*_OPPOSITES, ("", _NEGATIONS))
    for sign, words in zip("+-", pair, strict=True)
    for word in words.split()
}
_NUMBER_WORDS = frozenset(_NUMBERS.split())
_PASSED_OVER = STOP_WORDS.union(_EMPTY.split())
_REVERT = r"(?:revert|reverts|undo|back out):?\s+[\"'“`]?(.+?)[\"'”`]?(?:\s*\(#\d+\))?\.?"


class Contradiction(NamedTuple):
    """How a newer text differs from an older one: what that said, and what this says."""

    how: HowOutdated
    said: str = ""
    says: str = ""

    @property
    def is_sure(self) -> bool:
        """Whether it is worth more than a hint."""
        return self.how in _SURE


class TextDifference(NamedTuple):
    """How a newer text differs from an older one, before anybody asked in which words: to find
    these takes ten times as long."""

    how: HowOutdated
    find_words: Callable[[], tuple[str, str]]

    @property
    def is_sure(self) -> bool:
        return self.how in _SURE

    def spell_out(self) -> Contradiction:
        return Contradiction(self.how, *self.find_words())


class Token(NamedTuple):
    """A word as it is written, and as it is compared."""

    written: str
    key: str
    is_value: bool = False


class Passage:
    """Some words in order, ready to be compared with others."""

    def __init__(self, text: str) -> None:
        self.tokens = [_token(word) for word in _words(text)]

    @cached_property
    def frame(self) -> frozenset[str]:
        """The telling words but for values and polarity: what it is about."""
        return frozenset(t.key for t in self.tokens if _is_telling(t))

    @cached_property
    def values(self) -> frozenset[str]:
        return frozenset(t.key for t in self.tokens if t.is_value)

    @cached_property
    def signs(self) -> tuple[str, ...]:
        """What it says yes and no to, in order."""
        signs = (_SIGNS.get(token.key) for token in self.tokens)
        return tuple(sign for sign in signs if sign)

    def slots(self, values: Iterable[str]) -> set[tuple[str, str]]:
        """The words right before and right after some of its values."""
        wanted, slots = set(values), set[tuple[str, str]]()
        words = [t for t in self.tokens if t.is_value or _is_telling(t)]
        for at, token in enumerate(words):
            if token.is_value and token.key in wanted:
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


@lru_cache(1024)
def take_apart(title: str, content: str) -> Statement:
    """The statement of a text, kept for when it is compared again."""
    return Statement(title, content)


def compare(older: Statement, newer: Statement, apart: float = APART) -> Contradiction | None:
    """What the newer one, said `apart` seconds later, says in the place of the older; None where
    both may hold."""
    found = find_difference(older, newer, apart)
    return found.spell_out() if found else None


def find_difference(
    older: Statement, newer: Statement, apart: float = APART
) -> TextDifference | None:
    """The same, with words for whoever asks for them. What was compared once is known: of texts
    that are alike each new one has all the others looked at again."""
    return _find_difference(older, newer, apart >= APART)


@lru_cache(4096)
def _find_difference(older: Statement, newer: Statement, is_apart: bool) -> TextDifference | None:
    if is_revert(newer.title, older.title):
        return TextDifference("revert", lambda: (_cut(older.title), _cut(newer.title)))
    is_alike = _likeness(older.whole, newer.whole) >= ALIKE
    if is_alike and (found := _compare(older.whole, newer.whole, is_apart)):
        return found
    if older.is_short and newer.is_short:
        return None
    if len(older.head.frame & newer.head.frame) < 2:
        return None
    if _likeness(older.head, newer.head) < ALIKE_TITLES:
        return None
    return _compare(older.head, newer.head, is_apart)


def compare_heads(older: Statement, newer: Statement) -> Contradiction | None:
    """The same of their titles alone, whoever has more to say below it."""
    if _likeness(older.head, newer.head) < ALIKE or len(older.head.frame & newer.head.frame) < 2:
        return None
    found = _compare(older.head, newer.head, is_apart=False)
    return found.spell_out() if found else None


def is_revert(title: str, of: str) -> bool:
    """Whether a title says that it reverts what another one did, or brings back what that took."""
    match = re.fullmatch(_REVERT, title.strip(), re.IGNORECASE)
    return bool(match) and _plain(match[1]) == _plain(of) if match else False


def says_revert(title: str) -> bool:
    """Whether a title says that it reverts something."""
    return bool(re.fullmatch(_REVERT, title.strip(), re.IGNORECASE))


def _differing_words(older: Passage, newer: Passage) -> tuple[str, str]:
    """The words only one of two passages has, in their order."""
    return _words_in(older, newer, _spans(older, newer))


def _words_in(
    older: Passage, newer: Passage, spans: Sequence[tuple[slice, slice]]
) -> tuple[str, str]:
    return (
        _cut(" ".join(_written(older, one) for one, _ in spans)),
        _cut(" ".join(_written(newer, other) for _, other in spans)),
    )


def _compare(older: Passage, newer: Passage, is_apart: bool) -> TextDifference | None:
    words = cache(partial(_differing_words, older, newer))
    is_within = older.frame <= newer.frame or newer.frame <= older.frame
    went, came = older.values - newer.values, newer.values - older.values
    if went and came and is_within:
        is_same = older.frame == newer.frame
        if is_same or older.slots(went) & newer.slots(came):
            return TextDifference("value", words)
    if is_within and _turned(older, newer):
        return TextDifference("polarity", words)
    if not is_apart:
        return None
    return _reworded(older, newer)


def _turned(older: Passage, newer: Passage) -> bool:
    """Whether one says yes where the other says no."""
    counts = [passage.signs.count("-") % 2 for passage in (older, newer)]
    return counts[0] != counts[1]


def _reworded(older: Passage, newer: Passage) -> TextDifference | None:
    differing = _spans(older, newer)
    words = cache(partial(_words_in, older, newer, differing))
    spans = [
        (one, other) for one, other in differing if _telling(older, one) or _telling(newer, other)
    ]
    if not spans:
        return None
    names = [(_telling(older, one), _telling(newer, other)) for one, other in spans]
    if (
        all(0 < len(went) <= _NAME_WORDS and 0 < len(came) <= _NAME_WORDS for went, came in names)
        and len(names) <= 2
    ):
        return TextDifference("name", words)
    return TextDifference("wording", words)


def _spans(older: Passage, newer: Passage) -> list[tuple[slice, slice]]:
    """Where two passages differ."""
    one, other = ([t.key for t in passage.tokens] for passage in (older, newer))
    return find_gaps(one, other)


def _telling(passage: Passage, span: slice) -> list[Token]:
    return [token for token in passage.tokens[span] if token.is_value or _is_telling(token)]


def _written(passage: Passage, span: slice) -> str:
    some = passage.tokens[span][:_LONGEST_WORDS]  # more of them would be cut
    return " ".join(token.written for token in some)


def _likeness(one: Passage, other: Passage) -> float:
    return likeness(one.frame, other.frame)


def _is_telling(token: Token) -> bool:
    key = token.key
    return not (token.is_value or key in _SIGNS or key in _PASSED_OVER)


def _words(text: str) -> Sequence[str]:
    return re.findall(_PIECE, text)[:_MOST_TOKENS]


@lru_cache(16_384)
def _token(written: str) -> Token:
    word = written.rstrip(".:/@+'’-") or written
    low = word.lower().replace("’", "'")
    if re.fullmatch(_VALUE, low) or low in _NUMBER_WORDS:
        return Token(word, low.lstrip("$#~^v").rstrip(",.") or low, is_value=True)
    if low in _PASSED_OVER or low in _SIGNS:
        return Token(word, low)
    return Token(word, bare(low) if low.isalpha() else low)


def _plain(title: str) -> str:
    return " ".join(re.findall(r"\w+", re.sub(r"\(#\d+\)\s*$", "", title).lower()))


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_WORDS else text[: _LONGEST_WORDS - 1].rstrip() + "…"
