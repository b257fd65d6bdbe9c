"""What the endpoints of OpenAI's protocol share: the name of the model, errors, and addresses without an answer."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ir_plugin.serving.base import BaseEndpoints, json_response
from ir_plugin.serving.limits import Limits
from ir_plugin.serving.request_error import RequestError

_V1, _V3 = "/v1", "/v3"


class OpenAIEndpoints(BaseEndpoints):
    """The endpoints of one model, which cannot answer at the `unsupported` addresses, for the reason of each."""

    def __init__(
        self, name: str, created: int, limits: Limits, routes: Sequence[Route], unsupported: Mapping[str, str]
    ) -> None:
        self._entry = {"id": name, "object": "model", "created": created, "owned_by": "ir_plugin"}
        self._unsupported = unsupported
        common = [
            Route("/health", self._health),
            Route("/v1/models", self._models),
            Route("/v1/models/{name:path}", self._model),
        ]
        refused = [Route(path, self._refuse, methods=["POST"]) for path in unsupported]
        all_routes = [*common, *routes, *refused]
        super().__init__(name, limits, [*all_routes, *map(_twin, all_routes[1:])])

    async def _health(self, _request: Request) -> Response:
        return Response(status_code=503 if self._is_stopping or self._pending >= self.limits.queue_size else 200)

    async def _models(self, _request: Request) -> Response:
        return json_response({"object": "list", "data": [self._entry]})

    async def _model(self, request: Request) -> Response:
        if not request.path_params["name"]:
            return await self._models(request)
        self._require_model(request.path_params["name"])
        return json_response(self._entry)

    async def _refuse(self, request: Request) -> Response:
        raise RequestError(
            f"{self._entry['id']} {self._unsupported[_V1 + request.url.path[len(_V1) :]]}", param="model"
        )

    def _require_model(self, name: str) -> None:
        if name != self._entry["id"]:
            message = f"there is no model {name:.80}; the server has {self._entry['id']}"
            raise RequestError(message, 404, param="model", code="model_not_found")

    def _error(self, text: str, status: int, fault: BaseException) -> dict[str, Any]:
        kind = "server_error" if status >= 500 else "invalid_request_error"
        param, code = getattr(fault, "param", None), getattr(fault, "code", None)
        return {"error": {"message": text, "type": kind, "param": param, "code": code}}


def _twin(route: Route) -> Route:
    """Return the route for the address that OpenVINO Model Server has in place of OpenAI's."""
    return Route(_V3 + route.path[len(_V1) :], route.endpoint, methods=[*(route.methods or ())])


def document_of(body: bytes) -> dict[str, Any]:
    """Return the object that a body holds."""
    try:
        document = json.loads(body)
    except (ValueError, RecursionError) as fault:
        raise RequestError(f"the request is not JSON: {fault}") from fault
    if not isinstance(document, dict):
        raise RequestError(f"the request is a JSON object, not {type(document).__name__}")
    return document
