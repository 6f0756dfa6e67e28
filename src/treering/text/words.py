"""The words of a text: those that say nothing, and those that tell what it is about.

Light enough to be worked out at every capture. Search has a finer analysis of its own
(`search/analysis.py`), which takes Whoosh's stemmer to load. Here words are only compared with
each other, so cutting off common endings is enough.
"""

import re
from functools import lru_cache
from itertools import pairwise

from treering.model.tables import read_word_list

#: Words that say nothing about what a memory is about.
STOP_WORDS = read_word_list("words", "stop words")

#: Words that anything is asked in.
EVERYDAY_WORDS = read_word_list("words", "everyday")

_WORD = r"[^\W_]+(?:['’][^\W\d_]+)?"
_CJK = "[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]"
_MAX_WORD = 40
#: Verbs that open a title and say nothing about its subject.
_GENERIC = read_word_list("words", "generic")


def words(text: str) -> list[str]:
    """The telling words of a text in their order, without endings."""
    telling: list[str] = []
    for word in re.findall(_WORD, text.lower()):
        if not word.isascii() and re.match(_CJK, word):
            telling += map("".join, pairwise(word)) if len(word) > 1 else [word]
        elif word not in STOP_WORDS and word not in _GENERIC:
            telling.append(bare(word[:_MAX_WORD]))
    return telling


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


def one_line(text: str) -> str:
    """The words as they are written, apart by single spaces."""
    return " ".join(text.split())


def holds_any(text: str, gates: tuple[str, ...]) -> bool:
    """Return whether one of the texts is in this one: cheap beside the pattern that it saves."""
    return any(map(text.__contains__, gates))
