"""The page served: on this machine alone, until a signal ends it."""

from collections.abc import Callable

import uvicorn

from treering.mcp.listening import MAX_CONNECTIONS, Address, bind
from treering.mcp.repository import ServedRepository
from treering.web.guard import Keys
from treering.web.notices import Notices
from treering.web.visit import Site

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

    from treering.web.app import make_app
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
