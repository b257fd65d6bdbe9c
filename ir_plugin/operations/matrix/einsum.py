"""Einsum: sums of products, written with labels. Specification: matrix/Einsum-7."""

from __future__ import annotations

from typing import Any

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import merge_types, require_type
from ir_plugin.operations.matrix.subscripts import ELLIPSIS, Labels, parsed
from ir_plugin.operations.shapes import broadcast
from ir_plugin.tensors import Array, Dimension, PartialShape, Tensor


class Einsum(Operation, version=7):
    """The sum of products of elements that `equation` describes, as `ij,jk->ik` does for matrices.

    Each input has a subscript of one label (letter) a dimension; an ellipsis stands for the rest, which is broadcast.
    Dimensions of one label must be equal (OpenVINO broadcasts a 1); twice in a subscript, it selects a diagonal.
    Labels that the output lacks are summed over. Without `->` the output has an ellipsis, if any input has one, and
    then, sorted, the labels that occur just once.
    """

    equation: str

    def infer(self, *inputs: Tensor) -> Tensor:
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
            found = self._read(number, labels, tensor.shape, sizes)
            if ELLIPSIS in labels:
                covered = broadcast(covered, found, ("the inputs before", f"input {number}"))
        shape = PartialShape()
        for label in equation.output:
            shape = shape + (covered if label == ELLIPSIS else [sizes[label]])
        return Tensor(merged, shape)

    def _read(self, number: int, labels: Labels, shape: PartialShape, sizes: dict[str, Dimension]) -> PartialShape:
        """Merge the dimensions of one input into `sizes`; return those that its ellipsis covers."""
        if shape.dims is None:
            for label in labels:
                sizes.setdefault(label, Dimension())
            return PartialShape(None)
        start, stop = _covered(labels, len(shape))
        if stop < start or (ELLIPSIS not in labels and len(labels) != len(shape)):
            raise ShapeError(
                f"input {number}",
                f"input {number} has the shape {shape} of rank {len(shape)}, its subscript is {''.join(labels)!r}",
            )
        dims = [*shape[:start], *shape[stop:]]
        for label, dim in zip((label for label in labels if label != ELLIPSIS), dims, strict=True):
            merged = sizes.get(label, Dimension()).merge(dim)
            if merged is None:
                raise ShapeError(
                    f"input {number}",
                    f"label {label!r} stands for {dim} in input {number} {shape} and for {sizes[label]} before",
                )
            sizes[label] = merged
        return shape[start:stop]

    def evaluate(self, *inputs: Array) -> Array:
        """Return the sums of products."""
        equation = parsed(self.equation)
        spans = [_covered(labels, array.ndim) for labels, array in zip(equation.inputs, inputs, strict=True)]
        lengths = np.broadcast_shapes(*(array.shape[slice(*span)] for span, array in zip(spans, inputs, strict=True)))
        letters = sorted({label for labels in equation.inputs for label in labels if label != ELLIPSIS})
        codes = {label: [code] for code, label in enumerate(letters)}
        codes[ELLIPSIS] = list(range(len(letters), len(letters) + len(lengths)))
        operands: list[Any] = []
        for labels, array, span in zip(equation.inputs, inputs, spans, strict=True):
            operands += _operand(array, labels, span, codes, lengths)
        output = [code for label in equation.output for code in codes[label]]
        return np.asarray(np.einsum(*operands, output, optimize=len(inputs) > 1))


def _covered(labels: Labels, rank: int) -> tuple[int, int]:
    """Return the first dimension that the ellipsis covers, and the first after it."""
    if ELLIPSIS not in labels:
        return len(labels), len(labels)
    start = labels.index(ELLIPSIS)
    return start, rank - (len(labels) - 1 - start)


def _operand(
    array: Array, labels: Labels, span: tuple[int, int], codes: dict[str, list[int]], lengths: tuple[int, ...]
) -> list[Any]:
    """Return an input with the codes of its dimensions, without those of length 1 that are broadcast."""
    start, stop = span
    skipped = len(lengths) - (stop - start)
    covered = codes[ELLIPSIS][skipped:]
    found = [codes[label][0] for label in labels[:start]]
    found += covered + [codes[label][0] for label in labels[start + 1 :]]
    pairs = zip(covered, array.shape[start:stop], lengths[skipped:], strict=True)
    stretched = {code for code, length, wanted in pairs if length != wanted}
    index = tuple(0 if code in stretched else slice(None) for code in found)
    return [np.asarray(array[index], order="C"), [code for code in found if code not in stretched]]
