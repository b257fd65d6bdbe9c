"""Memory that the kernels of a pool share."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from ir_plugin.kernels import policy
from ir_plugin.kernels.aligned import LINE
from ir_plugin.kernels.numpy import transposed_convolution
from ir_plugin.kernels.numpy.convolution import Geometry, grouped, unfolded
from ir_plugin.kernels.numpy.transposed_convolution import Spread
from ir_plugin.kernels.numpy.winograd import winograd
from ir_plugin.kernels.thread_pool import Scratch, ThreadPool
from ir_plugin.tensors import Array

F32 = np.dtype(np.float32)


def test_kernels_of_one_pool_share_memory_and_arrays_of_one_kernel_do_not() -> None:
    pool = ThreadPool(1)
    small, large = Scratch(pool, F32, (3, 5), (7,)), Scratch(pool, F32, (100, 10))
    first, second = small.arrays()
    assert first.shape == (3, 5)
    assert second.shape == (7,)
    assert not np.shares_memory(first, second)
    assert first.ctypes.data % LINE == second.ctypes.data % LINE == 0
    assert np.shares_memory(first, large.arrays()[0])
    assert small.arrays()[0] is first


def test_memory_that_is_too_small_is_freed_before_larger_memory_is_taken() -> None:
    pool = ThreadPool(1)
    small = Scratch(pool, F32, (8,))
    memory = weakref.ref(small.arrays()[0].base)
    larger = Scratch(pool, F32, (1000,)).arrays()[0]
    assert memory() is None
    assert np.shares_memory(small.arrays()[0], larger)


def test_memory_of_another_pool_is_another() -> None:
    one, another = (Scratch(ThreadPool(1), F32, (64,)).arrays()[0] for _ in range(2))
    assert not np.shares_memory(one, another)


def test_convolutions_that_share_memory_give_their_numbers_in_any_order() -> None:
    rng = np.random.default_rng(0)
    for threads in (1, 2):
        pool = ThreadPool(threads)
        geometry = Geometry((1, 30, 30, 16), (3, 3), (1, 1), (1, 1), (1, 1), (1, 1), (30, 30), 1, 16)
        weights = rng.standard_normal((16, 16, 3, 3)).astype(np.float32)
        data = rng.standard_normal(geometry.data).astype(np.float32)
        kernels = [unfolded(geometry, weights, None, pool)]
        kernels += [winograd(geometry, weights, None, pool, size=size) for size in (2, 4)]
        expected = np.empty((1, 30, 30, 16), np.float32)
        unfolded(geometry, weights, None, ThreadPool(1))(data, expected, ())
        for kernel in (*kernels, *kernels[::-1]):
            output = np.empty_like(expected)
            kernel(data, output, ())
            np.testing.assert_allclose(output, expected, rtol=1e-3, atol=1e-3)


GEOMETRY = Geometry((2, 9, 11, 8), (3, 3), (1, 1), (1, 1), (1, 1), (1, 1), (9, 11), 1, 8)
SPREAD = Spread((2, 9, 11, 8), (3, 3), (2, 2), (1, 1), (1, 1), (17, 21), 1, 8)
WEIGHTS = np.random.default_rng(1).standard_normal((8, 8, 3, 3)).astype(np.float32)
KERNELS: dict[str, Callable[[ThreadPool], Callable[[Array, Array, Sequence[Array]], None]]] = {
    "unfolded": lambda pool: unfolded(GEOMETRY, WEIGHTS, None, pool),
    "grouped": lambda pool: grouped(GEOMETRY, WEIGHTS[None, :, :8], None, pool),
    "winograd": lambda pool: winograd(GEOMETRY, WEIGHTS, None, pool, size=4),
    "transposed": lambda pool: transposed_convolution.by_phases(SPREAD, WEIGHTS[None], None, pool),
    "transposed, depthwise": lambda pool: transposed_convolution.depthwise(SPREAD, WEIGHTS[0], None, pool),
}


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("phases_min_filter_bytes", [0, 2**30])
def test_pads_in_shared_memory_are_zeros_in_every_run(
    threads: int, phases_min_filter_bytes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(0)
    data = [rng.standard_normal(GEOMETRY.data).astype(np.float32) for _ in range(2)]
    kept = {name: make(ThreadPool(threads)) for name, make in KERNELS.items()}
    monkeypatch.setattr(policy, "PADDED_DATA_KEPT_MAX_BYTES", 0)
    monkeypatch.setattr(policy, "WINOGRAD_PHASES_MIN_FILTER_BYTES", phases_min_filter_bytes)
    pool = ThreadPool(threads)
    shared = {name: make(pool) for name, make in KERNELS.items()}
    for values in (data[0], np.full_like(data[0], np.nan), data[1]):
        for name in KERNELS:
            lengths = SPREAD.output if "transposed" in name else GEOMETRY.output
            expected, output = np.empty((2, 2, *lengths, 8), np.float32)
            kept[name](values, expected, ())
            shared[name](values, output, ())
            np.testing.assert_allclose(output, expected, atol=1e-5, err_msg=name)
