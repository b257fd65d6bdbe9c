"""Local response normalization across channels as a job of a spin pool, on memory with channels last."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ir_plugin.kernels import keys, policy
from ir_plugin.kernels.numba.epilogue import EncodedEpilogue, encode_epilogue
from ir_plugin.kernels.numba.gemm.products import ROWS, apply_epilogue, epilogue_fields
from ir_plugin.kernels.numba.runtime.intrinsics import carray, pointer
from ir_plugin.kernels.numba.runtime.jit import compiled, job
from ir_plugin.kernels.numba.runtime.job import JobKernel, bound
from ir_plugin.kernels.numba.runtime.spin_pool import SpinPool
from ir_plugin.kernels.numba.runtime.structs import arguments_at, filled, struct
from ir_plugin.kernels.numpy.epilogue import EpilogueStage
from ir_plugin.kernels.registry import register_job
from ir_plugin.tensors import Array

LRN = struct("reach", ROWS, alpha=np.float32, beta=np.float32, bias=np.float32)
"""Rows of channels, the neighbours on either side that count, and the factors."""


@compiled("void(f4[::1], f4[::1], f4[::1], f4[::1], i8, f4, f4, f4)")
def _normalize(
    data: Array, output: Array, squares: Array, total: Array, reach: int, alpha: float, beta: float, bias: float
) -> None:
    """Fill a row of channels; `squares` has `reach` zeros at either end."""
    width = data.shape[0]
    inner = squares[reach:]
    for c in range(width):
        inner[c] = data[c] * data[c]
        total[c] = np.float32(0)
    for offset in range(2 * reach + 1):
        shifted = squares[offset:]
        for c in range(width):
            total[c] += shifted[c]
    for c in range(width):
        total[c] = total[c] * alpha + bias
    if beta == np.float32(0.75):
        for c in range(width):
            root = np.sqrt(total[c])
            output[c] = data[c] / (root * np.sqrt(root))
    else:
        for c in range(width):
            output[c] = data[c] / total[c] ** beta


@job
def _rows(address: int, part: int) -> None:
    """Normalize a part of the rows and apply the epilogue."""
    a = arguments_at(address, LRN)
    width, reach, alpha, beta, bias = a.width, a.reach, a.alpha, a.beta, a.bias
    squares, total = np.zeros(width + 2 * reach, np.float32), np.empty(width, np.float32)
    first, last = bound(a.rows, a.parts, part), bound(a.rows, a.parts, part + 1)
    for row in range(first, last):
        data = carray(pointer(a.data + 4 * row * width), (width,), np.float32)
        output = carray(pointer(a.output + 4 * row * width), (width,), np.float32)
        _normalize(data, output, squares, total, reach, alpha, beta, bias)
    apply_epilogue(address, first, last)


class Lrn(JobKernel):
    """Rows of channels divided by (bias + alpha * the sum of squares of up to `reach` neighbours) ** beta.

    An epilogue follows. The output may be the data's memory.
    """

    def __init__(
        self,
        rows: int,
        width: int,
        factors: tuple[float, float, float],
        reach: int,
        epilogue: EncodedEpilogue,
        spin_pool: SpinPool,
    ) -> None:
        self._epilogue, (alpha, beta, bias) = epilogue, factors
        parts = spin_pool.size if rows * width >= policy.LRN_JOB_SHARED_MIN_ELEMENTS else 1
        arguments = filled(
            LRN, rows=rows, width=width, parts=parts, reach=reach, alpha=alpha, beta=beta, bias=bias,
            **epilogue_fields(epilogue),
        )  # fmt: skip
        super().__init__(spin_pool, arguments, [_rows.address], parts, epilogue.position)


@register_job(keys.LRN)
def lrn(
    rows: int,
    width: int,
    factors: tuple[float, float, float],
    reach: int,
    stages: Sequence[EpilogueStage],
    spin_pool: SpinPool,
) -> Lrn | None:
    """Return the job of a normalization and epilogue stages; None where it does not know one of them."""
    epilogue = encode_epilogue(stages, width)
    return None if epilogue is None else Lrn(rows, width, factors, reach, epilogue, spin_pool)
