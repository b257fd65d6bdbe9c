"""Einsum: sums of products, written with labels. Specification: matrix/Einsum-7."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import merge_types, require_type
from ir_plugin.operations.matrix.subscripts import ELLIPSIS, Labels, parsed
from ir_plugin.operations.shapes import broadcast
from ir_plugin.tensors import Array, Dimension, PartialShape, TensorInfo


class Einsum(Operation, version=7):
    """The sum of products of elements that `equation` describes, as `ij,jk->ik` does for matrices.

    Each input has a subscript with one label (letter) per dimension; an ellipsis stands for the other dimensions, which
    are broadcast. Dimensions with the same label are broadcast to one another; a label that occurs twice in a subscript
    selects a diagonal of equal lengths. Labels that the output lacks are summed over. Without `->` the output has an
    ellipsis, if any input has one, and then the labels that occur once, sorted.
    """

    equation: str

    def infer(self, *inputs: TensorInfo) -> TensorInfo:
        """Return the common type and the dimensions of the output's labels."""
        for number, tensor in enumerate(inputs):
            require_type(f"input {number}", tensor, "number")
        merged = merge_types(*inputs)
        equation = parsed(self.equation)
        if len(equation.inputs) != len(inputs):
            raise ShapeError(
                "equation", f"{self.equation!r} has {len(equation.inputs)} input subscripts for {len(inputs)} inputs"
            )
        sizes: dict[str, Dimension] = {}
        covered: PartialShape = PartialShape()
        for number, (labels, tensor) in enumerate(zip(equation.inputs, inputs, strict=True)):
            ellipsis_dims = self._read(number, labels, tensor.shape, sizes)
            if ELLIPSIS in labels:
                covered = broadcast(covered, ellipsis_dims, ("the inputs before", f"input {number}"))
        if covered.ndim and ELLIPSIS not in equation.output:
            raise ShapeError(
                "equation",
                f"an ellipsis of {self.equation!r} covers {covered.ndim} dimensions, the output subscript has none",
                "write ... into the output subscript",
            )
        shape = PartialShape()
        for label in equation.output:
            shape = shape + (covered if label == ELLIPSIS else [sizes[label]])
        return TensorInfo(merged, shape)

    def _read(self, number: int, labels: Labels, shape: PartialShape, sizes: dict[str, Dimension]) -> PartialShape:
        """Broadcast the dimensions of one input and `sizes`; return those that its ellipsis covers."""
        if shape.dims is None:
            for label in labels:
                sizes[label] = sizes.get(label, Dimension(1)).broadcast(Dimension()) or Dimension()
            return PartialShape(None)
        start, stop = _covered(labels, len(shape))
        if stop < start or (ELLIPSIS not in labels and len(labels) != len(shape)):
            raise ShapeError(
                f"input {number}",
                f"input {number} has the shape {shape} of rank {len(shape)}, its subscript is {''.join(labels)!r}",
            )
        dims = [*shape[:start], *shape[stop:]]
        own: dict[str, Dimension] = {}
        for label, dim in zip((label for label in labels if label != ELLIPSIS), dims, strict=True):
            _enter(own, label, own.get(label, Dimension()).merge(dim), dim, f"input {number}", shape)
        for label, dim in own.items():
            _enter(sizes, label, sizes.get(label, Dimension(1)).broadcast(dim), dim, f"input {number}", shape)
        return shape[start:stop]

    def evaluate(self, *inputs: Array) -> Array:
        """Return the sums of products."""
        equation = parsed(self.equation)
        spans = [_covered(labels, array.ndim) for labels, array in zip(equation.inputs, inputs, strict=True)]
        covered = np.broadcast_shapes(*(array.shape[slice(*span)] for span, array in zip(spans, inputs, strict=True)))
        letters = sorted({label for labels in equation.inputs for label in labels if label != ELLIPSIS})
        codes = {label: [code] for code, label in enumerate(letters)}
        codes[ELLIPSIS] = list(range(len(letters), len(letters) + len(covered)))
        pairs = list(zip(equation.inputs, spans, strict=True))
        axis_codes = [_codes(labels, span, codes, len(covered)) for labels, span in pairs]
        wide: set[int] = set()
        for axes, array in zip(axis_codes, inputs, strict=True):
            wide |= {code for code, length in zip(axes, array.shape, strict=True) if length != 1}
        operands: list[Any] = []
        for axes, array in zip(axis_codes, inputs, strict=True):
            operands += _operand(array, axes, wide)
        output = [code for label in equation.output for code in codes[label]]
        return np.asarray(np.einsum(*operands, output, optimize=len(inputs) > 1))


def _covered(labels: Labels, rank: int) -> tuple[int, int]:
    """Return the first dimension that the ellipsis covers, and the first after it."""
    if ELLIPSIS not in labels:
        return len(labels), len(labels)
    start = labels.index(ELLIPSIS)
    return start, rank - (len(labels) - 1 - start)


def _enter(
    sizes: dict[str, Dimension], label: str, merged: Dimension | None, dim: Dimension, part: str, shape: PartialShape
) -> None:
    if merged is None:
        raise ShapeError(part, f"label {label!r} has the length {dim} in {part} {shape}, and {sizes[label]} before")
    sizes[label] = merged


def _codes(labels: Labels, span: tuple[int, int], codes: dict[str, list[int]], covered: int) -> list[int]:
    """Return the code of each dimension of an input."""
    start, stop = span
    before = [codes[label][0] for label in labels[:start]]
    return before + codes[ELLIPSIS][covered - (stop - start) :] + [codes[label][0] for label in labels[start + 1 :]]


def _operand(array: Array, axes: Sequence[int], wide: set[int]) -> list[Any]:
    """Return an input and the codes of its dimensions, both without dimensions of length 1 that are broadcast."""
    is_kept = [length != 1 or code not in wide for code, length in zip(axes, array.shape, strict=True)]
    index = tuple(slice(None) if keep else 0 for keep in is_kept)
    return [np.asarray(array[index], order="C"), [code for code, keep in zip(axes, is_kept, strict=True) if keep]]
