"""Measure 3x3 convolutions with and without Winograd: `python -m benchmarks.winograd`.

Prints for each shape and provider the least µs of the direct convolution, F(2, 3) and F(4, 3) in one thread, what
`compiler.selection.winograd_cost` expects, and its choice; then how much longer the choices take than the fastest.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np

from ir_plugin.compiler.selection.winograd_cost import NUMBA, NUMPY, NUMPY_SHARED, Costs, estimate, winograd_size
from ir_plugin.kernels.numpy.convolution import Geometry, Run, unfolded
from ir_plugin.kernels.numpy.winograd import winograd
from ir_plugin.kernels.thread_pool import BLAS, ThreadPool
from ir_plugin.tensors import Array

SHAPES = (
    (512, 512, 7), (256, 256, 7), (64, 64, 7), (64, 64, 12), (192, 384, 13), (256, 256, 14), (64, 64, 14),
    (48, 48, 14), (32, 32, 27), (256, 64, 28), (128, 128, 28), (128, 32, 28), (96, 96, 28), (24, 24, 28),
    (64, 64, 56), (48, 48, 56), (32, 32, 56), (16, 16, 56), (32, 64, 112), (16, 16, 112),
)  # fmt: skip
"""Channels of the data and of the output, height and width."""
SIZES = (0, 2, 4)
SECONDS = 0.3


def by_numpy(geometry: Geometry, weights: Array) -> list[Run]:
    """Return the convolutions by NumPy."""
    pool = ThreadPool(1)
    return [unfolded(geometry, weights, None, pool), *(winograd(geometry, weights, None, pool, size=m) for m in (2, 4))]


def by_numba(geometry: Geometry, weights: Array) -> list[Run]:
    """Return the compiled convolutions."""
    from ir_plugin.kernels.numba.direct_convolution import convolution
    from ir_plugin.kernels.numba.epilogue import EncodedEpilogue
    from ir_plugin.kernels.numba.runtime.spin_pool import SpinPool
    from ir_plugin.kernels.numba.winograd import winograd as compiled

    epilogue, pool = EncodedEpilogue(np.zeros(0, np.int64), np.zeros((0, 2), np.float32), None), SpinPool(1)
    binders: list[Any] = [
        convolution(weights, epilogue)(geometry),
        *(compiled(weights, epilogue, m)(geometry) for m in (2, 4)),
    ]
    return [bind(pool) for bind in binders]


def least(run: Callable[[], object]) -> float:
    """Return the least microseconds of the runs of some time."""
    best, end = math.inf, time.perf_counter() + SECONDS
    while time.perf_counter() < end:
        start = time.perf_counter()
        run()
        best = min(best, time.perf_counter() - start)
    return best * 1e6


def measure(name: str, make: Callable[[Geometry, Array], list[Run]], costs: Costs, threads: int = 1) -> None:
    """Print the table of one provider, with so many threads of BLAS."""
    dice, longer = np.random.default_rng(0), []
    print(f"| {name} | µs by m of 0, 2, 4 | expected | chosen m |", "|---|---|---|---|", sep="\n")
    for depth, outputs, length in SHAPES:
        shape = (1, length, length, depth)
        geometry = Geometry(shape, (3, 3), (1, 1), (1, 1), (1, 1), (1, 1), (length, length), 1, outputs)
        weights = dice.standard_normal((outputs, depth, 3, 3)).astype(np.float32)
        data, output = dice.standard_normal(shape).astype(np.float32), np.empty((*shape[:3], outputs), np.float32)
        with BLAS.held(threads):
            times = [least(partial(run, data, output, [])) for run in make(geometry, weights)]
        expected = ", ".join(f"{estimate(geometry, m, costs) / 1e3:.0f}" for m in SIZES)
        chosen = winograd_size(geometry, 4, costs)
        longer.append(times[SIZES.index(chosen)] / min(times))
        measured = ", ".join(f"{time:.0f}" for time in times)
        print(f"| {depth} to {outputs} of {length}x{length} | {measured} | {expected} | {chosen} |", flush=True)
    mean = math.exp(sum(map(math.log, longer)) / len(longer))
    print(f"\nThe choices take {mean:.3f} times as long as the fastest, at most {max(longer):.2f} times.\n")


if __name__ == "__main__":
    measure("NumPy", by_numpy, NUMPY)
    measure("NumPy, two threads of BLAS", by_numpy, NUMPY_SHARED, 2)
    if find_spec("numba") is None:
        sys.exit("numba is not installed, so only NumPy is measured")
    measure("numba", by_numba, NUMBA)
