"""One request: what was asked for, where it is looked up, and the page or the way it is answered
with."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from jinja2 import Environment
from starlette.responses import HTMLResponse, RedirectResponse, Response

from treering.actions.answers import strip_control_characters
from treering.errors import Invalid
from treering.mcp.repository import ServedRepository
from treering.web.guard import Keys
from treering.web.notices import Notice, Notices
from treering.web.rendering import make_url

if TYPE_CHECKING:
    from treering.actions.workspace import Workspace

#: The views, in the order of the navigation: name and address.
NAVIGATION = (
    ("Today", "/"),
    ("Search", "/search"),
    ("Branches", "/branches"),
    ("Files", "/files"),
    ("Review", "/review"),
    ("Graph", "/graph"),
    ("Pull request", "/pull-request"),
    ("Told", "/told"),
)


class Site(NamedTuple):
    """What all requests share."""

    repository: ServedRepository
    environment: Environment
    keys: Keys
    notices: Notices
    is_read_only: bool


class Visit:
    """One request, answered on a thread of its own."""

    def __init__(
        self,
        site: Site,
        path: Mapping[str, str],
        query: Mapping[str, Sequence[str]],
        form: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        self.site = site
        self.path = path
        self._query = query
        self._form = form or {}

    @cached_property
    def workspace(self) -> "Workspace":
        return self.site.repository.workspace()

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

    @property
    def branch(self) -> str:
        """The branch to look from, where it is not the one checked out."""
        return self.query("branch") or self.field("branch")

    # --- what is answered -------------------------------------------------------------------------

    def ask(self, action: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        """The answer of a verb, with nothing hidden in its texts, whoever wrote them."""
        return strip_control_characters(action(self.workspace, *arguments, **options))

    def show(self, template: str, *, status: int = 200, **values: Any) -> Response:
        """A page. What is given to a template is escaped there."""
        text = self.site.environment.get_template(template).render(
            navigation=NAVIGATION,
            place=self._describe_place(),
            branch=self.branch,
            is_read_only=self.site.is_read_only,
            form_key=self.site.keys.form,
            notice=self.site.notices.find(self.query("done")),
            notice_key=self.query("done"),
            **({"current": "", "query": ""} | values),
        )
        # Names of files may be any bytes: what is no text is shown as such.
        page = text.encode("utf-8", "replace")
        return HTMLResponse(page, status, headers={"Cache-Control": "no-store"})

    def _describe_place(self) -> dict[str, str]:
        repository = self.workspace.repository
        folder = repository.workdir or repository.common_dir
        head = repository.head()
        name = head.branch or f"@{(head.commit or '')[:12]}"
        place: dict[str, str] = strip_control_characters({"name": folder.name, "branch": name})
        return place

    def go(self, path: str, notice: Notice | None = None, **query: object) -> Response:
        """On to another page, so that loading it again does nothing twice."""
        key = self.site.notices.keep(notice) if notice else ""
        return RedirectResponse(make_url(path, **query, done=key), 303)

    def needed(self, name: str, what: str) -> str:
        """A field that must not be empty."""
        if (text := self.text(name)).strip():
            return text
        raise Invalid(f"{what} is empty.")


Handler = Callable[[Visit], Response]
