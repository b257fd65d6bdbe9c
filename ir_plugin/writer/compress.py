"""Weights in half precision: as OpenVINO's `save_model` stores them."""

from __future__ import annotations

import numpy as np

from ir_plugin.model import Input, Model, Node, Output
from ir_plugin.model.clone import clone
from ir_plugin.model.graph import connect
from ir_plugin.operations.infrastructure.const import Const
from ir_plugin.operations.registry import Registry
from ir_plugin.tensors import Array, ElementType, Tensor

_KEPT_FROM = 0.75
"""The share of values outside the range of f16 from which a constant stays as it is."""
_SMALLEST = 2.0**-24
_LARGEST = 65504.0
_SHAPE_INPUTS = {"Interpolate": (1, 2, 3), "Range": (0, 1, 2), "OneHot": (1,), "Eye": (0, 1, 2), "Proposal": (2,)}
"""Inputs that say how large an output is, by type: they stay exact."""


def compress(model: Model) -> Model:
    """Return a copy in which f32 and f64 constants are f16 behind a Convert, unless too much of them would be lost."""
    found = clone(model)
    _compress(found)
    return found


def _compress(model: Model) -> None:
    used = {node.id for node in model.nodes}
    number = max((int(id) for id in used), default=-1)
    for node in list(model.nodes):
        halved = _halved(node)
        if halved is not None:
            number += 1
            _insert(model, node, halved, str(number))
    for _, _, subgraph in model.bodies():
        _compress(subgraph.body)


def _halved(node: Node) -> Array | None:
    operation = node.operation
    if operation is None or operation.type != "Const" or operation.element_type.name not in ("f32", "f64"):
        return None
    if any(_is_shape_input(reader) for reader in node.outputs[0].readers):
        return None
    array: Array = operation.evaluate()
    size = np.abs(array)
    lost = np.count_nonzero((size > _LARGEST) | ((size < _SMALLEST) & (size != 0)))
    if array.size == 0 or lost / array.size >= _KEPT_FROM:
        return None
    with np.errstate(all="ignore"):
        return np.clip(array, -_LARGEST, _LARGEST).astype(np.float16)


def _is_shape_input(port: Input) -> bool:
    return port.index in _SHAPE_INPUTS.get(port.node.get_type_name(), ())


def _insert(model: Model, node: Node, array: Array, id: str) -> None:
    """Let a constant be f16, and a Convert with its name give what it was."""
    type = node.operation.element_type
    const = Const(element_type=ElementType.f16, shape=array.shape, offset=0, size=array.nbytes)
    const.load = lambda: array
    const.output_types = (ElementType.f16,)
    half = Node(id, f"{node.name}_compressed", "Const", "opset1", const)
    half.outputs.append(Output(half, 0, 0))
    half.outputs[0].tensor = Tensor(ElementType.f16, array.shape)
    definition = Registry().resolve("Convert", "opset1")
    if definition is not None:
        node.operation = definition.cls(destination_type=type)
    node.operation.input_types, node.operation.output_types = (ElementType.f16,), (type,)
    node.type, node.version, node.attributes = "Convert", "opset1", {}
    node.rt_info = {**node.rt_info, "decompression": {"version": "0"}}
    node.inputs.append(Input(node, 0, 0))
    connect(half.outputs[0], node.inputs[0])
    model.nodes.insert(model.nodes.index(node), half)
