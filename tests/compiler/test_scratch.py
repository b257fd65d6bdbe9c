"""Memory that the kernels of a pool share."""

from __future__ import annotations

import numpy as np

from ir_plugin.kernels.aligned import LINE
from ir_plugin.kernels.numpy.convolution import Geometry, unfolded
from ir_plugin.kernels.numpy.winograd import winograd
from ir_plugin.kernels.thread_pool import Scratch, ThreadPool

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
