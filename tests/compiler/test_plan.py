"""Plans against the plain evaluation and OpenVINO, on networks that passes and layouts change."""

from __future__ import annotations

import os
import threading
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import openvino as ov
import pytest
from openvino import opset8 as ops
from openvino.opset11 import interpolate as resize

from ir_plugin import Core
from ir_plugin.compiler import PASSES
from ir_plugin.kernels.thread_pool import BLAS
from ir_plugin.tensors import Array
from tests.support.planned import PROVIDERS

RNG = np.random.default_rng(7)
START = RNG.bit_generator.state


@pytest.fixture(autouse=True)
def the_same_numbers() -> None:
    """Seed the random numbers for each test, as rounding errors are compared to within a few units."""
    RNG.bit_generator.state = START


def const(*shape: int) -> Any:
    return ops.constant(RNG.standard_normal(shape).astype(np.float32) * 0.3)


def conv(
    data: Any, outputs: int, channels: int, kernel: int = 3, stride: int = 1, pad: int = 1, dilation: int = 1
) -> Any:
    weights = const(outputs, channels, kernel, kernel)
    return ops.convolution(data, weights, [stride, stride], [pad, pad], [pad, pad], [dilation, dilation])


def grouped(data: Any, groups: int, outputs: int, channels: int, kernel: int = 3, stride: int = 1) -> Any:
    weights, pad = const(groups, outputs, channels, kernel, kernel), kernel // 2
    return ops.group_convolution(data, weights, [stride, stride], [pad, pad], [pad, pad], [1, 1])


def bias_relu(x: Any) -> Any:
    return ops.relu(ops.add(conv(x, 8, 4), const(1, 8, 1, 1)))


def batch_norm(x: Any) -> Any:
    statistics = [const(8), const(8), const(8), ops.constant(np.linspace(0.5, 2, 8, dtype=np.float32))]
    return ops.batch_norm_inference(conv(x, 8, 4, stride=2), *statistics, 1e-3)


def scales(x: Any) -> Any:
    return ops.add(ops.multiply(const(8, 1, 1), conv(x, 8, 4, kernel=1, pad=0)), const(8, 1, 1))


def affine_chain(x: Any) -> Any:
    y = ops.add(conv(x, 8, 4), const(1, 8, 1, 1))
    y = ops.add(const(1), ops.multiply(const(1, 8, 1, 1), ops.add(y, const(8, 1, 1))))
    y = ops.multiply(ops.multiply(y, const(1)), const(1, 8, 1, 1))
    grouped_sum = ops.add(grouped(y, 4, 2, 2), const(1, 8, 1, 1))
    return ops.add(ops.multiply(grouped_sum, const(1, 8, 1, 1)), grouped_sum)


def residual(x: Any) -> Any:
    first = ops.relu(conv(x, 4, 4))
    return ops.relu(ops.add(first, conv(first, 4, 4)))


def residual_first(x: Any) -> Any:
    return ops.subtract(x, conv(x, 4, 4))


def gate(x: Any) -> Any:
    body = conv(x, 8, 4, dilation=2, pad=2)
    mean = ops.reduce_mean(body, ops.constant(np.array([2, 3])), True)
    return ops.multiply(body, ops.sigmoid(conv(mean, 8, 8, kernel=1, pad=0)))


def late_operand(x: Any) -> Any:
    mean = ops.reduce_mean(x, ops.constant(np.array([1, 2, 3])), True)
    return ops.relu(ops.multiply(ops.add(conv(x, 8, 4), const(1, 8, 1, 1)), mean))


def depthwise(x: Any) -> Any:
    return ops.clamp(ops.add(grouped(x, 4, 1, 1, 5), const(1, 4, 1, 1)), 0.0, 6.0)


def shuffled(x: Any) -> Any:
    wide = ops.relu(grouped(conv(x, 8, 4), 4, 2, 2, stride=2))
    parts = ops.reshape(wide, ops.constant(np.array([0, 4, 2, 6, 6])), True)
    return grouped(
        ops.reshape(ops.transpose(parts, ops.constant([0, 2, 1, 3, 4])), ops.constant([0, 8, 6, 6]), True), 2, 3, 4
    )


def branches(x: Any) -> Any:
    left, right = ops.relu(conv(x, 3, 4)), conv(x, 5, 4, kernel=5, pad=2)
    return ops.concat([left, ops.max_pool(right, [1, 1], [1, 1], [1, 1], [1, 1], [3, 3]).output(0), x], 1)


def pools(x: Any) -> Any:
    wide = ops.max_pool(conv(x, 8, 4), [2, 2], [1, 1], [0, 0], [1, 1], [3, 3], "ceil").output(0)
    return ops.avg_pool(wide, [1, 1], [1, 1], [1, 1], [3, 3], True)


def activations(x: Any) -> Any:
    y = ops.hswish(conv(x, 8, 4))
    y = ops.gelu(conv(y, 8, 8), "erf")
    y = ops.swish(conv(y, 8, 8))
    y = ops.elu(conv(y, 8, 8), 0.7)
    y = ops.gelu(conv(y, 8, 8), "tanh")
    y = ops.hsigmoid(conv(y, 8, 8))
    return ops.erf(ops.tanh(ops.exp(ops.negative(conv(y, 8, 8)))))


def spelled_out(x: Any) -> Any:
    def number(value: float) -> Any:
        return ops.constant(np.array([[[[value]]]], np.float32))

    def clipped(y: Any) -> Any:
        return ops.minimum(ops.maximum(ops.add(y, number(3)), number(0)), number(6))

    y = conv(x, 8, 4)
    y = ops.divide(ops.multiply(y, clipped(y)), number(6))
    y = grouped(y, 8, 1, 1)
    y = ops.multiply(y, ops.multiply(ops.clamp(ops.add(number(3), y), 0.0, 6.0), number(1 / 6)))
    y = ops.multiply(y, ops.divide(clipped(conv(y, 8, 8)), number(6)))
    return ops.multiply(ops.sigmoid(y), y)


def layer_norm(x: Any) -> Any:
    rows = ops.reshape(x, ops.constant(np.array([1, 48, 12])), False)
    y = ops.add(ops.multiply(ops.mvn(rows, ops.constant(np.array([-1])), True, 1e-5, "inside_sqrt"), const(12)), rows)
    y = ops.transpose(ops.softmax(y, 1), ops.constant([0, 2, 1]))
    y = ops.mvn(y, ops.constant(np.array([1, 2])), False, 1e-5, "outside_sqrt")
    return ops.reduce_mean(ops.add(y, const(12, 1)), ops.constant(np.array([2])), False)


def moved(x: Any) -> Any:
    y = conv(x, 8, 4)
    halves = ops.split(y, ops.constant(1), 2)
    last = ops.transpose(halves.output(1), ops.constant([0, 2, 3, 1]))
    flat = ops.reshape(last, ops.constant(np.array([1, 12, 48])), False)
    back = ops.reshape(flat, ops.constant(np.array([1, 4, 12, 12])), False)
    part = ops.strided_slice(y, *(ops.constant(n) for n in ([0, 2, 0, 0], [1, 6, 12, 12], [1, 1, 1, 1])), [], [])
    square = ops.add(back, ops.transpose(back, ops.constant([0, 1, 3, 2])))
    return ops.add(ops.add(square, part), ops.avg_pool(halves.output(0), [1, 1], [2, 2], [2, 2], [5, 5], False))


def resized(x: Any) -> Any:
    axes = ops.constant([2, 3])
    y = resize(conv(x, 8, 4), ops.constant([17, 24]), "nearest", "sizes", axes=axes)
    y = resize(y, ops.constant([5, 7]), "nearest", "sizes", [0, 0, 1, 0], [0] * 4, axes=axes)
    return ops.multiply(y, ops.hard_sigmoid(y, ops.constant(np.float32(0.2)), ops.constant(np.float32(0.5))))


def responses(x: Any) -> Any:
    y = ops.lrn(ops.relu(conv(x, 8, 4)), ops.constant([1]), 1e-2, 0.75, 1.0, 5)
    y = ops.lrn(ops.multiply(y, const(1, 8, 1, 1)), ops.constant([1]), 1e-2, 0.6, 1.0, 3)
    return ops.add(y, ops.avg_pool(y, [1, 1], [0, 0], [0, 0], [12, 12], True))


def products(x: Any) -> Any:
    rows = ops.reshape(x, ops.constant(np.array([1, 48, 12])), False)
    hidden = ops.gelu(ops.add(ops.matmul(rows, const(12, 96), False, False), const(96)), "erf")
    back = ops.add(ops.matmul(hidden, const(12, 96), False, True), rows)
    scores = ops.softmax(ops.matmul(back, back, False, True), -1)
    return ops.matmul(scores, back, False, False)


def unprepared(x: Any) -> Any:
    sums = ops.reduce_sum(ops.slice(x, *(ops.constant([n]) for n in (0, 1, 1, 0))), ops.constant([0, 2, 3]), False)
    weights = ops.reshape(sums, ops.constant([1, 4, 1, 1]), False)
    return ops.multiply(ops.relu(ops.convolution(x, weights, [1, 1], [0, 0], [0, 0], [1, 1])), const(1))


def twice(x: Any) -> Any:
    once = conv(x, 4, 4)
    return ops.add(ops.relu(once), ops.multiply(once, once))


def identities(x: Any) -> Any:
    same = ops.reshape(ops.convert(x, "f32"), ops.constant(np.array([0, 0, 0, 0])), True)
    return ops.add(ops.broadcast(same, ops.constant(np.array([1, 4, 12, 12]))), x)


NETWORKS: dict[str, Callable[[Any], Any]] = {
    made.__name__: made
    for made in (
        bias_relu, batch_norm, scales, residual, residual_first, gate, late_operand, depthwise, shuffled, branches,
        pools, activations, products, unprepared, twice, identities,
        spelled_out, layer_norm, affine_chain, moved, responses, resized,
    )
}  # fmt: skip


FIXED = ("products", "shuffled", "identities", "layer_norm", "moved")
"""Networks in which a constant holds the batch size."""


def build(name: str, path: Path, batch: int = 1, dynamic: bool = False) -> tuple[Any, Array]:
    x = ops.parameter([-1 if dynamic else batch, 4, 12, 12], np.float32, name="x")
    result = NETWORKS[name](x)
    model = ov.Model([ops.result(result)], [x], name)
    ov.serialize(model, path)
    compiled = ov.Core().compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    return compiled, RNG.standard_normal((batch, 4, 12, 12)).astype(np.float32)


@pytest.mark.parametrize("name", NETWORKS)
def test_plan_equals_plain_evaluation_and_openvino(name: str, tmp_path: Path) -> None:
    judge, x = build(name, tmp_path / "m.xml")
    right = judge([x])[0]
    core = Core()
    plain = core.compile_model(tmp_path / "m.xml", config={"OPTIMIZE": False})
    np.testing.assert_allclose(plain([x])[0], right, rtol=1e-4, atol=1e-5)
    expected = [(data, plain([data])[0]) for data in (x, np.flip(x, -1).copy())]
    configs: list[dict[str, Any]] = [
        *({"PROVIDER": provider} for provider in PROVIDERS),
        {"INFERENCE_NUM_THREADS": 1},
        *({"DISABLED_PASSES": [disabled]} for disabled in PASSES),
    ]
    for config in configs:
        compiled = core.compile_model(tmp_path / "m.xml", config=config)
        for data, result in expected:
            scale = max(float(np.abs(result).max()), 1)
            np.testing.assert_allclose(compiled([data])[0], result, rtol=2e-5, atol=3e-6 * scale, err_msg=str(config))


@pytest.mark.parametrize("name", [name for name in NETWORKS if name not in FIXED])
def test_batches_and_dynamic_shapes(name: str, tmp_path: Path) -> None:
    judge, x = build(name, tmp_path / "m.xml", batch=3, dynamic=True)
    compiled = Core().compile_model(tmp_path / "m.xml")
    for batch in (3, 1, 3):
        np.testing.assert_allclose(compiled([x[:batch]])[0], judge([x[:batch]])[0], rtol=1e-4, atol=1e-5)


def test_results_are_not_overwritten(tmp_path: Path) -> None:
    _, x = build("residual", tmp_path / "m.xml")
    compiled = Core().compile_model(tmp_path / "m.xml")
    first = compiled([x])[0]
    copy = first.copy()
    compiled([-x])
    np.testing.assert_array_equal(first, copy)
    assert first.flags.writeable
    assert first.flags.c_contiguous


def test_requests_are_independent_in_threads(tmp_path: Path) -> None:
    _, x = build("branches", tmp_path / "m.xml")
    compiled = Core().compile_model(tmp_path / "m.xml")
    expected = [compiled([x * k])[0] for k in range(4)]
    wrong: list[int] = []

    def work(k: int) -> None:
        request = compiled.create_infer_request()
        wrong.extend(k for _ in range(30) if not np.array_equal(request.infer([x * k])[0], expected[k]))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_blas_threads_come_back(tmp_path: Path) -> None:
    from threadpoolctl import threadpool_info

    before = [(info["prefix"], info["num_threads"]) for info in threadpool_info()]
    _, x = build("products", tmp_path / "m.xml")
    Core().compile_model(tmp_path / "m.xml")([x])
    assert [(info["prefix"], info["num_threads"]) for info in threadpool_info()] == before


def test_blas_is_held_from_every_thread() -> None:
    from threadpoolctl import threadpool_info

    thread_counts: list[int] = []

    def look() -> None:
        with BLAS.held(1):
            thread_counts.extend(info["num_threads"] for info in threadpool_info() if info["user_api"] == "blas")

    look()
    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert set(thread_counts) == {1}


def test_other_threads_limit_blas_after_an_inference() -> None:
    from threadpoolctl import threadpool_info, threadpool_limits

    thread_counts: list[int] = []

    def limit() -> None:
        with threadpool_limits(1, user_api="blas"):
            thread_counts.extend(info["num_threads"] for info in threadpool_info() if info["user_api"] == "blas")

    with BLAS.held(1):
        pass
    thread = threading.Thread(target=limit)
    thread.start()
    thread.join()
    assert set(thread_counts) == {1}


def test_the_last_holder_restores_blas_in_another_thread() -> None:
    from threadpoolctl import threadpool_info

    before = [info["num_threads"] for info in threadpool_info()]
    is_held, is_left = threading.Event(), threading.Event()

    def hold() -> None:
        with BLAS.held(1):
            is_held.set()
            is_left.wait()

    thread = threading.Thread(target=hold)
    with BLAS.held(1):
        thread.start()
        is_held.wait()
    is_left.set()
    thread.join()
    assert [info["num_threads"] for info in threadpool_info()] == before


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_a_fork_waits_for_the_thread_that_sets_blas() -> None:
    is_set, is_left = threading.Event(), threading.Event()

    def set_threads() -> None:
        with BLAS.lock:
            is_set.set()
            time.sleep(0.2)
            is_left.set()

    thread = threading.Thread(target=set_threads)
    thread.start()
    is_set.wait()
    child = os.fork()
    if not child:
        os._exit(0 if is_left.is_set() else 1)
    thread.join()
    assert os.waitpid(child, 0)[1] == 0
    with BLAS.held(1):
        assert BLAS._holders == [threading.get_ident()]


@pytest.mark.parametrize(("load", "threads"), [(0.5, 2), (40.0, 1)])
def test_blas_has_one_thread_on_a_crowded_machine(load: float, threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    from threadpoolctl import threadpool_info

    monkeypatch.setattr(os, "getloadavg", lambda: (load, load, load), raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    with BLAS.held(2):
        assert {info["num_threads"] for info in threadpool_info() if info["user_api"] == "blas"} == {threads}


@pytest.mark.parametrize("optimize", [True, False])
@pytest.mark.parametrize(
    "make", [lambda x: x, lambda x: ops.convert(x, "f32"), lambda x: ops.reshape(x, [3, 2], False)]
)
def test_results_share_nothing_with_what_was_given(make: Callable[[Any], Any], optimize: bool, tmp_path: Path) -> None:
    x = ops.parameter([2, 3], np.float32, name="x")
    ov.serialize(ov.Model([ops.result(make(x))], [x], "m"), tmp_path / "m.xml")
    array = np.ones((2, 3), np.float32)
    result = Core().compile_model(tmp_path / "m.xml", config={"OPTIMIZE": optimize})([array])[0]
    assert not np.shares_memory(result, array)


@pytest.mark.parametrize("value", [np.inf, np.nan, 3e38, -1.0])
def test_weights_that_are_no_numbers_are_merged_without_a_warning(value: float, tmp_path: Path) -> None:
    """Statistics that overflow or have no root give NaN, without a warning."""
    data = ops.parameter([1, 2, 4, 4], np.float32, name="data")
    ones = [1, 1]
    layer = ops.convolution(data, np.full((2, 2, 3, 3), value, np.float32), ones, ones, ones, ones)
    layer = ops.batch_norm_inference(layer, *(np.full(2, value, np.float32) for _ in range(4)), 1e-5)
    ov.serialize(ov.Model([ops.result(ops.multiply(layer, np.float32(value)))], [data], "odd"), tmp_path / "m.xml")
    image = np.ones((1, 2, 4, 4), np.float32)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for optimize in (True, False):
            result = Core().compile_model(tmp_path / "m.xml", config={"OPTIMIZE": optimize})(image)[0]
            assert not np.isfinite(result).any()
