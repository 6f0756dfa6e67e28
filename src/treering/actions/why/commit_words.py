"""What a commit's message refers to: a pull request, issues, people, other commits, memories.

Without hooks and memories this is all there is, and it already helps.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from treering.model.memory import is_id
from treering.model.tables import read_word_list
from treering.text.flags import flags_in
from treering.text.hygiene import clean_line
from treering.text.masking import mask
from treering.text.passages import snippet

#: Trailers that say where a change comes from, as people spell them, in small letters.
_TELLING = read_word_list("words", "trailers")
_TRAILER = r"([A-Za-z][A-Za-z-]{1,40}):?[ \t]+(\S.{0,300})"
#: "Fixes #12" as a line of its own, without a colon.
_REFERENCE = (
    r"(?i)(fix(?:e[sd])?|close[sd]?|resolve[sd]?|refs?|see)\s+"
    r"((?:[\w.-]+/[\w.-]+)?[#!]\d+\b.{0,80}|https?://\S+)"
)
_REQUESTS = (
    r"\(#(\d{1,9})\)\s*$",
    r"^Merge pull request #(\d{1,9})\b",
    r"^Merged in \S+ \(pull request #(\d{1,9})\)",
)
_LATER_REQUESTS = (r"(?m)^See merge request \S*!(\d{1,9})\s*$", r"(?m)^PR-URL: \S+/(\d{1,9})\s*$")
_MERGED_BRANCHES = (
    r"^Merge pull request #\d+ from [^/\s]+/(\S+)",
    r"^Merge (?:remote-tracking )?branch '([^']+)'",
    r"^Merged in (\S+) \(pull request",
)
_COMMITS = (
    r"\(cherry picked from commit ([0-9a-f]{7,40})\)",
    r"(?i)\bthis reverts commit ([0-9a-f]{7,40})",
    r"(?i)\bthis reapplies commit ([0-9a-f]{7,40})",
    r"(?i)^(?:fixes|refs?):\s+([0-9a-f]{10,40})\b",
)
_MEMORY = (
    r"treering://memory/([0-9a-z]{12})"
    r"|(?im:^(?:memory|treering|decision|refs?|see):\s*([0-9a-z]{12})\s*$)"
)
_MOST = 20
_LOOKED_AT = 64 * 1024  # characters of a message


class CommitWords(NamedTuple):
    """What a message refers to."""

    pull_request: int | None = None
    merged_branch: str = ""
    trailers: dict[str, list[str]] = {}  # noqa: RUF012 - never changed
    #: Ids or prefixes of commits it was picked from, reverts or applies again.
    commits: tuple[str, ...] = ()
    memories: tuple[str, ...] = ()


def read_words(message: str) -> CommitWords:
    """What the message of a commit refers to."""
    subject, _, body = message[:_LOOKED_AT].partition("\n")
    return CommitWords(
        _first_number(_REQUESTS, subject) or _first_number(_LATER_REQUESTS, body),
        _first(_MERGED_BRANCHES, subject).removeprefix("origin/"),
        _read_trailers(body),
        _list_commits(body),
        _list_memories(body),
    )


def subject_of(message: str) -> str:
    """The first line of a message, as it may be shown."""
    return clean_line(mask(message[:_LOOKED_AT].strip().partition("\n")[0]))


def body_of(message: str) -> str:
    """What a message says below its first line, in short and without trailers. Nothing where it
    looks like an order: an agent may read this."""
    below = message[:_LOOKED_AT].strip().partition("\n")[2]
    text = "\n".join(line for line in below.splitlines() if not _match_trailer(line))
    return "" if flags_in(text) else snippet(mask(text), "")


def _list_commits(body: str) -> tuple[str, ...]:
    oids = [oid for pattern in _COMMITS for oid in re.findall(pattern, body, re.MULTILINE)]
    return tuple(dict.fromkeys(oids))[:_MOST]


def _list_memories(body: str) -> tuple[str, ...]:
    ids = [uri or name for uri, name in re.findall(_MEMORY, body)]
    return tuple(dict.fromkeys(filter(is_id, ids)))[:_MOST]


def _first(patterns: Sequence[str], text: str) -> str:
    matches = (re.search(pattern, text) for pattern in patterns)
    return next((match[1] for match in matches if match), "")


def _first_number(patterns: Sequence[str], text: str) -> int | None:
    number = _first(patterns, text)
    return int(number) if number else None


def _read_trailers(body: str) -> dict[str, list[str]]:
    """Lines that name issues, people and other records, whichever paragraph they are in."""
    values: dict[str, list[str]] = {}
    for line in body.splitlines():
        match = _match_trailer(line)
        if match and len(values) < _MOST:
            name = match[1].capitalize()
            values.setdefault(name, []).append(clean_line(mask(match[2].strip())))
    return values


def _match_trailer(line: str) -> re.Match[str] | None:
    match = re.fullmatch(_TRAILER, line.strip())
    is_trailer = match and ":" in line and match[1].lower() in _TELLING
    return match if is_trailer else re.fullmatch(_REFERENCE, line.strip())
