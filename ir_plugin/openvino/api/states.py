"""Variables of a model, and their values in an infer request."""

from __future__ import annotations

import numpy as np

from ir_plugin.errors import InputError, wrong_type
from ir_plugin.executor import State
from ir_plugin.model import Model, Node
from ir_plugin.model.graph import order_of
from ir_plugin.model.variables import Variable, VariableInfo
from ir_plugin.openvino.api.tensor import Tensor
from ir_plugin.operations.infrastructure.assign import Assign
from ir_plugin.operations.infrastructure.read_value import ReadValue
from ir_plugin.tensors import ElementType, PartialShape
from ir_plugin.tensors.cached_rows import as_floats


def variables_of(model: Model) -> list[Variable]:
    """Return the variables of a model and its bodies, in the order of the layers that are computed."""
    variables: dict[str, Variable] = {}
    for node in order_of(model)[0]:
        if node.is_a(ReadValue, Assign):
            info = _info(node)
            variables.setdefault(info.variable_id, Variable(info))
    for _, _, subgraph in model.bodies():
        for variable in variables_of(subgraph.body):
            variables.setdefault(variable.info.variable_id, variable)
    return list(variables.values())


def _info(node: Node) -> VariableInfo:
    port = node.outputs[0]
    operation = node.operation
    type: ElementType = getattr(operation, "variable_type", ElementType.dynamic)
    shape: PartialShape | None = getattr(operation, "variable_shape", None) if type.is_static else None
    return VariableInfo(
        str(operation.variable_id),
        type if type.is_static else port.element_type,
        port.partial_shape if shape is None else PartialShape(shape),
    )


class VariableState:
    """The value of a variable in an infer request."""

    def __init__(self, info: VariableInfo, state: State) -> None:
        self._info = info
        self._state = state

    @property
    def name(self) -> str:
        """The id of the variable."""
        return self._info.variable_id

    @property
    def state(self) -> Tensor:
        """The value, zeros before the first assignment; can be set."""
        array = self._state.variables.get(self.name)
        if array is None:
            lengths = [dim.lower for dim in self._info.data_shape.dims or ()]
            array = np.zeros(lengths, self._info.data_type.dtype)
        return Tensor.of(as_floats(array, self._info.data_type.dtype), self._info.data_type)

    @state.setter
    def state(self, tensor: Tensor) -> None:
        if not isinstance(tensor, Tensor):
            raise wrong_type("state", "a Tensor", tensor)
        info = self._info
        if tensor.element_type is not info.data_type or not info.data_shape.contains(tensor.shape):
            expected = f"{info.data_type.name}{info.data_shape}"
            raise InputError(f"the state {self.name!r} is {expected}; it cannot be set to {tensor!r}")
        self._state.variables = self._state.variables | {self.name: np.array(tensor.values)}

    def reset(self) -> None:
        """Reset the variable to its initial value."""
        self._state.variables = {name: value for name, value in self._state.variables.items() if name != self.name}

    def __repr__(self) -> str:
        return "<VariableState>"
