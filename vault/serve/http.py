"""The operations over HTTP: the API, its document, and MCP at `/mcp`. Loopback unless tokens are there."""

import asyncio
import json
import logging
import re
import resource
import signal
import socket
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from time import monotonic
from types import UnionType
from typing import Annotated, Any, ClassVar, Union, get_args, get_origin

import uvicorn
from h11 import IDLE, SEND_BODY
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from vault.errors import UsageError, VaultError
from vault.serve.auth import Callers, Rejected
from vault.serve.connections import Patience, busy, patience, too_slow
from vault.serve.dispatch import call
from vault.serve.hints import error_of
from vault.serve.limits import RateLimit
from vault.serve.mcp import Sessions
from vault.serve.origins import Site, check_body_type
from vault.serve.routes import PATHS, Path, document
from vault.serve.session import Desk
from vault.serve.tokens import BadTokens

#: Bytes that a body may have.
BODY_MAX = 4_000_000
#: Calls that are at work at one time: those that read, and those that write, which may wait for whoever writes.
READERS, WRITERS = 4, 8
#: A whole number in a query: ASCII, one sign.
_WHOLE = re.compile(r"-?[0-9]{1,11}")
#: Seconds that a call under way has to finish once the server is to stop.
GRACE = 30

#: Headers of MCP that a page has to send and to read.
MCP_HEADERS = ("Mcp-Session-Id", "Mcp-Protocol-Version")

#: Error code → HTTP status; other failures of usage are 400, and what is left 422.
STATUSES = {
    "not-found": 404,
    "unknown-tool": 404,
    "unknown-space": 404,
    "not-there-then": 404,
    "ambiguous": 409,
    "already-there": 409,
    "path-taken": 409,
    "slot-conflict": 409,
    "stale-version": 412,
    "consent-required": 403,
    "other-agent": 403,
    "not-permitted": 403,
    "not-bound": 403,
    "vault-locked": 503,
    "catalog-busy": 503,
    "invalid-payload": 400,
}


@dataclass(frozen=True, slots=True)
class _Handed:
    """What a route hands over whole, whatever its method: a function would be asked for an answer."""

    to: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self.to(scope, receive, send)


@dataclass(eq=False)
class HttpSurface:
    """One vault served to its callers; `site` says which hosts and pages a request may name."""

    callers: Callers
    site: Site
    limit: RateLimit = field(default_factory=RateLimit)
    clock: Callable[[], float] = monotonic
    _sessions: Sessions = field(default_factory=Sessions)
    _readers: ThreadPoolExecutor = field(
        default_factory=lambda: ThreadPoolExecutor(READERS, thread_name_prefix="vault")
    )
    _writers: ThreadPoolExecutor = field(
        default_factory=lambda: ThreadPoolExecutor(WRITERS, thread_name_prefix="write")
    )

    def app(self) -> Starlette:
        """The application."""
        by_path: dict[str, dict[str, Path]] = {}
        for one in PATHS:
            by_path.setdefault(one.path, {})[one.method] = one
        routes = [Route(path, partial(self._answered, ways), methods=list(ways)) for path, ways in by_path.items()]
        routes.append(Route("/openapi.json", self._document, methods=["GET"]))
        return Starlette(
            routes=[*routes, Route("/mcp", _Handed(self._mcp)), Mount("/mcp", self._mcp)],
            lifespan=self._lifespan,
            exception_handlers={HTTPException: _unserved},
            middleware=[_cors(self.site.allowed)] if self.site.allowed else [],
        )

    @asynccontextmanager
    async def _lifespan(self, _: Starlette) -> AsyncIterator[None]:
        """Serve MCP as well, and finish what is under way at the end."""
        async with self._sessions:
            yield
        for pool in (self._readers, self._writers):
            await run_in_threadpool(pool.shutdown)

    async def _mcp(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand a request over to MCP, once its caller is known."""
        try:
            request = Request(scope)
            desk = self._caller(request)
            check_body_type(_headers(request))
        except VaultError as error:
            await _failure(error)(scope, receive, send)
            return
        await (await self._sessions.of(desk)).handle_request(scope, receive, send)

    async def _document(self, request: Request) -> Response:
        try:
            self._caller(request)
        except VaultError as error:
            return _failure(error)
        return JSONResponse(document())

    async def _answered(self, ways: Mapping[str, Path], request: Request) -> Response:
        """Answer a request; whatever goes wrong is JSON with a code, a sentence and a next step."""
        path = ways["GET" if request.method == "HEAD" else request.method]
        try:
            desk = self._caller(request)
            check_body_type(_headers(request))
            given = await self._given(path, request)
            pool = self._readers if path.operation.reads else self._writers
            answer = await asyncio.wrap_future(pool.submit(call, desk, path.tool, given))
        except VaultError as error:
            return _failure(error)
        except ClientDisconnect:
            return Response(status_code=400)  # nobody is there to read it
        except Exception:  # the boundary: whatever else happens is ours, and is logged
            logging.getLogger("vault.serve").exception("%s %s", request.method, path.path)
            return JSONResponse(
                {
                    "error": {
                        "code": "internal",
                        "message": "a fault of the program",
                        "hint": "the server's log says more",
                    }
                },
                500,
            )
        version = answer.get("version")
        tag = {"ETag": f'"{version}"'} if version else {}
        if version and request.method == "GET" and request.headers.get("if-none-match") == tag["ETag"]:
            return Response(status_code=304, headers=tag)
        return JSONResponse(answer, headers=tag)

    # -- the door

    def _caller(self, request: Request) -> Desk:
        """The desk of whoever asks. Raises `Rejected`."""
        self.site.check(request.url.scheme, _headers(request))
        try:
            name, desk = self.callers.desk(_secret(request.headers.get("authorization", "")))
        except BadTokens as error:
            logging.getLogger("vault.serve").error("%s: %s", error.message, error.hint)  # noqa: TRY400  it says it all
            raise Rejected(503, "bad-tokens", "the tokens cannot be read", "the server's log says why") from error
        wait = self.limit.wait(name or (request.client.host if request.client else ""), self.clock())
        if wait:
            raise Rejected(429, "too-many-calls", "too many calls", f"wait {max(wait, 0.1):.1f} seconds")
        return desk

    async def _given(self, path: Path, request: Request) -> dict[str, Any]:
        """What a request gives: the body or the query, what the path says, and the version in `If-Match`."""
        if path.has_body:
            given = await _body(request)
        else:
            given = _read_query(path, request)
        if path.inside:
            if path.inside in given:
                raise Rejected(400, "invalid-parameter", f"`{path.inside}` is given by the path", "leave it out")
            given[path.inside] = request.path_params[path.inside]
        match = request.headers.get("if-match")
        if match and match != "*" and "version" in path.operation.takes.model_fields:
            given.setdefault("version", match.removeprefix("W/").strip('"'))
        return given


def _headers(request: Request) -> dict[str, list[str]]:
    """The headers of a request by their names in lower case."""
    return {name: request.headers.getlist(name) for name in request.headers}


def _cors(origins: Collection[str]) -> Middleware:
    """What lets pages of other origins read the answers."""
    return Middleware(
        CORSMiddleware,
        allow_origins=sorted(origins),
        allow_methods=["GET", "POST", "PATCH", "DELETE"],
        allow_headers=["Authorization", "Content-Type", "If-Match", "If-None-Match", "Last-Event-ID", *MCP_HEADERS],
        expose_headers=["ETag", *MCP_HEADERS],
    )


def _secret(authorization: str) -> str:
    """The secret that a header sends; "" for none."""
    scheme, _, secret = authorization.strip().partition(" ")
    return secret.strip() if scheme.lower() == "bearer" else authorization.strip()


async def _body(request: Request) -> dict[str, Any]:
    """The JSON object of a request. Raises `Rejected`."""
    data = b""
    async for chunk in request.stream():
        data += chunk
        if len(data) > BODY_MAX:
            raise Rejected(413, "too-large", f"the body has more than {BODY_MAX} bytes", "send less at a time")
    try:
        given = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise Rejected(400, "not-json", f"the body is not JSON: {error}", "send a JSON object") from error
    if not isinstance(given, dict):
        raise Rejected(400, "not-json", "the body is not a JSON object", "send a JSON object")
    return given


def _read_query(path: Path, request: Request) -> dict[str, Any]:
    """The parameters of a query, as the kinds the operation takes. Raises `Rejected`."""
    found: dict[str, Any] = {}
    fields = path.operation.takes.model_fields
    for name, text in request.query_params.multi_items():
        if name in found:
            raise Rejected(400, "invalid-parameter", f"`{name}` is given twice", "give it once")
        kind = fields[name].annotation if name in fields else str
        found[name] = _typed(text, kind)
    return found


def _typed(text: str, kind: object) -> Any:
    """A number or truth value where one is taken; else the text, which is refused where it does not fit."""
    kinds = _kinds(kind)
    if int in kinds and _WHOLE.fullmatch(text):
        return int(text)
    if bool in kinds and text.lower() in ("true", "false", "1", "0"):
        return text.lower() in ("true", "1")
    return text


def _kinds(kind: object) -> set[object]:
    """The types that a parameter takes, those inside `X | None` and `Annotated` too."""
    if get_origin(kind) is Annotated:
        return _kinds(get_args(kind)[0])
    if isinstance(kind, UnionType) or get_origin(kind) is Union:
        return {inner for part in get_args(kind) for inner in _kinds(part)}
    return {kind}


def _failure(error: VaultError) -> Response:
    if isinstance(error, Rejected):
        status = error.http
    else:
        status = STATUSES.get(error.code, 400 if isinstance(error, UsageError) else 422)
    headers = {429: {"Retry-After": "1"}, 503: {"Retry-After": "1"}, 401: {"WWW-Authenticate": "Bearer"}}.get(status)
    return JSONResponse(error_of(error), status, headers=headers)


async def _unserved(request: Request, error: Exception) -> Response:
    """Say that nothing is there, or nothing that is done in this way, as all else is said."""
    assert isinstance(error, HTTPException)  # noqa: S101  what it is registered for
    what = f"{request.method} {request.url.path}"
    response = _failure(Rejected(error.status_code, "unknown-path", f"`{what}` is not served", "see /openapi.json"))
    response.headers.update(error.headers or {})
    return response


class CannotListen(VaultError):
    """An address that the system does not let us listen on."""

    code = "cannot-listen"

    def __init__(self, host: str, port: int, why: str) -> None:
        super().__init__(
            f"nobody can be served at {host}:{port}: {why}",
            hint="choose another port (`--port 0` takes a free one), or end what serves there",
        )


class Connection(H11Protocol):
    """A connection whose requests have to arrive in time; one too many is closed at once."""

    patience: ClassVar[Patience]
    _part: str = ""
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as its base has it
        """Take a connection, or turn it away."""
        if len(self.connections) >= self.patience.connections:
            self.transport = transport
            transport.write(busy())
            transport.close()
            return
        super().connection_made(transport)
        self._wait_for("head")

    def data_received(self, data: bytes) -> None:
        """Take a part of a request, and see what is still to come."""
        super().data_received(data)
        self._wait_for({IDLE: "head", SEND_BODY: "body"}.get(self.conn.their_state, ""))

    def connection_lost(self, exc: Exception | None) -> None:
        """Note that the other side is gone."""
        self._wait_for("")
        super().connection_lost(exc)

    def _wait_for(self, part: str) -> None:
        """Give a part of a request its time; "" where none is to come."""
        if part == self._part:
            return
        if self._timer:
            self._timer.cancel()
        seconds = {"head": self.patience.head, "body": self.patience.body}
        self._timer = self.loop.call_later(seconds[part], self._give_up) if part else None
        self._part = part

    def _give_up(self) -> None:
        if self.transport.is_closing():
            return
        if self.cycle is None or self._part == "head" or not self.cycle.response_started:
            self.transport.write(too_slow(self._part))
        self.transport.close()


def server(surface: HttpSurface, host: str, port: int, limits: Patience) -> uvicorn.Server:
    """A server for some sockets, within limits."""
    config = uvicorn.Config(
        surface.app(),
        host=host,
        port=port,
        log_config=None,
        access_log=False,
        http=type("LimitedConnection", (Connection,), {"patience": limits}),
        ws="none",
        backlog=limits.waiting,
        h11_max_incomplete_event_size=BODY_MAX,  # a query may be as long as a body
        timeout_graceful_shutdown=GRACE,
        lifespan="on",
    )
    return uvicorn.Server(config)


def run(surface: HttpSurface, host: str, port: int, *, ready: Callable[[int], None]) -> None:
    """Serve until the process is told to stop; a call under way is finished first. Raises `CannotListen`."""
    serving = server(surface, host, port, patience(resource.getrlimit(resource.RLIMIT_NOFILE)[0]))
    bound = listening(host, port)

    def stop(*_: object) -> None:
        serving.should_exit = True  # uvicorn has its own way while it serves, and hands the signal on afterwards

    before = signal.signal(signal.SIGTERM, stop)
    try:
        ready(bound.getsockname()[1])
        serving.run(sockets=[bound])
    finally:
        signal.signal(signal.SIGTERM, before)


def listening(host: str, port: int) -> socket.socket:
    """A socket that listens. Raises `CannotListen`."""
    # the event loop sends small answers at once only where it is told that it is TCP: else each takes 40 ms more
    bound = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if bound.family == socket.AF_INET6:
            bound.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        bound.bind((host, port))
        bound.listen()
    except OSError as error:
        bound.close()
        raise CannotListen(host, port, error.strerror or str(error)) from error
    return bound
