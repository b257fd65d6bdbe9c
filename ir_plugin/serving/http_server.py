"""uvicorn's server with limits on connections, and a stop that ends in time."""

from __future__ import annotations

import asyncio
import logging
import math
import socket
from asyncio import sleep as pause
from http import HTTPStatus
from time import monotonic
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from ir_plugin.serving.base import BaseEndpoints

_ACCEPT_DELAY = 0.1
"""Seconds until the next try where no connection can be accepted, and none closed."""
_WARNING_INTERVAL = 60.0
_log = logging.getLogger("ir_plugin.serving")


class Connection(H11Protocol):
    """A connection whose client must send each head in time, and take each answer.

    `waiting` has the connections that wait for their clients, the longest first.
    """

    def __init__(self, waiting: dict[Connection, None], endpoints: BaseEndpoints, **arguments: Any) -> None:
        super().__init__(**arguments)
        self._waiting, self._endpoints, self._seconds = waiting, endpoints, endpoints.limits.idle_timeout
        self._timer: asyncio.TimerHandle | None = None
        self._unsent = 0

    def connection_made(self, transport: asyncio.Transport) -> None:
        """Wait for the first head."""
        super().connection_made(transport)
        self._await_client()

    def data_received(self, data: bytes) -> None:
        """Take a part of a request."""
        super().data_received(data)
        self._await_client()

    def eof_received(self) -> None:
        """Answer a request whose client ends it before its body is complete."""
        if self.cycle is not None and self.cycle.more_body:
            self._refuse("the body ends before it is complete")

    def send_400_response(self, msg: str) -> None:
        """Answer bytes that are no request, as the endpoints answer other errors."""
        del msg
        self._refuse("the request is not valid HTTP")

    def _refuse(self, text: str) -> None:
        """Send an error, unless an answer has begun, and close the connection."""
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            self.transport.write(_refusal(self._endpoints, text, 400))
        self.transport.close()

    def on_response_complete(self) -> None:
        """Wait for the next head."""
        self._waiting.pop(self, None)
        super().on_response_complete()
        self._await_client()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
        super().connection_lost(exc)
        self._waiting.pop(self, None)
        self._stop_timer()

    def _await_client(self) -> None:
        """Start what watches the client if a head is awaited, and stop it if a request is complete."""
        if self.transport.is_closing():
            return
        cycle = self.cycle
        is_idle = cycle is None or cycle.response_complete
        if is_idle or cycle.more_body:
            self._waiting.setdefault(self)
        else:
            self._waiting.pop(self, None)
        if not is_idle:
            self._stop_timer()
        elif self._timer is None:
            self._timer = self.loop.call_later(self._seconds, self._expire)

    def _expire(self) -> None:
        """Close the connection, unless its client has taken a part of an answer since the last time."""
        self._timer, before, self._unsent = None, self._unsent, self.transport.get_write_buffer_size()
        if self._unsent and self._unsent != before:
            self._await_client()
        else:
            self.transport.abort()

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


class HttpServer(uvicorn.Server):
    """A server that accepts connections itself, as asyncio's own loop floods the log without free descriptors.

    Where there are too many connections, or too few descriptors, the one that has waited longest for its client makes
    room.
    """

    def __init__(self, endpoints: BaseEndpoints, grace: float) -> None:
        settings = uvicorn.Config(
            endpoints.app, http=H11Protocol, ws="none", loop="asyncio", log_level="error", access_log=False,
            server_header=False, lifespan="on", timeout_keep_alive=math.ceil(endpoints.limits.idle_timeout),
            timeout_graceful_shutdown=math.ceil(grace) + 1,
        )  # fmt: skip
        super().__init__(settings)
        self._endpoints, self._grace = endpoints, grace
        self._waiting: dict[Connection, None] = {}
        self._acceptors: list[asyncio.Future[None]] = []
        self._warned = -math.inf

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start the application, then accept connections."""
        await super().startup(sockets=[])
        self._acceptors = [asyncio.create_task(self._accept(listener)) for listener in sockets or []]

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Let requests end, cancel them shortly before the time is over, and close what is open then."""
        for acceptor in self._acceptors:
            acceptor.cancel()
        self._endpoints.refuse()
        loop = asyncio.get_running_loop()
        timers = [
            loop.call_later(self._grace - min(1.0, self._grace / 2), self._endpoints.cancel),
            loop.call_later(self._grace, self._abort),
        ]
        await super().shutdown(sockets)
        for timer in timers:
            timer.cancel()

    def _abort(self) -> None:
        for connection in list(self.server_state.connections):
            connection.transport.abort()

    async def _accept(self, listener: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        listener.setblocking(False)
        while True:
            try:
                connection, _ = await loop.sock_accept(listener)
            except OSError as fault:
                self._warn(f"no connection can be accepted: {fault.strerror or fault}")
                await pause(0 if self._make_room() else _ACCEPT_DELAY)
                continue
            if len(self.server_state.connections) >= self._endpoints.limits.connections and not self._make_room():
                _refuse(connection, _refusal(self._endpoints, "too many connections are open", 503))
                continue
            await self._serve_connection(loop, connection)

    async def _serve_connection(self, loop: asyncio.AbstractEventLoop, connection: socket.socket) -> None:
        try:
            await loop.connect_accepted_socket(self._protocol, connection)
        except OSError as fault:
            connection.close()
            self._warn(f"a connection cannot be served: {fault.strerror or fault}")

    def _protocol(self) -> Connection:
        return Connection(
            self._waiting, self._endpoints, config=self.config, server_state=self.server_state,
            app_state=self.lifespan.state,
        )  # fmt: skip

    def _make_room(self) -> bool:
        """Close the connection that has waited longest for its client, and return whether there is one."""
        longest = next(iter(self._waiting), None)
        if longest is None:
            return False
        del self._waiting[longest]
        longest.transport.abort()
        return True

    def _warn(self, text: str) -> None:
        """Write a line, unless one was written shortly before."""
        if monotonic() - self._warned >= _WARNING_INTERVAL:
            self._warned = monotonic()
            _log.warning(text)


def _refusal(endpoints: BaseEndpoints, text: str, status: int) -> bytes:
    """Return the bytes of a response with an error, after which the connection is closed."""
    body = endpoints.refusal(text, status)
    retry = "retry-after: 1\r\n" if status == 503 else ""
    head = f"HTTP/1.1 {status} {HTTPStatus(status).phrase}\r\ncontent-type: application/json\r\n{retry}"
    return f"{head}content-length: {len(body)}\r\nconnection: close\r\n\r\n".encode() + body


def _refuse(connection: socket.socket, response: bytes) -> None:
    try:
        connection.setblocking(False)
        connection.send(response)
    except OSError as fault:
        _log.debug("a refused connection is closed already: %s", fault)
    finally:
        connection.close()
