"""Compression of weights to half precision, as by OpenVINO's `save_model`."""

from __future__ import annotations

import numpy as np

from ir_plugin.model import Input, Model, Node, Output
from ir_plugin.model.graph import clone, connect
from ir_plugin.operations.infrastructure.const import Const
from ir_plugin.operations.registry import Registry
from ir_plugin.operations.traits import ValueInputs
from ir_plugin.tensors import Array, ElementType, TensorInfo

_MAX_LOST = 0.75
"""The share of values lost in f16 from which a constant stays unchanged."""
_SMALLEST = 2.0**-24
_LARGEST = 65504.0
_MAX_ERROR = 1.0
"""A constant stays unchanged if a value within the range of f16 would change by more."""
_MAX_RELATIVE_ERROR, _MAX_SCALAR_ERROR = 1e-3, 1e-4
"""Values with a larger relative error count as lost; the limit is lower for single values, often factors."""


def compress(model: Model) -> Model:
    """Return a copy whose f32 and f64 constants are f16 with a Convert, unless too much precision would be lost.

    As in OpenVINO, constants for shapes stay exact, and so do all constants of a quantized model.
    """
    copy = clone(model)
    compress_in_place(copy)
    return copy


def compress_in_place(model: Model) -> None:
    """Compress the constants of a model as `compress` does."""
    if not any(node.get_type_name() == "FakeQuantize" for node in model.nodes):
        _compress(model)


def _compress(model: Model) -> None:
    exact = _exact(model)
    number = max((int(node.id) for node in model.nodes), default=-1)
    for node in list(model.nodes):
        halved = None if node in exact else _halved(node)
        if halved is not None:
            number += 1
            _insert(model, node, halved, str(number))
    for _, _, subgraph in model.bodies():
        _compress(subgraph.body)


def _exact(model: Model) -> set[Node]:
    """Return the layers upstream of inputs with exact values, back to a ShapeOf."""
    waiting = [
        port.source.node
        for node in model.nodes
        for trait in (() if node.operation is None else node.operation.traits)
        if isinstance(trait, ValueInputs)
        for port in node.inputs
        if port.index in trait.inputs and port.source is not None
    ]
    exact: set[Node] = set()
    while waiting:
        node = waiting.pop()
        if node in exact or node.get_type_name() == "ShapeOf":
            continue
        exact.add(node)
        waiting += [port.source.node for port in node.inputs if port.source is not None]
    return exact


def _halved(node: Node) -> Array | None:
    operation = node.operation
    if operation is None or operation.type != "Const" or operation.element_type.name not in ("f32", "f64"):
        return None
    array: Array = operation.evaluate()
    with np.errstate(all="ignore"):
        halved = np.clip(array, -_LARGEST, _LARGEST).astype(np.float16)
    return None if array.size == 0 or _loses(array, halved) else halved


def _loses(array: Array, halved: Array) -> bool:
    """Return whether OpenVINO would not store an array in half precision."""
    size = np.abs(array)
    out_of_range = (size > _LARGEST) | ((size < _SMALLEST) & (size != 0))
    with np.errstate(all="ignore"):
        error = np.abs(array - halved.astype(array.dtype))
        relative = error / size
    lost = out_of_range | (relative > (_MAX_SCALAR_ERROR if array.size == 1 else _MAX_RELATIVE_ERROR))
    return bool((error[~out_of_range] > _MAX_ERROR).any() or np.count_nonzero(lost) / array.size >= _MAX_LOST)


def _insert(model: Model, node: Node, array: Array, id: str) -> None:
    """Replace a constant by an f16 constant and a Convert with its name."""
    type = node.operation.element_type
    half = Node.of(id, f"{node.name}_compressed", "Const", "opset1", Const.of(array, ElementType.f16))
    half.outputs.append(Output(half, 0, 0))
    half.outputs[0].tensor_info = TensorInfo(ElementType.f16, array.shape)
    definition = Registry().resolve("Convert", "opset1")
    if definition is not None:
        node.operation = definition.cls(destination_type=type)
    node.type, node.version, node.attributes = "Convert", "opset1", {}
    node.rt_info["decompression"] = {"version": "0"}
    node.inputs.append(Input(node, 0, 0))
    connect(half.outputs[0], node.inputs[0])
    model.nodes.insert(model.nodes.index(node), half)
