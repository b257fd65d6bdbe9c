"""Reversals of channels before convolutions: the weights are reversed instead of the image."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ir_plugin.compiler.model_rewriter import constant, reread, substitute
from ir_plugin.model import Model, Node, Output
from ir_plugin.model.graph import order_of
from ir_plugin.operations.activation.clamp import Clamp
from ir_plugin.operations.activation.elu import Elu
from ir_plugin.operations.activation.gelu import Gelu
from ir_plugin.operations.activation.hard_sigmoid import HardSigmoid
from ir_plugin.operations.activation.prelu import PRelu
from ir_plugin.operations.activation.selu import Selu
from ir_plugin.operations.activation.swish import Swish
from ir_plugin.operations.activation.unary import Exp, HSigmoid, HSwish, Mish, Relu, Sigmoid, SoftPlus
from ir_plugin.operations.arithmetic.binary import Add, Maximum, Minimum, Multiply, Power, SquaredDifference, Subtract
from ir_plugin.operations.arithmetic.division import Divide, FloorMod, Mod
from ir_plugin.operations.arithmetic.round import Round
from ir_plugin.operations.arithmetic.unary import Abs, Ceiling, Cos, Erf, Floor, Log, Negative, Sign, Sin, Sqrt, Tanh
from ir_plugin.operations.convolution.convolution import Convolution
from ir_plugin.operations.convolution.group_convolution import GroupConvolution
from ir_plugin.operations.infrastructure.const import Const
from ir_plugin.operations.movement.gather import Gather
from ir_plugin.operations.movement.pad import Pad
from ir_plugin.operations.movement.transpose import Transpose
from ir_plugin.operations.quantization.fake_quantize import FakeQuantize
from ir_plugin.operations.type.convert import Convert
from ir_plugin.tensors import Array

_UNARY = (
    Abs, Ceiling, Clamp, Convert, Cos, Elu, Erf, Exp, Floor, Gelu, HardSigmoid, HSigmoid, HSwish, Log, Mish, Negative,
    Pad, Relu, Round, Selu, Sigmoid, Sign, Sin, SoftPlus, Sqrt, Swish, Tanh,
)  # fmt: skip
_BINARY = (
    Add, Divide, FakeQuantize, FloorMod, Maximum, Minimum, Mod, Multiply, Power, PRelu, SquaredDifference, Subtract,
)  # fmt: skip

Reversed = tuple[Node, int, int]
"""An input that has to read reversed values: its node, its index and the axis."""


@dataclass
class Trace:
    """The outputs whose values reversals reverse: the axis, and the reversals that do."""

    axes: dict[Output, int] = field(default_factory=dict)
    seeds: dict[Output, frozenset[Node]] = field(default_factory=dict)
    constants: dict[tuple[Node, int], int] = field(default_factory=dict)
    failed: set[Node] = field(default_factory=set)

    def mark(self, port: Output, axis: int, seeds: frozenset[Node]) -> None:
        """Note that the values of an output are reversed."""
        self.axes[port], self.seeds[port] = axis, seeds


def fuse_reversals(model: Model) -> None:
    """Remove the reversals of channels that only convolutions see, and reverse their weights."""
    seeds = {node: axis for node in order_of(model)[0] if (axis := _reversed_axis(node)) is not None}
    while seeds:
        trace = _traced(model, seeds)
        if not trace.failed:
            break
        seeds = {node: axis for node, axis in seeds.items() if node not in trace.failed}
    if not seeds:
        return
    for (node, index), axis in trace.constants.items():
        _reverse_constant(node, index, axis, next(iter(seeds)))
    for node in seeds:
        substitute(node.outputs[0], node.input_value(0))


def _reversed_axis(node: Node) -> int | None:
    """Return the axis that a Gather reverses, None for any other node."""
    if not node.is_a(Gather):
        return None
    indices, axis = node.input_value(1).constant, node.input_value(2).constant
    shape = node.inputs[0].partial_shape
    if indices is None or axis is None or axis.size != 1 or indices.ndim != 1 or shape.ndim is None:
        return None
    position = int(axis.reshape(-1)[0]) % shape.ndim
    is_reversed = shape[position] == indices.size and bool((indices == np.arange(indices.size)[::-1]).all())
    return position if is_reversed else None


def _traced(model: Model, seeds: dict[Node, int]) -> Trace:
    trace = Trace()
    for node in order_of(model)[0]:
        if node in seeds:
            trace.failed |= _seeds_of(node, trace)
            trace.mark(node.outputs[0], seeds[node], frozenset([node]))
        elif (origins := _seeds_of(node, trace)) and not _passes(node, origins, trace):
            trace.failed |= origins
    ends = [node for node in seeds if not node.outputs[0].readers]
    trace.failed.update(ends)
    return trace


def _seeds_of(node: Node, trace: Trace) -> frozenset[Node]:
    empty: frozenset[Node] = frozenset()
    ports = [port.source for port in node.inputs if port.source is not None]
    return empty.union(*[trace.seeds.get(port, empty) for port in ports])


def _passes(node: Node, origins: frozenset[Node], trace: Trace) -> bool:
    """Note what a node with a reversed input returns and needs; return whether it can be reversed."""
    axis = trace.axes.get(node.input_value(0))
    if node.is_a(*_BINARY):
        return _passes_binary(node, origins, trace)
    if axis is None:
        return False
    if node.is_a(*_UNARY):
        trace.mark(node.outputs[0], axis, origins)
        return True
    if node.is_a(Transpose):
        order = node.input_value(1).constant
        if order is None or not order.size:
            return False
        trace.mark(node.outputs[0], order.tolist().index(axis), origins)
        return True
    if node.is_a(Convolution):
        return axis == 1 and _needs(node, 1, 1, trace)
    return node.is_a(GroupConvolution) and axis == 1 and _passes_depthwise(node, origins, trace)


def _passes_binary(node: Node, origins: frozenset[Node], trace: Trace) -> bool:
    ndim = node.outputs[0].partial_shape.ndim
    ports = [node.input_value(index) for index in range(len(node.inputs))]
    axes = {trace.axes[port] for port in ports if port in trace.axes}
    if ndim is None or len(axes) != 1 or any(
        port in trace.axes and port.partial_shape.ndim != ndim for port in ports
    ):  # fmt: skip
        return False
    axis = axes.pop()
    for index, port in enumerate(ports):
        if port in trace.axes:
            continue
        values = port.constant
        if values is None:
            return False
        own = axis - (ndim - values.ndim)
        if own >= 0 and values.shape[own] > 1:
            trace.constants[node, index] = own
    trace.mark(node.outputs[0], axis, origins)
    return True


def _passes_depthwise(node: Node, origins: frozenset[Node], trace: Trace) -> bool:
    shape = node.inputs[1].partial_shape
    if shape.is_dynamic or shape[1] != 1 or shape[2] != 1:
        return False
    trace.mark(node.outputs[0], 1, origins)
    return _needs(node, 1, 0, trace)


def _needs(node: Node, index: int, axis: int, trace: Trace) -> bool:
    """Note that the weights that an input reads are to be reversed; return whether they can be."""
    source = node.input_value(index)
    if source in trace.axes or len(source.readers) > 1:
        return False
    if source.node.is_a(Const):
        trace.constants[node, index] = axis
        return True
    if source.node.is_a(Convert):
        return _needs(source.node, 0, axis, trace)
    if not source.node.is_a(Multiply, Subtract):
        return False
    for own in range(2):
        operand = source.node.input_value(own)
        values = operand.constant
        if values is None and not _needs(source.node, own, axis, trace):
            return False
        if values is not None and _is_along(values, axis, len(source.partial_shape)):
            trace.constants[source.node, own] = axis - (len(source.partial_shape) - values.ndim)
    return True


def _is_along(values: Array, axis: int, ndim: int) -> bool:
    own = axis - (ndim - values.ndim)
    return own >= 0 and values.shape[own] > 1


def _reverse_constant(node: Node, index: int, axis: int, seed: Node) -> None:
    source = node.input_value(index)
    twin = constant(np.flip(source.node.operation.evaluate(), axis), source.element_type, rt_info=seed.rt_info)
    twin.node.name = f"Gather_{twin.node.id}"
    reread(node, index, twin)
