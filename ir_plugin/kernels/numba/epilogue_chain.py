"""An epilogue applied to rows on its own, by the threads of a spin pool."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ir_plugin.kernels.numba.elementwise_chain import CHUNK
from ir_plugin.kernels.numba.epilogue import Coded
from ir_plugin.kernels.numba.gemm import products as job
from ir_plugin.kernels.numba.runtime.job import JobArguments
from ir_plugin.kernels.numba.runtime.spin_pool import SpinPool
from ir_plugin.tensors import Array

SMALL_CHAIN = 2**13
"""Numbers below which one thread applies stages."""


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
