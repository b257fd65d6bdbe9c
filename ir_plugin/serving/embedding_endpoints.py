"""The endpoints of OpenAI's protocol for the embeddings of texts as an ASGI application."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import Any

import numpy as np
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ir_plugin import genai
from ir_plugin.serving.base import json_response, stopping
from ir_plugin.serving.daemon_pool import DaemonPool
from ir_plugin.serving.limits import Limits
from ir_plugin.serving.openai_endpoints import OpenAIEndpoints, document_of
from ir_plugin.serving.request_error import RequestError
from ir_plugin.serving.text_messages import is_text, requested_model
from ir_plugin.serving.waiting import within

_PATH = "/v1/embeddings"
_MAX_TEXTS = 2048
_FORMATS = ("float", "base64")
_PARAMETERS = {"model", "input", "encoding_format", "dimensions", "user"}


@dataclass(frozen=True)
class EmbeddingRequest:
    """The texts of a request, and whether their vectors are written as base64."""

    texts: list[str]
    is_base64: bool


class EmbeddingModel:
    """The pipeline of a folder with a name. One thread at a time may use it."""

    def __init__(self, folder: Path, name: str, config: dict[str, Any]) -> None:
        self.name = name
        self.created = int((folder / genai.MODEL_FILE).stat().st_mtime)
        self._pipeline = genai.TextEmbeddingPipeline(folder, "CPU", pooling_type=_pooling(folder), **config)

    def warm(self) -> None:
        """Compute a vector, so that kernels are compiled."""
        self._pipeline.embed_documents(["a"])

    def answer(self, request: EmbeddingRequest) -> dict[str, Any]:
        """Return the document of the vectors of texts."""
        vectors = self._pipeline.embed_documents(request.texts)
        written = [_base64(vector) if request.is_base64 else vector for vector in vectors]
        data = [{"object": "embedding", "index": index, "embedding": value} for index, value in enumerate(written)]
        count = self._pipeline.token_count
        usage = {"prompt_tokens": count, "total_tokens": count}
        return {"object": "list", "data": data, "model": self.name, "usage": usage}


class EmbeddingEndpoints(OpenAIEndpoints):
    """The endpoints of one model of embeddings; `app` is the ASGI application."""

    def __init__(self, served: EmbeddingModel, limits: Limits) -> None:
        self._served = served
        self._worker: DaemonPool | None = None
        unsupported = dict.fromkeys(("/v1/chat/completions", "/v1/completions"), "generates no text: it has embeddings")
        routes = [Route(_PATH, self._embeddings, methods=["POST"])]
        super().__init__(served.name, served.created, limits, routes, unsupported)

    def warm(self) -> None:
        """Compile the model's kernels before the server is ready."""
        self._served.warm()

    @asynccontextmanager
    async def _running(self) -> AsyncIterator[None]:
        self._worker = DaemonPool(1, "ir-plugin-embed")
        try:
            yield
        finally:
            self._worker.close()
            self._worker = None

    async def _embeddings(self, request: Request) -> Response:
        with self._tracked() as outcome:
            async with self._admitted(request) as body:
                sent = await self._off_loop(lambda: document_of(body), len(body))
                self._require_model(requested_model(sent))
                message = await self._off_loop(lambda: parse_embedding(sent), len(body))
                document = await self._answered(message)
            outcome.status = 200
            return json_response(document)

    async def _answered(self, message: EmbeddingRequest) -> dict[str, Any]:
        """Return the document of vectors, or raise where it is not there in time."""
        if self._worker is None:
            raise stopping()
        try:
            return await within(self._worker.run(lambda: self._served.answer(message)), self.limits.timeout)
        except asyncio.TimeoutError:
            raise RequestError(f"no vector came within {self.limits.timeout:g} s", 504) from None


def parse_embedding(document: dict[str, Any]) -> EmbeddingRequest:
    """Return the request that a body of /v1/embeddings holds."""
    for name, value in document.items():
        if name not in _PARAMETERS:
            raise RequestError(f"there is no parameter {name:.80}", param=name[:80], code="unknown_parameter")
        if name == "dimensions" and value is not None:
            raise RequestError("dimensions is not supported", param=name, code="unsupported_parameter")
    texts, format = document.get("input"), document.get("encoding_format") or "float"
    texts = [texts] if isinstance(texts, str) else texts
    if not isinstance(texts, list) or not 0 < len(texts) <= _MAX_TEXTS or not all(map(is_text, texts)):
        raise RequestError(f"input is a text or a list of up to {_MAX_TEXTS} texts", param="input")
    if format not in _FORMATS:
        raise RequestError(f"encoding_format is one of {', '.join(_FORMATS)}", param="encoding_format")
    return EmbeddingRequest(texts, format == "base64")


def _base64(vector: list[float]) -> str:
    return base64.b64encode(np.array(vector, "<f4").tobytes()).decode()


def _pooling(folder: Path) -> IntEnum:
    """Return how the vectors of tokens become one, as the folder's file of sentence-transformers says, or CLS."""
    config = genai.read_json(folder / "1_Pooling" / "config.json")
    kinds = genai.TextEmbeddingPipeline.PoolingType
    modes = {"pooling_mode_mean_tokens": kinds.MEAN, "pooling_mode_lasttoken": kinds.LAST_TOKEN}
    return next((kind for mode, kind in modes.items() if config.get(mode) is True), kinds.CLS)
