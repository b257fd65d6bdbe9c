"""The endpoints of the protocol as an ASGI application."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from time import monotonic
from typing import Any, TypeVar

from numpy.typing import NDArray
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from ir_plugin.errors import Error, EvaluationError, InputError, OutOfMemoryError, ShapeError
from ir_plugin.serving.batcher import Batcher, Outputs
from ir_plugin.serving.bodies import Budget, read_body
from ir_plugin.serving.daemon_pool import DaemonPool
from ir_plugin.serving.limits import Limits
from ir_plugin.serving.messages import HEADER_LENGTH, InferenceRequest, encode, parse
from ir_plugin.serving.metrics import Metrics
from ir_plugin.serving.request_error import RequestError
from ir_plugin.serving.served_model import VERSION, ServedModel
from ir_plugin.version import __version__

Result = TypeVar("Result")
_PARSERS = 2
"""Threads that parse requests and write answers."""
_INLINE_BYTES = 16 << 10
"""Bytes up to which a body is parsed and an answer written in the event loop, which is faster than a thread."""
_log = logging.getLogger("ir_plugin.serving")


class Endpoints:
    """The endpoints of one model; `app` is the ASGI application."""

    def __init__(self, served: ServedModel, limits: Limits, *, is_batching: bool, workers: int) -> None:
        self._served, self.limits, self._metrics = served, limits, Metrics(served.name)
        self._is_batching, self._workers = is_batching, workers
        self._batcher: Batcher | None = None
        self._pending, self._is_stopping = 0, False
        self._tasks: set[asyncio.Future[Any] | None] = set()
        self._budget = Budget(limits.all_body_bytes)
        model = "/v2/models/{name}"
        routes = [
            Route("/v2", self._server),
            Route("/v2/health/live", self._live),
            Route("/v2/health/ready", self._ready),
            Route("/metrics", self._metrics_text),
        ]
        for prefix in (model, f"{model}/versions/{{version}}"):
            routes += [
                Route(prefix, self._metadata),
                Route(f"{prefix}/ready", self._model_ready),
                Route(f"{prefix}/infer", self._infer, methods=["POST"]),
            ]
        handlers: Any = {
            HTTPException: self._http_fault,
            Error: self._fault,
            MemoryError: self._fault,
            ClientDisconnect: self._fault,
            Exception: self._fault,
        }
        self.app = Starlette(routes=routes, exception_handlers=handlers, lifespan=self._lifespan)
        self.app.state.endpoints = self

    def refuse(self) -> None:
        """Refuse requests from now on; those that came before go on."""
        self._is_stopping = True

    def cancel(self) -> None:
        """End all requests; their answers say that the server stops."""
        self.refuse()
        for task in self._tasks:
            if task is not None:
                task.cancel()

    @asynccontextmanager
    async def _lifespan(self, _app: Starlette) -> AsyncIterator[None]:
        self._batcher = Batcher(
            self._served, self.limits, self._metrics, is_batching=self._is_batching, workers=self._workers
        )
        self._pool, self._is_stopping = DaemonPool(_PARSERS, "ir-plugin-parse"), False
        try:
            yield
        finally:
            batcher, self._batcher = self._batcher, None
            await batcher.close()
            self._pool.close()

    async def _server(self, _request: Request) -> Response:
        return _json({"name": "ir_plugin", "version": __version__, "extensions": ["binary_tensor_data"]})

    async def _live(self, _request: Request) -> Response:
        return Response()

    async def _ready(self, _request: Request) -> Response:
        batcher = self._batcher
        is_full = self._is_stopping or self._pending >= self.limits.queue_size
        return Response(status_code=503 if batcher is None or is_full or batcher.is_stuck else 200)

    async def _metrics_text(self, _request: Request) -> Response:
        return Response(self._metrics.text(), media_type="text/plain; version=0.0.4; charset=utf-8")

    async def _metadata(self, request: Request) -> Response:
        self._require_model(request)
        return _json(self._served.metadata())

    async def _model_ready(self, request: Request) -> Response:
        self._require_model(request)
        return await self._ready(request)

    def _require_model(self, request: Request) -> None:
        name, version = request.path_params["name"], request.path_params.get("version", VERSION)
        if name != self._served.name:
            raise RequestError(f"there is no model {name:.80}; the server has {self._served.name}", 404)
        if version != VERSION:
            raise RequestError(f"there is no version {version:.20} of {name}; it has {VERSION}", 404)

    async def _infer(self, request: Request) -> Response:
        start, task = monotonic(), asyncio.current_task()
        status = 500
        self._tasks.add(task)
        try:
            response = await self._admitted(request)
            status = response.status_code
        except asyncio.CancelledError:
            status = 503
            raise _stopping() from None
        except Exception as fault:
            status = _status(fault)
            raise
        finally:
            self._tasks.discard(task)
            self._metrics.count(status)
            self._metrics.request_seconds.observe(monotonic() - start)
        return response

    async def _admitted(self, request: Request) -> Response:
        """Answer a request unless the queue is full; one whose body is slow takes no place in it."""
        self._require_model(request)
        start = monotonic()
        self._require_place()
        with self._budget.account() as take:
            body = await self._body(request, take)
            self._require_place()
            self._pending += 1
            self._metrics.pending.inc()
            try:
                return await self._answered(request, body, start)
            finally:
                self._pending -= 1
                self._metrics.pending.dec()

    def _require_place(self) -> None:
        if self._batcher is None or self._is_stopping:
            raise _stopping()
        if self._pending >= self.limits.queue_size:
            raise RequestError(f"{self._pending} requests wait or run already", 503)

    async def _answered(self, request: Request, body: bytes, start: float) -> Response:
        message, arrays = await self._off_loop(lambda: self._parsed(request, body), len(body))
        left = min(start + self.limits.timeout - monotonic(), message.timeout or self.limits.timeout)
        try:
            outputs = await self._result(request, arrays, left)
        except asyncio.TimeoutError:
            raise RequestError(f"the request has no result after {monotonic() - start:.3g} s", 504) from None
        head = {"model_name": self._served.name, "model_version": VERSION}
        tensors = self._served.respond(message, outputs)
        size = sum(tensor.array.nbytes for tensor in tensors)
        data, json_length = await self._off_loop(lambda: encode(head, message, tensors), size)
        if json_length is None:
            return Response(data, media_type="application/json")
        return Response(data, headers={HEADER_LENGTH: str(json_length)}, media_type="application/octet-stream")

    def _parsed(self, request: Request, body: bytes) -> tuple[InferenceRequest, list[NDArray[Any]]]:
        message = parse(body, request.headers.get(HEADER_LENGTH))
        return message, self._served.bind(message)

    async def _off_loop(self, function: Callable[[], Result], size: int) -> Result:
        """Return a function's result; a thread runs it, unless it handles too few bytes to be worth that."""
        return function() if size <= _INLINE_BYTES else await self._pool.run(function)

    async def _result(self, request: Request, arrays: list[NDArray[Any]], seconds: float) -> Outputs:
        """Return the outputs of a run, which is cancelled where the time passes or the client hangs up."""
        if self._batcher is None:
            raise _stopping()
        result = self._batcher.submit(arrays)
        hang_up = asyncio.ensure_future(_hang_up(request))
        try:
            first: set[asyncio.Future[Any]] = {result, hang_up}
            await asyncio.wait(first, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            if result.done():
                return result.result()
            raise ClientDisconnect if hang_up.done() else asyncio.TimeoutError
        finally:
            hang_up.cancel()
            result.cancel()

    async def _body(self, request: Request, take: Callable[[int], None]) -> bytes:
        headers, limits = request.headers, self.limits
        encoding, declared = headers.get("content-encoding", ""), headers.get("content-length")
        reading = read_body(request.stream(), encoding, declared, limits.body_bytes, take, self._pool)
        try:
            return await asyncio.wait_for(reading, limits.timeout)
        except asyncio.TimeoutError:
            raise RequestError(f"the body is not complete after {limits.timeout:g} s", 408) from None

    async def _http_fault(self, request: Request, fault: Exception) -> Response:
        status = fault.status_code if isinstance(fault, HTTPException) else 500
        reason = {404: "there is no", 405: f"{request.method} is not a method of"}.get(status, "cannot serve")
        headers = fault.headers if isinstance(fault, HTTPException) else None
        return _json({"error": f"{reason} {request.url.path:.200}"}, status, headers)

    async def _fault(self, _request: Request, fault: Exception) -> Response:
        status = _status(fault)
        if status == 500:
            _log.error("a request failed", exc_info=fault)
        text = str(fault) if isinstance(fault, Error) else "the server failed; its log has the reason"
        return _json({"error": text}, status, {"Retry-After": "1"} if status == 503 else None)


async def _hang_up(request: Request) -> None:
    """Return once the client has closed its connection."""
    while (await request.receive())["type"] != "http.disconnect":
        continue


def _stopping() -> RequestError:
    return RequestError("the server stops", 503)


def _status(fault: BaseException) -> int:
    """Return the HTTP status of an error."""
    if isinstance(fault, RequestError):
        return fault.status
    if isinstance(fault, (OutOfMemoryError, MemoryError)):
        return 503
    if isinstance(fault, ClientDisconnect):
        return 499
    return 400 if isinstance(fault, (InputError, EvaluationError, ShapeError)) else 500


def _json(document: dict[str, Any], status: int = 200, headers: Any = None) -> Response:
    text = json.dumps(document, separators=(",", ":"))
    return Response(text, status, headers, media_type="application/json")
