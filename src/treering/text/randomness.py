"""Whether a value was made by a generator, or is a word, a name, an example, a reference.

What a credential is kept under tells that a value may be one; this tells whether it is.
"""

import math
import re
from collections import Counter
from functools import cache

from treering.model.tables import read_table, read_word_list

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
