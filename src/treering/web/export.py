"""The page as files: every view that can be looked at without asking, with links between them.

The views are those that are served. They are followed from one to the next, and addresses become
names of files beside each other, so that all of it can be read from a disk or put on any web
server. What has to be asked for (a search, a filter, an old version) is no link.
"""

import html
import math
import os
import re
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import parse_qs, unquote

from starlette.routing import compile_path

from treering.errors import Invalid, StorageFailed
from treering.git import plain_files
from treering.mcp.repository import ServedRepository
from treering.web.app import VIEWS, respond
from treering.web.guard import Keys
from treering.web.rendering import STATIC, list_line_rules, make_environment
from treering.web.visit import CARRIED, Notices, Site, Visit

_ROUTES = [
    (name, compile_path(address)[0])
    for address, name in VIEWS.items()
    if re.match(r"/(search|branches|files|graph|memory/\{id\}$|$)", address)
]
_PAGED = {"page", "cursor", "dropped", "landed"}
_ADDRESS = re.compile(r'(href|src)="(/[^"]*)"')


class PageExport:
    """One export: what is still to be written, and the names of the files."""

    def __init__(
        self, repository: ServedRepository, folder: Path, branch: str = "", *, private: bool = False
    ) -> None:
        now: Callable[[], float] = lambda: math.inf  # noqa: E731 - days, since nobody knows when
        self._site = Site(
            repository, make_environment(now), Keys.make(), Notices(), is_read_only=True,
            is_static=True,
        )  # fmt: skip
        self._folder = folder
        self._carried = {"branch": [branch] if branch else [], "private": ["1"] * private}
        self._files = self._list_named()
        self._names: dict[str, str] = {}
        self._todo: list[str] = []

    def write(self) -> int:
        """Write all pages into a new or empty folder; return how many of them are memories.

        Nobody's files are replaced, and nothing that an earlier export may have shown stays.
        """
        if os.path.lexists(self._folder) and not _is_empty_folder(self._folder):
            beside = self._folder.with_name(f"{self._folder.name or 'page'}-{os.urandom(3).hex()}")
            raise Invalid(
                f"{self._folder} is not a new or empty folder.",
                hint=f"`treering export --html {shlex.quote(str(beside))}`",
            )
        self._name("/")
        count = 0
        while self._todo:
            address = self._todo.pop()
            path, _, query = address.partition("?")
            page = self._render(path, parse_qs(query))
            count += path.startswith("/memory/")
            self._put(self._names[address], page.encode("utf-8", "replace"))
        for file in ("style.css", "rings.svg"):
            self._put(f"static/{file}", (STATIC / file).read_bytes())
        self._put("static/lines.css", list_line_rules().encode())
        return count

    def _render(self, path: str, query: dict[str, list[str]]) -> str:
        matches = ((name, pattern.match(path)) for name, pattern in _ROUTES)
        name, match = next((name, match) for name, match in matches if match)
        values = {key: unquote(value) for key, value in match.groupdict().items()}
        visit = Visit(self._site, values, query | self._carried, address=path)
        text = bytes(respond(visit, name).body).decode()
        at = self._names[path + (f"?{_join(query)}" if query else "")]
        return _ADDRESS.sub(lambda found: self._lead(found[1], found[2], at), text)

    def _lead(self, attribute: str, address: str, at: str) -> str:
        """An attribute of a page, made to lead to the file beside it, or nowhere."""
        target, _, fragment = html.unescape(address).partition("#")
        path, _, query = target.partition("?")
        fields = {k: v for k, v in parse_qs(query).items() if k not in CARRIED}
        if path.startswith("/static/"):
            file = path[1:]
        elif path.startswith("/files/") and unquote(path[7:]) not in self._files:
            return "data-asked"  # nothing is known of it
        elif fields.keys() <= _PAGED and any(pattern.match(path) for _, pattern in _ROUTES):
            file = self._name(path + (f"?{_join(fields)}" if fields else ""))
        else:
            return "data-asked"
        where = os.path.relpath(file, Path(at).parent)
        return f'{attribute}="{html.escape(where)}{"#" * bool(fragment)}{html.escape(fragment)}"'

    def _name(self, address: str) -> str:
        """The file of an address; the first time it is asked for, it is noted to be written."""
        if address not in self._names:
            path, _, query = address.partition("?")
            name = (path.strip("/") or "index") + (f"-{query}" if query else "")
            self._names[address] = re.sub(r"[^\w./@+-]", "~", name, flags=re.ASCII) + ".html"
            self._todo.append(address)
        return self._names[address]

    def _list_named(self) -> set[str]:
        """The files that memories name, and the folders they are in."""
        workspace = Visit(self._site, {}, self._carried).workspace
        branch = "".join(self._carried["branch"])
        seen = workspace.searcher.knowledge_view(workspace.view(branch))
        paths = {path for entry in seen.entries() for path in entry.files}
        return {part for path in paths for part in _list_parts(path)}

    def _put(self, name: str, data: bytes) -> None:
        try:
            plain_files.write(self._folder, name, data)
        except OSError as error:
            problem = f"{self._folder / name} cannot be written: {error.strerror}."
            raise StorageFailed(problem) from error


def _join(query: dict[str, list[str]]) -> str:
    return "&".join(f"{name}={value}" for name, values in sorted(query.items()) for value in values)


def _list_parts(path: str) -> Iterator[str]:
    parts = path.split("/")
    return ("/".join(parts[: n + 1]) for n in range(len(parts)))


def _is_empty_folder(path: Path) -> bool:
    return path.is_dir() and not any(path.iterdir())
