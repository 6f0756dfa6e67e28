"""One request: what was asked for, where it is looked up, and the page or the way it is answered
with."""

import secrets
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar
from urllib.parse import quote

from jinja2 import Environment
from starlette.responses import HTMLResponse, RedirectResponse, Response

from treering.actions.card import Card, CardMaker
from treering.actions.staleness import CodeTree
from treering.call import Call
from treering.errors import Invalid
from treering.mcp.repository import ServedRepository
from treering.model.choices import TIERS
from treering.text.values import strip_control_characters
from treering.web.guard import Keys
from treering.web.rendering import make_url

if TYPE_CHECKING:
    from treering.actions.workspace import Workspace


_MAX_NOTICES = 64


class Notice(NamedTuple):
    """A deed in words, where it can be looked at, and the steps that undo it."""

    text: str
    undo: tuple[Call, ...] = ()
    #: Lines below the text: one for each thing that was done.
    lines: tuple[str, ...] = ()
    #: The address it was done from, where whoever takes it back goes on.
    back: str = ""


class Notices:
    """The last things that were done, by a key nobody can guess."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._by_key: dict[str, Notice] = {}

    def keep(self, notice: Notice) -> str:
        key = secrets.token_urlsafe(9)
        with self._lock:
            self._by_key[key] = notice
            for oldest in list(self._by_key)[:-_MAX_NOTICES]:
                del self._by_key[oldest]
        return key

    def find(self, key: str) -> Notice | None:
        return self._by_key.get(key)

    def take_undo(self, key: str) -> Notice | None:
        """A notice that is about to be undone: once."""
        with self._lock:
            notice = self._by_key.get(key)
            if notice is None or not notice.undo:
                return None
            self._by_key[key] = notice._replace(undo=())
            return notice


#: The views, in the order of the navigation: name and address.
NAVIGATION = (
    ("Today", "/"),
    ("Search", "/search"),
    ("Branches", "/branches"),
    ("Files", "/files"),
    ("Review", "/review"),
    ("Graph", "/graph"),
    ("Shown to agents", "/told"),
)
#: Those of an export.
EXPORTED = (("Today", "/"), ("Everything", "/search"), *NAVIGATION[2:4], ("Graph", "/graph"))
#: What every address carries on: the branch looked from, and whether records and private memories
#: are shown.
CARRIED = ("branch", "records", "private")


class Site(NamedTuple):
    """The state that all requests share."""

    repository: ServedRepository
    environment: Environment
    keys: Keys
    notices: Notices
    is_read_only: bool
    #: Whether pages are written to files: there is nothing to fill in, and nobody answers.
    is_static: bool = False


class Visit:
    """One request, answered on a thread of its own."""

    def __init__(
        self,
        site: Site,
        path: Mapping[str, str],
        query: Mapping[str, Sequence[str]],
        form: Mapping[str, Sequence[str]] | None = None,
        address: str = "/",
    ) -> None:
        self.site = site
        #: The path of this address, as it is written in links.
        self.address = quote(address, errors="replace")
        self.path = path
        self._query = query
        self._form = form or {}

    @cached_property
    def workspace(self) -> "Workspace":
        """The repository; private memories are in it where they were asked for."""
        workspace = self.site.repository.workspace()
        return workspace if self._carried["private"] else workspace.without_private()

    # --- what was asked ---------------------------------------------------------------------------

    def query(self, name: str) -> str:
        """A field of the address, or nothing."""
        return next(iter(self._query.get(name, ())), "").strip()

    def queries(self, name: str) -> list[str]:
        return [text for raw in self._query.get(name, ()) if (text := raw.strip())]

    def number(self, name: str, usual: int, *, most: int) -> int:
        """A whole number of the address; what is none counts as not given."""
        text = self.query(name)
        return min(int(text), most) if text.isascii() and text.isdecimal() else usual

    def field(self, name: str) -> str:
        """A field of a form, or nothing; lines end as they do everywhere else."""
        return next(iter(self._form.get(name, ())), "").replace("\r\n", "\n").strip()

    def fields(self, name: str) -> list[str]:
        return [text for raw in self._form.get(name, ()) if (text := raw.strip())]

    def text(self, name: str) -> str:
        """A field with a text of several lines, as it was typed: only blank lines around it go."""
        return next(iter(self._form.get(name, ())), "").replace("\r\n", "\n").strip("\n")

    def words(self, name: str) -> list[str]:
        """A field with several words, as people type them: with commas or line ends between."""
        words = self.field(name).replace("\n", ",").split(",")
        return [word for raw in words if (word := raw.strip())]

    def lines(self, name: str) -> list[str]:
        """A field with one thing a line."""
        return [line for raw in self.field(name).split("\n") if (line := raw.strip())]

    @cached_property
    def _carried(self) -> dict[str, str]:
        carried = {name: self.query(name) or self.field(name) for name in CARRIED}
        carried["private"] = carried["private"] or self.field("only_here")
        return carried

    @property
    def branch(self) -> str:
        """The branch to look from, where it is not the one checked out."""
        return self._carried["branch"]

    @property
    def records(self) -> str:
        """Return how records are shown, as recall names it: by default not at all."""
        return self._carried["records"] if self._carried["records"] in TIERS else "none"

    @property
    def has_records(self) -> bool:
        return self.records != "none"

    # --- addresses --------------------------------------------------------------------------------

    def url(self, path: str, /, **query: object) -> str:
        """An address of this page, with what every address carries on."""
        return make_url(path, **(self._carried | query))

    def memory_url(self, id: str, /, **query: object) -> str:
        return self.url(f"/memory/{quote(id, safe='')}", **query)

    def file_url(self, path: str) -> str:
        return self.url(f"/files/{quote(path, errors='surrogateescape')}")

    def here(self, **changes: object) -> str:
        """This address with something else in its query; a list starts again at its beginning."""
        query = {k: v for k, v in self._query.items() if k not in ("done", "page", "cursor")}
        return make_url(self.address, **(query | changes))

    # --- what is answered -------------------------------------------------------------------------

    def ask(self, action: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        """The answer of a verb, with nothing hidden in its texts, whoever wrote them."""
        return strip_control_characters(action(self.workspace, *arguments, **options))

    def act(self, action: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        """The same of the whole repository: what follows branches takes private memories along."""
        whole = self.site.repository.workspace()
        return strip_control_characters(action(whole, *arguments, **options))

    def make_cards(self, ids: Iterable[str], branch: str = "") -> list[Card]:
        """The cards of some memories as a branch sees them; what cannot be read is left out."""
        position = self.workspace.position(branch or self.branch)
        view = self.workspace.view_from(position)
        copies = [copy for id in ids if (copy := view.place(id))]
        code = CodeTree(self.workspace.repository, position.head)
        maker = CardMaker(self.workspace, view, position.head, code)
        maker.prepare(copies)
        cards: list[Card] = strip_control_characters(
            [
                maker.make(copy, memory).with_text(memory, "medium")
                for copy in copies
                if (memory := copy.try_memory()) and not memory.is_forgotten
            ]
        )
        return cards

    def show(self, template: str, *, status: int = 200, **values: Any) -> Response:
        """A page. What is given to a template is escaped there."""
        text = self.site.environment.get_template(template).render(
            navigation=EXPORTED if self.site.is_static else NAVIGATION,
            place=self._describe_place(),
            carried=strip_control_characters({k: v for k, v in self._carried.items() if v}),
            branch=strip_control_characters(self.branch),
            has_records=self.has_records,
            url=self.url,
            memory_url=self.memory_url,
            file_url=self.file_url,
            here=self.here,
            address=self.address,
            is_static=self.site.is_static,
            is_read_only=self.site.is_read_only,
            form_key=self.site.keys.form,
            notice=self.site.notices.find(self.query("done")),
            notice_key=self.query("done"),
            **({"current": "", "query": "", "error": None} | values),
        )
        # Names of files may be any bytes: what is no text is shown as such.
        page = text.encode("utf-8", "replace")
        return HTMLResponse(page, status, headers={"Cache-Control": "no-store"})

    def _describe_place(self) -> dict[str, Any]:
        repository = self.workspace.repository
        folder = repository.workdir or repository.common_dir
        head = repository.head()
        name = head.branch or f"@{(head.commit or '')[:12]}"
        scopes = {s.branch for vault in self.workspace.store.vaults() for s in vault.scopes()}
        names = sorted({*scopes, self.branch} - {name, ""})
        place: dict[str, Any] = strip_control_characters(
            {"name": folder.name, "branch": name, "others": names}
        )
        return place

    def go(self, path: str, notice: Notice | None = None, **query: object) -> Response:
        """On to another page, so that loading it again does nothing twice."""
        key = self.site.notices.keep(notice) if notice else ""
        return RedirectResponse(self.url(path, **query, done=key), 303)

    def needed(self, name: str, what: str) -> str:
        """A field that must not be empty."""
        if (text := self.text(name)).strip():
            return text
        raise Invalid(f"{what} is empty.")


Handler = Callable[[Visit], Response]


Item = TypeVar("Item")


class PageLinks(NamedTuple):
    """Links to the pages before and after; empty where there is none."""

    previous: str = ""
    next: str = ""


class ListPage(NamedTuple, Generic[Item]):
    """One page of a list, and what it is a part of."""

    items: Sequence[Item]
    first: int
    total: int
    links: PageLinks


def cut_page(
    visit: Visit, items: Sequence[Item], page: int, size: int, field: str = "page"
) -> ListPage[Item]:
    """The page of that number, from 1; one past the end is the last. `field` names it in the
    address."""
    last = max(1, -(-len(items) // size))
    page = min(max(page, 1), last)
    start = (page - 1) * size
    links = PageLinks(
        visit.here(**{field: page - 1 if page > 2 else 0}) if page > 1 else "",
        visit.here(**{field: page + 1}) if page < last else "",
    )
    return ListPage(items[start : start + size], start + 1, len(items), links)
