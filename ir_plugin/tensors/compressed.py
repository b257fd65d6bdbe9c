"""Compressed tensors: packed codes with scales and zero points, which are expanded part by part."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate
from math import prod
from operator import mul

import numpy as np

from ir_plugin.tensors.byte_order import from_little_endian
from ir_plugin.tensors.element_type import Array, ElementType
from ir_plugin.tensors.packing import unpack

COMPRESSED_TYPES = frozenset(["f16", "bf16", "f8e4m3", "f8e5m2", "f4e2m1", "nf4", "i8", "u8", "i4", "u4", "i2", "u2"])
"""Names of the element types whose codes can be expanded part by part."""


@dataclass(frozen=True, eq=False, repr=False)
class CompressedTensor:
    """The tensor (codes - zero_point) * scale of f32, whose codes keep their packed bytes.

    Scale and zero point broadcast to `codes_shape`; the values have the shape `shape`. The first axes of `codes_shape`,
    up to a number of them, are the first axis of `shape`, the others its other axes.
    """

    codes: Array
    """The packed bytes, in C order."""
    element_type: ElementType
    codes_shape: tuple[int, ...]
    shape: tuple[int, ...]
    scale: Array | None = None
    zero_point: Array | None = None
    key: Hashable = None
    """Identifies the tensor within a model."""

    @property
    def lead(self) -> int:
        """The number of the first axes of the codes that are the first axis of the values."""
        return next(count for count in range(1, len(self.codes_shape) + 1) if self._leads(count))

    def _leads(self, count: int) -> bool:
        return prod(self.codes_shape[:count]) == self.shape[0]

    @property
    def size(self) -> int:
        """The number of values."""
        return prod(self.codes_shape)

    @property
    def is_batch(self) -> bool:
        """Whether each position of the first axis is a compressed tensor, whose rows are whole bytes."""
        rows, row = list(accumulate(self.codes_shape[1:], mul)), prod(self.codes_shape[2:])
        return self.lead == 1 and self.shape[1] in rows and row * self.element_type.bits % 8 == 0

    @property
    def is_plain_half(self) -> bool:
        """Whether the values are plain f16 or bf16, without scale and zero point."""
        return self.element_type.name in ("f16", "bf16") and self.scale is None and self.zero_point is None

    @property
    def row_bytes(self) -> int:
        """The bytes of the codes at one position of the first axis."""
        return prod(self.codes_shape[1:]) * self.element_type.bits // 8

    def at(self, position: int) -> CompressedTensor:
        """Return the tensor at a position of the first axis, which is one axis of the codes too."""
        size, part = self.row_bytes, slice(position, position + 1)
        scale, zero_point = (
            None if operand is None else (operand if operand.shape[0] == 1 else operand[part])[0]
            for operand in (self.scale, self.zero_point)
        )
        return replace(
            self, codes=self.codes[position * size : (position + 1) * size], codes_shape=self.codes_shape[1:],
            shape=self.shape[1:], scale=scale, zero_point=zero_point, key=(self.key, position),
        )  # fmt: skip

    def expand(self, first: int, last: int, target: Array) -> None:
        """Fill a contiguous f32 array with the values at the positions [first, last) of the first axis of the codes."""
        size = self.row_bytes
        self._expand(self.codes[first * size : last * size], slice(first, last), last - first, target)

    def expand_at(self, positions: Array, target: Array) -> None:
        """Fill a contiguous f32 array with the values at some positions of the first axis of the codes."""
        codes = self.codes.reshape(self.codes_shape[0], self.row_bytes)[positions]
        self._expand(codes.reshape(-1), positions, len(positions), target)

    def _expand(self, codes: Array, part: slice | Array, count: int, target: Array) -> None:
        decode(codes, self.element_type, target.reshape(-1))
        values = target.reshape(count, *self.codes_shape[1:])
        if self.zero_point is not None:
            np.subtract(values, _part_of(self.zero_point, part), out=values)
        if self.scale is not None:
            np.multiply(values, _part_of(self.scale, part), out=values)


def _part_of(operand: Array, part: slice | Array) -> Array:
    """Return the part of an operand that broadcasts to a part of the first axis, in f32."""
    return (operand if operand.shape[0] == 1 else operand[part]).astype(np.float32, copy=False)


def decode(codes: Array, element_type: ElementType, target: Array) -> None:
    """Fill an f32 vector with the values of packed codes."""
    bits = element_type.bits
    if element_type.name in ("i8", "u8", "f16"):
        np.copyto(target, from_little_endian(codes, element_type.dtype))
    elif element_type.name == "bf16":
        halves = from_little_endian(codes, np.dtype(np.uint16))
        np.left_shift(halves, 16, out=target.view(np.uint32), dtype=np.uint32, casting="unsafe")
    else:
        lanes = 8 // bits
        table = values_of_bytes(element_type)
        np.take(table, codes, axis=0, out=target.reshape(-1, lanes), mode="clip")


@lru_cache(maxsize=1024)
def values_of_bytes(element_type: ElementType) -> Array:
    """Return the f32 values of the codes in each of the 256 bytes, one row a byte."""
    every = np.arange(256, dtype=np.uint8)
    lanes = 8 // element_type.bits
    return unpack(every, element_type, 256 * lanes).astype(np.float32).reshape(256, lanes)
