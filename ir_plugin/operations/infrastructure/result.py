"""Result: an output of the model. Specification: infrastructure/Result-1."""

from __future__ import annotations

from ir_plugin.operations.base import Operation
from ir_plugin.operations.traits import Elementwise
from ir_plugin.tensors import Array, TensorInfo


class Result(Operation, version=1):
    """An output of the model, equal to the input. It has no output port in a file."""

    traits = (Elementwise(),)
    takes_containers = True
    widen = False
    carriers = (0,)

    def infer(self, data: TensorInfo) -> TensorInfo:
        """Return the input's type and shape."""
        return TensorInfo(data.element_type, data.shape)

    def evaluate(self, data: Array) -> Array:
        """Return the input."""
        return data
