"""A question of a person or an agent: words, "phrases", -exclusions, prefixes* and filters.

Whatever is typed can be asked: an unbalanced quote, a lonely star or ten thousand characters are
words like any other, and so is `field:` where no such field exists. Only a bad value of a known
filter is an error, since guessing there would answer another question than the one asked.
"""

import math
import re
from collections.abc import Callable, Iterable
from typing import Any, Literal, NamedTuple

from treering.errors import Invalid
from treering.model.choices import STATUSES, Status, Tiers
from treering.model.dates import parse_moment
from treering.model.pattern import lazy_pattern
from treering.model.taxonomy import one_of, type_named

LONGEST = 10_000
#: One status, all of them, or what is in force.
StatusFilter = Status | Literal["all", ""]
ANY_STATUS: Literal["all"] = "all"

_TOKEN = lazy_pattern(
    r"""
    (?P<minus>-?)
    (?: (?P<field>[a-z]{2,10})
        (?: : (?: "(?P<quoted>[^"]*)" | (?P<value>[^\s"]+) )
          | (?P<bound>[<>]=?|=) (?P<number>\S+) )
      | "(?P<phrase>[^"]*)"
      | (?P<word>\S+)
    )""",
    re.VERBOSE | re.IGNORECASE,
)
_CONTROL = lazy_pattern(r"[\x00-\x1f\x7f]+")


#: Fields that are compared with a part of their text, in any case.
PARTS = ("title", "author", "agent")


class Filters(NamedTuple):
    """Conditions on a memory apart from its words; an empty value asks for nothing.

    Several tags must all be there; one of several types is enough. `status` is one status, or
    `all`; empty means what is in force. Dates are seconds; confidence bounds are included.
    """

    types: tuple[str, ...] = ()
    topic: str = ""
    tags: tuple[str, ...] = ()
    title: str = ""
    since: float | None = None
    until: float | None = None
    min_confidence: float | None = None
    max_confidence: float | None = None
    status: StatusFilter = ""
    author: str = ""
    agent: str = ""
    session: str = ""
    file: str = ""
    branch: str = ""
    without_types: tuple[str, ...] = ()
    without_tags: tuple[str, ...] = ()
    records: Tiers = "auto"
    #: Memories that count as being about the file, since they explain lines of it.
    explaining: tuple[str, ...] = ()

    @classmethod
    def of(cls, now: float, **options: Any) -> "Filters":
        """Filters from options as people give them; Invalid names the first bad one.

        Known options: type, topic, tags, title, since, until, min_confidence, max_confidence,
        status, author, agent, session, file, branch. Empty texts and lists mean "not given".
        """
        filters = cls()
        for name, value in options.items():
            if value in ("", None) or value == [] or value == ():
                continue
            if name not in _OPTIONS:
                raise Invalid(f"Unknown filter {name!r}.", hint="Known: " + ", ".join(_OPTIONS))
            filters = _OPTIONS[name](filters, value, now)
        return filters

    def merge(self, other: "Filters") -> "Filters":
        """Both at once: tags add up, ranges narrow, and where only one can hold `other` decides."""
        changes: dict[str, Any] = {}
        for name in self._fields:
            mine, theirs = getattr(self, name), getattr(other, name)
            if name in _NARROWING and mine is not None and theirs is not None:
                changes[name] = _NARROWING[name](mine, theirs)
            elif name in ("tags", "without_tags", "without_types"):
                changes[name] = tuple(dict.fromkeys(mine + theirs))
            elif theirs not in ("", (), None, "auto"):
                changes[name] = theirs
        return self._replace(**changes)

    @property
    def is_empty(self) -> bool:
        return self == Filters()


class Query(NamedTuple):
    """A question, taken apart. `words` is the free text, phrases included, as it was typed."""

    text: str = ""
    words: str = ""
    phrases: tuple[str, ...] = ()
    prefixes: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    filters: Filters = Filters()

    @property
    def is_empty(self) -> bool:
        """Nothing to rank by: the answer is a listing."""
        return not (self.words or self.prefixes)

    @property
    def is_wordless(self) -> bool:
        """Return whether something was typed in which there is nothing to look for; `*` means
        all."""
        is_asked = self.is_empty and not self.excluded and self.filters.is_empty
        return is_asked and bool(self.text.strip("* "))


def parse(text: str, now: float) -> Query:
    """Take a question apart; `now` is what `since:7d` counts from."""
    text = _CONTROL.sub(" ", text)[:LONGEST].strip()
    words: list[str] = []
    parts: dict[str, list[str]] = {"phrases": [], "prefixes": [], "excluded": []}
    filters = Filters()

    for match in _TOKEN.finditer(text):
        narrower = _add_filter(filters, match, now)
        if narrower is not None:
            filters = narrower
        else:
            _sort_word(match, words, parts)

    return Query(
        text=text,
        words=" ".join(words),
        phrases=tuple(parts["phrases"]),
        prefixes=tuple(parts["prefixes"]),
        excluded=tuple(parts["excluded"]),
        filters=filters,
    )


def _sort_word(match: re.Match[str], words: list[str], parts: dict[str, list[str]]) -> None:
    phrase, whole = match["phrase"], match[0]
    body = whole.removeprefix("-") if phrase is None else phrase
    if not any(character.isalnum() for character in body):
        return
    # `--dry-run` is an option and `-1` a number: neither takes anything away.
    if match["minus"] and not whole.startswith("--") and not body[0].isdigit():
        parts["excluded"].append(body)
    elif phrase is not None:
        words.append(phrase)
        if len(phrase.split()) > 1:
            parts["phrases"].append(phrase)
    elif whole.endswith("*") and len(whole.rstrip("*")) > 1 and whole.rstrip("*").isalnum():
        parts["prefixes"].append(whole.rstrip("*"))
    else:
        words.append(whole)


def _add_filter(filters: Filters, match: re.Match[str], now: float) -> Filters | None:
    """The filters with this one added, or None when the token is a word like any other."""
    name = (match["field"] or "").lower()
    if match["bound"] and name == "confidence":
        return _with_bound(filters, match["bound"], match["number"])
    value = match["value"] or match["quoted"]
    if match["bound"] or name not in _FIELDS or not value:
        return None
    if match["minus"]:
        return _without(filters, name, value)
    return _OPTIONS[_FIELDS[name]](filters, value, now)


def _without(filters: Filters, name: str, value: str) -> Filters | None:
    if name == "tag":
        return filters._replace(without_tags=(*filters.without_tags, *_split(value)))
    if _FIELDS[name] == "type":
        kinds = tuple(type_named(word) for word in _split(value))
        return filters._replace(without_types=(*filters.without_types, *kinds))
    return None


def _with_bound(filters: Filters, sign: str, text: str) -> Filters:
    number = _number(text, "confidence")
    low = math.nextafter(number, math.inf) if sign == ">" else number
    high = math.nextafter(number, -math.inf) if sign == "<" else number
    bounds = Filters(
        min_confidence=low if sign in (">", ">=", "=") else None,
        max_confidence=high if sign in ("<", "<=", "=") else None,
    )
    return filters.merge(bounds)


def _split(value: str) -> tuple[str, ...]:
    return tuple(word for word in (part.strip() for part in value.split(",")) if word)


def _number(value: Any, what: str) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not 0 <= number <= 1:
        raise Invalid(f"{what} {value!r} is not a number from 0 to 1.", hint="For example 0.7")
    return number


def _with_types(filters: Filters, value: Any, now: float) -> Filters:  # noqa: ARG001
    words = _split(value) if isinstance(value, str) else tuple(value)
    kinds = tuple(type_named(word) for word in words)
    return filters._replace(types=tuple(dict.fromkeys(filters.types + kinds)))


def _with_tags(filters: Filters, value: Any, now: float) -> Filters:  # noqa: ARG001
    words: Iterable[str] = _split(value) if isinstance(value, str) else value
    return filters._replace(tags=tuple(dict.fromkeys((*filters.tags, *words))))


def _with_status(filters: Filters, value: Any, now: float) -> Filters:  # noqa: ARG001
    return filters._replace(status=one_of(str(value), (*STATUSES, ANY_STATUS), "status"))


def _with_date(name: str) -> "Option":
    def option(filters: Filters, value: Any, now: float) -> Filters:
        moment = (
            float(value)
            if isinstance(value, int | float)
            else parse_moment(str(value), now, end=name == "until")
        )
        return filters.merge(Filters(**{name: moment}))  # type: ignore[arg-type]

    return option


def _with_confidence(name: str) -> "Option":
    def option(filters: Filters, value: Any, now: float) -> Filters:  # noqa: ARG001
        return filters.merge(Filters(**{name: _number(value, name)}))  # type: ignore[arg-type]

    return option


def _with_text(name: str) -> "Option":
    def option(filters: Filters, value: Any, now: float) -> Filters:  # noqa: ARG001
        text = str(value).strip().strip("/") if name == "topic" else str(value).strip()
        return filters.merge(Filters(**{name: text}))  # type: ignore[arg-type]

    return option


Option = Callable[[Filters, Any, float], Filters]

_NARROWING: dict[str, Callable[[float, float], float]] = {
    "since": max, "until": min, "min_confidence": max, "max_confidence": min,
}  # fmt: skip
_OPTIONS: dict[str, Option] = {
    "type": _with_types,
    "tags": _with_tags,
    "status": _with_status,
    "since": _with_date("since"),
    "until": _with_date("until"),
    "min_confidence": _with_confidence("min_confidence"),
    "max_confidence": _with_confidence("max_confidence"),
} | {name: _with_text(name) for name in ("topic", *PARTS, "session", "file", "branch")}
#: Fields of the query text -> the option they mean.
_FIELDS = {name: name for name in _OPTIONS if "_" not in name} | {"ns": "type", "tag": "tags"}
