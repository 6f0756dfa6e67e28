"""Whether a value was made by a generator, or is a word, a name, an example, a reference.

What a credential is kept under tells that a value may be one; this tells whether it is.
"""

import math
import re
from collections import Counter

_ENOUGH = 2.6  # bits a character; sixteen random hexadecimal digits have no fewer
_WORDLIKE = 0.65  # share of pairs of letters that are common in words; at random it is a third
_WORD = 3.2  # letters a word has on average; at random upper and lower case take turns

_COMMON = """
    th he in er an re on at en nd ti es or te of ed is it al ar st to nt ng se ha as ou io le ve
    co me de hi ri ro ic ne ea ra ce li ch ll be ma si om ur ca el ta la ns di fo ho pe ec pr no
    ct us ac ot il tr ly nc et ut ss so rs un lo wa ge ie wh ee wi em ad ol rt po we na ul ni ts
    mo ow pa im mi ai sh ir su id os iv ia am fi ci vi pl ig tu ev ld ry mp fe bl ab gh ty op wo
    sa ay ex ke ui ck ag au ap av ue cu cr cl cc pp tt ff um up ub bu gr dr br rd rm rn rv sc sp
    sk sw ws ye ey da ba ga fa lt ks ok ug ob ud do go bo bi ef ep eq qu aw ak ek ys ds cs ms pu
    ru lu nu mu du if oo od og oi ls rl rc rg nk nf nv ph ps pt ua iz ze za ik ip"""
_PAIRS = frozenset(_COMMON.split())

#: Values that stand for another one.
_EXAMPLES = (
    r"(?i)^(?:pass|password|passwd|pwd|secret|token|postgres|mysql|root|admin|guest|user|mypassword"
    r"|foobar|letmein|default|minioadmin|rabbitmq|redis|mongo|elastic|changeit)[\d!@#$%^&*]{0,3}$"
    r"|example|placeholder|changeme|change[-_]me|your|xxx|\*\*\*|\.\.\.|test|dummy|insecure"
    r"|sample|fake|redacted|masked|insert|replace|todo|secret[-_]?here|12345678|abcdef|deadbeef"
)
#: Values that are filled in later: `${NAME}`, `<token>`, `{{ token }}`, `%(name)s`, `$NAME`.
_PLACEHOLDERS = (
    r"\$\{|\{\{|\$\(|%\(|%s|^\$[A-Za-z_]\w{0,60}$|^\$[A-Z_]{3,60}\b|^%\w{1,40}%$"
    r"|^[*&][a-z_]{1,60}$|^<.{0,100}>$|^\{.{0,100}\}$|^\[.{0,100}\]$"
)
#: Values that say where the real one is, or that are names, versions, dates, hashes.
_REFERENCES = (
    r"(?i)^(?:[a-z]{2,10}://|arn:|projects/|env[.:]|secrets?[./:]|vault[:/]|op:|ref\+|file:|/|\./|~/)"
    r"|^[a-z]{1,20}\d?(?:[-_./:](?:[a-z]{1,20}|\d{1,4})){1,12}\d{0,4}$"  # words joined: a name
    r"|^(?:sha\d{1,3}|md5|blake\w{1,3})[-:]|^\$(?:2[aby]|argon2|5|6|y)"
    r"|^\d{4}-\d{2}-\d{2}|^[\d.,:+-]{1,200}$"
)
_UUID = r"(?i)^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"


def is_uuid(value: str) -> bool:
    return re.match(_UUID, value) is not None


def is_example(value: str) -> bool:
    """Whether a value stands for another one, or says where it is."""
    return any(
        re.search(pattern, value) for pattern in (_EXAMPLES, _PLACEHOLDERS, _REFERENCES)
    ) or is_uuid(value)


def is_random(value: str) -> bool:
    """Whether nobody would have chosen this value: no word, no name, no example."""
    if is_example(value) or _entropy(value) < _ENOUGH:
        return False
    if value.isalpha() and (value.islower() or value.isupper()):
        return len(value) >= 14 and not is_wordlike(value)
    return _kinds(value) >= 2 and not is_wordlike(value)


def is_password(value: str) -> bool:
    """Whether a value looks like what people choose when digits and signs are asked for."""
    is_mixed = all(re.search(of, value) for of in ("[A-Za-z]", "[0-9]", "[!@#$%^&*?+~]"))
    return is_random(value) or (is_mixed and len(value) >= 8 and not is_example(value))


def is_token(value: str) -> bool:
    """Whether a value is random by itself, whatever it is called: all three kinds, and long."""
    mixed = all(len(re.findall(of, value)) >= 2 for of in ("[a-z]", "[A-Z]", "[0-9]"))
    return mixed and is_random(value) and _entropy(value) > 3.4


def is_wordlike(value: str) -> bool:
    """Whether the letters of a value stand as in words, `camelCase` or not."""
    words = re.findall("[A-Z]?[a-z]+|[A-Z]+", value)
    if not words or sum(map(len, words)) < _WORD * len(words):
        return False
    pairs = [word[at : at + 2].lower() for word in words for at in range(len(word) - 1)]
    if len(pairs) < 5 or 3 * sum(map(str.isdigit, value)) > len(value):
        return False
    return sum(pair in _PAIRS for pair in pairs) >= _WORDLIKE * len(pairs)


def _kinds(value: str) -> int:
    of = ("[a-z]", "[A-Z]", "[0-9].*[0-9]", r"[^\w]")
    return sum(bool(re.search(pattern, value)) for pattern in of)


def _entropy(text: str) -> float:
    """Shannon entropy in bits a character."""
    total = len(text)
    return -sum(n / total * math.log2(n / total) for n in Counter(text).values())
