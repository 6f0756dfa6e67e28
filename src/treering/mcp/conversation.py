"""One client's conversation: which era it speaks, what it asked, and what it is told.

The first request decides the era, for good. One that says its version in `_meta` is of the newer
era, where every request does so and nothing is remembered between them; any other is of the older
one, which begins with `initialize`.
"""

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from treering.mcp.protocol import (
    CAPABILITIES_KEY,
    CLIENT_KEY,
    CONNECTION_CLOSED,
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    SERVER_INFO,
    SERVER_KEY,
    STATELESS_VERSIONS,
    SUBSCRIPTION_KEY,
    TOOLS_KEEP,
    UNSUPPORTED_VERSION,
    VERSION_KEY,
    Cancelled,
    Message,
    NoMessage,
    Progress,
    ProtocolError,
    discovery,
    failure,
    greeting,
    invalid_params,
    parse,
)

if TYPE_CHECKING:
    from treering.mcp.methods import Methods, Reply

Send = Callable[[Message], None]
Work = Callable[[], None]
_MOST_LISTENERS = 1024
_LOOKS = ("suggest", "dedupe", "infer_links")
_MOMENT = 1.0  # seconds
_OF_HANDSHAKE = ("initialize", "ping")
_OF_STATELESS = ("server/discover", "subscriptions/listen")
#: What clients may keep for a while; how long, is said in each answer.
_KEPT = frozenset({"server/discover", "tools/list", "prompts/list", "resources/list",
                   "resources/templates/list", "resources/read"})  # fmt: skip
_WANTED = {"prompts": "promptsListChanged", "resources": "resourcesListChanged"}
_FILTERS = ("toolsListChanged", *_WANTED.values())


class Conversation:
    """The state of a client between its lines. `send` writes a message, `start` begins work on
    another thread; both may be called from any."""

    def __init__(self, methods: "Methods", send: Send, start: Callable[[Work], None]) -> None:
        self._methods, self._send, self._start = methods, send, start
        self._lock = threading.Lock()
        self._is_stateless: bool | None = None
        self._is_greeted = False
        self._agent = ""
        #: Work under way by the id of its request, which may be used twice.
        self._underway: dict[str, list[Progress]] = {}
        self._listeners: dict[Any, tuple[str, ...]] = {}
        self.is_idle = threading.Condition(self._lock)

    # --- what comes in ----------------------------------------------------------------------------

    def hear(self, line: bytes) -> None:
        try:
            message = parse(line)
        except NoMessage as wrong:
            self._send(wrong.answer)
            return
        if "method" not in message:
            return  # the answer to something we never asked
        if "id" in message:
            self._hear_request(message["id"], message["method"], message.get("params") or {})
        else:
            self._hear_notification(message["method"], message.get("params") or {})

    def _hear_request(self, request_id: Any, method: str, params: Message) -> None:
        try:
            self._check_era(method, params)
            if method in _OF_STATELESS and self._is_stateless:
                self._answer_stateless(request_id, method, params)
            elif method in _OF_HANDSHAKE and not self._is_stateless:
                self._reply(request_id, method, self._greet(params) if method != "ping" else {})
            elif not self._methods.is_known(method):
                raise ProtocolError(METHOD_NOT_FOUND, "Method not found", method)
            elif not (self._is_greeted or self._is_stateless):
                raise invalid_params()
            elif self._methods.is_quick(method):
                reply = self._methods.answer(method, params, "", Progress(_tell_nobody))
                self._reply(request_id, method, reply.result)
            else:
                self._begin(request_id, method, params)
        except ProtocolError as error:
            self._send(failure(request_id, error))

    def _hear_notification(self, method: str, params: Message) -> None:
        if method == "notifications/cancelled":
            request_id = params.get("requestId")
            with self._lock:
                works = self._underway.pop(_key(request_id), [])
                self.is_idle.notify_all()
                if isinstance(request_id, str | int):
                    self._listeners.pop(request_id, None)
            for steps in works:
                steps.is_cancelled.set()

    # --- eras -------------------------------------------------------------------------------------

    def _check_era(self, method: str, params: Message) -> None:
        meta = params.get("_meta")
        says_version = isinstance(meta, dict) and VERSION_KEY in meta and method != "initialize"
        if self._is_stateless is None:
            self._is_stateless = says_version
        if not self._is_stateless:
            if says_version:
                raise ProtocolError(
                    INVALID_REQUEST,
                    "This connection began with a handshake, so its requests must not carry the "
                    f"envelope of {STATELESS_VERSIONS[-1]}.",
                )
            return
        if method == "initialize":
            raise _unsupported("This connection has no handshake.", params.get("protocolVersion"))
        _check_envelope(meta)

    def _greet(self, params: Message) -> Message:
        version, client = params.get("protocolVersion"), params.get("clientInfo")
        if not isinstance(version, str) or not isinstance(params.get("capabilities"), dict):
            raise invalid_params()
        if not isinstance(client, dict) or not isinstance(client.get("version"), str):
            raise invalid_params()
        self._agent = _name_of(client)
        self._is_greeted = True
        return greeting(version)

    def _answer_stateless(self, request_id: Any, method: str, params: Message) -> None:
        if method == "server/discover":
            self._reply(request_id, method, discovery())
            return
        request = params.get("notifications")
        if not isinstance(request, dict):
            raise invalid_params()
        if len(self._listeners) >= _MOST_LISTENERS:
            raise ProtocolError(INTERNAL_ERROR, "Subscription limit reached")
        filters: Message = {name: True for name in _FILTERS if request.get(name) is True}
        if isinstance(uris := request.get("resourceSubscriptions"), list) and uris:
            filters["resourceSubscriptions"] = uris
        with self._lock:
            self._listeners[request_id] = tuple(filters)
        self._tell(
            "notifications/subscriptions/acknowledged",
            {"_meta": {SUBSCRIPTION_KEY: request_id}, "notifications": filters},
        )

    # --- work -------------------------------------------------------------------------------------

    def _begin(self, request_id: Any, method: str, params: Message) -> None:
        meta = params.get("_meta")
        meta = meta if isinstance(meta, dict) else {}
        client = meta.get(CLIENT_KEY) if self._is_stateless else None
        agent = _name_of(client) if isinstance(client, dict) else self._agent
        token = meta.get("progressToken")
        steps = Progress(_tell_nobody if token is None else self._reporter(token))
        steps.is_waited_for = _is_waited_for(params)
        with self._lock:
            self._underway.setdefault(_key(request_id), []).append(steps)
        self._start(lambda: self._work(request_id, method, params, agent, steps))

    def _work(
        self, request_id: Any, method: str, params: Message, agent: str, steps: Progress
    ) -> None:
        reply: Reply | None = None
        try:
            if steps.is_cancelled.is_set():
                return
            reply = self._methods.answer(method, params, agent, steps)
        except Cancelled:
            return
        except ProtocolError as error:
            self._send(failure(request_id, error))
        except Exception as error:
            import logging

            logging.getLogger(__name__).exception("%s failed", method)
            name = type(error).__name__
            self._send(failure(request_id, ProtocolError(INTERNAL_ERROR, f"A bug: {name}.")))
        finally:
            if reply and not steps.is_cancelled.is_set():
                self._announce(reply.changed)
                self._reply(request_id, method, reply.result)
            self._end(request_id, steps)

    def _end(self, request_id: Any, steps: Progress) -> None:
        with self._lock:
            rest = [other for other in self._underway.pop(_key(request_id), []) if other != steps]
            if rest:
                self._underway[_key(request_id)] = rest
            self.is_idle.notify_all()

    def finish(self, seconds: float) -> None:
        """Wait for what was asked, but not for ever, and end what listens.

        Whoever pipes a request in closes the input at once, and gets what takes a moment. What
        only looks for something, and takes longer, is given up, and has a moment to notice that:
        then it ends with the process.
        """
        with self.is_idle:
            self.is_idle.wait_for(lambda: not self._underway, _MOMENT)
            for steps in self._list_underway():
                if not steps.is_waited_for:
                    steps.is_cancelled.set()
            self.is_idle.wait_for(lambda: not self._underway, _MOMENT)
            self.is_idle.wait_for(self._is_nobody_waited_for, seconds)
            late = self._list_underway()
            listeners = list(self._listeners)
        for steps in late:
            steps.is_cancelled.set()
        for request_id in listeners:
            end = ProtocolError(CONNECTION_CLOSED, "Connection closed")
            self._send(failure(request_id, end))

    def _list_underway(self) -> list[Progress]:
        return [steps for work in self._underway.values() for steps in work]

    def _is_nobody_waited_for(self) -> bool:
        return not any(steps.is_waited_for for steps in self._list_underway())

    # --- what goes out ----------------------------------------------------------------------------

    def _reply(self, request_id: Any, method: str, result: Message) -> None:
        if self._is_stateless:
            result = _stamp(method, result)
        self._send({"jsonrpc": "2.0", "id": request_id, "result": result})

    def _tell(self, method: str, params: Message | None = None) -> None:
        message: Message = {"jsonrpc": "2.0", "method": method}
        self._send(message | {"params": params} if params else message)

    def _announce(self, changed: str) -> None:
        """That a list is another one: to a client of the handshake, or to those who listen."""
        if not changed:
            return
        method = f"notifications/{changed}/list_changed"
        if not self._is_stateless:
            self._tell(method)
            return
        with self._lock:
            ids = [key for key, names in self._listeners.items() if _WANTED[changed] in names]
        for request_id in ids:
            self._tell(method, {"_meta": {SUBSCRIPTION_KEY: request_id}})

    def _reporter(self, token: Any) -> Callable[[int, int], None]:
        def report(done: int, total: int) -> None:
            params = {"progressToken": token, "progress": done, "total": total}
            self._tell("notifications/progress", params)

        return report


def _is_waited_for(params: Message) -> bool:
    """Return whether an answer is still given when the input has ended: not to a look at all pairs
    of memories, which nobody may be there to read."""
    arguments = params.get("arguments")
    return not isinstance(arguments, dict) or arguments.get("op") not in _LOOKS


def _tell_nobody(_done: int, _total: int) -> None:
    pass


def _key(request_id: Any) -> str:
    return repr(request_id)


def _name_of(client: Message) -> str:
    name = client.get("name")
    if not isinstance(name, str):
        raise invalid_params()
    return name[:100]


def _check_envelope(meta: Any) -> None:
    """Check what every request of the newer era has to say."""
    if not isinstance(meta, dict):
        raise ProtocolError(
            INVALID_PARAMS,
            f"params._meta has to be an object with {VERSION_KEY!r} and {CAPABILITIES_KEY!r}.",
        )
    if missing := [key for key in (VERSION_KEY, CAPABILITIES_KEY) if key not in meta]:
        raise ProtocolError(INVALID_PARAMS, f"params._meta lacks {', '.join(missing)}.")
    if not isinstance(meta[VERSION_KEY], str):
        raise ProtocolError(INVALID_PARAMS, f"{VERSION_KEY} is not a text.")
    if meta[VERSION_KEY] not in STATELESS_VERSIONS:
        raise _unsupported("Unsupported protocol version", meta[VERSION_KEY])


def _unsupported(message: str, version: Any) -> ProtocolError:
    data: Message = {"supported": list(STATELESS_VERSIONS)}
    if isinstance(version, str):
        data["requested"] = version
    return ProtocolError(UNSUPPORTED_VERSION, message, data)


def _stamp(method: str, result: Message) -> Message:
    """An answer of the newer era says who gives it, that it is whole, and how long it holds."""
    stamp = result | {"resultType": "complete", "_meta": {SERVER_KEY: SERVER_INFO}}
    if method not in _KEPT:
        return stamp
    is_constant = method == "tools/list"
    scope = "public" if is_constant else "private"
    return stamp | {"cacheScope": scope, "ttlMs": TOOLS_KEEP if is_constant else 0}
