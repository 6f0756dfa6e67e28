"""A text as a reader takes it: one case, one alphabet, and again without its markup.

Whoever hides an order writes it in letters that look alike, inside markup, or letter by letter; a
reader sees through that without effort. The work is linear in the text, and what is made of it is
never much longer: normalising a text whole is neither, since one Arabic sign becomes eighteen
letters, and a run of accents is sorted in quadratic time.
"""

import re
import unicodedata
from collections.abc import Iterator

_SLICE = 128  # characters normalised at a time: a run of accents is sorted within one slice only

_ENTITY = r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]{2,8});?"
# The rest of HTML's two thousand names are signs that stand in no word.
_ENTITIES = {
    "lt": "<",
    "gt": ">",
    "amp": "&",
    "quot": '"',
    "apos": "'",
    "shy": "",
    "zwj": "",
    "zwnj": "",
}
_LIGATURES = "[\u3300-\u33ff\ufdf0-\ufdff]"  # one sign, up to eighteen letters
_MARKS = (
    "[\u0300-\u036f\u0483-\u0489\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06ed"
    "\u0900-\u0903\u093a-\u093c\u093e-\u094f\u0951-\u0957\u0962\u0963"
    "\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe00-\ufe2f]"
)
# Letters that no decomposition makes plain: with strokes, and white on black.
_PLAIN = str.maketrans("łøđıىة’ʼ", "lodiيه''") | {
    base + n: chr(ord("a") + n) for base in (0x1F150, 0x1F170) for n in range(26)
}

# Letters that look like Latin ones: `іgnоre` in Cyrillic reads the same to everyone.
_LOOKALIKES = str.maketrans(
    "авеорсухіјѕԁһԛԝɡкмнтпαορνικτυεηβγμσχᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢɑ",
    "abeopcyxijsdhqwgkmhtnaopviktuenbymoxabcdefghijklmnoprstuvwyza",
)
_LEET = str.maketrans("013457@$", "oieastas")
_LEET_TOO = str.maketrans("013457@$", "oleastas")

# What stands inside a word without being seen: emphasis, code ticks, tags; a link's target.
_TAG = r"<(?:/?[a-z]|!--)[^<>\n]{0,120}>"
# Looked for by the sign itself: there are far fewer of them than of letters before them.
_GOES_ON = r"(?=[^\W_]|[<*_`~])"
_INSIDE = (
    rf"[*_`~](?<=[^\W_].){_GOES_ON}"
    rf"|<(?<=[^\W_].)(?:/?[a-z]|!--)[^<>\n]{{0,120}}>{_GOES_ON}|\]\("
)
_MARKUP = rf"{_TAG}|\]\([^()\n]{{0,300}}\)|[*_`~]"


def read(text: str) -> str:
    """The text in one case and alphabet; punctuation and markup stay."""
    if "&" in text:
        text = re.sub(_ENTITY, _unescape, text)
    if text.isascii():
        return text.lower()
    text = re.sub(_LIGATURES, " ", text)
    return "".join(_fold(text[at : at + _SLICE]) for at in range(0, len(text), _SLICE))


def _unescape(match: re.Match[str]) -> str:
    name = match[0].strip("&;")
    if name[0] != "#":
        return _ENTITIES.get(name.lower(), " ")
    code = int(name[2:], 16) if name[1] in "xX" else int(name[1:])
    return chr(code) if code < 0x110000 else " "


def _fold(part: str) -> str:
    if part.isascii():
        return part.lower()
    apart = unicodedata.normalize("NFKD", part).casefold()
    return unicodedata.normalize("NFC", re.sub(_MARKS, "", apart)).translate(_PLAIN)


def views(text: str) -> Iterator[str]:
    """A text that was read, as it is, and again without the markup that stands inside words."""
    yield text
    if re.search(_INSIDE, text):
        parts = [part for part in text.split("\n\n") if re.search(_INSIDE, part)]
        yield re.sub(_MARKUP, "", "\n\n".join(parts))


def disguises(word: str) -> Iterator[str]:
    """What a word may stand for: letters of another alphabet, digits for letters."""
    if not word.isascii():
        yield word.translate(_LOOKALIKES)
    if not word.isalpha():
        yield word.strip("@$")
        yield word.translate(_LEET)
        yield word.translate(_LEET_TOO)
