"""Identity: the input, unchanged. Specification: activation/Identity-16."""

from __future__ import annotations

from ir_plugin.operations.base import Operation
from ir_plugin.operations.ranges import KnownInputs, Range, Ranges
from ir_plugin.operations.traits import Elementwise
from ir_plugin.tensors import Array, TensorInfo


class Identity(Operation, version=16):
    """The input, of any type and shape."""

    traits = (Elementwise(),)
    takes_containers = True
    widen = False

    def infer(self, data: TensorInfo) -> TensorInfo:
        """Return the input's type and shape."""
        return TensorInfo(data.element_type, data.shape)

    def ranges_for(self, needed: Range, _: KnownInputs) -> Ranges:
        """Return the range for the elements that the outputs consist of."""
        return {0: needed}

    def evaluate(self, data: Array) -> Array:
        """Return the input."""
        return data
