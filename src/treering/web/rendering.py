"""Values as HTML: templates that escape whatever they are given, and how dates and names look."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from treering import __version__
from treering.model.dates import format_moment, instant
from treering.model.memory import beyond_title
from treering.web.markdown import render_markdown

_FOLDER = Path(__file__).parent
STATIC = _FOLDER / "static"
_STEPS = ((60, 1, "s"), (3600, 60, "min"), (86_400, 3600, "h"), (86_400 * 60, 86_400, "d"))


def make_environment(now: Callable[[], float]) -> Environment:
    """Templates, with everything escaped that is not markup of our own."""
    environment = Environment(
        loader=FileSystemLoader(_FOLDER / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.globals.update(version=__version__, url=make_url, memory_url=memory_url)
    environment.filters.update(
        markdown=render_markdown,
        file_url=file_url,
        moment=lambda when: show_moment(when, now()),
        plural=plural,
        body=body_of,
        beyond_title=beyond_title,
        percent=lambda share: f"{share:.0%}",
    )
    return environment


def make_url(path: str, /, **query: object) -> str:
    """An address of this page; what is empty is left out of the query."""
    pairs = [(key, value) for key, value in query.items() if value not in ("", None, (), [], 0)]
    return path + (f"?{urlencode(pairs, doseq=True)}" if pairs else "")


def memory_url(id: str, /, **query: object) -> str:
    return make_url(f"/memory/{quote(id, safe='')}", **query)


def file_url(path: str) -> str:
    return f"/files/{quote(path, errors='surrogateescape')}"


def body_of(content: str, title: str) -> str:
    """A text below its title: the first line is not said twice, unless there is no other."""
    first, _, rest = content.partition("\n")
    is_title = first.lstrip("# ").strip() == title.strip()
    return rest.strip("\n") if is_title and rest.strip() else content


def plural(count: int, one: str, many: str = "") -> str:
    """`1 memory`, `2 memories`."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def show_moment(when: str | float, now: float) -> Markup:
    """How long ago, with the exact moment for whoever wants it."""
    seconds = instant(when) if isinstance(when, str) else when
    if not seconds or not math.isfinite(seconds):
        return Markup("<time>{}</time>").format(when or "never")
    exact = format_moment(seconds)
    return Markup('<time datetime="{}" title="{}">{}</time>').format(
        exact, exact, tell_age(now - seconds, exact)
    )


def tell_age(seconds: float, exact: str) -> str:
    if seconds < 45:
        return "just now" if seconds > -45 else exact[:10]
    for below, unit, name in _STEPS:
        if seconds < below:
            return f"{int(seconds // unit)} {name} ago"
    return exact[:10]


def as_fields(value: Any) -> dict[str, str]:
    """Query fields as a flat mapping, for hidden inputs."""
    return {key: str(item) for key, item in value.items() if item}
