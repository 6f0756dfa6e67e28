"""The words of a text: those that say nothing, and those that tell what it is about.

Light enough to be worked out at every capture. Search has a finer analysis of its own
(`search/analysis.py`), which takes Whoosh's stemmer to load. Here words are only compared with
each other, so cutting off common endings is enough.
"""

import re
from functools import lru_cache
from itertools import pairwise

# English words that say nothing about what a memory is about: the words questions are made of. Of
# everything tried, dropping them was the largest gain of lexical quality, and it halves the
# postings a question touches. Words like `not`, `before`, `all`, `between` stay out of the list:
# they tell one function or event from another, and dropping them cost quality.
_STOP_WORDS = """
    a about also am an and any are aren't as at be because been being but by can can't cannot could
    couldn't did didn't do does doesn't don't etc for from had hadn't has hasn't have haven't having
    he he's her here hers him his how how's i i'd i'll i'm i've if in into is isn't it it's its just
    let's may me might mine must my of on or our ours shall she she's should shouldn't so some such
    than that that's the their theirs them then there there's these they they'd they'll they're
    they've this to too upon us very was wasn't we we'd we'll we're we've were weren't what what's
    when when's where where's which while who who's whom whose why why's will with won't would
    wouldn't you you'd you'll you're you've your yours
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())

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
    telling: list[str] = []
    for word in re.findall(_WORD, text.lower()):
        if not word.isascii() and re.match(_CJK, word):
            telling += map("".join, pairwise(word)) if len(word) > 1 else [word]
        elif word not in STOP_WORDS and word not in _GENERIC:
            telling.append(bare(word[:_LONGEST]))
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
    """Whether one of the texts is in this one: cheap beside the pattern that it saves."""
    return any(map(text.__contains__, gates))
