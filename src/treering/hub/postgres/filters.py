"""Filters of a question as conditions of the database: the same rules as `search/visible.py`."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from treering.model.query import ANY_STATUS, Filters
from treering.search.visible import WITHHELD


class Condition(NamedTuple):
    """A condition, and the values for the marks in it."""

    text: str
    values: tuple[Any, ...] = ()


def status_condition(filters: Filters) -> Condition:
    """What may be shown: one status, all, or what is in force."""
    if not filters.status:
        return Condition("NOT status = ANY(%s)", (list(WITHHELD),))
    if filters.status == ANY_STATUS:
        return Condition("true")
    return Condition("status = %s", (filters.status,))


def list_conditions(filters: Filters) -> Iterator[Condition]:
    """One for each filter that asks for something, but for the status."""
    if filters.types:
        yield Condition("type = ANY(%s)", (list(filters.types),))
    if filters.without_types:
        yield Condition("NOT type = ANY(%s)", (list(filters.without_types),))
    if filters.records != "auto":
        yield Condition("is_record = %s", (filters.records == "only",))
    if filters.session:
        yield Condition("session = %s", (filters.session,))
    yield from _ranges(filters)
    if filters.tags:
        yield Condition("%s <@ lower(tags::text)::text[]", (_lower(filters.tags),))
    if filters.without_tags:
        yield Condition("NOT %s && lower(tags::text)::text[]", (_lower(filters.without_tags),))
    if filters.topic:
        topic = filters.topic.lower()
        yield Condition(
            "(lower(topic) = %s OR starts_with(lower(topic), %s))", (topic, f"{topic}/")
        )
    for column, part in (
        ("title", filters.title),
        ("author", filters.author),
        ("agent", filters.agent),
    ):
        if part:
            yield Condition(f"strpos(lower({column}), %s) > 0", (part.lower(),))
    if place := filters.file.removeprefix("./").rstrip("/"):
        yield _about_file(place)


def _ranges(filters: Filters) -> Iterator[Condition]:
    for column, sign, value in (
        ("created", ">=", filters.since),
        ("created", "<=", filters.until),
        ("confidence", ">=", filters.min_confidence),
        ("confidence", "<=", filters.max_confidence),
    ):
        if value is not None:
            yield Condition(f"{column} {sign} %s", (value,))


def _lower(tags: tuple[str, ...]) -> list[str]:
    return [tag.lower() for tag in tags]


def _about_file(place: str) -> Condition:
    """The path itself, a folder above it, or its base name."""
    base = "" if "/" in place else f"/{place}"
    return Condition(
        "EXISTS (SELECT 1 FROM unnest(files) AS path WHERE path = %s OR starts_with(path, %s)"
        " OR (%s <> '' AND right(path, length(%s)) = %s))",
        (place, f"{place}/", base, base, base),
    )


def join_conditions(conditions: list[Condition]) -> Condition:
    """All at once."""
    text = " AND ".join(f"({condition.text})" for condition in conditions) or "true"
    return Condition(text, tuple(value for c in conditions for value in c.values))
