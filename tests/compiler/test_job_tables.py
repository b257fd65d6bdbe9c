"""Neighbouring steps whose work is compiled jobs run as one native call, with the numbers of the steps one by one."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import openvino as ov
import pytest
from openvino import opset13 as ops

from ir_plugin import CompiledModel, Core
from ir_plugin.executor import CancelledError
from tests.support.skips import needs_numba

pytestmark = needs_numba

SIDE = 12
PRECISE = {"INFERENCE_PRECISION_HINT": "f32"}


def constant(*shape: int, seed: int = 1) -> Any:
    return ops.constant((np.random.default_rng(seed).standard_normal(shape) * 0.2).astype(np.float32))


def network(blocks: int = 6, side: int = SIDE) -> ov.Model:
    """Return inverted residual blocks behind a first convolution, then a product."""
    x = ops.parameter([1, 3, side, side], name="x")
    x.friendly_name = "x"
    value = ops.convolution(x, constant(16, 3, 3, 3), [1, 1], [1, 1], [1, 1], [1, 1])
    for block in range(blocks):
        wide = ops.clamp(
            ops.convolution(value, constant(48, 16, 1, 1, seed=block), [1, 1], [0, 0], [0, 0], [1, 1]), 0, 6
        )
        deep = ops.hswish(
            ops.group_convolution(wide, constant(48, 1, 1, 3, 3, seed=block), [1, 1], [1, 1], [1, 1], [1, 1])
        )
        narrow = ops.convolution(deep, constant(16, 48, 1, 1, seed=block), [1, 1], [0, 0], [0, 0], [1, 1])
        value = ops.add(narrow, value, name=f"block{block}")
    pooled = ops.max_pool(value, [2, 2], [1, 1], [0, 0], [0, 0], [2, 2])
    return ov.Model([ops.result(pooled.output(0))], [x], "network")


@pytest.fixture
def compile_network(tmp_path: Path) -> Callable[..., CompiledModel]:
    ov.save_model(network(), tmp_path / "m.xml", compress_to_fp16=False)

    def compiled(threads: int = 1, **config: Any) -> CompiledModel:
        return Core().compile_model(tmp_path / "m.xml", config={"INFERENCE_NUM_THREADS": threads, **config})

    return compiled


def image(seed: int = 0) -> np.ndarray[Any, Any]:
    return np.random.default_rng(seed).standard_normal((1, 3, SIDE, SIDE)).astype(np.float32)


def tables_of(request: Any) -> list[int]:
    """Return the number of steps of each table that a request has run."""
    (bound,) = request._state._bound.values()
    return [len(segment.steps) for segment in bound.segments if segment.table is not None]


@pytest.mark.parametrize("threads", [1, 2])
def test_neighbouring_jobs_are_one_table(compile_network: Callable[..., CompiledModel], threads: int) -> None:
    compiled = compile_network(threads)
    request = compiled.create_infer_request()
    actual = np.asarray(request.infer([image()])[0])
    expected = ov.compile_model(network(), "CPU", PRECISE)([image()])[0]
    np.testing.assert_allclose(actual, expected, atol=1e-5 * np.abs(expected).max())
    assert len(tables_of(request)) == 1
    assert tables_of(request)[0] >= 18


@pytest.mark.parametrize("threads", [1, 2])
def test_numbers_are_those_of_single_steps(compile_network: Callable[..., CompiledModel], threads: int) -> None:
    request = compile_network(threads).create_infer_request()
    observed = compile_network(threads, PERF_COUNT=True).create_infer_request()
    for seed in range(3):
        together, apart = (np.asarray(each.infer([image(seed)])[0]) for each in (request, observed))
        np.testing.assert_array_equal(together, apart)
    assert {"block0", "block5"} <= {info.node_name for info in observed.get_profiling_info()}


def test_inputs_may_lie_anywhere(compile_network: Callable[..., CompiledModel]) -> None:
    request = compile_network().create_infer_request()
    wide = np.random.default_rng(5).standard_normal((1, 3, SIDE, 2 * SIDE)).astype(np.float32)
    for view in (wide[..., ::2], wide[..., ::-2], image(), np.asfortranarray(image()), image(1)):
        expected = compile_network().create_infer_request().infer([np.ascontiguousarray(view)])[0]
        np.testing.assert_array_equal(np.asarray(request.infer([view])[0]), np.asarray(expected))


def test_results_stay_when_the_request_runs_again(compile_network: Callable[..., CompiledModel]) -> None:
    request = compile_network().create_infer_request()
    first = np.asarray(request.infer([image()])[0])
    before = first.copy()
    request.infer([image(1)])
    np.testing.assert_array_equal(first, before)


def test_requests_of_many_threads(compile_network: Callable[..., CompiledModel]) -> None:
    compiled = compile_network(2)
    expected = [np.asarray(compiled([image(seed)])[0]).copy() for seed in range(4)]
    faults: list[str] = []

    def work(seed: int) -> None:
        request = compiled.create_infer_request()
        results = [np.asarray(request.infer([image(seed)])[0]) for _ in range(20)]
        faults.extend(f"request {seed}" for result in results if not np.array_equal(result, expected[seed]))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []


def test_cancelling_ends_a_table(
    compile_network: Callable[..., CompiledModel], monkeypatch: pytest.MonkeyPatch
) -> None:
    from ir_plugin.kernels.numba.runtime import job_table
    from ir_plugin.kernels.numba.runtime.job_table import CompiledJobTable

    monkeypatch.setattr(job_table, "SECONDS_PER_CALL", 0)
    request = compile_network().create_infer_request()
    expected = np.asarray(request.infer([image()])[0]).copy()
    run, positions = CompiledJobTable.run, []

    def cancelling(table: CompiledJobTable, first: int) -> tuple[int, bool]:
        position, has_stopped = run(table, first)
        positions.append(position)
        if len(positions) == 3:
            request.cancel()
        return position, has_stopped

    with monkeypatch.context() as patched:
        patched.setattr(CompiledJobTable, "run", cancelling)
        with pytest.raises(CancelledError):
            request.infer([image()])
        assert positions == [1, 2, 3]
    np.testing.assert_array_equal(np.asarray(request.infer([image()])[0]), expected)


def test_a_long_table_is_run_in_short_calls(
    compile_network: Callable[..., CompiledModel], monkeypatch: pytest.MonkeyPatch
) -> None:
    from ir_plugin.kernels.numba.runtime import job_table

    request = compile_network().create_infer_request()
    expected = [np.asarray(request.infer([image()])[0]).copy() for _ in range(8)]
    calls: list[int] = []
    run = job_table.CompiledJobTable.run

    def counted(table: job_table.CompiledJobTable, first: int) -> tuple[int, bool]:
        position, has_stopped = run(table, first)
        calls.append(position - first)
        return position, has_stopped

    monkeypatch.setattr(job_table.CompiledJobTable, "run", counted)
    expected.append(np.asarray(request.infer([image()])[0]))
    assert len(calls) == 1
    monkeypatch.setattr(job_table, "SECONDS_PER_CALL", 0)
    expected += [np.asarray(request.infer([image()])[0]) for _ in range(6)]
    assert calls[-calls[0] :] == [1] * calls[0]
    assert all(np.array_equal(array, expected[0]) for array in expected)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_forked_process_runs_tables(compile_network: Callable[..., CompiledModel]) -> None:
    request = compile_network(2).create_infer_request()
    expected = np.asarray(request.infer([image()])[0]).copy()
    child = os.fork()
    if child == 0:
        same = np.array_equal(np.asarray(request.infer([image()])[0]), expected)
        os._exit(0 if same else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    np.testing.assert_array_equal(np.asarray(request.infer([image()])[0]), expected)
