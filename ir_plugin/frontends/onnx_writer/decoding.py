"""Best paths, runs of slices, and products by groups."""

from __future__ import annotations

import numpy as np

from ir_plugin.frontends.onnx_writer.faults import NotExpressibleError
from ir_plugin.frontends.onnx_writer.layer import MAX_I64, Layer, i64
from ir_plugin.frontends.onnx_writer.registry import writes
from ir_plugin.operations.arithmetic.segment_max import SegmentMax
from ir_plugin.operations.matrix.grouped_mat_mul import GroupedMatMul
from ir_plugin.operations.sequence.ctc_greedy_decoder import CTCGreedyDecoder
from ir_plugin.operations.sequence.ctc_greedy_decoder_seq_len import CTCGreedyDecoderSeqLen
from ir_plugin.tensors import ElementType

BOOLEAN = ElementType.boolean


def _decoded(layer: Layer, classes: str, present: str, blank: str, merge: bool) -> list[str]:
    """Return the emitted classes [batch, time] moved to the front, -1 after them, and their number."""
    emitted = layer.emit("And", present, layer.emit("Not", layer.emit("Equal", classes, blank)))
    if merge:
        before = layer.slice(classes, 1, 0, -1)
        changed = layer.emit("Not", layer.emit("Equal", layer.slice(classes, 1, 1, MAX_I64), before))
        first = layer.emit("Expand", layer.constant(True, BOOLEAN), _first_column(layer, classes))
        emitted = layer.emit("And", emitted, layer.emit("Concat", first, changed, axis=1))
    counted = layer.cast(emitted, i64)
    positions = layer.emit("Sub", layer.emit("CumSum", counted, layer.constant(1)), layer.constant(1))
    steps = layer.emit("Range", layer.constant(0), layer.reshape(layer.length(classes, 1)), layer.constant(1))
    is_here = layer.emit("Equal", layer.unsqueeze(positions, 2), steps)
    is_here = layer.emit("And", is_here, layer.unsqueeze(emitted, 2))
    shifted = layer.emit("Add", classes, layer.constant(1))
    selected = layer.emit("Where", is_here, layer.unsqueeze(shifted, 2), layer.constant(0))
    decoded = layer.emit("Sub", layer.reduce("ReduceSum", selected, [1], keep=False), layer.constant(1))
    return [decoded, layer.reduce("ReduceSum", counted, [1], keep=False)]


def _first_column(layer: Layer, classes: str) -> str:
    """Return the shape [batch, 1], and [batch, 0] where there are no steps."""
    shape = layer.emit("Shape", classes)
    return layer.emit("Min", shape, layer.list_of(MAX_I64, 1))


@writes(CTCGreedyDecoder)
def ctc_greedy_decoder(layer: Layer) -> str:
    """Return the classes of the best paths, as numbers of the data's type."""
    data, mask = layer.inputs
    classes = layer.transpose(layer.emit("ArgMax", data, axis=2, keepdims=0), [1, 0])
    absent = layer.cast(layer.emit("Equal", mask, layer.like(0, mask)), i64)
    ended = layer.emit("CumSum", layer.transpose(absent, [1, 0]), layer.constant(1))
    present = layer.emit("Equal", ended, layer.constant(0))
    blank = layer.emit("Sub", layer.length(data, 2), layer.list_of(1))
    decoded, _ = _decoded(layer, classes, present, blank, layer.operation.ctc_merge_repeated)
    return layer.cast(layer.unsqueeze(decoded, 2, 3), layer.type_of(data))


@writes(CTCGreedyDecoderSeqLen)
def ctc_greedy_decoder_seq_len(layer: Layer) -> list[str]:
    """Return the classes of the best paths, and their numbers."""
    data, lengths = layer.inputs[:2]
    classes = layer.emit("ArgMax", data, axis=2, keepdims=0)
    steps = layer.emit("Range", layer.constant(0), layer.reshape(layer.length(data, 1)), layer.constant(1))
    present = layer.emit("Less", steps, layer.unsqueeze(layer.cast(lengths, i64), 1))
    if layer.has(2):
        blank = layer.reshape(layer.cast(layer.inputs[2], i64))
    else:
        blank = layer.emit("Sub", layer.length(data, 2), layer.list_of(1))
    return _decoded(layer, classes, present, blank, layer.operation.merge_repeated)


@writes(SegmentMax)
def segment_max(layer: Layer) -> str:
    """Return ScatterND by maximum into the lowest numbers; what no slice reaches is filled."""
    data, ids = layer.inputs[0], layer.cast(layer.inputs[1], i64)
    element_type = layer.type_of(data)
    if not element_type.is_floating or element_type.bits < 32:
        raise NotExpressibleError(f"segments of {element_type.name} begin with a lowest number of its own")
    largest = layer.reduce("ReduceMax", layer.emit("Concat", ids, layer.list_of(-1), axis=0), [0])
    own = layer.emit("Add", largest, layer.list_of(1))
    count = layer.reshape(layer.cast(layer.inputs[2], i64), 1) if layer.has(2) else own
    total = layer.emit("Max", own, count)
    tail = layer.slice(layer.emit("Shape", data), 0, 1, MAX_I64)
    shape = layer.emit("Concat", total, tail, axis=0)
    index = layer.unsqueeze(ids, 1)
    lowest = layer.emit("Expand", layer.like(-np.inf, data), shape)
    maxima = layer.emit("ScatterND", lowest, index, data, reduction="max")
    ones = layer.emit("Expand", layer.constant(1), layer.emit("Shape", ids))
    numbers = layer.emit("Expand", layer.constant(0), total)
    reached = layer.emit("Greater", layer.emit("ScatterND", numbers, index, ones, reduction="max"), layer.constant(0))
    fill = 0.0 if layer.operation.fill_mode == "zero" else float(np.finfo(element_type.dtype).min)
    reached = layer.unsqueeze(reached, *range(1, layer.rank()))
    return layer.slice(layer.emit("Where", reached, maxima, layer.like(fill, data)), 0, 0, count)


@writes(GroupedMatMul, widens=True)
def grouped_mat_mul(layer: Layer) -> str:
    """Return MatMul of all groups, or of the rows of each group."""
    a, b = layer.inputs[:2]
    if layer.rank(0) == 3 or not layer.has(2):
        order = [*range(layer.rank(1) - 2), layer.rank(1) - 1, layer.rank(1) - 2]
        return layer.emit("MatMul", a, layer.transpose(b, order))
    groups = layer.shape(2)[0]
    if groups.is_dynamic or groups == 0:
        raise NotExpressibleError("the number of groups is not known")
    ends = layer.cast(layer.inputs[2], i64)
    parts = []
    start: int | str = 0
    by_columns = layer.rank(1) == 2
    for group in range(groups.get_length()):
        end = layer.element(ends, group)
        rows = layer.slice(a, 1 if by_columns else 0, start, end)
        if by_columns:
            parts.append(layer.unsqueeze(layer.emit("MatMul", rows, layer.slice(b, 0, start, end)), 0))
        else:
            matrix = layer.emit("Gather", b, layer.constant(np.int64(group)), axis=0)
            parts.append(layer.emit("MatMul", rows, layer.transpose(matrix, [1, 0])))
        start = end
    return layer.emit("Concat", *parts, axis=0)
