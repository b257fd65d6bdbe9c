"""Node classes of `openvino.op`: Constant, Parameter, Result, ReadValue and Assign."""

from __future__ import annotations

from typing import Any

from ir_plugin.errors import InputError, require
from ir_plugin.model.hooks import HOOKS
from ir_plugin.model.node import Node, Output, as_output
from ir_plugin.model.variables import Variable, VariableInfo
from ir_plugin.tensors import ElementType, PartialShape, Shape, frozen


class Constant(Node, layer="Const"):
    """A tensor that is part of the model."""

    __slots__ = ()

    def __init__(self, *arguments: Any, **named: Any) -> None:
        """Build `(array, shared_memory=False)`, `(tensor, shared_memory=True)` or `(type, shape, values)`."""
        HOOKS.builders().initialize_constant(self, *arguments, **named)


class Parameter(Node, layer="Parameter"):
    """An input of a model."""

    __slots__ = ()

    def __init__(self, element_type: ElementType, shape: PartialShape | Shape) -> None:
        """Build the node of an element type and a shape, which may have unknown dimensions."""
        require(element_type, ElementType, "a Type", "element_type")
        HOOKS.builders().initialize(
            self, "Parameter", 1, [], {"element_type": element_type, "shape": frozen(PartialShape(shape))}
        )


class Result(Node, layer="Result"):
    """An output of a model."""

    __slots__ = ()

    def __init__(self, data: Node | Output) -> None:
        """Build the node that reads an output."""
        HOOKS.builders().initialize(self, "Result", 1, [as_output(data, "data")])


class read_value(Node, layer="ReadValue", since="opset6"):
    """The value of a variable."""

    __slots__ = ()

    def __init__(self, new_value: Any = None, variable: Variable | None = None) -> None:
        """Build the node of `(variable)` or `(initial value, variable)`."""
        if variable is None and isinstance(new_value, Variable):
            new_value, variable = None, new_value
        if variable is None and new_value is not None:
            raise InputError("read_value needs a Variable, and may have an initial value before it")
        if variable is not None:
            require(variable, Variable, "a Variable", "variable")
        info = VariableInfo() if variable is None else variable.info
        values = {
            "variable_id": info.variable_id, "variable_type": info.data_type, "variable_shape": frozen(info.data_shape),
        }  # fmt: skip
        if variable is None:
            HOOKS.builders().initialize_empty(self, self._layer, 6, values)
        else:
            HOOKS.builders().initialize(self, self._layer, 6, [] if new_value is None else [new_value], values)


class assign(Node, layer="Assign", since="opset6"):
    """The assignment of a value to a variable."""

    __slots__ = ()

    def __init__(
        self, new_value: Any = None, variable: Variable | str | None = None, name: str = "", *, variable_id: str = ""
    ) -> None:
        """Build the node of a value, and a Variable or its id."""
        id = variable.info.variable_id if isinstance(variable, Variable) else variable or variable_id
        require(id, str, "a Variable, or its id", "variable")
        if new_value is None:
            HOOKS.builders().initialize_empty(self, self._layer, 6, {"variable_id": id}, name)
            return
        if not id:
            raise InputError("assign needs a Variable, or its id")
        HOOKS.builders().initialize(self, self._layer, 6, [new_value], {"variable_id": id}, name)
