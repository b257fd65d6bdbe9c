"""Measure products by the three layouts of packed weights: `python -m benchmarks.products`.

Prints the least µs of a product in one thread, the layouts in turns: those of `gemm.blocked` (thread pools, attention),
`gemm.packed_weights` (spin pools, convolutions) and `recurrent` (steps of recurrent networks).
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec

import numpy as np

from ir_plugin.tensors import Array

SHAPES = (
    (128, 768, 3072), (128, 768, 768), (197, 192, 576), (49, 384, 384), (128, 64, 128), (16, 256, 1024),
    (8, 256, 1024), (4, 256, 1024), (2, 256, 1024), (1, 256, 1024), (1, 128, 512),
)  # fmt: skip
"""Rows, depth and width."""
SECONDS = 2.0


def layouts(data: Array, weights: Array, output: Array) -> list[Callable[[], object]]:
    """Return the product of data and weights by each layout."""
    from ir_plugin.kernels.numba import recurrent
    from ir_plugin.kernels.numba.direct_convolution import product
    from ir_plugin.kernels.numba.epilogue import EncodedEpilogue
    from ir_plugin.kernels.numba.gemm import blocked
    from ir_plugin.kernels.numba.runtime.spin_pool import SpinPool
    from ir_plugin.kernels.thread_pool import ThreadPool

    rows, width = output.shape
    epilogue = EncodedEpilogue(np.zeros(0, np.int64), np.zeros((0, 2), np.float32), None)
    narrow, wide = blocked.packed(weights), recurrent.pack_panels(weights)
    by_panels = blocked.with_weights(narrow, blocked.start_of(None, narrow), width, [], ThreadPool(1))
    by_table = product(rows, weights, epilogue)(SpinPool(1))
    return [
        lambda: by_panels(data, output, []),
        lambda: by_table(data, output, []),
        lambda: recurrent.accumulate(data, wide, output, 0, width),
    ]


def measure(rows: int, depth: int, width: int) -> list[float]:
    """Return the least microseconds of each layout."""
    dice = np.random.default_rng(0)
    weights = dice.standard_normal((depth, width)).astype(np.float32)
    data, output = dice.standard_normal((rows, depth)).astype(np.float32), np.zeros((rows, width), np.float32)
    runs = layouts(data, weights, output)
    best, end, repeats = [math.inf] * len(runs), time.perf_counter() + SECONDS, max(2**21 // weights.size // rows, 1)
    while time.perf_counter() < end:
        for number, run in enumerate(runs):
            output[:] = 0
            begin = time.perf_counter()
            for _ in range(repeats):
                run()
            best[number] = min(best[number], (time.perf_counter() - begin) / repeats * 1e6)
    return best


if __name__ == "__main__":
    if find_spec("numba") is None:
        sys.exit("numba is not installed, and these are its kernels")
    print("| rows x depth x width | blocked | packed_weights | recurrent |", "|---|---|---|---|", sep="\n")
    for shape in SHAPES:
        cells = " | ".join(f"{micros:.1f}" for micros in measure(*shape))
        print(f"| {' x '.join(map(str, shape))} | {cells} |", flush=True)
