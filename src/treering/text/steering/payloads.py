"""Texts inside a text, encoded so that only a machine reads them.

Base64, hexadecimal, percent signs, escapes, rot13, and text written backwards. Hashes, keys and
images decode to noise and are left out. All of a text is looked at; what is decoded is never longer
than what it was decoded from.
"""

import base64
import binascii
import codecs
import re
from collections.abc import Iterator

from treering.text.words import holds_any

_BASE64 = r"(?<![A-Za-z0-9+/=_-])[A-Za-z0-9+/_-]{20,4096}"
_HEX = r"(?<![A-Za-z0-9])(?:0x)?((?:[0-9a-fA-F]{2}[ :]?){12,4096})(?![A-Za-z0-9])"
_PERCENT = r"(?:%[0-9a-fA-F]{2})+"
_ESCAPES = r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4}))"
_MAYBE_HEX = "(?:[0-9a-fA-F]{2}[ :]?){12}"
_LONG_WORD = 20
# Words an order is hardly written without, in rot13 and backwards.
_TURNED_WORDS = ("vtaber", "qvfertneq", "vafgehpgvba", "cebzcg", "flfgrz", "hfre")
_TURNED = r"(?i)\b(?:vtaber|qvfertneq|vafgehpgvbaf?|cebzcg|flfgrz|hfre)\b"
_WORDS_BACKWARDS = ("erongi", "dragersid", "noitcurtsni", "tpmorp", "metsys", "resu")
_BACKWARDS = r"(?i)\b(?:erongi|drager[s]id|s?noitcurtsni|tpmorp|metsys|resu)\b"


def decode_payloads(text: str) -> list[str]:
    """Every text that is encoded in this one, decoded."""
    return [payload for payload in _decode(text) if payload]


def _decode(text: str) -> Iterator[str]:
    # Each look at a whole text comes after a cheap one, which tells of most that it is in vain.
    if max(map(len, text.split()), default=0) >= _LONG_WORD:
        for match in re.finditer(_BASE64, text):
            yield _from_base64(match[0])
    if re.search(_MAYBE_HEX, text):
        for match in re.finditer(_HEX, text):
            yield _to_text(bytes.fromhex(re.sub("[ :]", "", match[1])))
    if "%" in text:
        yield re.sub(_PERCENT, _from_percent, text)
    if "\\x" in text or "\\u" in text:
        yield re.sub(_ESCAPES, lambda match: chr(int(match[1] or match[2], 16)), text)
    letters = _fold(text)
    if holds_any(letters, _TURNED_WORDS) and re.search(_TURNED, text):
        yield codecs.decode(text, "rot13")
    if holds_any(letters, _WORDS_BACKWARDS) and re.search(_BACKWARDS, text):
        yield text[::-1]


def _fold(text: str) -> str:
    """The text in small letters, whatever a pattern takes for them: `i` has dots or none."""
    if text.isascii():
        return text.lower()
    return text.casefold().replace("\u0131", "i").replace("\u0307", "")


def _from_base64(word: str) -> str:
    if word.isalpha() and (word.islower() or word.isupper()):
        return ""  # a word, or an identifier
    if not word.strip("0123456789abcdef"):
        return ""  # an object id, of which memories are full; no text can be made of these letters
    raw = word.replace("-", "+").replace("_", "/")
    try:
        return _to_text(base64.b64decode(raw + "=" * (-len(raw) % 4)))
    except (binascii.Error, ValueError):
        return ""


def _from_percent(match: re.Match[str]) -> str:
    return bytes.fromhex(match[0].replace("%", "")).decode("utf-8", "replace")


def _to_text(data: bytes) -> str:
    """Bytes that are words; noise is not."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return ""
    return "" if "\x00" in text else text
