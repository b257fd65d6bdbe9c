"""Loops whose body is compiled jobs run many iterations in one native call, with the numbers of single iterations."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import openvino as ov
import pytest
from openvino import opset13 as ops

from ir_plugin import CompiledModel, Core
from ir_plugin.errors import Error
from ir_plugin.executor import CancelledError
from ir_plugin.executor.compiled_loop import CompiledLoop
from ir_plugin.kernels import policy
from tests.support.skips import needs_numba

pytestmark = needs_numba

Array = np.ndarray[Any, Any]
WIDTH = 6


def parameter(*shape: int, type: Any = np.float32) -> Any:
    return ops.parameter(list(shape), type)


def zeros(*shape: int) -> Any:
    return ops.constant(np.full(shape, 0.25, np.float32))


def decaying(x: Any, state: Any) -> tuple[Any, Any]:
    """Return an output and the next state."""
    following = ops.add(ops.multiply(state, ops.constant(np.array([0.5], np.float32))), x)
    return ops.exp(ops.subtract(x, following)), following


def iterator(length: int, axis: int, stride: int = 1, part: int = 1, output_stride: int = 1) -> ov.Model:
    """Return a TensorIterator over slices of [2, 3, WIDTH] with the axis lengthened, with a state."""
    shape, lengths = [2, 3, WIDTH], [2, 3, WIDTH]
    shape[axis], lengths[axis] = part, length
    data, x, state = parameter(*lengths), parameter(*shape), parameter(*shape)
    output, following = decaying(x, state)
    body = ov.Model([output, following], [x, state], "body")
    loop = ops.tensor_iterator()
    loop.set_body(body)
    start, end = (0, -1) if stride > 0 else (-1, 0)
    loop.set_sliced_input(x, data.output(0), start, stride, part, end, axis)
    loop.set_merged_input(state, zeros(*shape).output(0), body.results[1].output(0))
    first, last = (0, -1) if output_stride > 0 else (-1, 0)
    joined = loop.get_concatenated_slices(body.results[0].output(0), first, output_stride, part, last, axis)
    return ov.Model([joined, loop.get_iter_value(body.results[1].output(0), -1)], [data], "model")


def counting(trips: int, limit: int, joins: bool = False, counts: bool = True) -> ov.Model:
    """Return a Loop that adds up the numbers of iterations while the sum is below a limit, beside a state of floats."""
    data, state, number = parameter(1, WIDTH), parameter(1, WIDTH), parameter(1, type=np.int64)
    held, total = parameter(1, WIDTH), parameter(1, type=np.int64)
    output, following = decaying(held, state)
    added = ops.add(total, number) if counts else ops.multiply(total, total)
    goes_on = ops.less(added, ops.constant(np.array([limit], np.int64)))
    body = ov.Model([goes_on, following, added, output], [number, state, held, total], "body")
    loop = ops.loop(ops.constant(np.int64(trips)), ops.constant(np.array(True)))
    loop.set_function(body)
    loop.set_special_body_ports([0, 0])
    loop.set_merged_input(state, data.output(0), body.results[1].output(0))
    loop.set_merged_input(total, ops.constant(np.array([1], np.int64)).output(0), body.results[2].output(0))
    loop.set_invariant_input(held, zeros(1, WIDTH).output(0))
    outputs = [loop.get_iter_value(body.results[result].output(0), -1) for result in (1, 2)]
    if joins:
        outputs.append(loop.get_concatenated_slices(body.results[3].output(0), 0, 1, 1, -1, 0))
    return ov.Model(outputs, [data], "model")


def swapping(first: bool = True) -> ov.Model:
    """Return a TensorIterator with two states, of which each gets the other, or the first also is a joined output."""
    data, x, left, right = parameter(7, WIDTH), parameter(1, WIDTH), parameter(1, WIDTH), parameter(1, WIDTH)
    output, following = decaying(x, left)
    body = ov.Model([output, *([right, following] if first else [following, left])], [x, left, right], "body")
    loop = ops.tensor_iterator()
    loop.set_body(body)
    loop.set_sliced_input(x, data.output(0), 0, 1, 1, -1, 0)
    for state, result in ((left, 1), (right, 2)):
        loop.set_merged_input(state, zeros(1, WIDTH).output(0), body.results[result].output(0))
    joined = loop.get_concatenated_slices(body.results[0].output(0), 0, 1, 1, -1, 0)
    return ov.Model([joined, *(loop.get_iter_value(body.results[n].output(0), -1) for n in (1, 2))], [data], "model")


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return a list that gets the number of iterations of each native run."""
    counts: list[int] = []
    run = CompiledLoop.run

    def counted(loop: CompiledLoop, *arguments: Any) -> Any:
        repeated = run(loop, *arguments)
        counts.extend([] if repeated is None else [repeated.iterations])
        return repeated

    monkeypatch.setattr(CompiledLoop, "run", counted)
    return counts


def compiled(model: ov.Model, folder: Path, **config: Any) -> CompiledModel:
    path = folder / f"{len(list(folder.iterdir()))}.xml"
    ov.save_model(model, path, compress_to_fp16=False)
    return Core().compile_model(path, config={"INFERENCE_NUM_THREADS": 1, **config})


def values(*shape: int, seed: int = 1) -> Array:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def arrays(model: Any, data: Array) -> list[Array]:
    return [np.array(array) for array in model([data]).values()]


def require_same(model: ov.Model, data: Array, folder: Path, with_openvino: bool = True) -> None:
    """Raise unless the outputs are those of plain evaluation, of observed runs and of OpenVINO."""
    actual = arrays(compiled(model, folder), data)
    plain = arrays(compiled(model, folder, OPTIMIZE=False), data)
    observed = arrays(compiled(model, folder, PERF_COUNT=True), data)
    for ours, expected, single in zip(actual, plain, observed, strict=True):
        np.testing.assert_allclose(ours, expected, rtol=1e-5, atol=1e-5)
        np.testing.assert_array_equal(ours, single)
    if with_openvino:
        theirs = ov.compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})([data])
        for ours, expected in zip(actual, theirs.values(), strict=True):
            np.testing.assert_allclose(ours, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize(("stride", "part"), [(1, 1), (-1, 1), (2, 2), (-2, 2)])
@pytest.mark.parametrize("output_stride", [1, -1])
@pytest.mark.parametrize("length", [6, 2 * policy.COMPILED_LOOP_TABLE_ITERATIONS + 10])
def test_slices_of_any_axis(
    runs: list[int], tmp_path: Path, axis: int, stride: int, part: int, output_stride: int, length: int
) -> None:
    model = iterator(length, axis, stride, part, output_stride * part)
    shape = [2, 3, WIDTH]
    shape[axis] = length
    require_same(model, values(*shape), tmp_path)
    assert runs[0] == length // part


def test_inputs_lie_anywhere_and_change(runs: list[int], tmp_path: Path) -> None:
    request = compiled(iterator(9, 1), tmp_path).create_infer_request()
    plain = compiled(iterator(9, 1), tmp_path, OPTIMIZE=False)
    wide = values(2, 18, WIDTH)
    kept = []
    for data in (wide[:, ::2], wide[:, ::-2], values(2, 9, WIDTH, seed=2), np.asfortranarray(values(2, 9, WIDTH))):
        actual = [np.asarray(array) for array in request.infer([data]).values()]
        kept.append((actual, [array.copy() for array in actual]))
        for ours, expected in zip(actual, arrays(plain, np.ascontiguousarray(data)), strict=True):
            np.testing.assert_allclose(ours, expected, rtol=1e-5, atol=1e-6)
    assert runs == [9] * 4
    for actual, before in kept:
        for ours, copy in zip(actual, before, strict=True):
            np.testing.assert_array_equal(ours, copy)


@pytest.mark.parametrize(("trips", "limit"), [(5, 10**9), (70, 10**9), (70, 600), (70, 3), (-1, 600), (5000, 10**9)])
def test_a_condition_or_the_count_ends_a_loop(runs: list[int], tmp_path: Path, trips: int, limit: int) -> None:
    require_same(counting(trips, limit), values(1, WIDTH), tmp_path)
    assert sum(runs) == (trips if limit == 10**9 else 36 if limit == 600 else 3)


@pytest.mark.parametrize("limit", [10**9, 100])
def test_joined_results_end_with_the_loop(runs: list[int], tmp_path: Path, limit: int) -> None:
    model = counting(70, limit, joins=True)
    require_same(model, values(1, WIDTH), tmp_path, with_openvino=limit > 100)
    assert arrays(compiled(model, tmp_path), values(1, WIDTH))[2].shape == (runs[0], WIDTH)
    assert runs[0] == (70 if limit > 100 else 15)


def test_a_loop_without_an_end_is_refused(runs: list[int], tmp_path: Path) -> None:
    model = compiled(counting(-1, 10**9, counts=False), tmp_path, TRIP_LIMIT=9000)
    with pytest.raises(Error, match="does not end within 9000 iterations"):
        model([values(1, WIDTH)])
    assert runs == [4096, 4096, 808]


@pytest.mark.parametrize("first", [True, False])
def test_states_that_results_share_are_copied_one_by_one(runs: list[int], tmp_path: Path, first: bool) -> None:
    require_same(swapping(first), values(7, WIDTH), tmp_path)
    assert not runs


def test_large_slices_run_one_by_one(runs: list[int], tmp_path: Path) -> None:
    data, x = parameter(3, 40000), parameter(1, 40000)
    body = ov.Model([ops.exp(x)], [x], "body")
    loop = ops.tensor_iterator()
    loop.set_body(body)
    loop.set_sliced_input(x, data.output(0), 0, 1, 1, -1, 0)
    joined = loop.get_concatenated_slices(body.results[0].output(0), 0, 1, 1, -1, 0)
    require_same(ov.Model([joined], [data], "model"), values(3, 40000), tmp_path)
    assert not runs


def test_cancelling_ends_a_loop(runs: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from ir_plugin.kernels.numba.runtime.job_table import CompiledJobTable

    request = compiled(iterator(300, 1), tmp_path).create_infer_request()
    data = values(2, 300, WIDTH)
    expected = np.asarray(request.infer([data])[0]).copy()
    run = CompiledJobTable.run

    def cancelling(table: CompiledJobTable, first: int) -> tuple[int, bool]:
        request.cancel()
        return run(table, first)

    with monkeypatch.context() as patched:
        patched.setattr(CompiledJobTable, "run", cancelling)
        with pytest.raises(CancelledError):
            request.infer([data])
    np.testing.assert_array_equal(np.asarray(request.infer([data])[0]), expected)
    assert runs == [300, 300]


def test_numpy_alone_runs_one_by_one(runs: list[int], tmp_path: Path) -> None:
    model, data = iterator(9, 1), values(2, 9, WIDTH)
    actual = arrays(compiled(model, tmp_path, PROVIDER="numpy"), data)
    for ours, expected in zip(actual, arrays(compiled(model, tmp_path), data), strict=True):
        np.testing.assert_allclose(ours, expected, rtol=1e-5, atol=1e-6)
    assert runs == [9]
