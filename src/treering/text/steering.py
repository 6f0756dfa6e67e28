"""Signs that a text was written to steer an agent rather than to tell it something.

A label, not a wall: what bears a sign is stored, found and read, with the sign named beside it.
What protects an agent is the fence (text/fence.py), the origin shown with each memory, and that a
flagged memory of somebody else is not injected. So the rules are few: English, and structure. They
stand in data/steering.txt. All of a text is looked at, in time that grows with its length.

A rule is matched against a row of kinds: one character for each word, so that `ignore all previous
instructions` is `drop all earlier orders`, and a rule looks a few words ahead at most.
"""

import base64
import binascii
import re
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache, reduce
from operator import or_
from typing import NamedTuple

from treering.model.tables import TableRule, read_items, read_rules
from treering.text.hygiene import clean
from treering.text.words import holds_any

OTHER, END = "_", "|"  # a word of no kind, the end of a sentence
_FIRST_CODE = 0xA1
_ONE_WORD = 16  # letters of a text that may be one plain word; more may be something encoded
_MENTION = 6  # words before an order that may say that somebody else gives it
_SLICE = 128  # characters normalised at a time: a run of accents is sorted in quadratic time

WORD = r"[^\W_]+|[.!?;](?=\s|$)|\n(?=[ \t]{0,20}(?:\n|[-*+>#]|\d))"
ENTITY = r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6});?"
LIGATURE = "[\u3300-\u33ff\ufdf0-\ufdff]"  # one sign, up to eighteen letters
MARKUP = r"<(?:/?[a-z]|!--)[^<>\n]{0,120}>|\]\([^()\n]{0,300}\)|[*_`~]"
MARKUP_INSIDE = r"[*`~](?<=[^\W_].)(?=[^\W_]|[<*_`~])|<(?<=[^\W_].)|\]\("
MIXED_LETTERS = "[a-z][\u0430-\u045f]|[\u0430-\u045f][a-z]"  # Latin and Cyrillic in one word
BASE64 = r"(?<![A-Za-z0-9+/=_-])[A-Za-z0-9+/_-]{20,4096}"
HEX = r"(?<![A-Za-z0-9])(?:0x)?((?:[0-9a-fA-F]{2}[ :]?){12,4096})(?![A-Za-z0-9])"
PERCENT = r"(?:%[0-9a-fA-F]{2})+"


class Rulebook(NamedTuple):
    """data/steering.txt made ready.

    `needs` are sets of characters as bits: a rule has the bits of all that a row must hold, and
    each character the bits of the sets it is in.
    """

    codes: dict[str, str]
    characters: dict[str, str]
    phrases: dict[str, list[tuple[str, ...]]]
    shapes: tuple[TableRule, ...]
    rules: list[tuple[str, int, str]]
    needs: dict[str, int]
    patterns: tuple[TableRule, ...]


@cache
def rulebook() -> Rulebook:
    shapes, patterns = read_rules("steering", "shapes"), read_rules("steering", "patterns")
    kinds = {rule.name: {rule.name} for rule in shapes}
    for kind, words in read_items("steering", "words"):
        for word in words.split():
            kinds.setdefault(word, set()).add(kind)
    groups = sorted({tuple(sorted(group)) for group in kinds.values()})
    code_of = {group: chr(_FIRST_CODE + n) for n, group in enumerate(groups)}
    characters: dict[str, str] = {}
    for group, code in code_of.items():
        for kind in group:
            characters[kind] = characters.get(kind, "") + code
    phrases: dict[str, list[tuple[str, ...]]] = {}
    for phrase in sorted((word for word in kinds if "_" in word), reverse=True):
        first, *rest = phrase.split("_")
        phrases.setdefault(first, []).append(tuple(rest))
    numbers: dict[str, int] = {}
    needs: dict[str, int] = {}
    rules = []
    for sign, rule in read_items("steering", "rules"):
        bits = 0
        for names in (item for item in rule.split() if item[0].isalpha()):
            bit = 1 << numbers.setdefault(names, len(numbers))
            bits |= bit
            for character in _characters(names, characters):
                needs[character] = needs.get(character, 0) | bit
        rules.append((sign, bits, rule))
    codes = {word: code_of[tuple(sorted(group))] for word, group in kinds.items()}
    return Rulebook(codes, characters, phrases, shapes, rules, needs, patterns)


def _characters(names: str, characters: dict[str, str]) -> str:
    return "".join(characters[name] for name in names.split("|"))


@cache
def compile_rule(rule: str) -> re.Pattern[str]:
    """A rule, as steering.txt explains them, as a pattern over rows."""
    parts, characters = [], rulebook().characters
    for at, item in enumerate(rule.split()):
        if item == "$":
            parts.append(rf"(?=\{END}|$)")
        elif item[0] == "!":
            some = _characters(item[1:], characters)
            parts.append(f"(?!.?[{some}])" if at else f"(?<![{some}])(?<![{some}].)")
        elif item[0].isdigit():
            count, _, unwanted = item.rstrip("+").partition("-")
            some = _characters(unwanted, characters) if unwanted else ""
            parts.append(
                f".{{0,{count}}}?" if item[-1] == "+" else rf"[^\{END}{some}]{{0,{count}}}?"
            )
        else:
            parts.append(f"[{_characters(item, characters)}]")
    return re.compile("".join(parts))


@lru_cache(maxsize=1024)
def suspicion(text: str) -> tuple[str, ...]:
    """The signs a text bears, each once, in a fixed order; empty for one that bears none."""
    if len(text) <= _ONE_WORD and text.isascii() and text.isalnum():
        return ()  # most names: each rule wants two words, and making the rules ready takes a while
    visible = clean(text)
    signs = _signs_in(visible)
    payloads = "\n\n".join(filter(None, _decode_payloads(visible)))
    if payloads and _signs_in(payloads):
        signs.add("encoded")
    if visible != text or re.search(MIXED_LETTERS, visible, re.IGNORECASE):
        signs.add("hidden_characters")
    return tuple(sorted(signs))


def _signs_in(text: str) -> set[str]:
    plain = normalize(text)
    book = rulebook()
    signs = {
        sign
        for sign, gates, pattern in book.patterns
        if holds_any(plain, gates) and re.search(pattern, plain)
    }
    signs |= _match_rules(_write_row(plain, book), book)
    hidden = [part for part in plain.split("\n\n") if re.search(MARKUP_INSIDE, part)]
    if hidden:
        visible = re.sub(MARKUP, "", "\n\n".join(hidden))
        signs |= _match_rules(_write_row(visible, book), book)
    return signs


def normalize(text: str) -> str:
    """The text in small letters without accents, full width and the like; never much longer."""
    if "&#" in text:
        text = re.sub(ENTITY, _unescape, text)
    if text.isascii():
        return text.lower()
    text = re.sub(LIGATURE, " ", text).replace("’", "'")
    parts = (text[at : at + _SLICE] for at in range(0, len(text), _SLICE))
    apart = (unicodedata.normalize("NFKD", part).casefold() for part in parts)
    return re.sub("[\u0300-\u036f]", "", "".join(apart))


def _unescape(match: re.Match[str]) -> str:
    digits = match[0].strip("&#;")
    code = int(digits[1:], 16) if digits[0] in "xX" else int(digits)
    return chr(code) if code < 0x110000 else " "


def _write_row(text: str, book: Rulebook) -> str:
    """A text as kinds: a character for each word, and END after each sentence."""
    text = text.replace("n't", " not")
    for name, gates, shape in book.shapes:
        if holds_any(text, gates):
            text = re.sub(shape, f" {name} ", text)
    words = re.findall(WORD, text)
    for at, word in enumerate(words):
        for rest in book.phrases.get(word, ()):
            if tuple(words[at + 1 : at + 1 + len(rest)]) == rest:
                words[at : at + 1 + len(rest)] = ["_".join((word, *rest)), *[""] * len(rest)]
                break
    codes = book.codes
    return "".join(codes.get(word, OTHER) if word[0].isalnum() else END for word in words if word)


def _match_rules(row: str, book: Rulebook) -> set[str]:
    present = reduce(or_, (book.needs.get(character, 0) for character in set(row)), 0)
    mention = set(book.characters["mention"])
    signs: set[str] = set()
    for sign, needs, rule in book.rules:
        if needs & present != needs or sign in signs:
            continue
        for match in compile_rule(rule).finditer(row):
            before = row[max(0, match.start() - _MENTION) : match.start()].rpartition(END)[2]
            if mention.isdisjoint(before):
                signs.add(sign)
                break
    return signs


def _decode_payloads(text: str) -> Iterator[str]:
    """The texts that are encoded in this one; hashes, keys and images decode to noise."""
    if max(map(len, text.split()), default=0) >= 20:
        for match in re.finditer(BASE64, text):
            yield _from_base64(match[0])
    for match in re.finditer(HEX, text):
        yield _to_text(bytes.fromhex(re.sub("[ :]", "", match[1])))
    if "%" in text:
        yield re.sub(
            PERCENT, lambda m: bytes.fromhex(m[0].replace("%", "")).decode("utf-8", "replace"), text
        )


def _from_base64(word: str) -> str:
    is_word = word.isalpha() and (word.islower() or word.isupper())
    if is_word or not word.strip("0123456789abcdef"):  # an object id, of which memories are full
        return ""
    raw = word.replace("-", "+").replace("_", "/")
    try:
        return _to_text(base64.b64decode(raw + "=" * (-len(raw) % 4)))
    except (binascii.Error, ValueError):
        return ""


def _to_text(data: bytes) -> str:
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return ""
    return "" if "\x00" in text else text
