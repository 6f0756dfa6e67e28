"""The page put together and served on this machine alone: addresses, the views and forms behind
them, errors as pages.

A view is imported when it is first looked at, so that the server can be reached at once.
"""

import asyncio
import logging
import mimetypes
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from typing import cast
from urllib.parse import parse_qs

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from treering.errors import TreeringError
from treering.mcp.listening import MAX_CONNECTIONS, Address, App, bind
from treering.mcp.repository import ServedRepository
from treering.text.secrets import mask_secrets
from treering.web.guard import LARGEST_BODY, Keys, PageGuard, is_same
from treering.web.rendering import STATIC, list_line_rules
from treering.web.visit import Handler, Notices, Site, Visit

log = logging.getLogger(__name__)

_THREADS = 4
_MOST_FIELDS = 500
#: Address -> module and function that show it.
VIEWS = {
    "/": "search.show_today",
    "/search": "search.show_search",
    "/remember": "memory.show_remember",
    "/memory/{id}": "memory.show_memory",
    "/memory/{id}/changes": "memory.show_changes",
    "/memory/{id}/revise": "memory.show_revise",
    "/memory/{id}/supersede": "memory.show_supersede",
    "/memory/{id}/link": "memory.show_link",
    "/branches": "branches.show_branches",
    "/branches/{name:path}": "branches.show_branch",
    "/files": "files.show_files",
    "/files/{path:path}": "files.show_files",
    "/review": "review.show_review",
    "/graph": "graph.show_graph",
    "/told": "search.show_told",
}
#: Address -> module and function that carry out its form.
POSTS = {
    "/undo": "posts.undo",
    "/remember": "posts.remember",
    "/memory/{id}/revise": "posts.revise",
    "/memory/{id}/outcome": "posts.set_outcome",
    "/memory/{id}/supersede": "posts.supersede",
    "/memory/{id}/link": "posts.link",
    "/memory/{id}/forget": "posts.forget",
    "/memory/{id}/restore": "posts.restore",
    "/memory/{id}/revert": "posts.revert",
    "/review/keep": "posts.keep",
    "/branches/promote": "branches.promote",
    "/branches/restore": "branches.restore",
    "/branches/apply": "branches.apply_plan",
}
_CACHED = {"Cache-Control": "private, max-age=300"}
_STATUS = {
    "memory_not_found": 404,
    "branch_not_found": 404,
    "path_not_found": 404,
    "ambiguous_id": 404,
    "conflict": 409,
    "invalid": 400,
    "blocked_secret": 400,
    "busy": 503,
}


def make_app(site: Site, port: int) -> App:
    """Everything that is served, behind the guard."""
    pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="treering-web")
    endpoints = _Endpoints(site, pool)
    forms = [Route(path, endpoints.answer(name), methods=["POST"]) for path, name in POSTS.items()]
    views = [Route(path, endpoints.answer(name), methods=["GET"]) for path, name in VIEWS.items()]
    nowhere = endpoints.answer("search.show_missing")
    routes = [
        Route("/static/{name}", _send_static, methods=["GET"]),
        *forms,
        *views,
        Route("/{rest:path}", nowhere, methods=["GET", "POST"]),
    ]
    return PageGuard(Starlette(routes=routes), site.keys, port, is_read_only=site.is_read_only)


class _Endpoints:
    """Requests, each answered on one of a few threads: git and the index take their time."""

    def __init__(self, site: Site, pool: ThreadPoolExecutor) -> None:
        self._site = site
        self._pool = pool

    def answer(self, name: str) -> Callable[[Request], Awaitable[Response]]:
        async def endpoint(request: Request) -> Response:
            form = await _read_form(request) if request.method == "POST" else None
            if form is not None and not is_same(_first(form, "key"), self._site.keys.form):
                return PlainTextResponse("403: this form is not of this page.\n", 403)
            query = parse_qs(request.url.query, errors="replace", max_num_fields=_MOST_FIELDS)
            visit = Visit(self._site, request.path_params, query, form, request.url.path)
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._pool, respond, visit, name)

        return endpoint


async def _read_form(request: Request) -> Mapping[str, Sequence[str]]:
    """The fields of a form; none where it is none, or too large."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/x-www-form-urlencoded":
        return {}
    data = b""
    async for part in request.stream():
        data += part
        if len(data) > LARGEST_BODY:
            return {}
    try:
        return parse_qs(data.decode("utf-8", "replace"), max_num_fields=_MOST_FIELDS)
    except ValueError:
        return {}


def _first(form: Mapping[str, Sequence[str]], name: str) -> str:
    return next(iter(form.get(name, ())), "")


def respond(visit: Visit, name: str) -> Response:
    """Return what a view or a form answers. Whatever goes wrong is a page, too."""
    try:
        module, _, function = name.partition(".")
        handler = cast(Handler, getattr(import_module(f"treering.web.{module}"), function))
        with visit.workspace.call():
            return handler(visit)
    except TreeringError as error:
        status = _STATUS.get(error.code, 500)
        return _explain(visit, status, error.message, error.hint)
    except Exception:
        log.exception("%s failed", name)
        return _explain(visit, 500, "This is a bug in treering.", "The terminal shows its log.")


def _explain(visit: Visit, status: int, message: str, hint: str) -> Response:
    words = {"message": mask_secrets(message), "hint": mask_secrets(hint)}
    try:
        return visit.show("error.html", status=status, **words)
    except TreeringError:  # the repository itself is gone
        return PlainTextResponse(f"{words['message']}\n{words['hint']}\n", status)


async def _send_static(request: Request) -> Response:
    """A file of ours, by its plain name."""
    if request.path_params["name"] == "lines.css":
        return Response(list_line_rules(), media_type="text/css", headers=_CACHED)
    file = STATIC / request.path_params["name"]
    if file.parent != STATIC or file.name.startswith(".") or not file.is_file():
        return PlainTextResponse("404\n", 404)
    kind = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
    return Response(file.read_bytes(), media_type=kind, headers=_CACHED)


_HOST = "127.0.0.1"
_LAST_WORDS = 2  # seconds for requests under way when it is told to end


def serve(
    repository: ServedRepository, port: int, *, is_read_only: bool, say: Callable[[str, str], None]
) -> None:
    """Serve the page of a repository; `say` is called with two addresses once it can be reached:
    one to print and one to open. Each works once."""
    listener = bind(Address(_HOST, port))
    actual = listener.getsockname()[1]
    keys = Keys.make()
    listener.listen()  # a browser that is faster than we are waits
    home = f"http://{_HOST}:{actual}/?token="
    say(home + keys.token, home + keys.add_token())

    from treering.web.rendering import make_environment

    now = repository.workspace().clock
    site = Site(repository, make_environment(now), keys, Notices(), is_read_only)
    config = uvicorn.Config(
        make_app(site, actual),
        ws="none",
        lifespan="off",
        log_level="warning",
        access_log=False,
        server_header=False,
        limit_concurrency=MAX_CONNECTIONS,
        timeout_graceful_shutdown=_LAST_WORDS,
    )
    uvicorn.Server(config).run(sockets=[listener])
