"""MatMul: products of matrices. Specification: matrix/MatMul-1."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.base import Lengths, Operation
from ir_plugin.operations.checks import merge_types, note_type
from ir_plugin.operations.exact_products import exact_product
from ir_plugin.operations.shapes import broadcast
from ir_plugin.tensors import Array, PartialShape, TensorInfo


class MatMul(Operation, version=1):
    """The products of the matrices in the last two dimensions of `a` and `b`; those before are broadcast.

    A 1-D `a` is a row and a 1-D `b` a column, whatever the transpositions; the dimension that they lack is missing
    in the output too.

    Differs from the page: matrices may be boolean.
    Example: [[true]] by [[true]] is [[true]].
    """

    transpose_a: bool
    transpose_b: bool

    def infer(self, a: TensorInfo, b: TensorInfo) -> TensorInfo:
        """Return the common type, and the broadcast batch dimensions with the rows and columns of the product."""
        note_type("input 0", a, "number")
        note_type("input 1", b, "number")
        merged = merge_types(a, b)
        for part, tensor in (("input 0", a), ("input 1", b)):
            if tensor.shape.ndim == 0:
                raise ShapeError(part, f"{part} is a scalar; it must have at least one dimension")
        if a.shape.dims is None or b.shape.dims is None:
            return TensorInfo(merged, None)
        left = _aligned(a.shape, self.transpose_a, PartialShape([1, *a.shape]))
        right = _aligned(b.shape, self.transpose_b, PartialShape([*b.shape, 1]))
        if left[-1].merge(right[-2]) is None:
            raise ShapeError(
                "input 1",
                f"matrices of {left[-1]} columns (input 0: {a.shape}) cannot be multiplied by matrices of {right[-2]} "
                f"rows (input 1: {b.shape}); transpose_a is {self.transpose_a}, transpose_b {self.transpose_b}".lower(),
            )
        batch = broadcast(left[:-2], right[:-2])
        rows = left[-2:-1] if len(a.shape) > 1 else PartialShape()
        columns = right[-1:] if len(b.shape) > 1 else PartialShape()
        return TensorInfo(merged, batch + rows + columns)

    def multiplications(self, inputs: Sequence[Lengths], outputs: Sequence[Lengths]) -> int | None:
        """Return the number of multiplications: output elements times the summed length."""
        data, output = inputs[0], outputs[0]
        if data is None or output is None:
            return None
        return prod(output) * data[-2 if self.transpose_a and len(data) > 1 else -1]

    def evaluate(self, a: Array, b: Array) -> Array:
        """Return the products."""
        a, b = packed(a), packed(b)
        a = a.swapaxes(-1, -2) if self.transpose_a and a.ndim > 1 else a
        b = b.swapaxes(-1, -2) if self.transpose_b and b.ndim > 1 else b
        if a.ndim > 2 and b.ndim == 2 and not self.transpose_a:
            rows = a.reshape(prod(a.shape[:-1]), a.shape[-1])
            return exact_product(np.matmul, rows, b, a.shape[-1]).reshape(*a.shape[:-1], b.shape[-1])
        return np.asarray(exact_product(np.matmul, a, b, a.shape[-1]))


def packed(array: Array) -> Array:
    """Return the array with contiguous rows or columns, as BLAS requires."""
    if array.flags.c_contiguous or (array.ndim > 1 and array.swapaxes(-1, -2).flags.c_contiguous):
        return array
    return np.ascontiguousarray(array)


def _aligned(shape: PartialShape, transposed: bool, matrix: PartialShape) -> PartialShape:
    """Return the shape of matrices: `matrix` for a vector, with the last two dimensions swapped if transposed."""
    if len(shape) == 1:
        return matrix
    return PartialShape([*shape[:-2], shape[-1], shape[-2]]) if transposed else shape
