"""Measure what compiled kernels cost and bring: `python -m benchmarks.provider`.

Prints the seconds that each module of them takes to be compiled (in a process with a cache of its own), how long a job
takes to reach a worker, and Winograd's F(4, 3) of 64 channels of 56x56 by NumPy and by a spin pool, in one and two
threads. Medians, in this process alone.
"""

from __future__ import annotations

import os
import pkgutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.util import find_spec

import numpy as np

from ir_plugin.kernels import numba as compiled
from ir_plugin.kernels.numpy.convolution import Geometry, Run
from ir_plugin.kernels.numpy.winograd import winograd
from ir_plugin.kernels.thread_pool import BLAS, ThreadPool
from ir_plugin.tensors import Array

_TIMED = """
import importlib, sys, time
for name in sys.argv[1:]:
    start = time.perf_counter()
    importlib.import_module("ir_plugin.kernels.numba." + name)
    print(f"| {name} | {time.perf_counter() - start:.1f} |")
"""


def micro(run: Callable[[], object], runs: int, pause: float = 0) -> float:
    """Return the median microseconds of some runs, with a pause before each."""
    times = []
    for _ in range(runs):
        time.sleep(pause)
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return statistics.median(times) * 1e6


def compiling() -> None:
    """Print how long each module takes; what another one has compiled before is not compiled again."""
    names = sorted(module.name for module in pkgutil.iter_modules(compiled.__path__))
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-c", _TIMED, *names], check=True, capture_output=True, text=True,
            env={**os.environ, "NUMBA_CACHE_DIR": folder},
        )  # fmt: skip
        print("| module | s |", "|---|---|", done.stdout.strip(), sep="\n")
        print(f"| all | {time.perf_counter() - start:.0f} |\n")


def waking() -> None:
    """Print how long work that does nothing takes two threads."""
    from ir_plugin.kernels.numba.gemm.products import ROWS, epilogue_of_rows
    from ir_plugin.kernels.numba.runtime.spin_pool import SpinPool
    from ir_plugin.kernels.numba.runtime.structs import address_of, filled

    pool, spin_pool, arguments = ThreadPool(2), SpinPool(2), filled(ROWS, parts=2)
    address = address_of(arguments)
    print("| work that does nothing, in two threads | µs |", "|---|---|", sep="\n")
    print(f"| Python, the worker asleep since 1 ms | {micro(lambda: pool.run(_nothing, 2), 300, 1e-3):.1f} |")
    print(f"| Python, one run after the other | {micro(lambda: pool.run(_nothing, 2), 3000):.1f} |")
    spin_pool.begin()
    job = micro(lambda: spin_pool.call(epilogue_of_rows.address, address, 2), 3000)
    spin_pool.end()
    print(f"| a compiled job of a spin pool | {job:.1f} |\n")


def _nothing(_part: int) -> None:
    """Do nothing."""


def convolutions() -> None:
    """Print one convolution by NumPy and by a spin pool."""
    from ir_plugin.kernels.numba.epilogue import EncodedEpilogue
    from ir_plugin.kernels.numba.runtime.spin_pool import SpinPool
    from ir_plugin.kernels.numba.winograd import winograd as in_spin_pool

    sizes = Geometry((1, 56, 56, 64), (3, 3), (1, 1), (1, 1), (1, 1), (1, 1), (56, 56), 1, 64)
    random = np.random.default_rng(3)
    weights = random.standard_normal((64, 64, 3, 3)).astype(np.float32)
    data, output = random.standard_normal(sizes.data).astype(np.float32), np.empty(sizes.data, np.float32)
    print("| F(4, 3), 64 channels of 56x56 | 1 thread, ms | 2 threads, ms |", "|---|---|---|", sep="\n")
    epilogue = EncodedEpilogue(np.zeros(0, np.int64), np.zeros((0, 2), np.float32), None)
    by_name: dict[str, Callable[[int], tuple[ThreadPool, Run]]] = {
        "NumPy": lambda threads: (pool := ThreadPool(threads), winograd(sizes, weights, None, pool, size=4)),
        "spin pool": lambda threads: (pool := SpinPool(threads), in_spin_pool(weights, epilogue, 4)(sizes)(pool)),
    }
    for name, make in by_name.items():
        cells = [f"{_alone(*make(threads), data, output):.2f}" for threads in (1, 2)]
        print(f"| {name} | {' | '.join(cells)} |")


def _alone(pool: ThreadPool, run: Run, data: Array, output: Array) -> float:
    """Return the milliseconds of a convolution while the pool's workers are awake."""
    pool.begin()
    try:
        with BLAS.held(1):
            return micro(lambda: run(data, output, []), 40) / 1e3
    finally:
        pool.end()


if __name__ == "__main__":
    if find_spec("numba") is None:
        sys.exit("numba is not installed, and these are its kernels")
    compiling()
    waking()
    convolutions()
