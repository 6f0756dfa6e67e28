"""Origin and dates of a text, as far as commits can tell.

A name and a date inside a memory are claims of whoever wrote it. Commits know better who changed a
text; and a commit's own date is held against its parents and the moment it was first seen here.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from treering.model.dates import format_moment, instant
from treering.model.memory import Memory, title_of

#: How wrong an honest clock may be, in seconds.
TOLERANCE = 86_400.0
_ADDRESS = r"<([^<>]+)>\s*$"
#: What a merge writes into details by itself.
_BY_MERGE = ("merge", "unlinked")
_SINGLE = ("type", "topic", "source", "author", "agent", "session")


class Contributor(NamedTuple):
    """Someone whose commit changed a text: the name it gives, and whether it was made here."""

    name: str
    is_here: bool = False


#: Whoever wrote what came before the part of history that is known, or would not say.
SOMEONE = Contributor("")
#: Whoever put together what others wrote, in another clone.
JOINER = Contributor("a merge")


class Version(NamedTuple):
    """One version of a memory or prompt, by its blob. Times are seconds, no later than is credible.

    `people`   those whose commits made its words, the creator first
    `born`     when something under this id was first committed
    `changed`  when this version was committed
    `said`     when its content was: a link, tag or status is no change of it
    `words`    a hash of its words; empty until there is another version to compare with
    """

    blob: str
    id: str
    people: tuple[Contributor, ...]
    born: float
    changed: float
    said: float
    words: str = ""


def address_of(author: str) -> str:
    """The address in `Ada <ada@example.org>`, in lower case; empty where there is none."""
    match = re.search(_ADDRESS, author)
    return match[1].strip().lower() if match else ""


def credible_moment(claim: float, parents: Iterable[float], seen: float) -> float:
    """Return when a commit of others was made: as it says, unless that is before its parents or
    after it was seen. Then it counts as made when they were, and a forged date wins nothing."""
    earliest = max(parents, default=None)
    if claim <= seen + TOLERANCE and (earliest is None or claim >= earliest - TOLERANCE):
        return claim
    return 0.0 if earliest is None else earliest


def credible_date(claim: float, latest: float) -> float:
    """A date inside a memory, unless it is later than the commit that brought it."""
    return claim if claim <= latest + TOLERANCE else latest


def credible_dates(
    created: float, modified: float, version: Version | None, now: float
) -> tuple[float, float]:
    """Return the two dates inside a memory, no later than the commits that brought it.

    Where no commit is known, a date still to come counts for nothing.
    """
    if version:
        born, changed = version.born, version.changed
    else:
        born, changed = (now if date <= now + TOLERANCE else 0.0 for date in (created, modified))
    return credible_date(created, born), credible_date(modified, changed)


def redate(memory: Memory, version: Version | None, now: float) -> Memory:
    """Return the memory with dates that are credible."""
    claims = instant(memory.created), instant(memory.modified)
    created, modified = dates = credible_dates(*claims, version, now)
    if dates == claims:
        return memory
    return memory._replace(created=_format(created), modified=_format(modified))


def _format(seconds: float) -> str:
    return format_moment(max(0.0, seconds))


def hash_words(text: Memory) -> str:
    """Return what two versions have in common that say the same, whatever else changed around
    it."""
    return hashlib.sha256(repr(_words(text)).encode(errors="surrogatepass")).hexdigest()[:32]


def _words(text: Memory) -> tuple[Any, ...]:
    return (
        *(getattr(text, name) for name in (*_SINGLE, "title", "content")),
        sorted(text.tags),
        sorted(file.path for file in text.files),
        sorted(_details(text).items()),
        sorted((key, repr(value)) for key, value in text.extra.items()),
    )


def _details(memory: Memory) -> dict[str, str]:
    return {key: repr(value) for key, value in memory.details.items() if key not in _BY_MERGE}


def is_same_content(text: Memory, other: Memory | None) -> bool:
    """Return whether two versions say the same, whatever they are linked with or tagged."""
    return other is not None and (text.title, text.content) == (other.title, other.content)


def when_said(created: float, modified: float, version: Version | None) -> float:
    """Return when a memory with these credible dates got the content it has.

    What was written down later, like the commits of a history, was said when it was made. Where
    nobody reworded it here, that is the date in the memory itself, if it is the earlier one.
    """
    if version is None:
        return modified
    if version.said > version.born:
        return version.said
    claim = modified if version.changed == version.born else created
    return min(version.said, claim + version.said % 1)


def is_woven(text: Memory, parents: Sequence[Memory]) -> bool:
    """Return whether a merge has no word of its own. In which order it put those of its parents,
    and which it left out, is not asked: comparing texts is slow, and a stranger may have chosen
    them."""
    if not _is_within(_tokens(text.content), (_tokens(parent.content) for parent in parents)):
        return False
    return (
        all(getattr(text, n) in {getattr(side, n) for side in parents} for n in _SINGLE)
        and text.title in {title_of(text.content), *(side.title for side in parents)}
        and _is_within(text.tags, (side.tags for side in parents))
        and _is_within(_paths(text), map(_paths, parents))
        and _is_within(_details(text).items(), (_details(side).items() for side in parents))
        and _is_within(_extra(text), map(_extra, parents))
    )


def _tokens(text: str) -> list[str]:
    from treering.model.text_merge import split_words

    return [word for word in split_words(text) if not word.isspace()]


def _paths(memory: Memory) -> list[str]:
    return [file.path for file in memory.files]


def _extra(memory: Memory) -> list[tuple[str, str]]:
    return [(key, repr(value)) for key, value in memory.extra.items()]


def _is_within(items: Iterable[Any], sides: Iterable[Iterable[Any]]) -> bool:
    return set(items) <= {item for side in sides for item in side}
