"""An input composed of one tensor for each element of the batch."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ir_plugin.errors import InputError, require
from ir_plugin.model import Output
from ir_plugin.openvino.api.tensor import Tensor
from ir_plugin.tensors import Array, Shape


class BatchedTensor(Tensor):
    """A concatenation of tensors along the batch; `values` reads them each time."""

    def __init__(self, parts: Sequence[Tensor], axis: int) -> None:
        super().__init__(parts[0].element_type, [0])
        self._parts, self._axis = list(parts), axis

    @property
    def values(self) -> Array:
        """The elements of all tensors, as a copy."""
        return np.concatenate([part.values for part in self._parts], self._axis)

    def get_shape(self) -> Shape:
        """Return the shape of the concatenation."""
        return Shape(self.values.shape)


def batched(parts: Sequence[Tensor], port: Output) -> Tensor:
    """Return tensors joined along the batch of an input's layout, or a single tensor unchanged."""
    for part in parts:
        require(part, Tensor, "a list of tensors", "tensors")
    if len(parts) == 1:
        return parts[0]
    if not parts:
        raise InputError("no tensors are given for the input")
    layout = port.node.layout
    if not layout.has_name("N"):
        raise InputError(
            f'the layout of input "{port.node.name}" names no batch N, along which tensors could be joined'
        )
    if len({(part.element_type, tuple(part.shape)) for part in parts}) != 1:
        raise InputError("the tensors of a batch differ in type or shape")
    return BatchedTensor(parts, layout.get_index_by_name("N"))
