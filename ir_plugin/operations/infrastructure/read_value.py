"""ReadValue: the value of a variable. Specification: infrastructure/ReadValue-6, ReadValue-3."""

from __future__ import annotations

from ir_plugin.errors import EvaluationError, ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.context import STANDARD, Context, InferenceContext
from ir_plugin.operations.indices import zeros
from ir_plugin.tensors import Array, ElementType, PartialShape, TensorInfo
from ir_plugin.tensors.cached_rows import as_floats


class ReadValue(Operation, version=6):
    """The value that the variable `variable_id` has at the start of the inference.

    A variable without a value starts as `init_value`, or without that input as zeros, where a dynamic dimension has its
    smallest length. Type and shape of the variable must cover `init_value`; where both are unknown, the variable takes
    them from `init_value`.
    """

    widen = False
    carriers = (0,)
    stateful = True
    wants_context = True
    wants_inference = True

    variable_id: str
    variable_type: ElementType
    variable_shape: PartialShape

    def infer(self, init_value: TensorInfo | None = None, *, inference: InferenceContext) -> TensorInfo:
        """Return the type and shape of the variable."""
        element_type, shape = self.variable_type, self.variable_shape
        if init_value is not None:
            if element_type.is_static and init_value.element_type is not element_type:
                raise ShapeError(
                    "variable_type",
                    f"variable_type is {element_type.name}, init_value has the type {init_value.element_type.name}",
                )
            if not self.variable_shape.relaxes(init_value.shape):
                raise ShapeError(
                    "variable_shape",
                    f"variable_shape {self.variable_shape} does not hold all shapes of init_value, {init_value.shape}",
                )
            if element_type.is_dynamic and shape.ndim is None:
                shape = init_value.shape
            element_type = init_value.element_type
        variable = TensorInfo(element_type, shape)
        inference.variables[self.variable_id] = variable
        return variable

    def evaluate(self, init_value: Array | None = None, *, context: Context = STANDARD) -> Array:
        """Return the value."""
        current = context.variables.get(self.variable_id)
        if current is None:
            return self._initial() if init_value is None else init_value
        current = as_floats(current, self.variable_type.dtype if init_value is None else init_value.dtype)
        if not self.variable_shape.contains(current.shape):
            shapes = f"{list(current.shape)}, which {self.variable_shape} excludes"
            raise EvaluationError(f'the variable "{self.variable_id}" has the shape {shapes}')
        value: Array = current.view()
        return value

    def _initial(self) -> Array:
        if self.variable_shape.dims is None or self.variable_type.is_dynamic:
            raise EvaluationError(
                f'the variable "{self.variable_id}" has no value, and neither type nor rank to make one'
            )
        return zeros(tuple(self.variable_shape.get_min_shape()), self.variable_type.dtype)


class ReadValue3(Operation, version=3):
    """As ReadValue-6, but `init_value` is needed, and the variable has its type and shape."""

    widen = False
    carriers = (0,)
    stateful = True
    wants_context = True
    wants_inference = True

    variable_id: str

    def infer(self, init_value: TensorInfo, *, inference: InferenceContext) -> TensorInfo:
        """Return the type and shape of `init_value`."""
        variable = TensorInfo(init_value.element_type, init_value.shape)
        inference.variables[self.variable_id] = variable
        return variable

    def evaluate(self, init_value: Array, *, context: Context = STANDARD) -> Array:
        """Return the value."""
        value: Array = as_floats(context.variables.get(self.variable_id, init_value), init_value.dtype).view()
        return value
