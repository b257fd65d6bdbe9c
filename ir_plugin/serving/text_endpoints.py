"""The endpoints of OpenAI's protocol for texts as an ASGI application."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager, suppress
from time import time
from typing import Any
from uuid import uuid4

from starlette.requests import ClientDisconnect, Request
from starlette.routing import Route

from ir_plugin.serving.base import hang_up, json_response, status_of, stopping
from ir_plugin.serving.limits import Limits
from ir_plugin.serving.log_probabilities import chat_log_probs, completion_log_probs
from ir_plugin.serving.openai_endpoints import OpenAIEndpoints, document_of
from ir_plugin.serving.request_error import RequestError
from ir_plugin.serving.text_batcher import TextBatcher
from ir_plugin.serving.text_messages import TextRequest, parse_chat, parse_completion, requested_model
from ir_plugin.serving.text_model import Answer, Piece, TextModel
from ir_plugin.serving.waiting import within

Items = AsyncGenerator[tuple[int, Piece | Answer], None]
Send = Callable[[dict[str, Any]], Awaitable[None]]
_EVENTS = [(b"content-type", b"text/event-stream; charset=utf-8"), (b"cache-control", b"no-cache")]


class TextEndpoints(OpenAIEndpoints):
    """The endpoints of one language model; `app` is the ASGI application."""

    def __init__(self, served: TextModel, limits: Limits) -> None:
        self._served = served
        self._batcher: TextBatcher | None = None
        routes = [
            Route("/v1/chat/completions", _Handler(self, parse_chat, ChatWriter), methods=["POST"]),
            Route("/v1/completions", _Handler(self, parse_completion, CompletionWriter), methods=["POST"]),
        ]
        unsupported = {"/v1/embeddings": "generates text: it has no embeddings"}
        super().__init__(served.name, served.created, limits, routes, unsupported)

    def warm(self) -> None:
        """Compile the model's kernels before the server is ready."""
        self._served.warm()

    @asynccontextmanager
    async def _running(self) -> AsyncIterator[None]:
        self._batcher = TextBatcher(self._served, self._metrics)
        try:
            yield
        finally:
            self._batcher.close()
            self._batcher = None

    async def handle(
        self,
        request: Request,
        send: Send,
        parse: Callable[[dict[str, Any]], TextRequest],
        writer_of: type[CompletionWriter],
    ) -> None:
        """Answer a request, in events as they come where it asks for them."""
        with self._tracked() as outcome:
            async with self._admitted(request) as body:
                sent = await self._off_loop(lambda: document_of(body), len(body))
                self._require_model(requested_model(sent))
                message = await self._off_loop(lambda: parse(sent), len(body))
                writer = writer_of(self._served.name)
                async with aclosing(self._items(request, message)) as items:
                    if message.is_stream:
                        outcome.status = await self._send_events(items, message, writer, send)
                    else:
                        answers = {index: item async for index, item in items if isinstance(item, Answer)}
                        ordered = [answers[index] for index in sorted(answers)]
                        await json_response(writer.whole(ordered))(request.scope, request.receive, send)
                        outcome.status = 200

    async def _items(self, request: Request, message: TextRequest) -> Items:
        """Yield pieces of answers and answers; generation stops where the client hangs up or nobody listens."""
        batcher = self._batcher
        if batcher is None:
            raise stopping()
        loop, queue, cancelled = asyncio.get_running_loop(), asyncio.Queue[Any](), threading.Event()

        def write(index: int, item: Piece | Answer) -> None:
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(queue.put_nowait, (index, item))

        run = batcher.submit(message, write, cancelled)
        closing = asyncio.ensure_future(hang_up(request))
        for future in (run, closing):
            future.add_done_callback(queue.put_nowait)
        try:
            item = await self._first(queue, batcher)
            while item is not run:
                if item is closing:
                    raise ClientDisconnect
                yield item
                item = await queue.get()
            run.result()
        finally:
            cancelled.set()
            closing.cancel()
            run.cancel()

    async def _first(self, queue: asyncio.Queue[Any], batcher: TextBatcher) -> Any:
        """Return what comes first, or raise where the answers of nobody go on for too long."""
        while True:
            rounds = batcher.rounds
            try:
                return await within(queue.get(), self.limits.timeout)
            except asyncio.TimeoutError:
                if batcher.rounds == rounds:
                    raise RequestError(f"no token came within {self.limits.timeout:g} s", 504) from None

    async def _send_events(self, items: Items, message: TextRequest, writer: CompletionWriter, send: Send) -> int:
        """Send an event for each piece, and return the status; an error after the first one is an event too."""
        is_started = False
        answers: list[Answer] = []
        try:
            async for index, item in items:
                if not is_started:
                    await send({"type": "http.response.start", "status": 200, "headers": _EVENTS})
                    is_started = True
                if isinstance(item, Answer):
                    answers.append(item)
                for event in writer.events(index, item):
                    await self._send_event(send, event)
            if message.has_usage:
                usages = writer.head(is_chunk=True) | {"choices": [], "usage": usage(answers)}
                await self._send_event(send, usages)
            await self._send_event(send, "[DONE]")
        except (Exception, asyncio.CancelledError) as fault:
            if not is_started:
                raise
            if isinstance(fault, ClientDisconnect):
                return status_of(fault)
            shown = stopping() if isinstance(fault, asyncio.CancelledError) else fault
            with suppress(ClientDisconnect):
                await self._send_event(send, self._document(shown))
        await send({"type": "http.response.body", "body": b""})
        return 200

    async def _send_event(self, send: Send, document: dict[str, Any] | str) -> None:
        """Send an event; a client that takes none for a while has gone away."""
        text = document if isinstance(document, str) else json.dumps(document, separators=(",", ":"))
        event = {"type": "http.response.body", "body": f"data: {text}\n\n".encode(), "more_body": True}
        try:
            await within(send(event), self.limits.idle_timeout)
        except asyncio.TimeoutError:
            raise ClientDisconnect from None


class _Handler:
    """An ASGI application for one address, which sends its answers itself."""

    def __init__(
        self,
        endpoints: TextEndpoints,
        parse: Callable[[dict[str, Any]], TextRequest],
        writer_of: type[CompletionWriter],
    ) -> None:
        self._endpoints, self._parse, self._writer_of = endpoints, parse, writer_of

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await self._endpoints.handle(Request(scope, receive), send, self._parse, self._writer_of)


class CompletionWriter:
    """Writes the answers to a request of /v1/completions."""

    prefix, whole_kind, chunk_kind = "cmpl", "text_completion", "text_completion"

    def __init__(self, model: str) -> None:
        self._fields = {"id": f"{self.prefix}-{uuid4().hex}", "created": int(time()), "model": model}

    def head(self, *, is_chunk: bool) -> dict[str, Any]:
        """Return the fields that all documents of an answer share."""
        return {**self._fields, "object": self.chunk_kind if is_chunk else self.whole_kind}

    def whole(self, answers: list[Answer]) -> dict[str, Any]:
        """Return the document of whole answers."""
        choices = [
            self._choice(index, Piece(answer.text, answer.rest.tokens), answer.finish_reason, is_chunk=False)
            for index, answer in enumerate(answers)
        ]
        return self.head(is_chunk=False) | {"choices": choices, "usage": usage(answers)}

    def events(self, index: int, item: Piece | Answer) -> list[dict[str, Any]]:
        """Return the documents of a piece, or of the end of an answer."""
        if isinstance(item, Answer):
            return [*self._piece(index, item.rest), self._chunk(self._choice(index, Piece(), item.finish_reason))]
        return self._piece(index, item) or self._first(index)

    def _piece(self, index: int, piece: Piece) -> list[dict[str, Any]]:
        return [self._chunk(self._choice(index, piece, None))] if piece.text or piece.tokens else []

    def _chunk(self, choice: dict[str, Any]) -> dict[str, Any]:
        return self.head(is_chunk=True) | {"choices": [choice]}

    def _first(self, index: int) -> list[dict[str, Any]]:
        """Return the documents before the first piece of an answer."""
        del index
        return []

    def _choice(self, index: int, piece: Piece, reason: str | None, *, is_chunk: bool = True) -> dict[str, Any]:
        del is_chunk
        log_probs = completion_log_probs(piece.tokens) if piece.tokens else None
        return {"index": index, "text": piece.text, "logprobs": log_probs, "finish_reason": reason}


class ChatWriter(CompletionWriter):
    """Writes the answers to a request of /v1/chat/completions."""

    prefix, whole_kind, chunk_kind = "chatcmpl", "chat.completion", "chat.completion.chunk"

    def _first(self, index: int) -> list[dict[str, Any]]:
        delta = {"index": index, "delta": {"role": "assistant", "content": ""}, "logprobs": None, "finish_reason": None}
        return [self._chunk(delta)]

    def _choice(self, index: int, piece: Piece, reason: str | None, *, is_chunk: bool = True) -> dict[str, Any]:
        message: dict[str, Any] = {"content": piece.text} if piece.text or not is_chunk else {}
        if not is_chunk:
            message |= {"role": "assistant", "refusal": None}
        name = "delta" if is_chunk else "message"
        log_probs = chat_log_probs(piece.tokens) if piece.tokens else None
        return {"index": index, name: message, "logprobs": log_probs, "finish_reason": reason}


def usage(answers: list[Answer]) -> dict[str, int]:
    """Return the counts of tokens of answers."""
    prompts = sum(answer.prompt_tokens for answer in answers)
    new = sum(answer.new_tokens for answer in answers)
    return {"prompt_tokens": prompts, "completion_tokens": new, "total_tokens": prompts + new}
