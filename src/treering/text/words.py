"""What a text is about, as a set of plain words: light enough to be worked out at every capture.

Search has a finer analysis, which takes Whoosh to load; here words are only compared with each
other, so cutting off common endings is enough.
"""

import re
from functools import lru_cache
from itertools import pairwise

from treering.text.stopwords import STOP_WORDS

_WORD = r"[^\W_]+(?:['’][^\W\d_]+)?"
_CJK = "[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]"
_LONGEST = 40
#: Verbs that open a title and say nothing about its subject.
_GENERIC = frozenset(
    {"use", "uses", "using", "used", "adopt", "adopts", "choose", "chose", "prefer", "switch",
     "move", "add", "make", "keep", "set", "put", "get", "introduce", "decide", "decided", "always",
     "never", "should", "must"}
)  # fmt: skip


def words(text: str) -> list[str]:
    """The telling words of a text in their order, without endings."""
    found: list[str] = []
    for word in re.findall(_WORD, text.lower()):
        if not word.isascii() and re.match(_CJK, word):
            found += map("".join, pairwise(word)) if len(word) > 1 else [word]
        elif word not in STOP_WORDS and word not in _GENERIC:
            found.append(bare(word[:_LONGEST]))
    return found


@lru_cache(8192)
def bare(word: str) -> str:
    """A word without its commonest endings: caches, cached and caching are all `cach`."""
    word = re.sub(r"['’].*", "", word)
    if word.endswith("ies") and len(word) > 4:
        word = word[:-3] + "y"
    elif word.endswith("s") and len(word) > 3 and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ing", "ed", "ion"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
            if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "ls":
                word = word[:-1]
            break
    return word[:-1] if word.endswith("e") and len(word) > 3 else word
