"""Arguments of jobs on rows and of convolutions, and the jobs that apply an epilogue to rows of the output."""

from __future__ import annotations

from typing import Any

import numpy as np

from ir_plugin.kernels.numba.elementwise_chain import apply
from ir_plugin.kernels.numba.epilogue import EncodedEpilogue
from ir_plugin.kernels.numba.runtime.intrinsics import carray, copy, pointer
from ir_plugin.kernels.numba.runtime.jit import compiled, job
from ir_plugin.kernels.numba.runtime.job import IN_OUT, bound
from ir_plugin.kernels.numba.runtime.structs import address_of, arguments_at, struct
from ir_plugin.kernels.numpy.convolution import Geometry

ROWS = struct(
    "parts rows width block_rows weights epilogue_length codes vectors vector_width operand operand_step", IN_OUT
)
"""`rows` of `width` numbers, in blocks of `block_rows`, shared by `parts`; weights; and the epilogue: addresses of its
codes and vectors, and of the rows of the operand that it reads, or 0, with the bytes from one row to the next."""

CONVOLUTION = struct(
    "height breadth channels kernel_height kernel_width stride_down stride_across dilation_down dilation_across "
    "pad_top pad_left output_height output_width",
    ROWS,
)
"""Rows that are the pixels of a convolution's output, and its sizes."""


@compiled("void(i8, i8, i8)")
def apply_epilogue(address: int, first: int, last: int) -> None:
    """Apply the epilogue to the rows [first, last) of the output."""
    a = arguments_at(address, ROWS)
    if a.epilogue_length == 0:
        return
    width, count = a.width, last - first
    block = carray(pointer(a.output + 4 * first * width), (count, width), np.float32)
    codes = carray(pointer(a.codes), (a.epilogue_length,), np.int64)
    vectors = carray(pointer(a.vectors), (a.epilogue_length, a.vector_width), np.float32)
    if a.operand == 0:
        apply(block, codes, vectors, vectors)
    else:
        rows = carray(pointer(a.operand + first * a.operand_step), (count, a.operand_step // 4), np.float32)
        apply(block, codes, vectors, rows)


@job
def epilogue_chain(address: int, part: int) -> None:
    """Copy a part of the rows to the output, unless data and output are the same, and apply the epilogue."""
    a = arguments_at(address, ROWS)
    size, step = 4 * a.width, a.block_rows
    start, end = bound(a.rows, a.parts, part), bound(a.rows, a.parts, part + 1)
    for first in range(start, end, step):
        last = min(first + step, end)
        if a.data != a.output:
            copy(a.output + first * size, a.data + first * size, (last - first) * size)
        apply_epilogue(address, first, last)


@job
def epilogue_of_rows(address: int, part: int) -> None:
    """Apply the epilogue to a part of the rows of the output."""
    a = arguments_at(address, ROWS)
    apply_epilogue(address, bound(a.rows, a.parts, part), bound(a.rows, a.parts, part + 1))


def epilogue_jobs(epilogue: EncodedEpilogue) -> list[int]:
    """Return the addresses of the jobs that apply an epilogue after a product: one, or none for an empty epilogue."""
    return [epilogue_of_rows.address] if len(epilogue.codes) else []


def epilogue_fields(epilogue: EncodedEpilogue) -> dict[str, Any]:
    """Return the fields of `ROWS` that describe an epilogue; `operand` is written by each run."""
    codes, vectors, _ = epilogue
    return {
        "epilogue_length": len(codes), "codes": address_of(codes), "vectors": address_of(vectors),
        "vector_width": vectors.shape[1],
    }  # fmt: skip


def convolution_fields(geometry: Geometry) -> dict[str, Any]:
    """Return the fields of `CONVOLUTION` that describe sizes, and the rows and width of the output."""
    samples, height, breadth, channels = geometry.data
    (output_height, output_width), (top, left) = geometry.output, geometry.begin
    return {
        "rows": samples * output_height * output_width, "width": geometry.channels,
        "height": height, "breadth": breadth, "channels": channels,
        "kernel_height": geometry.kernel[0], "kernel_width": geometry.kernel[1],
        "stride_down": geometry.strides[0], "stride_across": geometry.strides[1],
        "dilation_down": geometry.dilations[0], "dilation_across": geometry.dilations[1],
        "pad_top": top, "pad_left": left, "output_height": output_height, "output_width": output_width,
    }  # fmt: skip
