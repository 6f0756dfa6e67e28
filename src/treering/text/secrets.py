"""Credentials: found before anything is written, named by kind, never repeated.

Precision first: a memory refused for nothing is a memory lost. So each kind is a shape a vendor
made to be recognised (data/credentials.txt has them), or an assignment whose value is random enough
to be neither a word nor an example. What has the exact shape of a vendor's token is refused even
where somebody calls it an example: nobody can tell.
"""

import base64
import math
import re
from bisect import bisect
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

from treering.errors import BlockedSecret
from treering.model.memory import Memory
from treering.model.tables import read_items, read_rules, read_table, read_word_list
from treering.text.hygiene import clean
from treering.text.words import holds_any

_LONG_WORD = 26  # no token with a prefix is shorter
_PLAIN_WORD = 14  # letters: no credential is made of fewer, and of letters alone
#: No name is longer than this before the word that is in it, nor after the beginning of that, with
#: what is looked at behind it.
_LONGEST_NAME = 16
#: One of these is in every name that credentials are kept under.
_NAME_GATES = ("pass", "pwd", "secret", "token", "credential", "key")
#: Kinds of credentials, each with its pattern.
Kinds = list[tuple[str, str]]


class Secret(NamedTuple):
    """The place of a credential in a text, and its kind."""

    kind: str
    start: int
    end: int


def secrets_in(text: str) -> tuple[str, ...]:
    """The kinds of credentials in a text, each once; empty when there are none."""
    return tuple(dict.fromkeys(secret.kind for secret in _find(clean(text))))


def mask_secrets(text: str) -> str:
    """The text, cleaned, with each credential replaced by the name of its kind."""
    text = clean(text)
    parts: list[str] = []
    at = 0
    for secret in sorted(_find(text), key=lambda secret: secret.start):
        parts += [text[at : secret.start], f"[masked: {secret.kind}]"]
        at = secret.end
    return "".join([*parts, text[at:]])


def refuse(*texts: str, known: Iterable[str] = ()) -> None:
    """Raise BlockedSecret when a text holds a credential that is in none of the `known` texts.

    `known` is what was stored before: a person who once let a credential in may still tag it.
    """
    allowed: set[str] | None = None
    visible = [clean(text) for text in texts]
    # A memory is many short texts, and most kinds are in none of them.
    kinds = _list_kinds("\n".join(visible).lower())
    for text in visible:
        for secret in _find(text, kinds):
            if allowed is None:
                allowed = {old[s.start : s.end] for old in map(clean, known) for s in _find(old)}
            if text[secret.start : secret.end] not in allowed:
                raise BlockedSecret(f"The text holds what looks like a credential: {secret.kind}.")


def texts_of(memory: Memory) -> list[str]:
    """Every text of a memory, wherever it stands; all of them end up in a blob.

    What the format's rules leave no room in is left out: ids, dates, the words for a type.
    """
    texts = [memory.content, memory.title, *memory.tags, memory.topic]
    texts += [memory.source, memory.author, memory.agent, memory.session]
    # With their keys: the colon ends what was said before, so that each text stands for itself.
    texts += _texts([{"path": file.path} for file in memory.files])
    for link in memory.links:
        words = {"relation": link.relation, "by": link.by, "reason": link.reason}
        texts += _texts(words | dict(link.extra))
    texts += [*_texts(memory.details), *_texts(memory.extra)]
    return [text for text in texts if text]


def _texts(value: Any) -> Iterator[str]:
    """Every string inside a value of front matter, keys included: `api_key: ...` tells more."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield f"{key}: {item}" if isinstance(item, str) else str(key)
            yield from _texts(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _texts(item)


def _find(text: str, kinds: Kinds | None = None) -> Iterator[Secret]:
    """Every credential, of some kinds if they are given, the surest first; none inside another."""
    starts: list[int] = []
    ends: list[int] = []
    for secret in _candidates(text, _list_kinds(text.lower()) if kinds is None else kinds):
        place = bisect(starts, secret.start)
        is_after = not place or ends[place - 1] <= secret.start
        if is_after and (place == len(starts) or secret.end <= starts[place]):
            starts.insert(place, secret.start)
            ends.insert(place, secret.end)
            yield secret


class CredentialRules(NamedTuple):
    """data/credentials.txt made ready.

    Gates are words with the number of the kind they tell of, by a sign that is in the words: there
    are many words and many texts, and most texts have few of the signs.
    """

    kinds: Kinds
    shapeless: frozenset[str]
    gates: dict[str, list[tuple[str, int]]]
    sentence_gates: list[tuple[str, int]]


@cache
def _read_rules() -> CredentialRules:
    table, starts = read_table("credentials"), dict(read_items("credentials", "starts"))
    rules = CredentialRules([], frozenset(table["shapeless"]), {}, [])
    for number, rule in enumerate(read_rules("credentials", "kinds")):
        pattern = rule.pattern
        for name, start in starts.items():
            pattern = pattern.replace(f"{{{name}}}", start)
        rules.kinds.append((rule.name, pattern))
        for word in map(str.lower, rule.gates):
            sign = next((sign for sign in "_-.:~=/" if sign in word), "")
            is_sentence = rule.name in table["sentences"] or " " in word
            some = rules.sentence_gates if is_sentence else rules.gates.setdefault(sign, [])
            some.append((word, number))
    return rules


@cache
def _pattern(name: str) -> re.Pattern[str]:
    """Return one of the patterns that assigned credentials are found by."""
    return re.compile(dict(read_items("credentials", "patterns"))[name])


def _list_kinds(lower: str) -> Kinds:
    """The kinds that may be in a text in small letters, with their patterns, the surest first."""
    rules = _read_rules()
    # A credential is no plain word, and most of a text is plain words.
    odd = " ".join(
        [word for word in lower.split() if len(word) > _PLAIN_WORD or not word.isalpha()]
    )
    numbers = {number for word, number in rules.sentence_gates if word in lower}
    for sign, words in rules.gates.items():
        if sign in odd:
            numbers.update([number for word, number in words if word in odd])
    return [rules.kinds[number] for number in sorted(numbers)]


def _candidates(text: str, kinds: Kinds) -> Iterator[Secret]:
    lower = text.lower()
    for kind, pattern in kinds:
        for match in re.finditer(pattern, text):
            if not _is_no_secret(kind, match):
                yield Secret(kind, *match.span(match.lastindex or 0))
    if holds_any(lower, _NAME_GATES):
        for name in _names_in(text, lower):
            if (value := _value_of(name, text)) and _is_secret(name[0], value):
                yield Secret("assigned credential", *value.span(1))
    if max(map(len, text.split()), default=0) > _LONG_WORD:
        for match in _pattern("prefixed").finditer(text):
            if is_token(match[2]) and not _pattern("open_prefixes").match(match[1]):
                yield Secret("prefixed token", *match.span())


def _names_in(text: str, lower: str) -> Iterator[re.Match[str]]:
    """The names that credentials are kept under: looked for only around the words that are in all
    of them, which are found many times faster."""
    pattern = _pattern("names")
    # Small letters may be more than the large ones, and there are others that count as the same.
    if not text.isascii() and (len(lower) != len(text) or holds_any(text, ("\u0131", "\u017f"))):
        yield from pattern.finditer(text)
        return
    for start, end in _stretches_around(lower, _NAME_GATES):
        yield from pattern.finditer(text, start, end)


def _stretches_around(text: str, words: Iterable[str]) -> Iterator[tuple[int, int]]:
    """Yield where the words stand, and what is near them, without overlaps."""
    places = []
    for word in words:
        at = text.find(word)
        while at >= 0:
            places.append(at)
            at = text.find(word, at + 1)
    start = end = -1
    for at in sorted(places):
        if at - _LONGEST_NAME > end:
            if end >= 0:
                yield start, end
            start = max(0, at - _LONGEST_NAME)
        end = at + _LONGEST_NAME
    if end >= 0:
        yield start, end


def _is_no_secret(kind: str, match: re.Match[str]) -> bool:
    """Return whether what has the shape of a credential stands for one."""
    value = match[match.lastindex or 0]
    if kind == "basic authorization":
        value = _password_in(value)
    if kind in _read_rules().shapeless:
        is_name_again = f"//{value}:".lower() in match[0].lower()  # postgres:postgres@
        return is_name_again or is_example(value)
    return bool(re.search(r"(?i)x{5}|\*{3}|\.{3}|<|\$\{|\{\{|example", value))


def _password_in(basic: str) -> str:
    try:
        return base64.b64decode(basic, validate=True).decode().rpartition(":")[2] or basic
    except ValueError:
        return basic


def _value_of(name: re.Match[str], text: str) -> re.Match[str] | None:
    """Return what is assigned to a name: quoted, bare, or as an option of a command."""
    start = name.start()
    before = text[max(0, start - 24) : start]
    if _pattern("open_names").search(before):
        return None
    at = name.end()
    if re.search(r"--[\w-]{0,20}$", before):
        return _pattern("option_value").match(text, at)
    return _pattern("quoted_value").match(text, at) or _pattern("bare_value").match(text, at)


def _is_secret(name: str, value: re.Match[str]) -> bool:
    text = value[1]
    if name.lower() == "key":  # any key: only what is random without doubt
        return is_token(text) or bool(re.fullmatch("[0-9a-f]{32,64}", text))
    if is_uuid(text):
        return name.isupper() and "=" in value[0]
    return is_password(text) if name.lower().startswith(("pass", "pwd")) else is_random(text)


# --- whether a value was made by a generator ------------------------------------------------------


_ENOUGH = 2.6  # bits a character; sixteen random hexadecimal digits have no fewer
_WORDLIKE = 0.65  # share of pairs of letters that are common in words; at random it is a third
_WORD = 3.2  # letters a word has on average; at random upper and lower case take turns

_UUID = r"(?i)^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"


def is_uuid(value: str) -> bool:
    return re.match(_UUID, value) is not None


def is_example(value: str) -> bool:
    """Return whether a value stands for another one, or says where it is."""
    patterns = read_table("credentials")["examples"]
    return any(re.search(pattern, value) for pattern in patterns) or is_uuid(value)


def is_random(value: str) -> bool:
    """Return whether nobody would have chosen this value: no word, no name, no example."""
    if is_example(value) or _entropy(value) < _ENOUGH:
        return False
    if value.isalpha() and (value.islower() or value.isupper()):
        return len(value) >= 14 and not is_wordlike(value)
    return _kinds(value) >= 2 and not is_wordlike(value)


def is_password(value: str) -> bool:
    """Return whether a value looks like what people choose when digits and signs are asked for."""
    is_mixed = all(re.search(of, value) for of in ("[A-Za-z]", "[0-9]", "[!@#$%^&*?+~]"))
    is_numbered = all(re.search(of, value) for of in ("[a-z]", "[A-Z]", r"[0-9]{2}$"))
    is_chosen = (is_mixed or is_numbered) and len(value) >= 8 and not is_example(value)
    return is_chosen or is_random(value)


def is_token(value: str) -> bool:
    """Return whether a value is random by itself, whatever it is called: all three kinds, and
    long."""
    mixed = all(len(re.findall(of, value)) >= 2 for of in ("[a-z]", "[A-Z]", "[0-9]"))
    return mixed and is_random(value) and _entropy(value) > 3.4


def is_wordlike(value: str) -> bool:
    """Return whether the letters of a value stand as in words, `camelCase` or not."""
    words = re.findall("[A-Z]?[a-z]+|[A-Z]+", value)
    if not words or sum(map(len, words)) < _WORD * len(words):
        return False
    pairs = [word[at : at + 2].lower() for word in words for at in range(len(word) - 1)]
    if len(pairs) < 5 or 3 * sum(map(str.isdigit, value)) > len(value):
        return False
    common = _list_common_pairs()
    return sum(pair in common for pair in pairs) >= _WORDLIKE * len(pairs)


@cache
def _list_common_pairs() -> frozenset[str]:
    return read_word_list("credentials", "pairs")


def _kinds(value: str) -> int:
    of = ("[a-z]", "[A-Z]", "[0-9].*[0-9]", r"[^\w]")
    return sum(bool(re.search(pattern, value)) for pattern in of)


def _entropy(text: str) -> float:
    """Shannon entropy in bits a character."""
    total = len(text)
    return -sum(n / total * math.log2(n / total) for n in Counter(text).values())
