"""Convolutions and products with constant weights by the jobs of a crew."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ir_plugin.kernels.numba.elementwise_chain import CHUNK
from ir_plugin.kernels.numba.epilogue import Coded
from ir_plugin.kernels.numba.gemm import products as job
from ir_plugin.kernels.numba.runtime.job import JobArguments
from ir_plugin.kernels.numba.runtime.spin_pool import SpinPool, address_of
from ir_plugin.kernels.numpy.convolution import Geometry, Run
from ir_plugin.kernels.numpy.products import MANY_ROWS
from ir_plugin.kernels.thread_pool import split
from ir_plugin.tensors import Array

BLOCK_BYTES = 2**20
"""Bytes of rows that are gathered and multiplied at once; 256 KB to 2 MB differ by less than a tenth here."""

FEW_ROWS = 192
"""The fewest rows of a block: BLAS packs the weights for every block."""

SMALL_WORK = 30_000
"""Multiplications below which one thread does them: some 4 µs, which sharing a job takes."""

SMALL_CHAIN = 2**13
"""Numbers below which one thread applies stages."""


class Product:
    """Rows [M, K] times constant weights [K, N] and stages, with all memory that its jobs use."""

    def __init__(
        self, rows: int, weights: Array, coded: Coded, spin_pool: SpinPool, geometry: Geometry | None = None
    ) -> None:
        depth, width = weights.shape
        self.coded = coded
        self.parts = spin_pool.size if rows * depth * width >= SMALL_WORK else 1
        self.by_rows = rows >= MANY_ROWS or width < 2 * self.parts
        step = max(BLOCK_BYTES // (4 * (depth if geometry else depth + width)), FEW_ROWS)
        step = min(step, -(-rows // self.parts))
        self.weights = weights if self.by_rows else _in_shares(weights, self.parts)
        self.weights = np.ascontiguousarray(self.weights, np.float32)
        gathered = (self.parts * step if self.by_rows else rows) if geometry else 0
        self.columns = np.empty(gathered * depth, np.float32)
        self.numbers = np.zeros(job.NUMBERS, np.int64)
        job.note(self.numbers, rows, self.weights, coded, self.parts, geometry)
        self.numbers[[job.DEPTH, job.WIDTH, job.STEP]] = depth, width, step
        self.numbers[job.COLUMNS] = address_of(self.columns) if gathered else 0
        self.task = JobArguments(spin_pool, self.numbers, coded.position)
        self.jobs = self._jobs(gathered > 0)

    def _jobs(self, gathers: bool) -> list[int]:
        if self.by_rows:
            return [job.by_rows.address]
        found = [job.gather_rows.address] if gathers else []
        finish = [job.finish_rows.address] if len(self.coded.codes) else []
        return [*found, job.by_columns.address, *finish]

    def __call__(self, data: Array, output: Array, operands: Sequence[Array]) -> None:
        """Compute the output from data, both in C order, and the operands of stages as rows."""
        self.task.run(self.jobs, self.parts, data, output, operands)


class Chain:
    """Stages on rows of data, in the first-level cache."""

    def __init__(self, rows: int, width: int, coded: Coded, spin_pool: SpinPool) -> None:
        self.coded, self.parts = coded, spin_pool.size if rows * width >= SMALL_CHAIN else 1
        self.numbers = np.zeros(job.NUMBERS, np.int64)
        job.note(self.numbers, rows, coded.vectors, coded, self.parts)
        self.numbers[[job.WIDTH, job.STEP]] = width, max(CHUNK // width, 1)
        self.task = JobArguments(spin_pool, self.numbers, coded.position)

    def __call__(self, data: Array, output: Array, operands: Sequence[Array]) -> None:
        """Compute rows of the output, which may be the data, from rows of both and of the operands."""
        self.task.run([job.chain.address], self.parts, data, output, operands)


class Grouped:
    """Rows times weights [G, K, N] of groups of their columns."""

    def __init__(self, rows: int, weights: Array, coded: Coded, spin_pool: SpinPool) -> None:
        groups, depth, width = weights.shape
        self.weights = np.ascontiguousarray(weights, np.float32)
        self.coded, self.parts = coded, spin_pool.size if rows * weights.size >= SMALL_WORK else 1
        self.numbers = np.zeros(job.NUMBERS, np.int64)
        job.note(self.numbers, rows, self.weights, coded, self.parts)
        step = max(BLOCK_BYTES // (4 * groups * (depth + width)), FEW_ROWS)
        self.numbers[[job.DEPTH, job.WIDTH, job.CHANNELS, job.STEP]] = depth, groups * width, groups * depth, step
        self.task = JobArguments(spin_pool, self.numbers, coded.position)

    def __call__(self, data: Array, output: Array, operands: Sequence[Array]) -> None:
        """Compute the output from data, both in C order, and the operands of stages as rows."""
        self.task.run([job.grouped_rows.address], self.parts, data, output, operands)


def grouped_pointwise(geometry: Geometry, weights: Array, coded: Coded, spin_pool: SpinPool) -> Run:
    """Return the convolution in groups in f32 with weights [G, O, C, 1, 1], without strides or pads."""
    rows = geometry.data[0] * geometry.output[0] * geometry.output[1]
    return Grouped(rows, weights[..., 0, 0].transpose(0, 2, 1), coded, spin_pool)


def convolution(geometry: Geometry, weights: Array, coded: Coded, spin_pool: SpinPool) -> Run:
    """Return the convolution in f32 with weights [O, C, kh, kw], and stages behind it."""
    packed = weights.transpose(2, 3, 1, 0).reshape(-1, len(weights))
    rows = geometry.data[0] * geometry.output[0] * geometry.output[1]
    direct = geometry.is_pointwise and geometry.strides == (1, 1)
    return Product(rows, packed, coded, spin_pool, None if direct else geometry)


def _in_shares(weights: Array, parts: int) -> Array:
    """Return the columns that each part multiplies by, one share behind the other."""
    return np.concatenate([weights[:, start:end].reshape(-1) for start, end in split(weights.shape[1], parts)])
