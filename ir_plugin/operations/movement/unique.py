"""Unique: find the unique elements or slices of data. Specification: movement/Unique-10."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import require_type
from ir_plugin.operations.indices import outside
from ir_plugin.operations.memory import require
from ir_plugin.operations.shapes import normalize_axis, scalar_of
from ir_plugin.operations.traits import Selects
from ir_plugin.tensors import UNBOUNDED, Array, Dimension, ElementType, PartialShape, TensorInfo


class Unique(Operation, version=10):
    """Find the unique elements of `data`, or its unique slices along `axis`.

    The outputs are the unique elements, the index of the first occurrence of each, the index into the unique
    elements for each element of `data`, and the number of occurrences of each. They ascend (slices compare by their
    first difference), or without `sorted` are in order of occurrence. NaNs count as equal.

    Specification: movement/Unique-10.
    """

    traits = (Selects((1, 2)),)
    needs_values = (0, 1)
    widen = False

    sorted: bool
    index_element_type: ElementType
    count_element_type: ElementType

    def infer(self, data: TensorInfo, axis: TensorInfo | None = None) -> tuple[TensorInfo, ...]:
        """Return the types and shapes of the four outputs, as far as OpenVINO knows them."""
        count = data.shape.size if data.shape.is_static else Dimension()
        if data.value is not None and (axis is None or axis.value is not None):
            distinct = Dimension(len(self.evaluate(data.value, None if axis is None else axis.value)[1]))
            return self._shapes(data, axis, count, distinct, distinct)
        return self._shapes(data, axis, count, _distinct_count(count))

    def _shapes(
        self,
        data: TensorInfo,
        axis: TensorInfo | None,
        count: Dimension,
        distinct: Dimension,
        length: Dimension | None = None,
    ) -> tuple[TensorInfo, ...]:
        """Return the outputs for `distinct` unique elements, or `length` unique slices along an axis."""
        if axis is None:
            return self._outputs(data, PartialShape([distinct]), count, distinct)
        require_type("axis", axis, "integer")
        position = scalar_of("axis", axis)
        if data.shape.dims is None or position is None:
            return self._outputs(data, PartialShape.dynamic(data.shape.ndim), Dimension(), Dimension())
        position = normalize_axis("axis", position, len(data.shape))
        count = data.shape[position]
        return self._outputs(data, data.shape.replace(position, length or _distinct_count(count)), count, distinct)

    def _outputs(
        self, data: TensorInfo, shape: PartialShape, count: Dimension, distinct: Dimension
    ) -> tuple[TensorInfo, ...]:
        index = self.index_element_type
        return (
            TensorInfo(data.element_type, shape),
            TensorInfo(index, [distinct]),
            TensorInfo(index, [count]),
            TensorInfo(self.count_element_type, [distinct]),
        )

    def selected_values(self, inputs: Sequence[Array | None], outputs: Sequence[Array]) -> Sequence[Array] | None:
        """Return the elements at the indices of first occurrences, and those at the indices into the unique ones."""
        data, axis = inputs[0], inputs[1] if len(inputs) > 1 else None
        if data is None:
            return None
        along = 0 if axis is None else int(axis.reshape(-1)[0])
        sources = [(data if axis is not None else data.reshape(-1), outputs[1]), (outputs[0], outputs[2])]
        if any(outside(indices, 0, source.shape[along] - 1) is not None for source, indices in sources):
            return None
        return [np.take(source, indices.astype(np.int64), along) for source, indices in sources]

    def evaluate(self, data: Array, axis: Array | None = None) -> tuple[Array, ...]:
        """Return the unique elements, the indices of first occurrences, the inverse indices, and the counts.

        Raises `LimitError` where the indices, one per element, take too much memory.
        """
        require("the indices", data.shape, np.dtype(np.intp).itemsize)
        if axis is None:
            position, data = 0, data.reshape(-1)
        else:
            position = int(axis.reshape(-1)[0]) % data.ndim
        ranks = np.unique(data, return_inverse=True)[1].reshape(data.shape)
        rows = (
            np.moveaxis(ranks, position, 0).reshape(data.shape[position], -1)
            if data.size
            else _equal_rows(data, position)
        )
        across = None if rows.shape[1] == 1 else 0  # comparing rows as records takes ten times longer
        _, first, inverse, counts = np.unique(
            rows, return_index=True, return_inverse=True, return_counts=True, axis=across
        )
        if not self.sorted:
            order = np.argsort(first, kind="stable")
            first, counts, inverse = first[order], counts[order], np.argsort(order)[inverse]
        return np.take(data, first, axis=position), first, inverse.reshape(-1), counts


def _equal_rows(data: Array, axis: int) -> Array:
    """Return a column of equal ranks for the slices of an array without elements."""
    return np.zeros((data.shape[axis], 1), np.int64)


def _distinct_count(count: Dimension) -> Dimension:
    """Return the interval of the number of unique elements among `count`."""
    return Dimension.between(min(count.lower, 1), count.upper if count.upper != UNBOUNDED else UNBOUNDED)
