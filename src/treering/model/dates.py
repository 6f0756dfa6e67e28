"""Points in time: written as ISO 8601 in UTC, read from what people type.

Stored dates stay the strings they are, so that a memory nobody changed keeps its bytes;
`instant` gives the number to compare them by.
"""

import re
from datetime import UTC, datetime, timedelta

from treering.errors import Invalid

_AGE = r"(\d{1,5})\s*(min|h|d|w|m|y)"
_UNIT = {
    "min": timedelta(minutes=1),
    "h": timedelta(hours=1),
    "d": timedelta(days=1),
    "w": timedelta(weeks=1),
    "m": timedelta(days=30),
    "y": timedelta(days=365),
}
_DAY_ONLY = r"\d{4}-\d\d-\d\d"

_ISO = r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?)?"


def format_moment(seconds: float) -> str:
    """The stored form of a moment, to the second."""
    return datetime.fromtimestamp(int(seconds), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def instant(text: str) -> float:
    """Seconds since the epoch of a stored date; raises ValueError when it is none."""
    if not re.fullmatch(_ISO, text):  # fromisoformat takes far more than a person would
        raise ValueError(f"not an ISO date: {text[:40]!r}")
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return moment.timestamp()


def duration(text: str) -> float:
    """Seconds in `30d`, `12h`, `2w`, `45min`."""
    match = re.fullmatch(_AGE, text.strip().lower())
    if not match:
        raise Invalid(f"{text!r} is not a duration.", hint="Write for example 12h, 7d or 2w.")
    return int(match[1]) * _UNIT[match[2]].total_seconds()


def parse_moment(text: str, now: float, *, end: bool = False, what: str = "not a date") -> float:
    """The moment meant by `7d` (ago), an ISO date, `today` or `yesterday`.

    A bare day means its start, or with `end` its last second, so that `until:today` includes today.
    `what` is said of anything else, for a caller that takes more than dates.
    """
    word = text.strip().lower()
    today = datetime.fromtimestamp(now, UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    whole_day = timedelta(days=1, microseconds=-1) if end else timedelta()
    try:
        if word in ("today", "yesterday"):
            return (today - timedelta(days=word == "yesterday") + whole_day).timestamp()
        if re.fullmatch(_AGE, word):
            return now - duration(word)
        if re.fullmatch(_DAY_ONLY, word):
            return (datetime.fromisoformat(word).replace(tzinfo=UTC) + whole_day).timestamp()
        return instant(text.strip())
    except (ValueError, OverflowError) as error:
        raise Invalid(
            f"{text!r} is {what}.",
            hint="Write for example 7d, 12h, 2w, 2026-02-08, today or yesterday.",
        ) from error


def ago(date: str, now: float) -> str:
    """Return how long ago, in one unit."""
    seconds = max(0.0, now - instant(date))
    for unit, size in (
        ("y", 31_536_000),
        ("mo", 2_592_000),
        ("d", 86_400),
        ("h", 3_600),
        ("min", 60),
    ):
        if seconds >= size:
            return f"{int(seconds // size)} {unit} ago"
    return "just now"
