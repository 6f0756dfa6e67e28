"""Credentials: found before anything is written, named by kind, never repeated.

Precision first: a memory refused for nothing is a memory lost. So each kind is a shape a vendor
made to be recognised (see `credentials.py`), or an assignment whose value is random enough to be
neither a word nor an example. What has the exact shape of a vendor's token is refused even where
somebody calls it an example: nobody can tell.
"""

import math
import re
from bisect import bisect
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from treering.capture.credentials import (
    ASSIGNED,
    ASSIGNED_BARE,
    EXAMPLES,
    KINDS,
    REFERENCES,
    SHAPELESS,
)
from treering.capture.hygiene import clean
from treering.errors import BlockedSecret
from treering.model import document
from treering.model.memory import Memory

_INERT = {"id", "type", "status", "blob", "commit", "target", "created", "modified"}
_RANDOM = 3.0  # bits a character; names and prose have fewer, or their letters give them away


class Secret(NamedTuple):
    """Where a credential stands in a text, and of which kind it is."""

    kind: str
    start: int
    end: int


def secrets_in(text: str) -> tuple[str, ...]:
    """The kinds of credentials in a text, each once; empty when there are none."""
    return tuple(dict.fromkeys(secret.kind for secret in _found(clean(text))))


def masked(text: str) -> str:
    """The text, cleaned, with each credential replaced by the name of its kind."""
    text = clean(text)
    for secret in sorted(_found(text), key=lambda secret: secret.start, reverse=True):
        text = f"{text[: secret.start]}[masked: {secret.kind}]{text[secret.end :]}"
    return text


def refuse(*texts: str, known: Iterable[str] = ()) -> None:
    """Raise BlockedSecret when a text holds a credential that is in none of the `known` texts.

    `known` is what was stored before: a person who once let a credential in may still tag it.
    """
    allowed: set[str] | None = None
    for text in map(clean, texts):
        for secret in _found(text):
            if allowed is None:
                allowed = {old[s.start : s.end] for old in map(clean, known) for s in _found(old)}
            if text[secret.start : secret.end] not in allowed:
                raise BlockedSecret(f"The text holds what looks like a credential: {secret.kind}.")


def texts_of(memory: Memory) -> list[str]:
    """Every text of a memory, wherever it stands; all of them end up in a blob."""
    return [memory.content, *_texts(document.fields(memory))]


def _texts(value: Any) -> list[str]:
    """Every string inside front matter, but for object ids and dates."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, Mapping):
        return [text for key, item in value.items() if key not in _INERT for text in _texts(item)]
    if isinstance(value, list | tuple):
        return [text for item in value for text in _texts(item)]
    return []


def _found(text: str) -> Iterator[Secret]:
    """Every credential, the surest kinds first; none inside another."""
    starts: list[int] = []
    ends: list[int] = []
    for secret in _candidates(text):
        place = bisect(starts, secret.start)
        is_after = not place or ends[place - 1] <= secret.start
        if is_after and (place == len(starts) or secret.end <= starts[place]):
            starts.insert(place, secret.start)
            ends.insert(place, secret.end)
            yield secret


def _candidates(text: str) -> Iterator[Secret]:
    lower = text.lower()
    for kind, word, pattern in KINDS:
        if word.lower() in lower:
            for match in re.finditer(pattern, text):
                if not _is_example(kind, match):
                    yield _secret(kind, match)
    if "=" in text or ":" in text:
        for pattern in (ASSIGNED, ASSIGNED_BARE):
            for match in re.finditer(pattern, text):
                if _is_random(match[1]) and not _is_code(match):
                    yield _secret("assigned credential", match)


def _secret(kind: str, match: re.Match[str]) -> Secret:
    return Secret(kind, *match.span(match.lastindex or 0))


def _is_example(kind: str, match: re.Match[str]) -> bool:
    value = match[match.lastindex or 0]
    if kind in SHAPELESS:
        is_name_again = f"//{value}:".lower() in match[0].lower()  # postgres:postgres@
        return is_name_again or bool(re.search(EXAMPLES, value))
    return bool(re.search(r"(?i)x{5}|\*{3}|\.{3}|<|\$\{|\{\{", value))


def _is_code(match: re.Match[str]) -> bool:
    """A value without quotes may be a name, `key: PrivateKeyTypes`; in `KEY=...` it is none."""
    is_quoted = match[0][-1] in "\"'"
    is_setting = re.match("[A-Z_]+=", match[0]) is not None
    return not (is_quoted or is_setting or re.search("[0-9].*[0-9]", match[1]))


def _is_random(value: str) -> bool:
    """Whether a value was made by a generator: no word, no example, no reference to elsewhere."""
    if re.search(EXAMPLES, value) or re.search(REFERENCES, value):
        return False
    kinds = sum(bool(re.search(of, value)) for of in ("[a-z]", "[A-Z]", "[0-9].*[0-9]", r"[^\w]"))
    return kinds >= 2 and _randomness(value) > _RANDOM


def _randomness(text: str) -> float:
    """Shannon entropy in bits a character."""
    total = len(text)
    return -sum(n / total * math.log2(n / total) for n in Counter(text).values())
