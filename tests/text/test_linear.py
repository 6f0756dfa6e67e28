"""Detection costs what a text is long: twice the text, twice the work, whatever is in it.

Work is counted, not timed: calls of functions, and what a pattern may repeat. Time depends on the
machine.
"""

import sys
from collections.abc import Callable
from re import _constants, _parser  # type: ignore[attr-defined]
from typing import Any

import pytest

from treering.model.tables import read_items, read_table
from treering.text import secrets, steering
from treering.text.secrets import secrets_in
from treering.text.steering import compile_rule, rulebook, suspicion

RULES = [rule for _, _, rule in rulebook().rules]

HOSTILE = {
    "send secrets to": "send secrets to ",
    "sign of eighteen letters": "\ufdfa",
    "accents": "\u0315\u0300",
    "letters": "a ",
    "base64": "QUJD",
    "less than": "<",
    "tags": "<a",
    "entities": "&#",
    "percent": "%41",
    "emphasis": "*a",
    "order": "ignore your ",
    "not tell": "not tell the user whether ",
    "passwords": "password=abcdefgh1 ",
    "keys": "key_a1B2c3D4e5F6g7H8i9J0k1L2m3N4 ",
    "commands": "curl ",
    "private keys": "-----BEGIN PRIVATE KEY-----\nA",
    "new lines": "\n",
}
_PIECE = 6000


def _calls(find: Callable[[str], object], text: str) -> int:
    """How many functions are called, those written in C included."""
    count = 0

    def watch(_frame: object, event: str, _arg: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(watch)
    try:
        find(text)
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("find", [suspicion.__wrapped__, secrets_in], ids=["signs", "secrets"])
@pytest.mark.parametrize("name", HOSTILE)
def test_twice_the_text_is_twice_the_calls(find: Callable[[str], object], name: str) -> None:
    text = HOSTILE[name] * (_PIECE // len(HOSTILE[name]))
    find(text + text)  # what is made once is made now

    once, twice = _calls(find, text), _calls(find, text + text)

    assert twice <= 2.2 * once + 50


def _patterns() -> dict[str, str]:
    named = {
        f"{module.__name__}.{name}": value
        for module in (secrets, steering)
        for name, value in vars(module).items()
        if isinstance(value, str) and name.isupper() and name.strip("_") not in ("OTHER", "END")
    }
    kinds = enumerate(secrets._read_rules().kinds)
    named |= {f"kind {number} {kind}": pattern for number, (kind, pattern) in kinds}
    named |= dict(read_items("credentials", "patterns"))
    named |= {pattern: pattern for pattern in read_table("credentials")["examples"]}
    named |= {f"markup {pattern}": pattern for _, _, pattern in rulebook().patterns}
    named |= {f"shape {mark} {gates}": pattern for mark, gates, pattern in rulebook().shapes}
    return named | {f"rule {rule}": compile_rule(rule).pattern for rule in RULES}


def _worst(tokens: Any) -> int:
    """How many ways a pattern may divide a text: the product of repeats that follow each other."""
    ways = 1
    for kind, value in tokens:
        if kind in (_constants.MAX_REPEAT, _constants.MIN_REPEAT):
            low, high, inner = value
            ways *= 1 if low == high else min(int(high), 10**6) * _worst(inner)
        elif kind is _constants.BRANCH:
            ways *= max(_worst(branch) for branch in value[1])
        elif kind is _constants.SUBPATTERN:
            ways *= _worst(value[-1])
    return ways


@pytest.mark.parametrize("name", _patterns())
def test_no_pattern_repeats_without_end_inside_a_repetition(name: str) -> None:
    """`(a+)+` and `.{0,80}x.{0,80}y.{0,80}` are how a text of 64 KB took a second."""

    def repeats(tokens: Any, inside: bool = False) -> None:
        for kind, value in tokens:
            if kind in (_constants.MAX_REPEAT, _constants.MIN_REPEAT):
                endless = value[1] is _constants.MAXREPEAT
                assert not (endless and inside)
                repeats(value[2], inside=inside or endless)
            elif kind is _constants.BRANCH:
                for branch in value[1]:
                    repeats(branch, inside)
            elif kind is _constants.SUBPATTERN:
                repeats(value[-1], inside)

    repeats(_parser.parse(_patterns()[name]))


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_looks_a_few_words_ahead(rule: str) -> None:
    """From each word where it may begin, a rule takes at most some hundred steps."""
    assert _worst(_parser.parse(compile_rule(rule).pattern)) <= 600
