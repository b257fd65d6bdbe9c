"""Constants, parameters and results, which every opset has."""

from __future__ import annotations

from typing import Any

import numpy as np

from ir_plugin.errors import ArgumentTypeError
from ir_plugin.model import Node, kinds
from ir_plugin.model.variables import Variable, VariableInfo
from ir_plugin.operations.infrastructure.parameter import Parameter
from ir_plugin.operations.infrastructure.result import Result
from ir_plugin.opsets.constant_function import constant, element_type_of
from ir_plugin.opsets.nodes import new_node, output_of
from ir_plugin.tensors import ElementType, PartialShape, frozen

__all__ = ["constant", "parameter", "read_value", "result"]


def parameter(shape: Any, dtype: Any = np.float32, name: str | None = None) -> Node:
    """Return an input of a model: its shape may have unknown dimensions, -1 or intervals."""
    return new_node("Parameter", Parameter(shape=frozen(shape), element_type=element_type_of(dtype)), [], name)


def result(data: Any, name: str | None = None) -> Node:
    """Return an output of a model that reads an output, or the first of a node."""
    if isinstance(data, Node):
        data = data.output(0)
    return new_node("Result", Result(), [output_of(data, "result, data", name)], name)


def read_value(*arguments: Any, name: str | None = None, **named: Any) -> Node:
    """Return a node that reads a variable.

    The forms are `(variable)` and `(init_value, variable)`, with a `Variable`, and `(variable_id, variable_type,
    variable_shape)` and `(init_value, variable_id, variable_type, variable_shape)`, where type and shape may be left
    out; a name may follow each.
    """
    values = list(arguments)
    initial = named.pop("init_value", None)
    if values and not isinstance(values[0], (str, Variable)):
        initial = values.pop(0)
    variable = named.pop("ov_variable", named.pop("variable", None))
    if values and isinstance(values[0], Variable):
        variable = values.pop(0)
    elif variable is None:
        variable = _variable(values, named)
    name = values.pop(0) if values else name
    if values or named:
        raise ArgumentTypeError(f"read_value takes no {', '.join([*map(repr, values), *named])} here")
    node = kinds.read_value(variable) if initial is None else kinds.read_value(initial, variable)
    if name is not None:
        node.set_friendly_name(name)
    return node


def _variable(values: list[Any], named: dict[str, Any]) -> Variable:
    """Return the variable of an id, a type and a shape, which are taken from the arguments."""
    words = ("variable_id", "variable_type", "variable_shape")
    id, type, shape = (named.pop(word) if word in named else values.pop(0) if values else None for word in words)
    if not isinstance(id, str):
        raise ArgumentTypeError("read_value needs a Variable, or the id of one")
    dynamic = PartialShape.dynamic()
    return Variable(
        VariableInfo(id, ElementType.dynamic if type is None else type, dynamic if shape is None else shape)
    )
