"""An epilogue applied to rows on its own, as a job of a spin pool."""

from __future__ import annotations

from collections.abc import Sequence

from ir_plugin.kernels import keys, policy
from ir_plugin.kernels.numba.elementwise_chain import CHUNK
from ir_plugin.kernels.numba.epilogue import EncodedEpilogue, encode_epilogue
from ir_plugin.kernels.numba.gemm.products import ROWS, epilogue_chain, epilogue_fields
from ir_plugin.kernels.numba.runtime.job import JobKernel
from ir_plugin.kernels.numba.runtime.spin_pool import SpinPool
from ir_plugin.kernels.numba.runtime.structs import filled
from ir_plugin.kernels.numpy.epilogue import EpilogueStage
from ir_plugin.kernels.registry import register_job


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


@register_job(keys.CHAIN)
def chain(rows: int, width: int, stages: Sequence[EpilogueStage], spin_pool: SpinPool) -> Chain | None:
    """Return the job that applies epilogue stages to rows; None where it does not know one of them."""
    epilogue = encode_epilogue(stages, width)
    return None if epilogue is None else Chain(rows, width, epilogue, spin_pool)
