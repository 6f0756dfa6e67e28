"""Signs that a text was written to steer an agent rather than to tell it something.

A signal, not a wall: what bears a sign is still stored, found and read, with the sign named beside
it; it is only kept out of what is put before an agent unasked. The wall is the fence (see
`actions/fence.py`). So precision comes first: prose about prompts, users and tokens is our daily
bread, and each pattern wants the order given, not the subject mentioned.
"""

import base64
import binascii
import re
import unicodedata
from functools import lru_cache

from treering.capture.hygiene import clean
from treering.capture.secrets import texts_of
from treering.capture.signs import SIGNS
from treering.model.memory import Memory

DETECTORS = 1
# 1: the rules of 0.1; a new rule gets a new number, so that every index looks again

_LONGEST = 262_144
_MOST_PAYLOADS = 20

# Letters that look like Latin ones: `іgnоre` in Cyrillic reads the same to everyone.
_LOOKALIKES = str.maketrans(
    "аеорсухіјѕԁһԛԝɡαορνικτυ",
    "aeopcyxijsdhqwgaopviktu",
)
_LEET = str.maketrans("013457@$", "oieastas")
_GAPS = r"[ .*_-]"
_SPELLED = rf"(?:\b\w{_GAPS}){{7,400}}\w\b"
_COMPACT = (
    r"(?:ignore|disregard|forget)(?:all|any|the)*(?:of)?(?:the|your)*"
    r"(?:previous|prior|above|earlier|system)(?:system)?(?:instruction|prompt|rule|direction)"
)
_LEETED = r"\b[a-z]{0,20}[013457@$][a-z]{1,20}"
_BASE64 = r"(?<![A-Za-z0-9+/=_-])[A-Za-z0-9+/_-]{24,4096}={0,2}"


@lru_cache(maxsize=1024)  # a long text takes a third of a millisecond, and every recall shows ten
def suspicion(text: str) -> tuple[str, ...]:
    """The signs a text bears, each once, in a fixed order; empty for one that bears none."""
    text = text[:_LONGEST]
    seen = clean(text)
    plain = _plain(seen)
    found = _signs_in(plain) | _disguised_signs_in(plain)
    if any(_signs_in(_plain(inner)) for inner in _payloads(seen)):
        found.add("encoded")
    if seen != text:
        found.add("hidden_characters")
    return tuple(sorted(found))


def signs_of(memory: Memory) -> tuple[str, ...]:
    """The signs any text of a memory bears: title, tags and author are read as well."""
    return suspicion("\n".join(texts_of(memory)))


def _plain(text: str) -> str:
    """As a reader takes it: one case, single spaces, full-width letters as plain ones."""
    folded = unicodedata.normalize("NFKC", text).lower().replace("\u2019", "'")
    return re.sub(r"[^\S\n]+", " ", folded)


def _signs_in(plain: str) -> set[str]:
    return {
        sign
        for sign, words, pattern in SIGNS
        if any(word in plain for word in words.split("|")) and re.search(pattern, plain)
    }


def _disguised_signs_in(plain: str) -> set[str]:
    """Orders in letters of another alphabet, in digits for letters, or spelled `i g n o r e`."""
    found: set[str] = set()
    if not plain.isascii():
        found |= _signs_in(plain.translate(_LOOKALIKES))
    if re.search(_LEETED, plain):
        found |= {"override"} & _signs_in(plain.translate(_LEET))
    if any(re.search(_COMPACT, re.sub(_GAPS, "", run)) for run in re.findall(_SPELLED, plain)):
        found.add("override")
    return found


def _payloads(text: str) -> list[str]:
    """Base64 in the text that decodes to words; hashes and keys decode to noise."""
    found = []
    for match in list(re.finditer(_BASE64, text))[:_MOST_PAYLOADS]:
        raw = match[0].rstrip("=").replace("-", "+").replace("_", "/")
        try:
            data = base64.b64decode(raw + "=" * (-len(raw) % 4))
            found.append(data.decode("ascii"))
        except (binascii.Error, ValueError):
            continue
    return found
