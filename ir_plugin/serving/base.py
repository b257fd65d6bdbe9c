"""What the endpoints of all protocols share: bodies within limits, places in a queue, a stop, and metrics."""

from __future__ import annotations

import asyncio
import json
import logging
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass
from time import monotonic
from typing import Any, TypeVar

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from ir_plugin.errors import Error, EvaluationError, InputError, OutOfMemoryError, ShapeError
from ir_plugin.serving.bodies import Budget, read_body
from ir_plugin.serving.daemon_pool import DaemonPool
from ir_plugin.serving.limits import Limits
from ir_plugin.serving.metrics import Metrics
from ir_plugin.serving.request_error import RequestError
from ir_plugin.serving.waiting import within

Result = TypeVar("Result")
_PARSERS = 2
"""Threads that parse requests and write answers."""
_INLINE_BYTES = 16 << 10
"""Bytes up to which a body is parsed and an answer written in the event loop, which is faster than a thread."""
_log = logging.getLogger("ir_plugin.serving")


@dataclass
class Outcome:
    """The HTTP status of a request, 500 until it is known."""

    status: int = 500


class BaseEndpoints(ABC):
    """The endpoints of one model; `app` is the ASGI application."""

    def __init__(self, name: str, limits: Limits, routes: Sequence[Route]) -> None:
        self.limits, self._metrics = limits, Metrics(name)
        self._pending, self._is_stopping = 0, False
        self._tasks: set[asyncio.Future[Any] | None] = set()
        self._budget = Budget(limits.all_body_bytes)
        handlers: Any = {
            HTTPException: self._http_fault,
            Error: self._fault,
            MemoryError: self._fault,
            ClientDisconnect: self._fault,
            Exception: self._fault,
        }
        all_routes = [*routes, Route("/metrics", self._metrics_text)]
        self.app = Starlette(routes=all_routes, exception_handlers=handlers, lifespan=self._lifespan)
        self.app.state.endpoints = self

    @abstractmethod
    def _running(self) -> AbstractAsyncContextManager[None]:
        """Return a context in which requests can be answered."""

    @abstractmethod
    def _error(self, text: str, status: int, fault: BaseException) -> dict[str, Any]:
        """Return the JSON of an error."""

    def refuse(self) -> None:
        """Refuse requests from now on; those that came before go on."""
        self._is_stopping = True

    def refusal(self, text: str, status: int) -> bytes:
        """Return the body of an error."""
        return json.dumps(self._error(text, status, RequestError(text, status)), separators=(",", ":")).encode()

    def cancel(self) -> None:
        """End all requests; their answers say that the server stops."""
        self.refuse()
        for task in self._tasks:
            if task is not None:
                task.cancel()

    @asynccontextmanager
    async def _lifespan(self, _app: Starlette) -> AsyncIterator[None]:
        self._pool, self._is_stopping = DaemonPool(_PARSERS, "ir-plugin-parse"), False
        try:
            async with self._running():
                yield
        finally:
            self._pool.close()

    async def _metrics_text(self, _request: Request) -> Response:
        return Response(self._metrics.text(), media_type="text/plain; version=0.0.4; charset=utf-8")

    @contextmanager
    def _tracked(self) -> Iterator[Outcome]:
        """Count a request and its time, and let `cancel` end it."""
        start, task, outcome = monotonic(), asyncio.current_task(), Outcome()
        self._tasks.add(task)
        try:
            yield outcome
        except asyncio.CancelledError:
            outcome.status = 503
            raise stopping() from None
        except Exception as fault:
            outcome.status = status_of(fault)
            raise
        finally:
            self._tasks.discard(task)
            self._metrics.count(outcome.status)
            self._metrics.request_seconds.observe(monotonic() - start)

    @asynccontextmanager
    async def _admitted(self, request: Request) -> AsyncIterator[bytes]:
        """Read a request's body and hold a place in the queue; one whose body is slow takes no place."""
        self._require_place()
        with self._budget.account() as take:
            body = await self._body(request, take)
            self._require_place()
            self._pending += 1
            self._metrics.pending.inc()
            try:
                yield body
            finally:
                self._pending -= 1
                self._metrics.pending.dec()

    def _require_place(self) -> None:
        if self._is_stopping:
            raise stopping()
        if self._pending >= self.limits.queue_size:
            raise RequestError(f"{self._pending} requests wait or run already", 503)

    async def _off_loop(self, function: Callable[[], Result], size: int) -> Result:
        """Return a function's result; a thread runs it, unless it handles too few bytes to be worth that."""
        return function() if size <= _INLINE_BYTES else await self._pool.run(function)

    async def _body(self, request: Request, take: Callable[[int], None]) -> bytes:
        headers, limits = request.headers, self.limits
        encoding, declared = headers.get("content-encoding", ""), headers.get("content-length")
        reading = read_body(request.stream(), encoding, declared, limits.body_bytes, take, self._pool)
        try:
            return await within(reading, limits.timeout)
        except asyncio.TimeoutError:
            raise RequestError(f"the body is not complete after {limits.timeout:g} s", 408) from None

    async def _http_fault(self, request: Request, fault: Exception) -> Response:
        status = fault.status_code if isinstance(fault, HTTPException) else 500
        reason = {404: "there is no", 405: f"{request.method} is not a method of"}.get(status, "cannot serve")
        headers = fault.headers if isinstance(fault, HTTPException) else None
        return json_response(self._error(f"{reason} {request.url.path:.200}", status, fault), status, headers)

    async def _fault(self, _request: Request, fault: Exception) -> Response:
        status = status_of(fault)
        return json_response(self._document(fault), status, {"Retry-After": "1"} if status == 503 else None)

    def _document(self, fault: BaseException) -> dict[str, Any]:
        """Return the JSON of an error; one that is no fault of the client is logged."""
        status = status_of(fault)
        if status == 500:
            _log.error("a request failed", exc_info=fault)
        text = str(fault) if isinstance(fault, Error) else "the server failed; its log has the reason"
        return self._error(text, status, fault)


async def hang_up(request: Request) -> None:
    """Return once the client has closed its connection."""
    while (await request.receive())["type"] != "http.disconnect":
        continue


def stopping() -> RequestError:
    """Return the error of requests that a stopping server does not answer."""
    return RequestError("the server stops", 503)


def status_of(fault: BaseException) -> int:
    """Return the HTTP status of an error."""
    if isinstance(fault, RequestError):
        return fault.status
    if isinstance(fault, (OutOfMemoryError, MemoryError)):
        return 503
    if isinstance(fault, ClientDisconnect):
        return 499
    return 400 if isinstance(fault, (InputError, EvaluationError, ShapeError)) else 500


def json_response(document: dict[str, Any], status: int = 200, headers: Any = None) -> Response:
    """Return a response with a JSON document."""
    text = json.dumps(document, separators=(",", ":"))
    return Response(text, status, headers, media_type="application/json")
