"""Loop."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ir_plugin.frontends.onnx.bodies import Body
from ir_plugin.frontends.onnx.common import as_scalar, extension, i64, output
from ir_plugin.frontends.onnx.constants import constant_of
from ir_plugin.frontends.onnx.faults import OnnxReadError
from ir_plugin.frontends.onnx.infrastructure.ports import (
    Inputs,
    last_values,
    replace_result,
    source_of,
    sub_graph_node,
)
from ir_plugin.frontends.onnx.node import OnnxNode
from ir_plugin.frontends.onnx.registry import translates
from ir_plugin.model import Output, SubGraph, SubGraphInput, SubGraphOutput
from ir_plugin.opsets import opset16 as ops
from ir_plugin.tensors import Dimension, ElementType, PartialShape, TensorInfo

_WIDENINGS = 3
"""Translations of a body after which a state whose shape still changes is taken to be of unknown rank."""


@translates("Loop", 1)
def loop(node: OnnxNode) -> list[Output]:
    """Return Loop-5; values of each iteration get a first axis, along which they are joined.

    A state that begins as an optional, and is its value from the first iteration on, is an optional inside the loop.
    """
    limit = _limit(node.input(0)) if node.has(0) else i64(-1)
    begins = as_scalar(node.input(1)) if node.has(1) else constant_of(np.array(True)).outputs[0]
    states = [node.input(index) for index in range(2, len(node.inputs))]
    body = settled(node, [state.tensor_info for state in states])
    joined = len(body.results) - 1 - len(states)
    if joined < 0:
        raise OnnxReadError(f"the graph 'body' has {len(body.results)} outputs; it needs {1 + len(states)} or more")
    optionals = [k for k, state in enumerate(states) if _is_unwrapped(state, source_of(body.results[1 + k]))]
    for k in optionals:
        replace_result(body, 1 + k, extension("Optional", [source_of(body.results[1 + k])]).outputs[0])
    for position in range(1 + len(states), len(body.results)):
        replace_result(body, position, ops.unsqueeze(source_of(body.results[position]), i64([0])).outputs[0])
    inputs = Inputs([limit, begins, *states])
    entries = [SubGraphInput(None, 0, purpose="current_iteration")]
    entries += [SubGraphInput(position, position) for position in range(1, len(inputs))]
    entries += inputs.captured(body)
    outputs = [SubGraphOutput(None, 0, purpose="execution_condition"), *last_values(0, len(states), 1)]
    outputs += [SubGraphOutput(len(states) + k, 1 + len(states) + k, axis=0) for k in range(joined)]
    back_edges = [(position, position + 1) for position in range(1 + len(states))]
    subgraph = SubGraph(body.model, entries, outputs, back_edges)
    results = list(sub_graph_node("Loop", "opset5", inputs, {"body": subgraph}).outputs)
    for k in optionals:
        results[k] = extension("OptionalGetElement", [results[k]]).outputs[0]
    return results


def _limit(trip_count: Output) -> Output:
    """Return a trip count without negative numbers, which mean no iteration in ONNX; Loop-5 takes -1 for no limit."""
    count = as_scalar(trip_count)
    bounds = count.tensor_info.bounds
    if bounds is None or (bounds.lower < 0).any():
        return output(ops.maximum(count, i64(0)))
    return count


def _is_unwrapped(state: Output, result: Output) -> bool:
    """Return whether a state begins as an optional of what the body returns."""
    return state.tensor_info.element_type.kind == "optional" and result.tensor_info.element_type.kind not in (
        "optional",
        "dynamic",
    )


def settled(node: OnnxNode, states: Sequence[TensorInfo]) -> Body:
    """Return the body, translated for types and shapes of the states that hold in every iteration.

    A body that is translated again, because an outer loop's body is, begins with the states of the last translation.
    """
    all_settled, key = node.scope.source.settled, (*node.trail, str(len(states)))
    carried = [TensorInfo(info.element_type, info.shape) for info in states]
    before = all_settled.get(key, carried)
    carried = [_widened(old, new, 0) for old, new in zip(carried, before, strict=True)]
    first = [TensorInfo(ElementType.i64, []), TensorInfo(ElementType.boolean, [])]
    for widenings in range(_WIDENINGS + 1):
        body = node.body("body", [*first, *carried])
        results = [source_of(result) for result in body.results[1 : 1 + len(carried)]]
        wider = [_widened(old, new.tensor_info, widenings) for old, new in zip(carried, results, strict=False)]
        if len(wider) < len(carried) or all(
            a.shape == b.shape and a.element_type is b.element_type for a, b in zip(carried, wider, strict=True)
        ):
            break
        carried = wider
    all_settled[key] = carried
    return body


def _widened(old: TensorInfo, new: TensorInfo, widenings: int) -> TensorInfo:
    item = old.element_type.item if old.element_type.kind == "optional" else None
    if item is not None and item.merge(new.element_type):
        return old
    common = old.element_type.merge(new.element_type)
    if common is None:
        raise OnnxReadError(
            f"a state of the loop begins with the type {old.element_type.name}; the body gives {new.element_type.name}"
        )
    if old.shape.dims is None or new.shape.dims is None or len(old.shape) != len(new.shape):
        return TensorInfo(common, None)
    if old.shape == new.shape:
        return TensorInfo(common, old.shape)
    if widenings >= _WIDENINGS - 1:
        return TensorInfo(common, None)
    pairs = zip(old.shape, new.shape, strict=True)
    return TensorInfo(common, PartialShape([a if a == b else Dimension() for a, b in pairs]))
