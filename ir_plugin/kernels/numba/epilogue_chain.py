"""An epilogue applied to rows on its own, as a job of a spin pool."""

from __future__ import annotations

from ir_plugin.kernels import policy
from ir_plugin.kernels.numba.elementwise_chain import CHUNK
from ir_plugin.kernels.numba.epilogue import EncodedEpilogue
from ir_plugin.kernels.numba.gemm.products import ROWS, epilogue_chain, epilogue_fields
from ir_plugin.kernels.numba.runtime.job import JobKernel
from ir_plugin.kernels.numba.runtime.spin_pool import SpinPool
from ir_plugin.kernels.numba.runtime.structs import filled


class Chain(JobKernel):
    """Epilogue ops on rows of data, block by block, so that each block stays in the first-level cache.

    The output may be the data.
    """

    reads_operand_rows = True

    def __init__(self, rows: int, width: int, epilogue: EncodedEpilogue, spin_pool: SpinPool) -> None:
        self._epilogue = epilogue
        parts = spin_pool.size if rows * width >= policy.EPILOGUE_JOB_SHARED_MIN_ELEMENTS else 1
        arguments = filled(
            ROWS, rows=rows, width=width, parts=parts, block_rows=max(CHUNK // width, 1),
            **epilogue_fields(epilogue),
        )  # fmt: skip
        super().__init__(spin_pool, arguments, [epilogue_chain.address], parts, epilogue.position)
