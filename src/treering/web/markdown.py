"""A memory's text as HTML: markdown without raw HTML, links that lead where they say, no pictures.

Whoever wrote a memory may be anyone. Markup of theirs is text, an image is its description, and an
address is a link only if it is one of the web, of a file in this repository, or of a memory.
"""

import re
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from markupsafe import Markup, escape

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

#: Longer texts are shown as they are: laying them out would take longer than anybody waits.
_LONGEST = 60_000
_MEMORY = r"treering://memory/([0-9a-z]{4,12})"
_WEB = r"https?://[^\s/]\S*|mailto:\S+"
_FILE = r"(?!.*:)[\w.@+~-][^\s?#\\]*"


def render_markdown(text: str, url: Callable[[str], str] = str) -> Markup:
    """The text as safe HTML; `url` makes addresses of this page from its paths."""
    if len(text) > _LONGEST:
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
    """Where a link of a memory leads: the web, a memory, or a file of the repository; else ''."""
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
