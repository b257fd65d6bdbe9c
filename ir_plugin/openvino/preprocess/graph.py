"""Nodes of preprocessing, and what steps know while they build them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ir_plugin.model import Output
from ir_plugin.openvino.preprocess.formats import ColorFormat
from ir_plugin.operations.base import OperationClass
from ir_plugin.operations.movement.transpose import Transpose
from ir_plugin.opsets.nodes import built, constant_node, definition_of
from ir_plugin.tensors import ElementType, Layout, PartialShape


@dataclass
class Context:
    """The state between steps: layout and color format now, and what the model expects in the end."""

    layout: Layout
    target_layout: Layout = field(default_factory=Layout)
    target_type: ElementType = ElementType.dynamic
    model_shape: PartialShape = field(default_factory=lambda: PartialShape(None))
    color: ColorFormat = ColorFormat.UNDEFINED


Ports = list[Output]
"""The image between two steps: one output, or one for each plane."""


class Step(NamedTuple):
    """One step: its description, and the function that builds its nodes."""

    text: str
    run: Callable[[Ports, Context], Ports]


def operation(definition: OperationClass, *inputs: Output, **attributes: Any) -> Output:
    """Return the output of a new node."""
    return built(definition_of(definition.type, definition.version), inputs, attributes, None).outputs[0]


def constant(values: Any, element_type: str) -> Output:
    """Return a new constant of these values."""
    type = ElementType(element_type)
    with np.errstate(over="ignore"):
        return constant_node(np.array(values, np.float32 if type.is_real else np.int64), type).outputs[0]


def transposed(port: Output, axes: list[int], element_type: str = "i64") -> Output:
    """Return an output with its dimensions in another order."""
    return operation(Transpose, port, constant(axes, element_type))


def marked(port: Output) -> Output:
    """Mark the node of an output as one of preprocessing, as OpenVINO does, and return the output."""
    port.node.rt_info["preprocessing"] = {"version": "0"}
    return port
