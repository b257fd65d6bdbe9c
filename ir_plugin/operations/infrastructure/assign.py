"""Assign: a new value for a variable. Specification: infrastructure/Assign-6, Assign-3."""

from __future__ import annotations

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.context import STANDARD, Context, InferenceContext
from ir_plugin.tensors import Array, TensorInfo


class Assign(Operation, version=6):
    """The value `new_value`, which the variable `variable_id` has from the next inference on.

    It must have the type and shape that the variable's ReadValue declares.
    """

    widen = False
    carriers = (0,)
    stateful = True
    wants_context = True
    wants_inference = True

    variable_id: str

    def infer(self, new_value: TensorInfo, *, inference: InferenceContext) -> TensorInfo:
        """Return the input's type and shape."""
        variable = inference.variables.get(self.variable_id)
        if variable is not None:
            if variable.element_type.merge(new_value.element_type) is None:
                raise ShapeError(
                    "new_value",
                    f"new_value has the type {new_value.element_type.name}, "
                    f'the variable "{self.variable_id}" {variable.element_type.name}',
                )
            if not variable.shape.compatible(new_value.shape):
                raise ShapeError(
                    "new_value",
                    f'new_value has the shape {new_value.shape}, the variable "{self.variable_id}" {variable.shape}',
                )
        return TensorInfo(new_value.element_type, new_value.shape)

    def evaluate(self, new_value: Array, *, context: Context = STANDARD) -> Array:
        """Assign a copy to the variable, as the array's memory may be reused, and return the value."""
        context.assigned[self.variable_id] = np.array(new_value, order="C")
        return new_value


class Assign3(Assign, version=3):
    """As Assign-6, for a variable that ReadValue-3 reads."""
