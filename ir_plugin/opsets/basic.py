"""Constants, parameters and results, which every opset has."""

from __future__ import annotations

from typing import Any

import numpy as np

from ir_plugin.model import Node
from ir_plugin.operations.infrastructure.parameter import Parameter
from ir_plugin.operations.infrastructure.result import Result
from ir_plugin.opsets.nodes import constant_node, new_node, output_of
from ir_plugin.tensors import ElementType, frozen


def constant(value: Any, dtype: Any = None, name: str | None = None) -> Node:
    """Return a constant with the values of a number, a text, a list, an array or a tensor."""
    return constant_node(value, dtype, name)


def parameter(shape: Any, dtype: Any = np.float32, name: str | None = None) -> Node:
    """Return an input of a model: its shape may have unknown dimensions, -1 or intervals."""
    return new_node("Parameter", Parameter(shape=frozen(shape), element_type=ElementType(dtype)), [], name)


def result(data: Any, name: str | None = None) -> Node:
    """Return an output of a model that reads a node or an output."""
    return new_node("Result", Result(), [output_of(data, "result, data")], name)
