"""Weights in half precision: as OpenVINO's `save_model` stores them."""

from __future__ import annotations

import numpy as np

from ir_plugin.model import Input, Model, Node, Output
from ir_plugin.model.graph import clone, connect
from ir_plugin.operations.infrastructure.const import Const
from ir_plugin.operations.registry import Registry
from ir_plugin.tensors import Array, ElementType, TensorInfo

_KEPT_FROM = 0.75
"""The share of values that f16 cannot hold from which a constant stays as it is."""
_SMALLEST = 2.0**-24
_LARGEST = 65504.0
_MOST_OFF = 1.0
"""A constant stays as it is where a value within the range of f16 would change by more."""
_MOST_OFF_RELATIVE, _MOST_OFF_ALONE = 1e-3, 1e-4
"""Values that would change by a larger part count as not held; a constant of one value is often a factor."""
_EXACT_INPUTS = {
    "BatchToSpace": (1, 2, 3), "Broadcast": (1, 2), "Interpolate": (1, 2, 3), "NonMaxSuppression": (4,), "OneHot": (1,),
    "Pad": (1, 2), "PriorBox": (0, 1), "PriorBoxClustered": (0, 1), "Proposal": (2,), "RandomUniform": (0,),
    "Reshape": (1,), "Slice": (1, 2, 3, 4), "SpaceToBatch": (1, 2, 3), "StridedSlice": (1, 2, 3), "Tile": (1,),
    "TopK": (1,),
}  # fmt: skip
"""Inputs that say how large an output is, or which values it has, by type: what they are computed from stays exact."""


def compress(model: Model) -> Model:
    """Return a copy in which f32 and f64 constants are f16 behind a Convert, unless too much of them would be lost.

    As in OpenVINO, constants from which shapes are computed stay exact, and so do all in a quantized model.
    """
    found = clone(model)
    if not any(node.get_type_name() == "FakeQuantize" for node in found.nodes):
        _compress(found)
    return found


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
    """Return the layers that inputs of which the values must be exact are computed from, back to a ShapeOf."""
    waiting = [
        port.source.node
        for node in model.nodes
        for port in node.inputs
        if port.index in _EXACT_INPUTS.get(node.get_type_name(), ()) and port.source is not None
    ]
    found: set[Node] = set()
    while waiting:
        node = waiting.pop()
        if node in found or node.get_type_name() == "ShapeOf":
            continue
        found.add(node)
        waiting += [port.source.node for port in node.inputs if port.source is not None]
    return found


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
    outside = (size > _LARGEST) | ((size < _SMALLEST) & (size != 0))
    with np.errstate(all="ignore"):
        off = np.abs(array - halved.astype(array.dtype))
        relative = off / size
    lost = outside | (relative > (_MOST_OFF_ALONE if array.size == 1 else _MOST_OFF_RELATIVE))
    return bool((off[~outside] > _MOST_OFF).any() or np.count_nonzero(lost) / array.size >= _KEPT_FROM)


def _insert(model: Model, node: Node, array: Array, id: str) -> None:
    """Let a constant be f16, and a Convert with its name give what it was."""
    type = node.operation.element_type
    const = Const(element_type=ElementType.f16, shape=array.shape, offset=0, size=array.nbytes)
    const.load = lambda: array
    half = Node(id, f"{node.name}_compressed", "Const", "opset1", const)
    half.outputs.append(Output(half, 0, 0))
    half.outputs[0].known = TensorInfo(ElementType.f16, array.shape)
    definition = Registry().resolve("Convert", "opset1")
    if definition is not None:
        node.operation = definition.cls(destination_type=type)
    node.type, node.version, node.attributes = "Convert", "opset1", {}
    node.rt_info = {**node.rt_info, "decompression": {"version": "0"}}
    node.inputs.append(Input(node, 0, 0))
    connect(half.outputs[0], node.inputs[0])
    model.nodes.insert(model.nodes.index(node), half)
