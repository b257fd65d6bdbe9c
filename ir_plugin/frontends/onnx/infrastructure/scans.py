"""Scan."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ir_plugin.frontends.onnx.bodies import Body
from ir_plugin.frontends.onnx.common import as_scalar, cast, i64, normalized, scalar, shape_of
from ir_plugin.frontends.onnx.faults import OnnxReadError, OnnxUnsupportedError
from ir_plugin.frontends.onnx.infrastructure.ports import (
    Inputs,
    last_values,
    replace_result,
    source_of,
    sub_graph_node,
)
from ir_plugin.frontends.onnx.node import OnnxNode
from ir_plugin.frontends.onnx.registry import translates
from ir_plugin.model import Node, Output, SubGraph, SubGraphInput, SubGraphOutput
from ir_plugin.model.rewiring import rewire
from ir_plugin.opsets import opset16 as ops
from ir_plugin.opsets.basic import parameter, result
from ir_plugin.opsets.opset13 import squeeze
from ir_plugin.tensors import ElementType, PartialShape, TensorInfo


class Way(NamedTuple):
    """The axis along which values are scanned or joined, and whether from its end."""

    axis: int
    is_reverse: bool


@translates("Scan", 9)
def scan(node: OnnxNode) -> list[Output]:
    """Return TensorIterator-1, whose body squeezes the slices and unsqueezes the parts of the joined outputs."""
    values = node.present()
    states, scanned = _split(node, values)
    axes = _per_value(node, "scan_input_axes", len(scanned))
    reverse = _per_value(node, "scan_input_directions", len(scanned))
    ways = [Way(_axis(axis, value), bool(way)) for axis, way, value in zip(axes, reverse, scanned, strict=True)]
    body = _body(
        node, states, [_without(value.tensor_info, way.axis) for way, value in zip(ways, scanned, strict=True)]
    )
    joined = len(body.results) - len(states)
    out_axes = _per_value(node, "scan_output_axes", joined)
    out_reverse = _per_value(node, "scan_output_directions", joined)
    parts = [Way(axis, bool(way)) for axis, way in zip(out_axes, out_reverse, strict=True)]
    return iterated(body, states, scanned, ways, parts)


@translates("Scan", 8)
def scan_8(node: OnnxNode) -> list[Output]:
    """As the newest, for each entry of a batch: a TensorIterator around another one."""
    values = [node.input(index) for index in range(1, len(node.inputs))]
    states, scanned = _split(node, values)
    inner = [_without(value.tensor_info, 0) for value in values]
    outer = Body([parameter(info.shape, info.element_type, None) for info in inner])
    entries = [item.outputs[0] for item in outer.parameters]
    body = _body(node, entries[: len(states)], [_without(info, 0) for info in inner[len(states) :]])
    body.captured = [(outer.twin(source, inside.name), inside) for source, inside in body.captured]
    reverse = _per_value(node, "directions", len(scanned))
    sliced, length = entries[len(states) :], None
    if node.has(0):
        lengths = parameter([], ElementType.i64, None)
        outer.parameters.append(lengths)
        values.append(cast(node.input(0), ElementType.i64))
        length = lengths.outputs[0]
        stop = ops.unsqueeze(length, i64([0]))
        sliced = [ops.slice(item, i64([0]), stop, i64([1]), i64([0])).outputs[0] for item in sliced]
    joined = len(body.results) - len(states)
    ways = [Way(0, bool(way)) for way in reverse]
    outputs = iterated(body, entries[: len(states)], sliced, ways, [Way(0, False)] * joined)
    if length is not None:
        full_length = ops.gather(shape_of(entries[len(states)]), i64(0), i64(0)).outputs[0]
        outputs[len(states) :] = [_padded(item, full_length, length) for item in outputs[len(states) :]]
    outer.results = [result(item) for item in outputs]
    along = Way(0, False)
    return iterated(outer, [], values, [along] * len(values), [along] * len(outputs))


def _split(node: OnnxNode, values: Sequence[Output]) -> tuple[list[Output], list[Output]]:
    """Return the states, and the values to scan."""
    number = node.attributes.int("num_scan_inputs")
    if not 1 <= number <= len(values):
        raise OnnxReadError(f"num_scan_inputs is {number}; it must be in [1, {len(values)}], the number of inputs")
    first = len(values) - number
    return list(values[:first]), list(values[first:])


def _per_value(node: OnnxNode, name: str, number: int) -> list[int]:
    values: list[int] = node.attributes.ints(name, None) or [0] * number
    if len(values) != number:
        raise OnnxReadError(f"the attribute {name!r} has {len(values)} elements; there are {number} values")
    return values


def _axis(axis: int, value: Output) -> int:
    rank = value.tensor_info.shape.ndim
    if rank is None:
        if axis < 0:
            raise OnnxUnsupportedError("the rank of a scanned input is unknown; it must be known for a negative axis")
        return axis
    return normalized(axis, rank, "scan_input_axes")


def _without(info: TensorInfo, axis: int) -> TensorInfo:
    """Return the type and shape of a tensor without one axis."""
    if info.shape.dims is None:
        return TensorInfo(info.element_type, None)
    if not info.shape.dims:
        raise OnnxReadError("a scanned value is a scalar; it must have an axis to scan")
    dims = list(info.shape)
    return TensorInfo(info.element_type, PartialShape(dims[:axis] + dims[axis + 1 :]))


def _body(node: OnnxNode, states: Sequence[Output], slices: Sequence[TensorInfo]) -> Body:
    carried = [TensorInfo(state.tensor_info.element_type, state.tensor_info.shape) for state in states]
    body = node.body("body", [*carried, *slices])
    if len(body.results) < len(states):
        raise OnnxReadError(f"the graph 'body' has {len(body.results)} outputs; there are {len(states)} states")
    return body


def iterated(
    body: Body, states: Sequence[Output], scanned: Sequence[Output], ways: Sequence[Way], parts: Sequence[Way]
) -> list[Output]:
    """Return the last states and the joined values of a body that is executed for each slice."""
    first, inputs = len(states), Inputs()
    entries, back_edges = [], []
    for position, state in enumerate(states):
        inputs.append(state)
        entries.append(SubGraphInput(position, position))
        back_edges.append((position, position))
    for position, (value, way) in enumerate(zip(scanned, ways, strict=True), first):
        inputs.append(value)
        _slice(body, position, value.tensor_info, way.axis)
        entries.append(SubGraphInput(position, position, way.axis, *_range(way)))
    entries += inputs.captured(body)
    outputs = last_values(0, first)
    for position, way in enumerate(parts, first):
        source = source_of(body.results[position])
        axis = way.axis if way.axis >= 0 else _joined_axis(way.axis, source)
        replace_result(body, position, ops.unsqueeze(source, i64([axis])).outputs[0])
        outputs.append(SubGraphOutput(position, position, axis, *_range(way)))
    subgraph = SubGraph(body.model, entries, outputs, back_edges)
    node: Node = sub_graph_node("TensorIterator", "opset1", inputs, {"body": subgraph})
    return list(node.outputs)


def _range(way: Way) -> tuple[int, int, int]:
    """Return start, end and stride of a port map."""
    return (-1, 0, -1) if way.is_reverse else (0, -1, 1)


def _joined_axis(axis: int, source: Output) -> int:
    rank = source.tensor_info.shape.ndim
    if rank is None:
        raise OnnxUnsupportedError("the rank of a joined output is unknown; it must be known for a negative axis")
    return normalized(axis, rank + 1, "scan_output_axes")


def _slice(body: Body, position: int, scanned: TensorInfo, axis: int) -> None:
    """Let a Parameter of a body be a slice with its axis, which the body squeezes."""
    old = body.parameters[position]
    shape = None if scanned.shape.dims is None else PartialShape(list(scanned.shape)).replace(axis, 1)
    body.parameters[position] = parameter(shape, scanned.element_type, old.name)
    squeezed = squeeze(body.parameters[position], i64([axis]))
    rewire([(port, squeezed.outputs[0]) for port in list(old.outputs[0].readers)])


def _padded(value: Output, full_length: Output, length: Output) -> Output:
    """Pad values with zeros to `full_length` along the first axis."""
    rank = value.tensor_info.shape.ndim
    if rank is None:
        raise OnnxUnsupportedError("the rank of a joined output is unknown; it must be known with sequence_lens")
    after = ops.unsqueeze(ops.subtract(full_length, as_scalar(length)), i64([0]))
    ends = ops.concat([after, i64([0] * (rank - 1))], 0) if rank > 1 else after
    padded: Output = ops.pad(value, i64([0] * rank), ends, "constant", scalar(0, value)).outputs[0]
    return padded
