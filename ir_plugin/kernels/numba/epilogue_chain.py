"""An epilogue applied to rows on its own, as a job of a spin pool."""

from __future__ import annotations

from collections.abc import Sequence

from ir_plugin.kernels import policy
from ir_plugin.kernels.numba.elementwise_chain import CHUNK
from ir_plugin.kernels.numba.epilogue import EncodedEpilogue
from ir_plugin.kernels.numba.gemm.products import ROWS, epilogue_chain, epilogue_fields
from ir_plugin.kernels.numba.runtime.job import JobArguments
from ir_plugin.kernels.numba.runtime.spin_pool import SpinPool
from ir_plugin.kernels.numba.runtime.structs import filled
from ir_plugin.tensors import Array


class Chain:
    """Epilogue ops on rows of data, block by block, so that each block stays in the first-level cache."""

    def __init__(self, rows: int, width: int, epilogue: EncodedEpilogue, spin_pool: SpinPool) -> None:
        self._epilogue, self._parts = (
            epilogue,
            spin_pool.size if rows * width >= policy.EPILOGUE_JOB_SHARED_MIN_ELEMENTS else 1,
        )
        arguments = filled(
            ROWS, rows=rows, width=width, parts=self._parts, block_rows=max(CHUNK // width, 1),
            **epilogue_fields(epilogue),
        )  # fmt: skip
        self._arguments = JobArguments(spin_pool, arguments, epilogue.position)

    def __call__(self, data: Array, output: Array, operands: Sequence[Array]) -> None:
        """Fill rows of the output, which may be the data, from rows of the data and of the operands."""
        self._arguments.run([epilogue_chain.address], self._parts, data, output, operands)
