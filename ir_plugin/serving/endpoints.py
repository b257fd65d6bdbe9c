"""The endpoints of the protocol as an ASGI application."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from time import monotonic
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from ir_plugin.errors import Error, EvaluationError, InputError, OutOfMemoryError, ShapeError
from ir_plugin.serving.batcher import Batcher
from ir_plugin.serving.bodies import read_body
from ir_plugin.serving.limits import Limits
from ir_plugin.serving.messages import HEADER_LENGTH, encode, parse
from ir_plugin.serving.metrics import Metrics
from ir_plugin.serving.request_error import RequestError
from ir_plugin.serving.served_model import VERSION, ServedModel
from ir_plugin.version import __version__

_log = logging.getLogger("ir_plugin.serving")


class Endpoints:
    """The endpoints of one model; `app` is the ASGI application."""

    def __init__(self, served: ServedModel, limits: Limits, *, is_batching: bool, workers: int) -> None:
        self._served, self._limits, self._metrics = served, limits, Metrics(served.name)
        self._is_batching, self._workers = is_batching, workers
        self._batcher: Batcher | None = None
        self._pending = 0
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
            Exception: self._fault,
        }
        self.app = Starlette(routes=routes, exception_handlers=handlers, lifespan=self._lifespan)

    @asynccontextmanager
    async def _lifespan(self, _app: Starlette) -> AsyncIterator[None]:
        self._batcher = Batcher(
            self._served, self._limits, self._metrics, is_batching=self._is_batching, workers=self._workers
        )
        try:
            yield
        finally:
            batcher, self._batcher = self._batcher, None
            await batcher.close()

    async def _server(self, _request: Request) -> Response:
        return _json({"name": "ir_plugin", "version": __version__, "extensions": ["binary_tensor_data"]})

    async def _live(self, _request: Request) -> Response:
        return Response()

    async def _ready(self, _request: Request) -> Response:
        return Response(status_code=200 if self._batcher is not None else 503)

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
        start = monotonic()
        status = 500
        try:
            response = await self._admitted(request)
            status = response.status_code
        except Exception as fault:
            status = _status(fault)
            raise
        finally:
            self._metrics.count(status)
            self._metrics.request_seconds.observe(monotonic() - start)
        return response

    async def _admitted(self, request: Request) -> Response:
        """Answer a request unless the queue is full; it takes its place before its body is read."""
        self._require_model(request)
        if self._pending >= self._limits.queue_size:
            raise RequestError(f"{self._pending} requests wait or run already", 503)
        self._pending += 1
        self._metrics.pending.inc()
        try:
            return await self._answered(request)
        finally:
            self._pending -= 1
            self._metrics.pending.dec()

    async def _answered(self, request: Request) -> Response:
        start, loop = monotonic(), asyncio.get_running_loop()
        body = await self._body(request)
        message = await loop.run_in_executor(None, parse, body, request.headers.get(HEADER_LENGTH))
        arrays = await loop.run_in_executor(None, self._served.bind, message)
        if self._batcher is None:
            raise RequestError("the server stops", 503)
        left = min(start + self._limits.timeout - monotonic(), message.timeout or self._limits.timeout)
        try:
            outputs = await asyncio.wait_for(self._batcher.infer(arrays), left)
        except asyncio.TimeoutError:
            raise RequestError(f"the request has no result after {monotonic() - start:.3g} s", 504) from None
        head = {"model_name": self._served.name, "model_version": VERSION}
        tensors = self._served.respond(message, outputs)
        data, json_length = await loop.run_in_executor(None, encode, head, message, tensors)
        if json_length is None:
            return Response(data, media_type="application/json")
        return Response(data, headers={HEADER_LENGTH: str(json_length)}, media_type="application/octet-stream")

    async def _body(self, request: Request) -> bytes:
        headers, limits = request.headers, self._limits
        encoding, declared = headers.get("content-encoding", ""), headers.get("content-length")
        reading = read_body(request.stream(), encoding, declared, limits.body_bytes)
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
