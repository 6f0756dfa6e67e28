"""Signs that a text was written to steer an agent rather than to tell it something.

A signal, not a wall: what bears a sign is still stored, found and read, with the sign named beside
it; it is only kept out of what is put before an agent unasked. The wall is the fence (see
`text/fence.py`). So precision comes first: prose about prompts, users and tokens is our daily
bread, and each rule wants the order given, not the subject mentioned.

All of a text is looked at, in time that grows with its length.
"""

import re
from functools import lru_cache

from treering.model.memory import Memory
from treering.text.hygiene import clean
from treering.text.secrets import texts_of
from treering.text.steering.markup import MARKUP
from treering.text.steering.payloads import decode_payloads
from treering.text.steering.phrasing import find_signs, write_row
from treering.text.steering.plain import read, views
from treering.text.steering.signs import RULES
from treering.text.words import holds_any

#: Letters and digits of a text that may be one plain word; more may be something encoded.
_ONE_WORD = 16


@lru_cache(maxsize=1024)
def suspicion(text: str) -> tuple[str, ...]:
    """The signs a text bears, each once, in a fixed order; empty for one that bears none."""
    if len(text) <= _ONE_WORD and text.isascii() and text.isalnum():
        return ()  # most names: each rule wants two words, and making the rules ready takes a while
    visible = clean(text)
    signs = _signs_in(visible)
    payloads = decode_payloads(visible)
    if payloads and _signs_in("\n\n".join(payloads)):
        signs.add("encoded")
    if visible != text:
        signs.add("hidden_characters")
    return tuple(sorted(signs))


def signs_of(memory: Memory) -> tuple[str, ...]:
    """The signs any text of a memory bears: title, tags and author are read as well."""
    return suspicion("\n\n".join(texts_of(memory)))


def _signs_in(text: str) -> set[str]:
    plain = read(text)
    signs = _imitations_in(plain)
    for view in views(plain):
        signs |= find_signs(write_row(view), RULES)
    return signs


def _imitations_in(plain: str) -> set[str]:
    return {
        sign
        for sign, gates, pattern in MARKUP
        if holds_any(plain, gates) and re.search(pattern, plain)
    }
