"""Measure single kernels by numba and by NumPy, in one thread: `python -m benchmarks.kernels`.

Prints the median milliseconds of GatherElements, Select, non-maximum suppression and GridSample by both, and of a
transposed copy in blocks and in one piece.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib.util import find_spec

import numpy as np

from benchmarks.provider import micro
from ir_plugin.kernels.numpy.gather import gather_elements
from ir_plugin.kernels.numpy.movement import copied, copy_transposed
from ir_plugin.kernels.thread_pool import ThreadPool
from ir_plugin.operations.boxes import Rule, suppress
from ir_plugin.operations.image.grid_sample import GridSample
from ir_plugin.tensors import Array

RNG = np.random.default_rng(5)
Pair = tuple[Callable[[], object], Callable[[], object]]


def gathering() -> Pair:
    """Return the NumPy and the numba kernel of GatherElements of 1000x1000 f32 along axis 1."""
    from ir_plugin.kernels.numba import gather
    from ir_plugin.kernels.numba.runtime.spin_pool import SpinPool

    data, indices, output = _floats(1000, 1000), RNG.integers(0, 1000, (1000, 1000)), _floats(1000, 1000)
    plain = gather_elements(data.shape, indices.shape, 1, True, ThreadPool(1))
    job = gather.kernel("GatherElements", 4, "i8")
    fast = gather.gather_elements(job, data.shape, indices.shape, 1, True, SpinPool(1))
    return lambda: plain(data, indices, output), lambda: fast(data, indices, output)


def selecting() -> Pair:
    """Return the NumPy and the numba kernel of Select of 4.9 million f32 by a random mask."""
    from ir_plugin.kernels.numba import select as selection

    count = 4 * 64 * 128 * 150
    mask, then, otherwise, output = RNG.random(count) < 0.5, _floats(count), _floats(count), _floats(count)
    run, pool = selection.kernel(4), ThreadPool(1)
    return (lambda: np.where(mask, then, otherwise), lambda: selection.choose(run, mask, then, otherwise, output, pool))


def choosing() -> Pair:
    """Return NumPy's and numba's suppression of 8400 sorted boxes to the best 300."""
    from ir_plugin.kernels.numba.non_max_suppression import CompiledSuppression

    centers, halves = RNG.uniform(0, 640, (8400, 2)), RNG.uniform(5, 60, (8400, 2))
    boxes = np.concatenate([centers - halves, centers + halves], axis=1).astype(np.float32)
    rule, fast = Rule(0.5, 300), CompiledSuppression(ThreadPool(1))
    return lambda: suppress(boxes, rule), lambda: fast.among(boxes, rule)


def sampling() -> Pair:
    """Return the NumPy and the numba kernel of bilinear GridSample of 3 channels at 512x512 points."""
    from ir_plugin.kernels.numba.grid_sample import sample

    settings = {"mode": "bilinear", "padding_mode": "zeros", "align_corners": False}
    plain, pool = GridSample(**settings), ThreadPool(1)
    data, grid = _floats(1, 3, 512, 512), RNG.uniform(-1, 1, (1, 512, 512, 2)).astype(np.float32)
    output = _floats(1, 3, 512, 512)
    return lambda: plain.evaluate(data, grid), lambda: sample(data, grid, "bilinear", "zeros", False, output, pool)


def copying() -> Pair:
    """Return the copies of 2859x290 f32 in blocks and in one piece."""
    data, target = _floats(2859, 290), _floats(2859, 290)
    return lambda: copy_transposed(data, target), lambda: copied(data)


def _floats(*shape: int) -> Array:
    return RNG.standard_normal(shape).astype(np.float32)


def main() -> None:
    """Print the table."""
    print("| kernel | ms | ms |", "|---|---|---|", sep="\n")
    for name, make in {
        "GatherElements, 1000x1000: NumPy, numba": gathering,
        "Select, 4.9 million: NumPy, numba": selecting,
        "300 of 8400 boxes: NumPy, numba": choosing,
        "GridSample, 512x512 points: NumPy, numba": sampling,
        "a copy of 2859x290: in blocks, in one piece": copying,
    }.items():
        first, second = (micro(run, 100) / 1e3 for run in make())
        print(f"| {name} | {first:.3f} | {second:.3f} |", flush=True)


if __name__ == "__main__":
    if find_spec("numba") is None:
        sys.exit("numba is not installed; its kernels are what is compared with NumPy's")
    main()
