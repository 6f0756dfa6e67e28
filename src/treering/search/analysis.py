"""From text to search terms, the same way for memories and for questions.

Memories talk about code, so a chunk like `src/auth/getUserName.py` or `ERR_1234` becomes itself,
its pieces and the words inside them; prose is stemmed; Chinese, Japanese and Korean come as pairs
of characters. What a chunk becomes is remembered for ever: words repeat, and stemming is the dear
part. Every pattern here is linear, so 256 KB of anything takes milliseconds.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Literal

from whoosh.lang.porter import stem

from treering.model.pattern import lazy_pattern
from treering.text.words import STOP_WORDS

ANALYSIS = 2
# 1: identifiers whole and in parts, Porter stems, pairs of CJK characters
# 2: full case folding, ligatures and letters without a base taken apart, paths as dotted names

_MAX_TERM = 64  # a longer run is a hash or an encoded file: its head is enough to find it again
_CACHE_LIMIT = 1_000_000
_SLICE = 128  # characters normalised at once

# Marks that belong to the letter before them, which `\w` leaves out.
_MARKS = (
    "\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0900-\u0903\u093a-\u094f\u0e31-\u0e4e"
)
_CJK = "\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_JOIN = r"[.'/\\:@-]{1,2}"
_PLAIN = lazy_pattern(rf"\w+(?:{_JOIN}\w+)*", re.ASCII)
_WIDE_WORD = rf"(?:(?![{_CJK}])[\w{_MARKS}])+"
_WIDE = lazy_pattern(rf"[{_CJK}]+|{_WIDE_WORD}(?:(?:{_JOIN}|’){_WIDE_WORD})*")
_BARE = lazy_pattern(rf"[\w{_MARKS}]+")
_WORDS = lazy_pattern(r"[a-z]{2,20}")
_IS_CJK = lazy_pattern(f"[{_CJK}]")
_PIECES = lazy_pattern(r"[^\W_]+(?:['’][^\W\d_]+)*")
_STEPS = lazy_pattern(r"[/\\:@]+|\.(?=[^\W\d]{5})")  # a dot before more than a file's ending
_JOINED = lazy_pattern(r"[^\W_][_.-]+[^\W_]")
_GLUE = lazy_pattern(r"[_-]+")
_NUMBER = lazy_pattern(r"v?(\d+(?:\.\d+)+)")
_SEPARATORS = lazy_pattern(r"[./\\]+")
_ENDING = lazy_pattern(r"\.[a-z]\w{0,4}$")
#: Letters that Unicode does not take apart, as they are typed without them.
_LETTERS = str.maketrans(
    {"æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i"}
)
_HUMPS = lazy_pattern(r"[A-Z]+(?![a-z])|[A-Z]?[^A-Z\d]+|\d+")

_cache: dict[str, tuple[str, ...]] = {}


def terms(text: str) -> list[str]:
    """Every term of a text, stop words left out, repeated as often as it occurs."""
    all_terms: list[str] = []
    cache = _cache
    for chunk in chunks(text):
        chunk_terms = cache.get(chunk)
        all_terms += _remember(chunk) if chunk_terms is None else chunk_terms
    return all_terms


@lru_cache(4096)
def terms_in(text: str) -> frozenset[str]:
    """The different terms of a text."""
    return frozenset(terms(text))


def question_terms(text: str) -> list[str]:
    """The terms of a question, each once; one made of stop words alone keeps them."""
    return list(dict.fromkeys(terms(text) or [stem(c.casefold()) for c in chunks(text)]))


def join_terms(text: str) -> list[str]:
    """Neighbouring words written as one: `data frame` may be called `dataframe` in a memory."""
    words = _WORDS.findall(text.lower())
    pairs = (
        first + second
        for first, second in pairwise(words)
        if first not in STOP_WORDS and second not in STOP_WORDS
    )
    return list(dict.fromkeys(form for pair in pairs for form in (pair, stem(pair))))


def chunks(text: str) -> list[str]:
    """Runs that belong together: a word, a dotted name, a path, a version."""
    if text.isascii():
        return _PLAIN.findall(text)
    return _WIDE.findall(_normalize("NFKC", text))


def _normalize(form: Literal["NFKC", "NFKD"], text: str) -> str:
    """In slices that end before a letter: on a run of accents Unicode's rules are quadratic."""
    slices, at = [], 0
    while at < len(text):
        end = at + _SLICE
        while end < len(text) and end < at + 2 * _SLICE and unicodedata.combining(text[end]):
            end += 1
        slices.append(unicodedata.normalize(form, text[at:end]))
        at = end
    return "".join(slices)


def flatten(text: str) -> str:
    """The bare words of a text in their order, ready to be searched for a phrase."""
    return f" {' '.join(_BARE.findall(_normalize('NFKC', text).casefold()))} "


def _remember(chunk: str) -> tuple[str, ...]:
    if len(_cache) > _CACHE_LIMIT:
        _cache.clear()
    chunk_terms = _cache[chunk] = tuple(_terms_of(chunk))
    return chunk_terms


def _terms_of(chunk: str) -> Iterator[str]:
    if not chunk.isascii() and _IS_CJK.match(chunk):
        yield from _pairs(chunk)
        return
    if len(chunk) > 8 * _MAX_TERM:
        chunk = chunk[: 8 * _MAX_TERM]
    number = _NUMBER.fullmatch(chunk)
    if number:
        yield number[1]
        return
    pieces = _PIECES.findall(chunk)
    if len(pieces) > 1:
        yield from _wholes(chunk)
    for piece in pieces:
        yield from _word(piece[:_MAX_TERM])


def _wholes(chunk: str) -> Iterator[str]:
    """The joined forms people look up: the chunk itself, and each joined step of a path.

    Underscores and dashes go, so that `get_user_name`, `get-user-name` and `getUserName` are one
    name, and `utf-8` is `utf8`.
    """
    whole = chunk.casefold()
    steps = [step for step in _STEPS.split(whole) if _JOINED.search(step)]
    for part in dict.fromkeys((whole, *steps, *_dotted(whole))):
        form = _GLUE.sub("", part)[:_MAX_TERM]
        if form not in STOP_WORDS:
            yield form


def _dotted(chunk: str) -> list[str]:
    """A path or name as a module is called, whole and by its last two steps: `lib/utils/six.py`,
    `utils/six` and `lib.utils.six` meet at `utils.six`."""
    if "/" in chunk or "\\" in chunk:
        chunk = _ENDING.sub("", chunk)
    names = [name for name in _SEPARATORS.split(chunk) if name]
    if len(names) < 2 or any(name[0].isdigit() for name in names):
        return []
    return [".".join(names), ".".join(names[-2:])]


def _word(piece: str) -> Iterator[str]:
    """A word's stem, and where it is a joined name (`getUserName`, `sha256`) its parts too."""
    lower = piece.casefold().replace("’", "'")
    if lower in STOP_WORDS:
        return
    if "'" in lower:
        piece = lower = lower.removesuffix("'s").replace("'", "")
    rest = piece[1:]
    is_plain = piece.islower() or piece.isupper() or (rest.islower() and rest.isalpha())
    humps = () if is_plain else _HUMPS.findall(piece)
    if len(humps) > 1:
        yield lower
        for hump in humps:
            yield from _word(hump.casefold())
        return
    term = stem(lower) if lower.isascii() else lower
    if not term:
        return
    yield term
    if not lower.isascii() and (accentless := _fold(lower)) != lower:
        yield stem(accentless)


def _fold(word: str) -> str:
    """The word without accents, which is how many people type it."""
    parts = _normalize("NFKD", word).translate(_LETTERS)
    return "".join(part for part in parts if not unicodedata.combining(part))


def _pairs(run: str) -> Iterator[str]:
    if len(run) == 1:
        yield run
    for first, second in pairwise(run):
        yield first + second
