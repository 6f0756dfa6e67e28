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

_BASE64 = r"(?<![A-Za-z0-9+/=_-])[A-Za-z0-9+/_-]{20,4096}"
_HEX = r"(?<![A-Za-z0-9])(?:0x)?((?:[0-9a-fA-F]{2}[ :]?){12,4096})(?![A-Za-z0-9])"
_PERCENT = r"(?:%[0-9a-fA-F]{2})+"
_ESCAPES = r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4}))"
# Words an order is hardly written without, in rot13 and backwards.
_TURNED = r"(?i)\b(?:vtaber|qvfertneq|vafgehpgvbaf?|cebzcg|flfgrz|hfre)\b"
_BACKWARDS = r"(?i)\b(?:erongi|drager[s]id|s?noitcurtsni|tpmorp|metsys|resu)\b"


def decode_payloads(text: str) -> list[str]:
    """Every text that is encoded in this one, decoded."""
    return [payload for payload in _decode(text) if payload]


def _decode(text: str) -> Iterator[str]:
    for match in re.finditer(_BASE64, text):
        yield _from_base64(match[0])
    for match in re.finditer(_HEX, text):
        yield _to_text(bytes.fromhex(re.sub("[ :]", "", match[1])))
    if "%" in text:
        yield re.sub(_PERCENT, _from_percent, text)
    if "\\x" in text or "\\u" in text:
        yield re.sub(_ESCAPES, lambda match: chr(int(match[1] or match[2], 16)), text)
    if re.search(_TURNED, text):
        yield codecs.decode(text, "rot13")
    if re.search(_BACKWARDS, text):
        yield text[::-1]


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
