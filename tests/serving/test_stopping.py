"""Inferences that nobody waits for, and the end of a server."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ir_plugin as ov
from ir_plugin.serving import Limits, application
from ir_plugin.serving.served_model import ServedModel
from ir_plugin.tensors import Array
from tests.serving.conftest import Run, Served
from tests.serving.models import linear, repeated
from tests.serving.polling import wait_until

FOR_EVER = 2**31 - 1


def loop(times: int, **parameters: Any) -> dict[str, Any]:
    """Return a request for so many iterations."""
    return {"inputs": [{"name": "x", "datatype": "INT64", "shape": [1], "data": [times]}], "parameters": parameters}


def has_started(served: Served) -> bool:
    """Return whether a run has started."""
    return served.metric("ir_plugin_queue_seconds_count") > 0


def test_a_run_that_outlives_its_time_is_cancelled(run: Run) -> None:
    """The only worker is free for the next request."""
    served = run(application(repeated()))
    assert served.post(loop(FOR_EVER, timeout=100_000))[0] == 504
    assert served.post(loop(1))[0] == 200


def test_a_run_whose_client_hangs_up_is_cancelled(run: Run) -> None:
    served = run(application(repeated()))
    body = json.dumps(loop(FOR_EVER)).encode()
    head = f"POST /v2/models/m/infer HTTP/1.1\r\nhost: m\r\ncontent-length: {len(body)}\r\n\r\n".encode()
    with socket.create_connection(("127.0.0.1", served.port)) as client:
        client.sendall(head + body)
        wait_until(lambda: has_started(served))
    assert served.post(loop(1))[0] == 200
    assert 'status="499"} 1.0' in served.send("GET", "/metrics")[2].decode()


def test_a_request_that_leaves_a_batch_does_not_cancel_the_others(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    served = run(application(linear(), limits=Limits(batch_window=1.0, max_batch=2)))
    infer, is_left = ServedModel.infer, threading.Event()

    def late(self: ServedModel, arrays: Sequence[Array], request: ov.InferRequest) -> Sequence[Array]:
        assert is_left.wait(60)
        return infer(self, arrays, request)

    monkeypatch.setattr(ServedModel, "infer", late)
    body: dict[str, Any] = {"inputs": [{"name": "x", "datatype": "FP32", "shape": [1, 4], "data": [1, 2, 3, 4]}]}
    with ThreadPoolExecutor(2) as pool:
        stays = pool.submit(served.post, body)
        leaves = pool.submit(served.post, body | {"parameters": {"timeout": 1_500_000}})
        assert leaves.result()[0] == 504
        is_left.set()
        assert stays.result()[0] == 200


def test_a_server_is_not_ready_while_its_workers_are_lost(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    served, goes_on = run(application(linear())), threading.Event()
    infer = ServedModel.infer

    def deaf(self: ServedModel, arrays: Sequence[Array], request: ov.InferRequest) -> Sequence[Array]:
        assert goes_on.wait(60)
        return infer(self, arrays, request)

    monkeypatch.setattr(ServedModel, "infer", deaf)
    assert served.send("GET", "/v2/health/ready")[0] == 200
    entry = {"name": "x", "datatype": "FP32", "shape": [1, 4], "data": [1, 2, 3, 4]}
    assert served.post({"inputs": [entry], "parameters": {"timeout": 100_000}})[0] == 504
    wait_until(lambda: served.send("GET", "/v2/health/ready")[0] == 503)
    assert served.send("GET", "/v2/models/m/ready")[0] == 503
    assert served.send("GET", "/v2/health/live")[0] == 200
    goes_on.set()
    wait_until(lambda: served.send("GET", "/v2/health/ready")[0] == 200)


def test_a_server_that_stops_is_not_ready_and_refuses_requests(run: Run) -> None:
    app = application(repeated())
    served = run(app)
    app.state.endpoints.refuse()
    assert served.send("GET", "/v2/health/ready")[0] == 503
    assert served.post(loop(1)) == (503, {"error": "the server stops"})


@contextmanager
def command(*arguments: str) -> Iterator[tuple[Served, subprocess.Popen[str]]]:
    """Start a server in a process, which prints its address first."""
    with subprocess.Popen(
        [sys.executable, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            assert "http://127.0.0.1:" in line
            yield Served(int(line.rsplit(":", 1)[1])), process
        finally:
            process.kill()


def stopped(served: Served, process: subprocess.Popen[str], request: Any) -> tuple[tuple[int, Any], str]:
    """Stop a process while it has a request, and return its answer and what the process wrote; it has to end."""
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(served.post, request)
        wait_until(lambda: has_started(served))
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
        assert process.stderr is not None
        return answer.result(), process.stderr.read()


def test_a_stop_cancels_what_outlives_its_grace(tmp_path: Path) -> None:
    ov.save_model(repeated(), tmp_path / "m.xml")
    with command("-m", "ir_plugin", "serve", str(tmp_path / "m.xml"), "--port", "0", "--grace", "1") as started:
        answer, text = stopped(*started, loop(FOR_EVER))
    assert answer == (503, {"error": "the server stops"})
    assert "Traceback" not in text
    assert "500" not in text


DEAF = """
import time
from ir_plugin.serving import application, serve
from ir_plugin.serving.served_model import ServedModel
from tests.serving.models import linear
ServedModel.infer = lambda *_: time.sleep(10_000)
serve(application(linear()), port=0, grace=1, report=lambda line: print(line, flush=True))
"""


def test_a_stop_does_not_wait_for_a_layer_without_end() -> None:
    entry = {"name": "x", "datatype": "FP32", "shape": [1, 4], "data": [1, 2, 3, 4]}
    with command("-c", DEAF) as started:
        answer, text = stopped(*started, {"inputs": [entry]})
    assert answer == (503, {"error": "the server stops"})
    assert "Traceback" not in text


def test_a_stop_ends_requests_whose_bodies_are_not_complete(tmp_path: Path) -> None:
    ov.save_model(linear(), tmp_path / "m.xml")
    with command("-m", "ir_plugin", "serve", str(tmp_path / "m.xml"), "--port", "0", "--grace", "1") as started:
        served, process = started
        with socket.create_connection(("127.0.0.1", served.port), timeout=60) as client:
            client.sendall(b"POST /v2/models/m/infer HTTP/1.1\r\nhost: m\r\ncontent-length: 100\r\n\r\n{")
            assert served.send("GET", "/v2/health/ready")[0] == 200
            process.send_signal(signal.SIGTERM)
            answer = b"".join(iter(lambda: client.recv(4096), b""))
        assert process.wait(60) == 0
    assert answer.startswith(b"HTTP/1.1 503 ")
    assert answer.endswith(b'{"error":"the server stops"}')


def test_clients_that_hang_up_leave_no_traceback(tmp_path: Path) -> None:
    """Neither within a body nor during a run."""
    ov.save_model(repeated(), tmp_path / "m.xml")
    body = json.dumps(loop(FOR_EVER)).encode()
    head = f"POST /v2/models/m/infer HTTP/1.1\r\nhost: m\r\ncontent-length: {len(body)}\r\n\r\n".encode()
    with command("-m", "ir_plugin", "serve", str(tmp_path / "m.xml"), "--port", "0", "--grace", "1") as started:
        served, process = started
        for data in (head + body[:9], head + body):
            with socket.create_connection(("127.0.0.1", served.port)) as client:
                client.sendall(data)
                assert served.send("GET", "/v2/health/live")[0] == 200
        wait_until(lambda: b'status="499"} 2.0' in served.send("GET", "/metrics")[2])
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
        assert process.stderr is not None
        assert "Traceback" not in process.stderr.read()


def test_results_do_not_change_when_a_run_was_cancelled(run: Run) -> None:
    served = run(application(repeated()))
    expected = ov.compile_model(repeated())(np.array([5]))[0]
    for _ in range(3):
        served.post(loop(FOR_EVER, timeout=50_000))
        answer = served.post(loop(5))[1]["outputs"][0]["data"]
        np.testing.assert_array_equal(np.array(answer, np.float32), expected)
