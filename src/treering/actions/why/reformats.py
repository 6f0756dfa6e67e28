"""Changes that keep the tokens of a line: re-wrapped, re-quoted or run through a formatter.

Such a commit says nothing about why a line is there, so it is looked through to the commit that
gave the line its meaning. A line was kept when every token of it stands in the old text in the same
order, next to nothing that went. White space, commas, line continuations and comment signs are no
tokens, one kind of quotes is as good as the other, and parentheses may come and go.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from treering.git.blame import compare_lines
from treering.model.alignment import find_gaps

_TOKEN = rb"\w+|[^\w\s,]"
_COMMENT = rb"^[ \t]*(?:#+|//+)"
_CONTINUED = rb"\\$"
_PARENTHESES = frozenset("()")
#: Lines of one hunk, above which a reformat is not told from a rewrite.
_LONGEST_HUNK = 2_000


class CodeToken(NamedTuple):
    """A token of code, and its line."""

    text: str
    line: int


def map_kept_lines(old: bytes, new: bytes, wanted: set[int]) -> dict[int, int]:
    """Return the wanted lines of the new text whose tokens the old one has, each with the line
    there that has most of them. Lines that did not change at all are left out."""
    kept: dict[int, int] = {}
    old_lines, new_lines = old.split(b"\n"), new.split(b"\n")
    for hunk in compare_lines(old, new):
        lines = range(hunk.new_first, hunk.new_first + hunk.new_count)
        size = max(hunk.old_count, hunk.new_count)
        if hunk.old_count and size <= _LONGEST_HUNK and not wanted.isdisjoint(lines):
            before = list(_read_tokens(old_lines, hunk.old_first, hunk.old_count))
            after = list(_read_tokens(new_lines, hunk.new_first, hunk.new_count))
            kept |= _map_hunk(before, after, wanted.intersection(lines))
    return kept


def _read_tokens(lines: list[bytes], first: int, count: int) -> Iterator[CodeToken]:
    text = b"\n".join(re.sub(_COMMENT, b"", line) for line in lines[first - 1 : first - 1 + count])
    text = re.sub(_CONTINUED, b"", text.replace(b'"', b"'"), flags=re.MULTILINE)
    for number, line in enumerate(text.split(b"\n"), first):
        for token in re.findall(_TOKEN, line):
            yield CodeToken(token.decode("latin-1"), number)


def _map_hunk(before: list[CodeToken], after: list[CodeToken], wanted: set[int]) -> dict[int, int]:
    there: dict[int, int] = {}  # a token of the new text -> the same one of the old
    gone: set[int] = set()  # lines of the old text that lost a token
    at, now = 0, 0
    gaps = find_gaps([token.text for token in before], [token.text for token in after])
    for was, new in [*gaps, (slice(len(before), len(before)), slice(len(after), len(after)))]:
        there |= dict(zip(range(now, new.start), range(at, was.start), strict=True))
        gone |= {token.line for token in before[was] if token.text not in _PARENTHESES}
        at, now = was.stop, new.stop
    kept: dict[int, int] = {}
    for line in wanted:
        places = [n for n, token in enumerate(after) if token.line == line]
        olds = [before[there[n]].line for n in places if n in there]
        is_whole = all(n in there or after[n].text in _PARENTHESES for n in places)
        if olds and is_whole and gone.isdisjoint(range(min(olds), max(olds) + 1)):
            kept[line] = max(set(olds), key=lambda old: (olds.count(old), -old))
    return kept
