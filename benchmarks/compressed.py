"""Products with compressed weights, beside the bandwidth of a copy: `python -m benchmarks.compressed`.

A line is one type of weights [4096, 4096] and a number of rows. The gigabytes a second are those of the packed weights
and their scales, which a product of few rows is bound by; matrices take turns, so that none is in a cache. The share
is that of the gigabytes a second which a copy, in turn with the products, reads and writes. The last column is the
time of the processor for one thread and a matrix that fits the caches, which a busy machine changes little.
`python -m benchmarks.compressed 1` is for one row alone.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from ir_plugin.kernels import keys
from ir_plugin.kernels.derived import underived
from ir_plugin.kernels.numba.provider import NUMBA
from ir_plugin.kernels.numpy.products import Product
from ir_plugin.kernels.thread_pool import ThreadPool
from ir_plugin.tensors import Array, ElementType
from ir_plugin.tensors.compressed import CompressedTensor

WIDTH = DEPTH = 4096
CACHED = 1024
BYTES = 96 * 2**20
"""Bytes of all matrices that take turns."""
KINDS = (("u4", 128, True), ("u4", 32, True), ("i4", 128, False), ("i4", 32, False), ("nf4", 128, False),
         ("f4e2m1", 32, False), ("f4e2m1", 16, False), ("u8", DEPTH, True), ("i8", DEPTH, False),
         ("f8e4m3", DEPTH, False), ("f8e4m3", 32, False), ("f8e5m2", DEPTH, False), ("f16", DEPTH, False),
         ("bf16", DEPTH, False))  # fmt: skip
"""Types, groups, and whether they have zero points; f4e2m1 in groups of 32 and 16 are mxfp4 and nvfp4."""
ROWS = (1, 2, 4, 16, 128)
RNG = np.random.default_rng(3)


def tensor(name: str, group: int, has_zeros: bool, width: int) -> CompressedTensor:
    """Return random weights with scales, and zero points if asked for."""
    element_type = ElementType.from_name(name)
    if element_type is None:
        raise KeyError(name)
    halves = RNG.standard_normal(width * DEPTH).astype(element_type.dtype) if element_type.bits == 16 else None
    codes = RNG.integers(0, 256, width * DEPTH * element_type.bits // 8, np.uint8) if halves is None else halves
    groups = (width, DEPTH // group, 1)
    zeros = RNG.integers(0, 15, groups).astype(np.float32) if has_zeros else None
    scales = RNG.random(groups, np.float32)
    shape = (width, DEPTH // group, group)
    return CompressedTensor(codes.view(np.uint8), element_type, shape, (width, DEPTH), scales, zeros, object())


def product(weights: CompressedTensor, pool: ThreadPool) -> Product:
    """Return the compiled product."""
    make = NUMBA.build(keys.COMPRESSED_PRODUCT, weights, True, [], underived)
    if make is None:
        raise SystemExit("numba is not installed, or has no kernel for this processor")
    return make(pool)


def least(runs: Sequence[Callable[[], object]], clock: Callable[[], float], budget: float) -> list[float]:
    """Return the least time of each function; they take turns."""
    times: list[list[float]] = [[] for _ in runs]
    end = time.perf_counter() + budget
    while time.perf_counter() < end or len(times[0]) < 4:
        for run, series in zip(runs, times, strict=True):
            start = clock()
            run()
            series.append(clock() - start)
    return [min(series[1:]) for series in times]


def copying(pool: ThreadPool) -> tuple[Callable[[], None], int]:
    """Return a copy by all threads, and the bytes that it reads and writes."""
    source, target = np.ones((2, 2**24), np.float32)
    size = source.size // pool.size

    def part(number: int) -> None:
        target[number * size : (number + 1) * size] = source[number * size : (number + 1) * size]

    return partial(pool.run, part, pool.size), 2 * source.nbytes


def run_all(products: Sequence[Product], data: Array, output: Array) -> None:
    """Run each product once."""
    for run in products:
        run(data, output, ())


def lines(kind: tuple[str, int, bool], rows_of_lines: Sequence[int], pool: ThreadPool, single: ThreadPool) -> None:
    """Print the lines of one type."""
    name, group, has_zeros = kind
    weights = tensor(name, group, has_zeros, WIDTH)
    size = weights.codes.nbytes + 4 * WIDTH * DEPTH // group * (2 if has_zeros else 1)
    products = [product(weights, pool)]
    while len(products) * size < BYTES:
        products.append(product(tensor(name, group, has_zeros, WIDTH), pool))
    cached = product(tensor(name, group, has_zeros, CACHED), single)
    copy, copied_bytes = copying(pool)
    for rows in rows_of_lines:
        data = RNG.standard_normal((rows, DEPTH)).astype(np.float32)
        run = partial(run_all, products, data, np.empty((rows, WIDTH), np.float32))
        total, copy_seconds = least([run, copy], time.perf_counter, 1.5)
        (alone,) = least([partial(cached, data, np.empty((rows, CACHED), np.float32), ())], time.thread_time, 0.2)
        seconds, copied = total / len(products), copied_bytes / copy_seconds / 1e9
        bandwidth = size / seconds / 1e9
        cells = [f"{seconds * 1e3:.2f}", f"{bandwidth:.1f}", f"{copied:.1f}", f"{bandwidth / copied:.2f}"]
        label = f"{name}, groups of {group}{', zero points' * has_zeros}"
        print(f"| {label} | {rows} | {' | '.join(cells)} | {alone * 1e9 / CACHED / DEPTH:.3f} |", flush=True)


def main() -> None:
    """Print the table."""
    pool, single = NUMBA.build(keys.SPIN_POOL, 2), NUMBA.build(keys.SPIN_POOL, 1)
    if pool is None or single is None:
        raise SystemExit("numba is not installed")
    pool.begin()
    columns = ("weights", "rows", "ms", "GB/s", "GB/s of a copy", "share", "ns a weight, one thread")
    print(f"| {' | '.join(columns)} |\n{'|---' * len(columns)}|")
    for kind in KINDS:
        lines(kind, [int(text) for text in sys.argv[1:]] or ROWS, pool, single)
    pool.end()


if __name__ == "__main__":
    main()
