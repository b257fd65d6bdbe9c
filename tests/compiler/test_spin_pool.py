"""The compiled jobs of a spin pool against NumPy's forms, over random sizes; memory around the output must stay."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ir_plugin.kernels.numpy import convolution as forms
from ir_plugin.kernels.thread_pool import BLAS, ThreadPool
from ir_plugin.operations.registry import Registry
from ir_plugin.tensors import Array
from tests.support.skips import COMPILED

pytest.importorskip("numba", reason=COMPILED)

from ir_plugin.kernels.numba import direct_convolution as direct
from ir_plugin.kernels.numba import winograd
from ir_plugin.kernels.numba.concat import RowConcatenation
from ir_plugin.kernels.numba.epilogue import EncodedEpilogue, encode_epilogue
from ir_plugin.kernels.numba.epilogue_chain import Chain
from ir_plugin.kernels.numba.lrn import Lrn
from ir_plugin.kernels.numba.runtime.spin_pool import SpinPool
from ir_plugin.kernels.numba.runtime.transposed import can_transpose
from ir_plugin.kernels.numba.transpose import Transpose
from ir_plugin.kernels.numpy.epilogue import EpilogueStage, by_rows
from ir_plugin.kernels.numpy.rows import response_normalized

SIZES = (1, 2, 3)
NONE = EncodedEpilogue(np.zeros(0, np.int64), np.zeros((0, 2), np.float32), None)


def operation(type: str) -> Any:
    definition = Registry().resolve(type, "opset8")
    assert definition is not None
    return definition.cls()


def guarded(shape: tuple[int, ...]) -> tuple[Array, Array]:
    """Return an array, and the memory of which it is the middle."""
    size = int(np.prod(shape))
    memory = np.full(size + 128, np.nan, np.float32)
    return memory[64 : 64 + size].reshape(shape), memory


def untouched(memory: Array) -> bool:
    return bool(np.isnan(memory[:64]).all() and np.isnan(memory[-64:]).all())


def geometry(random: np.random.Generator, kernel: int) -> forms.Geometry:
    """Return a convolution of few or many rows; a kernel of 3 may be one of Winograd's."""
    samples, depth, outputs = int(random.integers(1, 3)), int(random.integers(1, 70)), int(random.integers(1, 70))
    height, width = (int(random.integers(kernel * 2, 34)) for _ in range(2))
    plain = bool(random.integers(2))
    stride, dilation = (1, 1) if plain else (int(random.integers(1, 3)), int(random.integers(1, 3)))
    begin, end = (tuple(int(pad) for pad in random.integers(0, kernel, 2)) for _ in range(2))
    reach = (kernel - 1) * dilation + 1
    output = tuple(
        (length + a + b - reach) // stride + 1 for length, a, b in zip((height, width), begin, end, strict=True)
    )
    return forms.Geometry(
        (samples, height, width, depth), (kernel, kernel), (stride, stride), (dilation, dilation),
        (begin[0], begin[1]), (end[0], end[1]), (output[0], output[1]), 1, outputs,
    )  # fmt: skip


def check(run: Callable[[SpinPool], forms.Run], data: Array, right: Array, threads: int, operands: list[Array]) -> None:
    pool = SpinPool(threads)
    output, memory = guarded(right.shape)
    bound = run(pool)
    with BLAS.held(1):
        for awake in (False, True):
            output[...] = np.nan
            if awake:
                pool.begin()
            bound(data, output, operands)
            pool.end()
            scale = float(np.abs(right).max(initial=1))
            np.testing.assert_allclose(output, right, atol=2e-5 * scale)
            assert untouched(memory)


@pytest.mark.parametrize(("kernel", "seed"), [(kernel, seed) for kernel in (1, 2, 3, 5) for seed in range(8)])
def test_convolutions(kernel: int, seed: int) -> None:
    random = np.random.default_rng([kernel, seed])
    sizes = geometry(random, kernel)
    data = random.standard_normal(sizes.data).astype(np.float32)
    weights = random.standard_normal((sizes.channels, sizes.data[3], kernel, kernel)).astype(np.float32)
    right = np.empty((sizes.data[0], *sizes.output, sizes.channels), np.float32)
    extra = random.standard_normal(right.shape).astype(np.float32).reshape(-1, sizes.channels)
    bias = random.standard_normal(sizes.channels).astype(np.float32)
    stages = [
        EpilogueStage(operation("Add"), bias),
        EpilogueStage(operation("ReLU")),
        EpilogueStage(operation("Add"), 0),
    ]
    encoded = encode_epilogue(stages, sizes.channels)
    assert encoded is not None
    forms.unfolded(sizes, weights, by_rows(stages, sizes.channels), ThreadPool(1))(data, right, [extra])
    for threads in SIZES:
        check(direct.convolution(weights, encoded)(sizes), data, right, threads, [extra])
        if kernel == 3 and sizes.strides == sizes.dilations == (1, 1) and sizes.channels >= winograd.MIN_OUTPUTS:
            for size in (2, 4):
                check(winograd.winograd(weights, encoded, size)(sizes), data, right, threads, [extra])


@pytest.mark.parametrize("threads", SIZES)
@pytest.mark.parametrize("last", [True, False])
@pytest.mark.parametrize(
    ("groups", "channels", "outputs", "kernel", "pads", "step", "far"),
    [
        (2, 5, 12, 3, 1, 1, 1),
        (4, 4, 4, 3, 1, 1, 1),
        (3, 2, 1, 3, 2, 1, 2),
        (4, 17, 34, 1, 0, 1, 1),
        (2, 6, 40, 5, 2, 2, 1),
    ],
)
def test_groups_with_kernels(
    groups: int, channels: int, outputs: int, kernel: int, pads: int, step: int, far: int, last: bool, threads: int
) -> None:
    random = np.random.default_rng(outputs)
    high, wide = ((length + 2 * pads - (kernel - 1) * far - 1) // step + 1 for length in (19, 22))
    sizes = forms.Geometry(
        (2, 19, 22, groups * channels), (kernel, kernel), (step, step), (far, far), (pads, pads), (pads, pads),
        (high, wide), groups, groups * outputs,
    )  # fmt: skip
    data = random.standard_normal(sizes.data).astype(np.float32)
    weights = random.standard_normal((groups, outputs, channels, kernel, kernel)).astype(np.float32)
    right = np.empty((2, high, wide, groups * outputs), np.float32)
    stages = [EpilogueStage(operation("ReLU"))]
    encoded = encode_epilogue(stages, groups * outputs)
    assert encoded is not None
    forms.grouped(sizes, weights, by_rows(stages, groups * outputs), ThreadPool(1))(data, right, [])
    given = data if last else np.ascontiguousarray(data.transpose(0, 3, 1, 2)).transpose(0, 2, 3, 1)
    check(direct.convolution(weights, encoded)(sizes), given, right, threads, [])


@pytest.mark.parametrize("depth", [30, 1000])
@pytest.mark.parametrize("rows", [1, 7])
def test_products_of_few_rows(rows: int, depth: int) -> None:
    random = np.random.default_rng(rows)
    weights = random.standard_normal((depth, 50)).astype(np.float32)
    data = random.standard_normal((rows, depth)).astype(np.float32)
    check(direct.product(rows, weights, NONE), data, data @ weights, 2, [])


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (0, 2, 1, 3), (3, 1, 0, 2), (0, 3, 2, 1), (1, 0, 3, 2)])
@pytest.mark.parametrize("shape", [(2, 3, 4, 5), (1, 70, 9, 130), (20, 4, 17, 3), (1, 1, 1, 1)])
def test_moves(shape: tuple[int, ...], order: tuple[int, ...]) -> None:
    data = np.arange(np.prod(shape), dtype=np.int32).reshape(shape).transpose(order)
    for threads in SIZES:
        output, pool = np.zeros(data.shape, np.int32), SpinPool(threads)
        assert can_transpose(data, output)
        pool.begin()
        Transpose(data, output, pool)()
        pool.end()
        np.testing.assert_array_equal(output, data)
    assert not can_transpose(data[::-1], output)
    assert not can_transpose(data.astype(np.int64), output)


@pytest.mark.parametrize("beta", [0.75, 0.5])
@pytest.mark.parametrize("threads", SIZES)
def test_responses(threads: int, beta: float) -> None:
    random = np.random.default_rng(3)
    data = random.standard_normal((900, 30)).astype(np.float32)
    right = np.empty_like(data)
    response_normalized(0.3, beta, 1.5, 2, None, ThreadPool(1))(data, right, [])
    check(lambda pool: Lrn(900, 30, (0.3, beta, 1.5), 2, NONE, pool), data, right, threads, [])


@pytest.mark.parametrize("threads", SIZES)
def test_chains_merge_products_and_sums(threads: int) -> None:
    random = np.random.default_rng(5)
    vectors = random.standard_normal((5, 40)).astype(np.float32)
    types = ["Add", "Multiply", "Add", "Multiply", "Subtract"]
    stages = [EpilogueStage(operation(type), vector) for type, vector in zip(types, vectors, strict=True)]
    encoded = encode_epilogue(stages, 40)
    assert encoded is not None
    assert len(encoded.codes) == 3
    data = random.standard_normal((900, 40)).astype(np.float32)
    right = data.copy()
    plain = by_rows(stages, 40)
    assert plain is not None
    plain(right, 0, [])
    check(lambda pool: Chain(900, 40, encoded, pool), data, right, threads, [])


@pytest.mark.parametrize("threads", SIZES)
@pytest.mark.parametrize("dtype", [np.int8, np.float32, np.float64])
def test_concat(dtype: type[np.generic], threads: int) -> None:
    random = np.random.default_rng(1)
    parts = [random.integers(0, 99, (3000, width)).astype(dtype) for width in (1, 0, 5, 16)]
    output = np.empty((3000, 22), dtype)
    pool = SpinPool(threads)
    pool.begin()
    assert RowConcatenation(3000, [part[0].nbytes for part in parts], pool)([*parts, output])
    pool.end()
    np.testing.assert_array_equal(output, np.concatenate(parts, axis=1))


def test_functions_of_python_and_their_errors() -> None:
    done: list[int] = []
    pool = SpinPool(3)
    pool.begin()
    pool.run(done.append, 2)
    assert sorted(done) == [0, 1]

    def fail(part: int) -> None:
        done.append(1 // (1 - part) * 0 + 9)

    with pytest.raises(ZeroDivisionError):
        pool.run(fail, 3)
    done = [one for one in done if one != 9]
    pool.run(done.append, 3)
    pool.end()
    assert sorted(done) == [0, 0, 1, 1, 2]


def test_pools_are_independent_and_share_no_workers() -> None:
    weights = np.ones((8, 8), np.float32)
    wrong: list[int] = []

    def work(number: int) -> None:
        data, output = np.full((600, 8), number, np.float32), np.empty((600, 8), np.float32)
        for _ in range(50):
            pool = SpinPool(2)
            pool.begin()
            direct.product(600, weights, NONE)(pool)(data, output, [])
            pool.end()
            if not (output == 8 * number).all():
                wrong.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
