"""Admission to the page: with the token, by this machine's own names, and from this very page.

A page of anybody's in the same browser can send requests to this port. So every request, whatever
it asks for, has to name this address as its Host, must not name another Origin, and has to bring
the cookie that was given for the token. Without that nothing of the repository is said.

A token works once: whoever brings it first gets a cookie of another value, which no script can read
and no other site can use, and in a browser the address is clean from then on. What is bookmarked,
logged or shown to others lets nobody in. A program is answered at once, and keeps the cookie.
Cookies know no ports: its name does, so that two pages of one machine do not throw each other out.
"""

import hmac
import secrets
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlencode

from treering.mcp.listening import App

LARGEST_BODY = 2 * 1024 * 1024
_HOSTS = ("127.0.0.1", "localhost")
_METHODS = ("GET", "HEAD", "POST")
_REFUSAL = b"403: open the address `treering web` printed. It works once.\n"

#: Nothing from elsewhere, nothing inline, in no frame; forms and requests go to this page only.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS = [
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    # Without any referrer a browser says "Origin: null" with the page's own forms.
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
]


class Keys(NamedTuple):
    """Secrets that let a browser in, and let it change something. Made anew for each server."""

    #: The one that is printed, and all that were not used yet.
    token: str
    unused: set[str]
    cookie: str
    form: str

    @classmethod
    def make(cls) -> "Keys":
        token, cookie, form = (secrets.token_urlsafe(24) for _ in range(3))
        return cls(token, {token}, cookie, form)

    def add_token(self) -> str:
        """Another token, for one more way in."""
        token = secrets.token_urlsafe(24)
        self.unused.add(token)
        return token

    def use(self, token: str) -> bool:
        """Return whether a token lets somebody in; the next one who brings it stays out."""
        for one in [one for one in self.unused if is_same(one, token)]:
            self.unused.discard(one)
            return True
        return False


class PageGuard:
    """An app, behind the checks that come before anything is looked up."""

    def __init__(self, app: App, keys: Keys, port: int, *, is_read_only: bool = False) -> None:
        self._app = app
        self._keys = keys
        self._is_read_only = is_read_only
        self._cookie = f"treering-{port}"
        self._hosts = frozenset(f"{name}:{port}" for name in _HOSTS)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            return  # neither a websocket nor a lifespan is of use here
        headers = {key.lower(): value.decode("latin-1") for key, value in scope["headers"]}
        if not self._is_from_here(scope["method"], headers):
            await _answer(send, 403, _REFUSAL)
            return
        tokens = [value for key, value in _parse_query(scope) if key == "token"]
        has_cookie = self._has_cookie(headers)
        has_token = bool(tokens) and (has_cookie or any(map(self._keys.use, tokens)))
        if has_token and scope["method"] == "GET" and _is_browser(headers):
            on = _address_without_token(scope)
            if headers.get(b"sec-fetch-site") == "cross-site":
                # A redirect would still come from elsewhere, and so without the cookie.
                way = (b"refresh", b"0;url=" + on)
                await _answer(send, 200, b"", [way, self._give_cookie()])
            else:
                await _answer(send, 303, b"", [(b"location", on), self._give_cookie()])
        elif not (has_token or has_cookie):
            await _answer(send, 403, _REFUSAL)
        elif scope["method"] not in _METHODS:
            await _answer(send, 405, b"405\n", [(b"allow", b"GET, HEAD, POST")])
        elif scope["method"] == "POST" and self._is_read_only:
            await _answer(send, 403, b"403: this page was started with --read-only.\n")
        elif _length(headers) > LARGEST_BODY:
            await _answer(send, 413, b"413\n", [(b"connection", b"close")])
        else:
            cookie = [self._give_cookie()] if has_token else []
            await self._app(scope, receive, _with_headers(send, [*_HEADERS, *cookie]))

    def _is_from_here(self, method: str, headers: dict[bytes, str]) -> bool:
        host = headers.get(b"host", "").lower()
        if host not in self._hosts:
            return False  # another name for this machine: somebody's DNS leads here
        if headers.get(b"origin", f"http://{host}").lower() != f"http://{host}":
            return False
        site = headers.get(b"sec-fetch-site", "none")
        if site in ("none", "same-origin"):
            return True
        # Whoever follows a link looks; no other site embeds or asks for anything.
        is_visit = headers.get(b"sec-fetch-mode") == "navigate"
        return method == "GET" and is_visit and headers.get(b"sec-fetch-dest") == "document"

    def _give_cookie(self) -> tuple[bytes, bytes]:
        cookie = f"{self._cookie}={self._keys.cookie}; Path=/; HttpOnly; SameSite=Strict"
        return b"set-cookie", cookie.encode()

    def _has_cookie(self, headers: dict[bytes, str]) -> bool:
        pairs = (part.strip().partition("=") for part in headers.get(b"cookie", "").split(";"))
        return any(n == self._cookie and is_same(v, self._keys.cookie) for n, _, v in pairs)


def is_same(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode(), other.encode())


def _is_browser(headers: dict[bytes, str]) -> bool:
    """Return whether somebody sees the address: every browser there is begins its name like
    this."""
    return headers.get(b"user-agent", "").startswith("Mozilla/")


def _address_without_token(scope: Any) -> bytes:
    rest = urlencode([pair for pair in _parse_query(scope) if pair[0] != "token"])
    path: bytes = scope.get("raw_path") or b"/"
    # `//host/` would be another machine's address.
    path = b"/" + path.partition(b"?")[0].lstrip(b"/")
    return path + (f"?{rest}".encode() if rest else b"")


def _parse_query(scope: Any) -> list[tuple[str, str]]:
    return parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)


def _length(headers: dict[bytes, str]) -> int:
    text = headers.get(b"content-length", "0")
    return int(text) if text.isdecimal() and len(text) < 16 else LARGEST_BODY + 1


def _with_headers(send: Any, headers: list[tuple[bytes, bytes]]) -> Any:
    async def send_with_headers(message: Any) -> None:
        if message["type"] == "http.response.start":
            message = message | {"headers": [*message["headers"], *headers]}
        await send(message)

    return send_with_headers


async def _answer(
    send: Any, status: int, body: bytes, headers: list[tuple[bytes, bytes]] | None = None
) -> None:
    plain = [
        (b"content-type", b"text/plain; charset=utf-8"),
        (b"content-length", str(len(body)).encode()),
        (b"cache-control", b"no-store"),
    ]
    await send(
        {
            "type": "http.response.start",
            "status": status,
            "headers": [*plain, *_HEADERS, *(headers or [])],
        }
    )
    await send({"type": "http.response.body", "body": body})
