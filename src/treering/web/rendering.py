"""Values as HTML: templates that escape whatever they are given, and how dates and names look."""

import math
import re
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from treering import __version__
from treering.model.dates import format_moment, instant
from treering.model.memory import beyond_title
from treering.text.hygiene import clean

if TYPE_CHECKING:
    from markdown_it import MarkdownIt


def element(name: str, *children: str | Markup, **attributes: object) -> Markup:
    """`text_anchor` becomes `text-anchor`, `class_` becomes `class`. None leaves an attribute out;
    children that are no markup are escaped. A river has thousands: it is put together by hand."""
    parts = [f"<{name}"]
    for key, value in attributes.items():
        if value is not None:
            word = key.rstrip("_").replace("_", "-")
            said = clean(str(value)) if key == "aria_label" else _number(value)
            parts.append(f' {word}="{escape(said)!s}"')
    parts.append(">")
    parts += [child if isinstance(child, Markup) else escape(clean(child)) for child in children]
    parts.append(f"</{name}>")
    return Markup("".join(parts))  # noqa: S704 - all of it is escaped, or made here


def drawing(
    children: Iterable[Markup], width: float, height: float, label: str, class_: str
) -> Markup:
    """A picture as wide as its place, which says in words what it shows."""
    return element(
        "svg",
        element("title", label),
        *children,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {_number(width)} {_number(height)}",
        width=width,
        height=height,
        role="group",
        aria_label=label,
        class_=class_,
    )


def _number(value: object) -> object:
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else value


def cut(text: str, length: int) -> str:
    """A text that has to fit: its beginning, and a sign that there is more."""
    return text if len(text) <= length else text[: length - 1].rstrip() + "…"


#: Longer texts are shown as they are: laying them out would take longer than anybody waits.
_MAX_MARKDOWN = 60_000
_MEMORY = r"treering://memory/([0-9a-z]{4,12})"
_WEB = r"https?://[^\s/]\S*|mailto:\S+"
_FILE = r"(?!.*:)[\w.@+~-][^\s?#\\]*"


def render_markdown(text: str, url: Callable[[str], str] = str) -> Markup:
    """Render a memory's text as safe HTML; `url` makes addresses of this page from its paths.

    Whoever wrote a memory may be anyone. Markup of theirs is text, an image is its description, and
    an address is a link only if it is one of the web, of a file here, or of a memory.
    """
    if len(text) > _MAX_MARKDOWN:
        return Markup("<pre class=plain>{}</pre>").format(text)
    # Made of escaped text and our own tags alone: raw HTML is off, and addresses are checked.
    return Markup(_parser().render(text, {"url": url}))  # noqa: S704


@cache
def _parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False, "linkify": False, "typographer": False})
    parser.enable(["table", "strikethrough"])
    parser.validateLink = lambda url: bool(find_address(url))  # type: ignore[method-assign]
    parser.add_render_rule("image", _tell_image)
    parser.add_render_rule("link_open", _open_link)
    parser.add_render_rule("heading_open", _lower_heading)
    parser.add_render_rule("heading_close", _lower_heading)
    return parser


def find_address(url: str) -> str:
    """Return where a link of a memory leads: the web, a memory, or a file of the repository; else
    ''."""
    url = url.strip()
    if match := re.fullmatch(_MEMORY, url):
        return f"/memory/{match[1]}"
    if re.fullmatch(_WEB, url, re.IGNORECASE):
        return url
    if re.fullmatch(_FILE, url) and ".." not in url.split("/"):
        return f"/files/{quote(url, safe='/%')}"
    return ""


def _tell_image(_: Any, tokens: Any, index: int, *__: Any) -> str:
    return str(Markup("<span class=image>[image: {}]</span>").format(tokens[index].content))


def _open_link(_: Any, tokens: Any, index: int, __: Any, values: Any) -> str:
    address = find_address(str(tokens[index].attrGet("href") or ""))
    if address.startswith("/"):
        return str(Markup('<a href="{}">').format(values["url"](address)))
    return f'<a href="{escape(address)}" rel="noreferrer noopener nofollow" class="elsewhere">'


def _lower_heading(_: Any, tokens: Any, index: int, *__: Any) -> str:
    """Below the page's own headings: the title of the memory is the only first one."""
    token = tokens[index]
    level = min(6, int(token.tag[1]) + 2)
    return f"<h{level}>" if token.nesting == 1 else f"</h{level}>\n"


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
    """Return how long ago, with the exact moment for whoever wants it."""
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
