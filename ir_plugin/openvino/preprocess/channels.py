"""Nodes that change the channels of an image."""

from __future__ import annotations

from ir_plugin.errors import InputError
from ir_plugin.model import Output
from ir_plugin.openvino.preprocess.graph import Context, Ports, constant, operation
from ir_plugin.openvino.preprocess.layouts import axis_of
from ir_plugin.operations.arithmetic.binary import Add
from ir_plugin.operations.generation.range import Range
from ir_plugin.operations.movement.gather import Gather
from ir_plugin.operations.movement.slice import Slice
from ir_plugin.operations.shape.shape_of import ShapeOf


def reverse_channels(ports: Ports, context: Context) -> Output:
    """Return the image with its channels in reverse order."""
    port, axis = _with_channels(ports, context)
    shape = port.partial_shape
    if shape.ndim is not None:
        axis = axis_of(context.layout, "C", shape)
    if shape.ndim is not None and shape[axis].is_static:
        last = constant(shape[axis].get_length() - 1, "i64")
    else:
        count = operation(Gather, operation(ShapeOf, port), constant(axis, "i32"), constant(0, "i32"))
        last = operation(Add, count, constant(-1, "i64"))
    order = operation(Range, last, constant(-1, "i64"), constant(-1, "i64"), output_type="i32")
    return operation(Gather, port, order, constant([axis], "i32"))


def cut_last_channel(ports: Ports, context: Context) -> Output:
    """Return the image without its last channel."""
    port, axis = _with_channels(ports, context)
    bounds = [constant([value], "i32") for value in (0, -1, 1, axis)]
    return operation(Slice, port, *bounds)


def _with_channels(ports: Ports, context: Context) -> tuple[Output, int]:
    if len(ports) != 1:
        raise InputError("Internal error: can't reverse channels for multi-plane inputs; convert the color first")
    if not context.layout.has_name("C"):
        raise InputError(f"Layout {context.layout} doesn't have `channels` dimension")
    return ports[0], context.layout.get_index_by_name("C")
