"""Values as HTML: templates that escape whatever they are given, and how dates and names look."""

import math
import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlencode

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from treering import __version__
from treering.model.dates import format_moment, instant
from treering.model.memory import beyond_title
from treering.web.markdown import render_markdown

#: Lines of a file on one page.
MOST_LINES = 600
_FOLDER = Path(__file__).parent
STATIC = _FOLDER / "static"
_WORD = re.compile(r"\w{3,40}")
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
    environment.globals["version"] = __version__
    environment.filters.update(
        markdown=render_markdown,
        line=render_line,
        link_ids=link_ids,
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


def render_line(text: str, query: str = "") -> Markup:
    """A title or a snippet: `code` in its font, and words that were searched for marked."""
    terms = sorted({word[: max(4, len(word) - 2)] for word in _WORD.findall(query)}, key=len)
    marked = re.compile(rf"\b(?:{'|'.join(map(re.escape, reversed(terms)))})\w*", re.IGNORECASE)
    parts: list[Markup] = []
    for number, part in enumerate(re.split(r"`([^`\n]{1,200})`", text)):
        html, at = Markup(), 0
        for match in marked.finditer(part) if terms else ():
            html += part[at : match.start()] + Markup("<mark>{}</mark>").format(match[0])
            at = match.end()
        html += part[at:]
        parts.append(Markup("<code>{}</code>").format(html) if number % 2 else html)
    return Markup().join(parts)


def link_ids(text: str, memory_url: Callable[[str], str]) -> Markup:
    """A text in which ids of memories, as answers write them, are links."""
    parts = re.split(r"(?<![\w/])([0-9a-hj-km-np-tv-z]{12})(?!\w)", text)
    return Markup().join(
        Markup('<a href="{}">{}</a>').format(memory_url(part), part) if number % 2 else part
        for number, part in enumerate(parts)
    )


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


def list_line_rules() -> str:
    """Rules that put a note beside a line, and give it room: no page has a style of its own."""
    rows = (f".at-{n}{{grid-row-start:{n}}}" for n in range(1, MOST_LINES + 1))
    return "".join(rows)
