"""Whatever people wrote is text on the page: in every field, on every view."""

import html
import re

import pytest

from conftest import Repo
from hostile.attacks import ATTACKS, HIDDEN
from hostile.test_injection import ID, plant
from treering.web.rendering import find_address, render_markdown
from web.pages import Browser

SCRIPT = '"><script>window.owned=1</script><img src=x onerror="window.owned=1">'
#: Markdown that would run something, or fetch something from elsewhere.
MARKUP = [
    "<script>window.owned=1</script>",
    "<img src=x onerror=window.owned=1>",
    "<svg onload=window.owned=1>",
    "<iframe src=javascript:window.owned=1>",
    "<style>body{display:none}</style>",
    "<a href='javascript:window.owned=1'>x</a>",
    "[x](javascript:window.owned=1)",
    "[x](JaVaScRiPt:window.owned=1)",
    "[x](&#106;avascript:window.owned=1)",
    "[x](java\tscript:window.owned=1)",
    "[x](data:text/html,<script>window.owned=1</script>)",
    "[x](vbscript:x)",
    "[x](//evil.example/x)",
    "[x](/undo)",
    "[x](\\\\evil.example\\x)",
    "[x](http:evil.example)",
    "![x](https://evil.example/p.png)",
    "![x](javascript:window.owned=1)",
    "![x](/static/rings.svg)",
    "[![x](https://evil.example/p.png)](https://evil.example)",
    "[ref]: javascript:window.owned=1\n\n[ref]",
    "<https://evil.example/x>",
    "<javascript:window.owned=1>",
    "```<script>window.owned=1</script>\nx\n```",
    '```" onmouseover=window.owned=1\nx\n```',
    "&lt;script&gt;window.owned=1&lt;/script&gt;",
    '[x](https://evil.example/"onmouseover="window.owned=1)',
    '[x](https://evil.example "t\\" onmouseover=window.owned=1 \\"")',
    "| a |\n|---|\n| <script>window.owned=1</script> |",
]
TAGS = {
    "a", "p", "br", "hr", "em", "strong", "s", "code", "pre", "blockquote", "ul", "ol", "li",
    "h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td", "span",
}  # fmt: skip


@pytest.mark.parametrize("text", [*MARKUP, SCRIPT], ids=lambda text: text[:30])
def test_markdown_has_our_own_tags_alone(text: str) -> None:
    page = str(render_markdown(text))

    assert set(re.findall(r"<\s*([a-zA-Z]+)", page)) <= TAGS
    for attributes in re.findall(r"<[a-z0-9]+ ([^>]*)>", page):
        names = set(re.findall(r'([\w-]+)="', re.sub(r'="[^"]*"', '="', attributes)))
        assert names <= {"href", "rel", "class", "start", "title"}
    for address in re.findall(r'href="([^"]*)"', page):
        assert re.match(r"https?://|mailto:|/memory/|/files/", html.unescape(address))


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("https://example.org/x", "https://example.org/x"),
        ("treering://memory/7k2m9qx4c0wd", "/memory/7k2m9qx4c0wd"),
        ("src/db.py", "/files/src/db.py"),
        ("../../etc/passwd", ""),
        ("//evil.example", ""),
        ("/undo", ""),
        ("javascript:x", ""),
        ("src/x:y", ""),
        ("#here", ""),
    ],
)
def test_links_lead_where_they_say(url: str, address: str) -> None:
    assert find_address(url) == address


def test_a_text_that_is_made_to_be_slow_is_shown_at_once() -> None:
    """Nested brackets, quotes and lists cost no more than their length."""
    for text in ("[" * 20_000, "> " * 9_000, "*a " * 6_000, "- " * 9_000, "`" * 20_000):
        render_markdown(text)


def _all_pages(browse: Browser, repo: Repo) -> list[str]:
    ids = [hit.id for hit in repo.tr.recall(scope="all", status="all", records="auto").results]
    paths = [
        "/", "/search", "/search?q=walmode", "/search?scope=all", "/branches", "/files",
        "/files/src", "/review", "/graph", "/branches/main", "/told",
        *(f"/memory/{id}" for id in ids), *(f"/memory/{id}/revise" for id in ids),
    ]  # fmt: skip
    pages = [browse.get(path) for path in paths]
    assert {page.status for page in pages} <= {200, 404}
    return [page.html for page in pages]


def test_every_field_is_text_on_every_view(repo: Repo) -> None:
    """Title, author, tag, topic, file, branch, relation, agent: whoever wrote them."""
    path = "src/<script>window.owned=1<&script>.py"
    repo.commit_file(path, f"{SCRIPT}\n", message=SCRIPT)
    plant(
        repo, f"{SCRIPT} walmode", title=SCRIPT, author=f"Eve{SCRIPT} <eve@evil.example>",
        tags=[SCRIPT, "b"], topic=SCRIPT, agent=SCRIPT, session=SCRIPT, confidence=0.1,
        files=[{"path": path}],
        details={"reasoning": SCRIPT, "<b>key</b>": SCRIPT, "outcome": "failed"},
    )  # fmt: skip
    name = "x<script>window.owned=1<&script>"
    repo.git("branch", name)
    repo.tr.remember("On a branch", branch=name)
    browse = Browser(repo)
    assert browse.get(f"/memory/{ID}").headings == [SCRIPT]

    for page in _all_pages(browse, repo):
        assert "<script>window" not in page
        assert "<img src=x" not in page
        assert "<b>key" not in page
        assert 'onerror="' not in page


def test_nothing_hidden_is_on_the_page(repo: Repo) -> None:
    hidden = "-".join(HIDDEN.values())
    title = hidden.replace("\x85", "")  # a title is one line
    plant(repo, f"be{hidden}fore walmode", title=f"Use{title}-WAL", author=f"Ev{title}e <e@x.y>")
    browse = Browser(repo)
    unseen = {letter for letter in hidden if not (letter.isascii() and letter.isprintable())}
    unseen -= {"\ufe01"}  # one of them belongs to a letter

    for path in ("/", f"/memory/{ID}", f"/memory/{ID}/revise", "/branches", "/branches/main"):
        page = browse.get(path)
        assert page.status == 200
        assert not unseen & set(page.html)


def test_what_wants_to_steer_is_marked(repo: Repo) -> None:
    sign, text = ATTACKS[0]
    plant(repo, text)

    assert sign in Browser(repo).get(f"/memory/{ID}").text
