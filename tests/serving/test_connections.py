"""Clients that send slowly, nothing, or open more connections than a server has places or descriptors."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

import ir_plugin as ov
from ir_plugin.serving import Limits, application
from ir_plugin.serving.http_server import Connection
from tests.serving.conftest import Run, Served
from tests.serving.models import identity, linear
from tests.serving.polling import wait_until
from tests.serving.test_stopping import command

REQUEST: dict[str, Any] = {"inputs": [{"name": "x", "datatype": "FP32", "shape": [1, 4], "data": [1, 2, 3, 4]}]}
STORY = Path(__file__).parents[2] / "samples" / "story"
HALF_A_HEAD = b"POST /v2/models/m/infer HTTP/1.1\r\nhost:"


def head(length: int) -> bytes:
    return f"POST /v2/models/m/infer HTTP/1.1\r\nhost: m\r\ncontent-length: {length}\r\n\r\n".encode()


@contextmanager
def client(served: Served, data: bytes = b"") -> Iterator[socket.socket]:
    """Connect and send some bytes."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as connection:
        connection.settimeout(60)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 16)
        connection.connect(("127.0.0.1", served.port))
        connection.sendall(data)
        yield connection


def rest(connection: socket.socket) -> bytes:
    """Return what comes until the server closes the connection."""
    parts = []
    try:
        while part := connection.recv(1 << 16):
            parts.append(part)
    except ConnectionResetError:
        parts.append(b"")
    return b"".join(parts)


def test_a_head_has_a_time(run: Run) -> None:
    served = run(application(linear(), limits=Limits(idle_timeout=0.2)))
    for data in (b"", HALF_A_HEAD):
        with client(served, data) as connection:
            assert rest(connection) == b""
    with client(served, b"GET /v2/health/live HTTP/1.1\r\nhost: m\r\n\r\n" + HALF_A_HEAD) as connection:
        assert rest(connection).count(b"HTTP/1.1") == 1


def test_a_body_has_a_time(run: Run) -> None:
    served = run(application(linear(), limits=Limits(timeout=0.2, idle_timeout=0.2)))
    with client(served, head(100) + b"{") as connection:
        answer = rest(connection)
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert answer.endswith(b'{"error":"the body is not complete after 0.2 s"}')


WRONG_BYTES = {
    "no HTTP": b"hello\r\n\r\n",
    "TLS": b"\x16\x03\x01\x00\xa5\x01" + bytes(99),
    "no host": b"GET /v2 HTTP/1.1\r\n\r\n",
    "a negative length": HALF_A_HEAD + b"m\r\ncontent-length: -1\r\n\r\n",
    "a length that is no number": HALF_A_HEAD + b"m\r\ncontent-length: a\r\n\r\n",
    "a huge length": HALF_A_HEAD + b"m\r\ncontent-length: 1" + bytes([48]) * 99 + b"\r\n\r\n",
    "two lengths": HALF_A_HEAD + b"m\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n",
    "an unknown encoding": HALF_A_HEAD + b"m\r\ntransfer-encoding: a\r\n\r\n",
    "a part without length": HALF_A_HEAD + b"m\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
}


@pytest.mark.parametrize("name", WRONG_BYTES)
@pytest.mark.parametrize("is_text", [False, True])
def test_what_is_no_request_has_an_error_of_the_protocol(run: Run, name: str, is_text: bool) -> None:
    """The connection is closed, and the server goes on."""
    served = run(application(STORY if is_text else linear()))
    text = "the request is not valid HTTP"
    error = {"message": text, "type": "invalid_request_error", "param": None, "code": None} if is_text else text
    with client(served, WRONG_BYTES[name]) as connection:
        answer = rest(connection)
    first, _, body = answer.partition(b"\r\n\r\n")
    assert first.startswith(b"HTTP/1.1 400 Bad Request\r\n")
    assert f"content-length: {len(body)}" in first.decode()
    assert json.loads(body) == {"error": error}
    assert served.send("GET", "/metrics")[0] == 200


def test_a_body_that_ends_early_has_an_error(run: Run) -> None:
    served = run(application(linear()))
    with client(served, head(100) + b"{") as connection:
        connection.shutdown(socket.SHUT_WR)
        answer = rest(connection)
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert answer.endswith(b'{"error":"the body ends before it is complete"}')


def test_an_answer_that_has_begun_is_not_followed_by_an_error(run: Run) -> None:
    """What comes after an early answer is no request; the log has no fault."""
    served = run(application(linear()))
    begin = b"POST /v2 HTTP/1.1\r\nhost: m\r\ntransfer-encoding: chunked\r\n\r\n"
    with client(served, begin) as connection:
        assert connection.recv(99).startswith(b"HTTP/1.1 405 ")
        connection.sendall(b"zz\r\n")
        assert b"HTTP/1.1" not in rest(connection)


def test_slow_bodies_take_no_place_in_the_queue(run: Run) -> None:
    served = run(application(linear(), limits=Limits(queue_size=1)))
    with ExitStack() as stack:
        for _ in range(3):
            stack.enter_context(client(served, head(100) + b"{"))
        assert served.post(REQUEST)[0] == 200


def test_bodies_have_a_sum(run: Run) -> None:
    served = run(application(linear(), limits=Limits(all_body_bytes=2000)))
    body = json.dumps(REQUEST).encode()
    padded = body + b" " * (1000 - len(body))
    assert served.post(padded)[0] == 200
    with client(served, head(1501) + b" " * 1500):
        wait_until(
            lambda: served.post(padded) == (503, {"error": "the bodies of all requests are longer than 2000 bytes"})
        )
        assert served.post(body)[0] == 200
    wait_until(lambda: served.post(padded)[0] == 200)


def test_the_connection_that_waits_longest_makes_room(run: Run) -> None:
    served = run(application(linear(), limits=Limits(connections=3, idle_timeout=60)))
    with ExitStack() as stack:
        connections = [stack.enter_context(client(served, HALF_A_HEAD)) for _ in range(6)]
        assert served.post(REQUEST)[0] == 200
        assert [rest(connection) for connection in connections[:3]] == [b""] * 3


def test_connections_beyond_those_that_work_are_refused(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from ir_plugin.serving.served_model import ServedModel

    infer, started, goes_on = ServedModel.infer, threading.Event(), threading.Event()

    def wait(self: ServedModel, arrays: Any, request: ov.InferRequest) -> Any:
        started.set()
        assert goes_on.wait(60)
        return infer(self, arrays, request)

    monkeypatch.setattr(ServedModel, "infer", wait)
    served = run(application(linear(), limits=Limits(connections=1)))
    body = json.dumps(REQUEST).encode()
    with client(served, head(len(body)).replace(b"host", b"connection: close\r\nhost") + body) as first:
        assert started.wait(60)
        with client(served) as second:
            answer = rest(second)
        assert answer.startswith(b"HTTP/1.1 503 ")
        assert answer.endswith(b'{"error":"too many connections are open"}')
        goes_on.set()
        assert rest(first).startswith(b"HTTP/1.1 200 ")


def test_an_answer_that_nobody_takes_is_given_up(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    is_closed, expire = threading.Event(), Connection._expire

    def note(self: Connection) -> None:
        expire(self)
        if self.transport.is_closing():
            is_closed.set()

    monkeypatch.setattr(Connection, "_expire", note)
    served = run(application(identity(ov.Type.f32), limits=Limits(idle_timeout=0.2)))
    elements = [0.123456789] * 600_000
    body = json.dumps({"inputs": [{"name": "x", "datatype": "FP32", "shape": [300_000, 2], "data": elements}]}).encode()
    with client(served, head(len(body)) + body) as connection:
        assert is_closed.wait(60)
        answer = rest(connection)
    length = next(line for line in answer.lower().split(b"\r\n") if line.startswith(b"content-length"))
    assert len(answer) < int(length.split(b":")[1])


FEW_DESCRIPTORS = """
import resource
from ir_plugin.serving import Limits, application, serve
from tests.serving.models import linear
app = application(linear(), limits=Limits(idle_timeout=600))
resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40))
serve(app, port=0, grace=1, report=lambda line: print(line, flush=True))
"""


def test_a_server_without_descriptors_goes_on_in_few_words() -> None:
    with command("-c", FEW_DESCRIPTORS) as (served, process):
        with ExitStack() as stack:
            for _ in range(80):
                stack.enter_context(client(served, HALF_A_HEAD))
            assert served.post(REQUEST)[0] == 200
        process.terminate()
        assert process.wait(60) == 0
        assert process.stderr is not None
        lines = process.stderr.read().splitlines()
    assert len(lines) == 1
    assert "no connection can be accepted" in lines[0]


def test_a_failing_accept_is_not_tried_in_a_loop(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each failure is followed by a pause."""
    failures = 3
    pauses: list[float] = []
    accept, sleep = asyncio.SelectorEventLoop.sock_accept, asyncio.sleep

    async def fail(self: asyncio.SelectorEventLoop, listener: socket.socket) -> Any:
        nonlocal failures
        failures -= 1
        if failures >= 0:
            raise OSError(24, "Too many open files")
        return await accept(self, listener)

    async def note(seconds: float) -> None:
        pauses.append(seconds)
        await sleep(0)

    monkeypatch.setattr(asyncio.SelectorEventLoop, "sock_accept", fail)
    monkeypatch.setattr("ir_plugin.serving.http_server.pause", note)
    assert run(application(linear())).post(REQUEST)[0] == 200
    assert len(pauses) == 3
    assert min(pauses) > 0
