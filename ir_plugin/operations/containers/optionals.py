"""Optional values, of the extension. ONNX: Optional-15, OptionalHasElement-15, OptionalGetElement-15."""

from __future__ import annotations

import numpy as np

from ir_plugin.errors import EvaluationError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import item_type
from ir_plugin.operations.containers.items import of_item, owned
from ir_plugin.tensors import Array, ElementType, TensorInfo
from ir_plugin.tensors.containers import vector_of


class Optional(Operation, version="extension"):
    """The optional that holds the input, or without an input, the empty one of a value of `element_type`."""

    takes_containers = True
    widen = False

    element_type: ElementType

    def infer(self, value: TensorInfo | None = None) -> TensorInfo:
        """Return an optional of the input's type."""
        held = self.element_type if value is None else value.element_type
        return TensorInfo(ElementType.container("optional", held), [0 if value is None else 1])

    def evaluate(self, value: Array | None = None) -> Array:
        """Return a vector of the input."""
        return vector_of([] if value is None else [owned(value)])


class OptionalHasElement(Operation, version="extension"):
    """Whether an optional holds a value."""

    takes_containers = True
    widen = False

    def infer(self, optional: TensorInfo) -> TensorInfo:
        """Return a boolean scalar."""
        item_type("optional", optional, "optional")
        return TensorInfo(ElementType.boolean, [])

    def evaluate(self, optional: Array) -> Array:
        """Return whether the vector has an element."""
        return np.array(len(optional) > 0)


class OptionalGetElement(Operation, version="extension"):
    """The value that an optional holds; an empty one is an error."""

    takes_containers = True
    widen = False

    def infer(self, optional: TensorInfo) -> TensorInfo:
        """Return the type of the value."""
        return of_item(item_type("optional", optional, "optional"))

    def evaluate(self, optional: Array) -> Array:
        """Return the element of the vector."""
        if not len(optional):
            raise EvaluationError("the optional is empty; it has no element")
        item: Array = owned(optional[0])
        return item
