"""Parameter: an input of the model. Specification: infrastructure/Parameter-1."""

from __future__ import annotations

from ir_plugin.errors import EvaluationError
from ir_plugin.operations.base import Operation
from ir_plugin.tensors import Array, ElementType, PartialShape, TensorInfo


class Parameter(Operation, version=1):
    """An input of the model, of a declared element type and partial shape."""

    widen = False
    stateful = True

    shape: PartialShape
    element_type: ElementType

    def infer(self) -> TensorInfo:
        """Return the declared type and shape."""
        return TensorInfo(self.element_type, self.shape)

    def evaluate(self) -> Array:
        """Raise, as the caller of the model provides the value."""
        raise EvaluationError("a parameter has no value; the caller provides it")
