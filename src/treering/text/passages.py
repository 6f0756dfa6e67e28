"""Passages: the sentences of a text that answer a question or say what was decided.

A memory is handed over by the part that matters, not by its beginning: a conversation of sixteen
turns settles a rule in five sentences, which may stand anywhere in it.
"""

import math
import re
from collections import Counter
from collections.abc import Collection
from itertools import pairwise
from typing import NamedTuple

from treering.text.words import one_line, words

GAP = "…"
_SNIPPET = 240
#: A unit of its own: an item of a list, or a line that says who speaks.
_UNIT = r"(?:[-*+•]|\d{1,3}[.)]|Asked:|Said:|Changed:|Solved:)\s"
_SENTENCE_END = r"(?<=[.!?])[\"'”’)\]]*\s+(?=[^a-z\s])"
#: A line that names people, requests, other records or squashed commits, and gives no reason.
_NO_REASON = (
    r"(?i)(?:[a-z][a-z-]{1,40}-(?:by|to|for|id|url|of|see|revision)|cc|link|bug|issues?|refs?"
    r"|memory|fix(?:e[sd])?|close[sd]?|resolve[sd]?|see|part-of):\s+\S+(?:\s\S+){0,5}$"
    r"|(?:(?:fix(?:e[sd])?|close[sd]?|resolve[sd]?|refs?|see|part of|related to)\s+)?"
    r"(?:[\w./-]*[#!]\d+|https?://\S+)[.,]?$"
    r"|\(?cherry picked from commit\b|this (?:reverts|reapplies) commit\b|git-svn-id:|-{3,}$"
    r"|\* (?!.*\b(?:because|so that|instead|otherwise)\b)"
)
_FEWEST_WORDS = 3
_TOGETHER = 0.8
_MOST_SENTENCES = 2000
_LONGEST_SENTENCE = 800
#: Words by which people settle something, rule something out or say why.
_DECIDING = re.compile(
    r"(?i)\b(decid\w*|settle\w*|agreed?|rule[sd]?|polic(?:y|ies)|standard\w*"
    r"|only|never|always|must|exactly|except|unless|instead|rather than|no longer|not|stays?|keep"
    r"|because|since|otherwise|so that|reason|tried|fail(?:s|ed)|wrong|broke|breaks|avoid"
    r"|amend\w*|supersed\w*|from now on|going forward|final(?:ly)?|means?|counts?|wins?)\b"
)
#: How people begin to sum up what holds.
_SUMMING_UP = re.compile(
    r"(?i)\b(?:settled|agreed|decided|decision|final(?:ly)?|done|got it|confirmed|recap|summary"
    r"|to sum up|reason(?=:)|in short|in full|amend(?:ed|ing)"
    r"|the (?:rule|policy|map|order) (?:is|then|now))\b"
)
_OPENING = 60  # characters
_CUES = 3
_MATCHES, _DECIDES, _SUMS_UP, _ASKS, _LATER = 1.5, 0.4, 2.5, -1.5, 0.5


class Sentence(NamedTuple):
    text: str
    terms: frozenset[str]
    #: Whether the paragraph it stands in begins to sum up what was said.
    sums_up: bool = False


def choose_passage(text: str, question: Collection[str], room: int) -> str:
    """Return the sentences of a text that matter most, in order, in at most `room` characters.

    `question` holds telling words as `words` gives them. A text that fits is returned whole, on one
    line; where sentences are left out between others, a mark says so.
    """
    whole = " ".join(text.split())
    if len(whole) <= room:
        return whole
    sentences = split_sentences(text)
    chosen: set[int] = set()
    left = room
    for number in _rank(sentences, frozenset(question)):
        size = len(sentences[number].text) + len(GAP) + 2
        if size <= left:
            chosen.add(number)
            left -= size
    if not chosen:
        return _cut(whole, room)
    parts: list[str] = []
    before = -1
    for number in sorted(chosen):
        if number != before + 1:
            parts.append(GAP)
        parts.append(sentences[number].text)
        before = number
    if before != len(sentences) - 1:
        parts.append(GAP)
    return " ".join(parts)


def snippet(content: str, question: str) -> str:
    """Return about two lines of the content: the sentences that answer, else its beginning."""
    text = one_line(content)
    if len(text) <= _SNIPPET:
        return text
    if not question:
        return f"{text[:_SNIPPET].rsplit(' ', 1)[0]} …"
    return choose_passage(content, words(question), _SNIPPET)


def holds_together(text: str, question: Collection[str]) -> bool:
    """Tell whether the words of a question that a text has stand together: most of them in two
    neighbouring sentences. A long text has any few words somewhere."""
    asked = frozenset(question)
    terms = [sentence.terms & asked for sentence in split_sentences(text)]
    shared = frozenset().union(*terms)
    best = max((len(one | other) for one, other in pairwise([*terms, frozenset()])), default=0)
    return best >= _TOGETHER * len(shared) > 0


def reason_of_message(message: str) -> str:
    """Return what a commit's message says below its subject, without trailers, references and the
    list of subjects that a host puts there when it squashes."""
    below = message.strip().partition("\n")[2]
    lines = [line for line in below.splitlines() if not re.match(_NO_REASON, line.strip())]
    text = re.sub(r"\n\s*\n+", "\n\n", "\n".join(lines)).strip()
    return text if len(words(text)) >= _FEWEST_WORDS else ""


def split_sentences(text: str) -> list[Sentence]:
    """Return the sentences of a text; lines that were only wrapped are joined first."""
    units: list[str] = []
    is_open = False  # whether the next line goes on with the last unit
    for line in text.splitlines():
        bare = " ".join(line.split())
        if not bare:
            is_open = False
        elif is_open and not re.match(_UNIT, bare):
            units[-1] += f" {bare}"
        else:
            units.append(bare)
            is_open = True
    sentences = (
        (part, bool(_SUMMING_UP.search(unit[:_OPENING])) and "?" not in unit[-1:])
        for unit in units
        for part in re.split(_SENTENCE_END, unit)
        if part
    )
    return [
        Sentence(_cut(part, _LONGEST_SENTENCE), frozenset(words(part)), sums_up)
        for (part, sums_up), _ in zip(sentences, range(_MOST_SENTENCES), strict=False)
    ]


def _rank(sentences: list[Sentence], question: frozenset[str]) -> list[int]:
    """Number the sentences, the most telling first: by the question's words, the rarer in this text
    the better, and by words that decide."""
    shared = Counter(term for sentence in sentences for term in sentence.terms & question)
    count = len(sentences)
    matches = [
        sum(math.log(1 + count / shared[term]) for term in sentence.terms & question)
        for sentence in sentences
    ]
    best = max(matches, default=0.0) or 1.0

    def worth(number: int) -> float:
        sentence = sentences[number]
        cues = {match[0].lower() for match in _DECIDING.finditer(sentence.text)}
        score = _MATCHES * matches[number] / best + _DECIDES * min(len(cues), _CUES)
        score += _SUMS_UP * sentence.sums_up + _LATER * number / count
        score += _ASKS * sentence.text.endswith("?")
        return score

    return sorted(range(count), key=lambda number: (-worth(number), number))


def _cut(text: str, length: int) -> str:
    if len(text) <= length:
        return text
    short = text[: length - 2]
    return f"{short.rsplit(' ', 1)[0] if ' ' in short else short} {GAP}"
