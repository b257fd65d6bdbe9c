"""The endpoints of the Open Inference Protocol as an ASGI application."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from time import monotonic
from typing import Any

from numpy.typing import NDArray
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from ir_plugin.serving.base import BaseEndpoints, hang_up, json_response, stopping
from ir_plugin.serving.batcher import Batcher, Outputs
from ir_plugin.serving.limits import Limits
from ir_plugin.serving.messages import HEADER_LENGTH, InferenceRequest, encode, parse
from ir_plugin.serving.request_error import RequestError
from ir_plugin.serving.served_model import VERSION, ServedModel
from ir_plugin.version import __version__


class Endpoints(BaseEndpoints):
    """The endpoints of one model; `app` is the ASGI application."""

    def __init__(self, served: ServedModel, limits: Limits, *, is_batching: bool, workers: int) -> None:
        self._served = served
        self._is_batching, self._workers = is_batching, workers
        self._batcher: Batcher | None = None
        routes = [
            Route("/v2", self._server),
            Route("/v2/health/live", self._live),
            Route("/v2/health/ready", self._ready),
        ]
        for prefix in ("/v2/models/{name}", "/v2/models/{name}/versions/{version}"):
            routes += [
                Route(prefix, self._metadata),
                Route(f"{prefix}/ready", self._model_ready),
                Route(f"{prefix}/infer", self._infer, methods=["POST"]),
            ]
        super().__init__(served.name, limits, routes)

    @asynccontextmanager
    async def _running(self) -> AsyncIterator[None]:
        self._batcher = Batcher(
            self._served, self.limits, self._metrics, is_batching=self._is_batching, workers=self._workers
        )
        try:
            yield
        finally:
            batcher, self._batcher = self._batcher, None
            await batcher.close()

    async def _server(self, _request: Request) -> Response:
        return json_response({"name": "ir_plugin", "version": __version__, "extensions": ["binary_tensor_data"]})

    async def _live(self, _request: Request) -> Response:
        return Response()

    async def _ready(self, _request: Request) -> Response:
        batcher = self._batcher
        is_full = self._is_stopping or self._pending >= self.limits.queue_size
        return Response(status_code=503 if batcher is None or is_full or batcher.is_stuck else 200)

    async def _metadata(self, request: Request) -> Response:
        self._require_model(request)
        return json_response(self._served.metadata())

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
        with self._tracked() as outcome:
            self._require_model(request)
            start = monotonic()
            async with self._admitted(request) as body:
                response = await self._answered(request, body, start)
            outcome.status = response.status_code
        return response

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

    async def _result(self, request: Request, arrays: list[NDArray[Any]], seconds: float) -> Outputs:
        """Return the outputs of a run, which is cancelled where the time passes or the client hangs up."""
        if self._batcher is None:
            raise stopping()
        result = self._batcher.submit(arrays)
        closing = asyncio.ensure_future(hang_up(request))
        try:
            first: set[asyncio.Future[Any]] = {result, closing}
            await asyncio.wait(first, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            if result.done():
                return result.result()
            raise ClientDisconnect if closing.done() else asyncio.TimeoutError
        finally:
            closing.cancel()
            result.cancel()

    def _error(self, text: str, status: int, fault: BaseException) -> dict[str, Any]:
        del status, fault
        return {"error": text}
