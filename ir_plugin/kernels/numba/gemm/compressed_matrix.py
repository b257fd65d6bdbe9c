"""Compressed weights in the layout of the compiled products: rows of codes [N, K], scales and zero points [N, G]."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np

from ir_plugin.kernels.derived import Derived
from ir_plugin.kernels.numba.gemm.decoding import CENTERS, KINDS, PREFERS_TABLE, UNITS
from ir_plugin.kernels.numpy.compressed import by_group, grouped_axes
from ir_plugin.tensors import Array
from ir_plugin.tensors.compressed import CompressedTensor, values_of_bytes

_BLOCK = 256
"""Columns of bytes that are transposed at once."""


@dataclass(frozen=True)
class CompressedMatrix:
    """A matrix [N, K] of codes, whose rows have scales and zero points for groups of neighbouring codes."""

    width: int
    depth: int
    kind: int
    bits: int
    codes: Array
    row_bytes: int
    table: Array
    group_size: int
    scales: Array
    """[N, G]."""
    zeros: Array
    """[N, G], or [1, G] zeros."""

    @property
    def has_zeros(self) -> bool:
        """Whether zero points must be subtracted, beyond the one that codes or table have subtracted already."""
        return len(self.zeros) > 1 or bool(self.zeros.any())


def matrix_of(tensor: CompressedTensor, transposed: bool, derived: Derived) -> CompressedMatrix | None:
    """Return a tensor as a matrix, [N, K] if `transposed`, otherwise [K, N]; None where no kernel decodes it.

    The codes of [N, K] are not copied.
    """
    bits = tensor.element_type.bits
    if bits < 4:
        return None
    lead = tensor.lead
    axes = list(range(len(tensor.codes_shape)))
    order = axes if transposed else axes[lead:] + axes[:lead]
    across = lead if transposed else len(axes) - lead
    lengths = [tensor.codes_shape[axis] for axis in order]
    width, depth = prod(lengths[:across]), prod(lengths[across:])
    scales, zeros, table = derived(
        ("groups", tensor.key, transposed), [tensor.codes], lambda: _groups(tensor, order, lengths, across)
    )
    codes = tensor.codes
    if not transposed:
        (codes,) = derived("rows of codes", [codes], lambda: [_transposed(tensor.codes, depth, width, bits)])
    kind, groups = KINDS.index(_kind_of(tensor)), scales.shape[1]
    row_bytes = -(-depth * bits // 8)
    return CompressedMatrix(width, depth, kind, bits, codes, row_bytes, table, depth // groups, scales, zeros)


def _groups(tensor: CompressedTensor, order: list[int], lengths: list[int], across: int) -> list[Array]:
    """Return the scales and zero points of each output and group, and the table of codes."""
    operands = [None if array is None else array.transpose(order) for array in (tensor.scale, tensor.zero_point)]
    grouped = grouped_axes(lengths, across, [array for array in operands if array is not None])
    width = prod(lengths[:across])
    scales, zeros = (by_group(array, lengths[:grouped], width) for array in operands)
    groups = prod(lengths[across:grouped])
    table, center = _table_of(tensor, zeros)
    if zeros is None:
        zeros = np.zeros((1 if center == 0 else width, groups), np.float32)
    zeros = zeros - np.float32(center)
    if not zeros.any():
        zeros = np.zeros((1, groups), np.float32)
    unit = np.float32(UNITS.get(_kind_of(tensor), 1))
    if scales is None:
        scales = np.full((width, groups), unit)
    elif unit != 1:
        scales, zeros = scales * unit, zeros / unit
    return [scales, zeros, table]


def _kind_of(tensor: CompressedTensor) -> str:
    name = tensor.element_type.name
    is_table = tensor.element_type.bits == 4 and (PREFERS_TABLE or name not in ("i4", "u4"))
    return "table" if is_table else name


def _table_of(tensor: CompressedTensor, zeros: Array | None) -> tuple[Array, float]:
    """Return the table of each code's value, and the zero point that decoded values have subtracted already.

    A zero point of all outputs and groups is subtracted from the table.
    """
    table, center = np.zeros(16, np.float32), float(CENTERS.get(tensor.element_type.name, 0))
    if _kind_of(tensor) != "table":
        return table, center
    if zeros is None:
        center = 0.0
    elif np.all(zeros == zeros.flat[0]):
        center = float(zeros.flat[0])
    table[:] = values_of_bytes(tensor.element_type)[:16, 0] - np.float32(center)
    return table, center


def _transposed(codes: Array, depth: int, width: int, bits: int) -> Array:
    """Return packed codes [K, N] as rows [N, K] of whole bytes."""
    if bits >= 8:
        numbers = codes.view(f"u{bits // 8}").reshape(depth, width)
        return np.ascontiguousarray(numbers.T).reshape(-1).view(np.uint8)
    rows = np.zeros((width, -(-depth // 2)), np.uint8)
    pairs = codes.reshape(depth, width // 2)
    for first in range(0, width // 2, _BLOCK):
        block = pairs[:, first : first + _BLOCK]
        for odd, part in enumerate((block & 15, block >> 4)):
            target = rows[2 * first + odd : 2 * (first + block.shape[1]) : 2]
            target |= part[0::2].T
            target[:, : depth // 2] |= part[1::2].T << 4
    return rows.reshape(-1)
