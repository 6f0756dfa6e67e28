"""The page of a repository under test: asked as a browser asks, read as a person reads."""

import re
from html.parser import HTMLParser
from typing import Any

from starlette.testclient import TestClient

from conftest import Repo
from treering.mcp.repository import ServedRepository
from treering.web.app import make_app
from treering.web.guard import Keys
from treering.web.rendering import make_environment
from treering.web.visit import Notices, Site

PORT = 8123
HOME = f"http://127.0.0.1:{PORT}"


class Page(HTMLParser):
    """What a page says: links and buttons by name, forms by what they do."""

    def __init__(self, response: Any) -> None:
        super().__init__()
        self.status = response.status_code
        self.headers = response.headers
        self.html: str = response.text
        self.links: list[tuple[str, str]] = []
        self.buttons: list[str] = []
        self.forms: list[dict[str, Any]] = []
        self.headings: list[str] = []
        self._open: list[tuple[str, dict[str, str | None], list[str]]] = []
        self.feed(self.html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        fields = dict(attrs)
        if tag == "form":
            self.forms.append({"action": fields.get("action"), "fields": {}, "buttons": []})
        if tag == "input" and self.forms and fields.get("name"):
            self.forms[-1]["fields"][fields["name"]] = fields.get("value") or ""
        if tag in ("a", "button", "h1", "textarea", "option", "select"):
            self._open.append((tag, fields, []))

    def handle_data(self, data: str) -> None:
        for _, _, texts in self._open:
            texts.append(data)

    def handle_endtag(self, tag: str) -> None:
        if not self._open or self._open[-1][0] != tag:
            return
        _, fields, texts = self._open.pop()
        text = " ".join("".join(texts).split())
        if tag == "a":
            self.links.append((text, fields.get("href") or ""))
        elif tag == "button":
            self.buttons.append(text)
            if self.forms:
                self.forms[-1]["buttons"].append(text)
        elif tag == "h1":
            self.headings.append(text)
        elif tag == "textarea" and self.forms and (name := fields.get("name")):
            self.forms[-1]["fields"][name] = "".join(texts).removeprefix("\n")

    def link(self, name: str) -> str:
        found = [href for text, href in self.links if text == name]
        assert found, f"no link {name!r} among {[text for text, _ in self.links]}"
        return found[0]

    def form(self, button: str, number: int = 0) -> dict[str, Any]:
        found = [form for form in self.forms if button in form["buttons"]]
        assert found, f"no button {button!r} among {self.buttons}"
        return found[number]

    @property
    def text(self) -> str:
        return " ".join(re.sub(r"<[^>]+>", " ", self.html).split())


class Browser:
    """Somebody with the token; pages are got, forms are filled in and sent."""

    def __init__(self, repo: Repo, *, is_read_only: bool = False) -> None:
        keys = Keys.make()
        place = ServedRepository(repo.path, is_named=True)
        site = Site(place, make_environment(repo.clock), keys, Notices(), is_read_only)
        self.keys = keys
        self.client = TestClient(make_app(site, PORT), base_url=HOME, follow_redirects=True)
        self.client.cookies.set(f"treering-{PORT}", keys.cookie)

    def get(self, path: str, **query: Any) -> Page:
        return Page(self.client.get(path, params=query or None))

    def press(self, page: Page, button: str, number: int = 0, **fields: str) -> Page:
        """Send the form of a button, with some of its fields filled in."""
        form = page.form(button, number)
        return Page(self.client.post(form["action"], data=form["fields"] | fields))

    def press_get(self, path: str, button: str) -> Page:
        """Open a page, and follow one of its buttons to a form."""
        form = self.get(path).form(button)
        return self.get(form["action"], **form["fields"])
