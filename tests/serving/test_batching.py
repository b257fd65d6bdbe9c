"""Requests under load, in batches, beyond the limits and while the server stops."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import ir_plugin as ov
from ir_plugin.serving import Limits, application
from ir_plugin.serving.served_model import ServedModel
from ir_plugin.tensors import Array
from tests.serving import models
from tests.serving.conftest import Run, Served
from tests.serving.models import linear
from tests.serving.polling import wait_until
from tests.support.changed import DIGITS

triton = pytest.importorskip("tritonclient.http")


def entry(array: Array) -> dict[str, Any]:
    return {"name": "x", "datatype": "FP32", "shape": list(array.shape), "data": array.ravel().tolist()}


INDEPENDENT = [
    models.linear, models.two_inputs, models.attention, models.images, lambda: models.identity(ov.Type.string),
]  # fmt: skip
DEPENDENT: dict[Any, str] = {
    models.across_rows: "it combines elements along the axis of the rows",
    models.gather: "its rows are not the first axis",
    models.one_row_poisons_all: "it combines elements along the axis of the rows",
    models.one_large_row_reaches_all: "it combines elements along the axis of the rows",
    models.a_little_of_the_largest_row: "it combines elements along the axis of the rows",
    models.depends_on_the_number_of_rows: "(ShapeOf) keeps rows apart: no rule covers the operation",
    models.a_constant_for_each_row: "input 1 has values for single rows",
    models.rows_in_the_other_axis: "it combines elements along the axis of the rows",
    models.rows_in_pairs: "rows may have another size",
    models.two_matrices: "it combines elements along the axis of the rows",
}


@pytest.mark.parametrize("model", INDEPENDENT)
def test_independent_rows_are_proved(model: Any) -> None:
    compiled = ov.compile_model(model())
    assert ov.batching_obstacle(compiled) == ""


@pytest.mark.parametrize("model", DEPENDENT)
def test_rows_that_may_depend_on_each_other_share_no_batch(model: Any) -> None:
    assert DEPENDENT[model] in ov.batching_obstacle(ov.compile_model(model()))


def test_the_operator_may_promise_independent_rows() -> None:
    lines: list[str] = []
    application(models.depends_on_the_number_of_rows(), independent_rows=True, report=lines.append)
    assert lines == ["batches of up to 32 rows"]
    application(models.depends_on_the_number_of_rows(), report=lines.append)
    assert lines[1].startswith("requests run one by one: it is not proved that")


def held(monkeypatch: pytest.MonkeyPatch) -> tuple[threading.Event, threading.Event]:
    """Hold inferences from now on; the events say that one has started, and let all go on."""
    started, goes_on, infer = threading.Event(), threading.Event(), ServedModel.infer

    def hold(self: ServedModel, arrays: Sequence[Array], request: ov.InferRequest) -> Sequence[Array]:
        started.set()
        assert goes_on.wait(60)
        return infer(self, arrays, request)

    monkeypatch.setattr(ServedModel, "infer", hold)
    return started, goes_on


def answers_to_waiting(served: Served, bodies: Sequence[Any], monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, Any]]:
    """Return the statuses and answers of requests that wait together while another one runs."""
    started, goes_on = held(monkeypatch)
    with ThreadPoolExecutor(1 + len(bodies)) as pool:
        pool.submit(served.post, bodies[0])
        assert started.wait(60)
        answers = [pool.submit(served.post, body) for body in bodies]
        wait_until(lambda: served.metric("ir_plugin_pending_requests") == 1 + len(bodies))
        goes_on.set()
        return [answer.result() for answer in answers]


@pytest.mark.parametrize("value", [np.nan, 1e3])
@pytest.mark.parametrize(
    "attack", [models.one_row_poisons_all, models.one_large_row_reaches_all, models.a_little_of_the_largest_row]
)
def test_a_clients_row_reaches_no_other_client(
    run: Run, attack: Any, value: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows that wait at the same time get what they get alone, whatever one of them holds."""
    served = run(application(attack()))
    rows = [np.full((1, 4), value if index == 2 else index, np.float32) for index in range(4)]
    alone = [ov.compile_model(attack())(row)[0].ravel().tolist() for row in rows]
    answers = answers_to_waiting(served, [{"inputs": [entry(array)]} for array in rows], monkeypatch)
    together = [answer["outputs"][0]["data"] for _, answer in answers]
    np.testing.assert_array_equal(np.array(together), np.array(alone))


def test_a_load_of_clients_gets_the_results_of_direct_inference(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first batch runs once all clients have asked, so that the others share batches."""
    lines: list[str] = []
    served = run(application(DIGITS, limits=Limits(batch_window=0.02), report=lines.append))
    assert lines == ["batches of up to 32 rows"]
    images = np.load(DIGITS.with_name("images.npy")).astype(np.float32)
    expected = ov.compile_model(DIGITS)(images)[0]
    rng = np.random.default_rng(0)
    starts = [(int(rng.integers(0, 90)), int(rng.integers(1, 5))) for _ in range(160)]

    def ask(part: Sequence[tuple[int, int]]) -> float:
        client = triton.InferenceServerClient(served.address)
        worst = 0.0
        for start, length in part:
            rows = images[start : start + length]
            tensor = triton.InferInput("images", rows.shape, "FP32")
            tensor.set_data_from_numpy(rows)
            result = client.infer(DIGITS.stem, [tensor]).as_numpy("probabilities")
            worst = max(worst, float(np.abs(result - expected[start : start + length]).max()))
        client.close()
        return worst

    _, goes_on = held(monkeypatch)
    with ThreadPoolExecutor(16) as pool:
        worst = pool.map(ask, [starts[index::16] for index in range(16)])
        wait_until(lambda: served.metric("ir_plugin_pending_requests") == 16)
        goes_on.set()
        assert max(worst) < 1e-5
    assert served.metric("ir_plugin_batch_rows_sum") == sum(length for _, length in starts)
    assert served.metric("ir_plugin_batch_rows_count") <= len(starts) - 12


def test_a_request_that_fails_fails_alone(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    served = run(application(linear()))
    infer = ServedModel.infer

    def refuse(self: ServedModel, arrays: Sequence[Array], request: ov.InferRequest) -> Sequence[Array]:
        if np.isnan(arrays[0]).any():
            raise ov.Error("no numbers")
        return infer(self, arrays, request)

    monkeypatch.setattr(ServedModel, "infer", refuse)
    rows = [np.full((1, 4), np.nan if index == 2 else index, np.float32) for index in range(4)]
    answers = answers_to_waiting(served, [{"inputs": [entry(array)]} for array in rows], monkeypatch)
    assert [status for status, _ in answers] == [200, 200, 500, 200]


def test_a_full_queue_refuses_requests(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    served = run(application(linear(), limits=Limits(queue_size=2, max_batch=1)))
    started, goes_on = held(monkeypatch)
    body = {"inputs": [entry(np.zeros((1, 4), np.float32))]}
    with ThreadPoolExecutor(2) as pool:
        answers = [pool.submit(served.post, body)]
        assert started.wait(60)
        answers.append(pool.submit(served.post, body))
        wait_until(lambda: served.metric("ir_plugin_pending_requests") == 2)
        assert served.send("GET", "/v2/health/ready")[0] == 503
        assert served.post(body) == (503, {"error": "2 requests wait or run already"})
        goes_on.set()
        assert [answer.result()[0] for answer in answers] == [200, 200]
    assert served.post(body)[0] == 200


@pytest.mark.parametrize("is_asked_for", [False, True])
def test_a_request_without_a_result_in_time_gets_504(
    run: Run, monkeypatch: pytest.MonkeyPatch, is_asked_for: bool
) -> None:
    """The time-out of the server holds, or the shorter one of a request."""
    served = run(application(linear(), limits=Limits(timeout=600.0 if is_asked_for else 0.3)))
    _, goes_on = held(monkeypatch)
    parameters = {"timeout": 50_000} if is_asked_for else {}
    status, answer = served.post({"inputs": [entry(np.zeros((1, 4), np.float32))], "parameters": parameters})
    goes_on.set()
    assert (status, list(answer)) == (504, ["error"])


def test_limits_have_a_range() -> None:
    for fields in ({"queue_size": 0}, {"timeout": float("nan")}, {"max_batch": 1.5}, {"batch_window": -1}):
        with pytest.raises(ov.Error, match=next(iter(fields))):
            Limits(**fields)


def test_the_command_stops_after_the_requests_it_has(run: Run) -> None:
    del run
    command = [sys.executable, "-m", "ir_plugin", "serve", str(DIGITS), "--port", "0", "--batch-window", "700"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        found = re.fullmatch(r"serving digits at http://127\.0\.0\.1:(\d+)\n", line)
        assert found is not None, line
        served = Served(int(found[1]))
        rows = np.load(DIGITS.with_name("images.npy"))[:1].astype(np.float32)
        with ThreadPoolExecutor(1) as pool:
            answer = pool.submit(served.post, {"inputs": [entry(rows) | {"name": "images"}]}, "digits")
            wait_until(lambda: served.metric("ir_plugin_pending_requests") == 1)
            process.send_signal(signal.SIGTERM)
            assert answer.result()[0] == 200
        assert process.wait(30) == 0
        assert process.stderr is not None
        assert "Traceback" not in process.stderr.read()
