"""Constants that a model stores in fewer bits, and the chains of layers that decompress them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import prod

from ir_plugin.model import Input, Node, Output
from ir_plugin.operations.arithmetic.binary import Multiply, Subtract
from ir_plugin.operations.arithmetic.division import Divide
from ir_plugin.operations.arithmetic.unary import Negative
from ir_plugin.operations.infrastructure.const import Const
from ir_plugin.operations.movement.broadcast import Broadcast
from ir_plugin.operations.movement.gather import Gather
from ir_plugin.operations.movement.slice import Slice
from ir_plugin.operations.movement.strided_slice import StridedSlice
from ir_plugin.operations.movement.transpose import Transpose
from ir_plugin.operations.shape.reshape import Reshape
from ir_plugin.operations.shape.shape_of import ShapeOf
from ir_plugin.operations.shape.squeeze import Squeeze
from ir_plugin.operations.shape.unsqueeze import Unsqueeze
from ir_plugin.operations.type.convert import Convert
from ir_plugin.tensors import ElementType
from ir_plugin.tensors.packing import packed_size

_MOVEMENT = (Reshape, Transpose, Squeeze, Unsqueeze, Slice, StridedSlice)
_PARAMETER_LAYERS = (*_MOVEMENT, Convert, Multiply, Divide, Subtract, Negative, Broadcast)
_FIRST_ONLY = (*_MOVEMENT, Gather, Broadcast)
"""Layers whose further inputs are indices or lengths."""
_DEEPEST = 8
_FEW_BITS = 8


@dataclass(frozen=True)
class CompressedWeight:
    """A constant with the layers that decompress it: Convert, Subtract, Multiply, and Reshape of groups."""

    constant: Node
    chain: tuple[Node, ...]
    scales: tuple[Output, ...] = ()
    zero_point: Output | None = None

    @property
    def element_type(self) -> ElementType:
        """The type that the weight is stored in."""
        return self.constant.outputs[0].element_type

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape that the weight is stored in."""
        return tuple(self.constant.operation.shape)

    @property
    def output(self) -> Output:
        """The decompressed weight."""
        return self.chain[-1].outputs[0]

    @property
    def readers(self) -> list[Input]:
        """The inputs that read the decompressed weight."""
        return [reader for reader in self.output.readers if not reader.node.is_a(ShapeOf)]

    @property
    def consumers(self) -> list[Node]:
        """The layers that compute with the weight: those that read it, or the Gather of its codes."""
        gathers = [node for node in self.chain if node.is_a(Gather)]
        return gathers or [reader.node for reader in self.readers]

    @property
    def is_quantized(self) -> bool:
        """Whether the weight has at most 8 bits and a scale."""
        return bool(self.scales) and self.element_type.bits <= _FEW_BITS

    @property
    def group_size(self) -> int:
        """The number of elements that share a scale, along one axis of the weight; 0 if the scale is not grouped."""
        scale = self._scale_shape
        split = sum(length > 1 for length in scale) > 1
        merged = any(len(node.outputs[0].partial_shape) < len(self.shape) for node in self.chain)
        return prod(self.shape) // max(prod(scale), 1) if split and (merged or self.is_gathered) else 0

    @property
    def is_gathered(self) -> bool:
        """Whether rows of the weight are gathered before they are decompressed."""
        return any(node.is_a(Gather) for node in self.chain)

    @property
    def _scale_shape(self) -> tuple[int, ...]:
        """The shape of the scale, of the constant that it is gathered from if the weight is gathered."""
        if not self.scales:
            return ()
        if self.is_gathered:
            return max((tuple(node.operation.shape) for node in constants_of(self.scales[0])), key=prod, default=())
        return self.scales[0].partial_shape.lengths()

    @property
    def granularity(self) -> str:
        """What shares a scale: `per tensor`, `per channel` or `groups of 128`."""
        if not self.scales:
            return ""
        if self.group_size:
            return f"groups of {self.group_size}"
        return "per tensor" if prod(self._scale_shape) <= 1 else "per channel"

    @property
    def parameters(self) -> set[Node]:
        """The constants of scales and zero points."""
        outputs = [*self.scales, *([] if self.zero_point is None else [self.zero_point])]
        return {constant for output in outputs for constant in constants_of(output)}


def granularity(parameters: Iterable[Output]) -> str:
    """Return whether scales or limits are `per tensor`, or have several values: `per channel`."""
    shapes = [output.partial_shape for output in parameters]
    return "per tensor" if all(shape.is_static and prod(shape.lengths()) <= 1 for shape in shapes) else "per channel"


def compressed_weights(nodes: Iterable[Node]) -> list[CompressedWeight]:
    """Return the constants among the nodes that layers decompress to floating point, once for each chain."""
    return [weight for node in nodes if _is_compressed(node) for weight in _weights_of(node)]


def _is_compressed(node: Node) -> bool:
    if not node.is_a(Const):
        return False
    type = node.outputs[0].element_type
    if type.is_dynamic or type.name in ("boolean", "string", "f32", "f64"):
        return False
    return bool(type.is_real) or type.bits <= 16


def _weights_of(constant: Node) -> Iterator[CompressedWeight]:
    for reader in constant.outputs[0].readers:
        weight = CompressedWeight(constant, ())
        step: Input | None = reader
        while step is not None and (extended := _extended(weight, step)) is not None:
            weight = extended
            readers = weight.readers
            step = readers[0] if len(readers) == 1 else None
        if any(node.is_a(Convert) for node in weight.chain) and weight.output.element_type.is_real:
            yield weight


def _extended(weight: CompressedWeight, reader: Input) -> CompressedWeight | None:
    """Return the chain with the layer that reads it, or None if this layer does not decompress."""
    node = reader.node
    chain = (*weight.chain, node)
    if node.is_a(Convert) and (weight.scales or node.outputs[0].element_type.is_real):
        return CompressedWeight(weight.constant, chain, weight.scales, weight.zero_point)
    others = [port.source for port in node.inputs if port.index != reader.index and port.source is not None]
    if node.is_a(Gather) and reader.index == 0 and not weight.scales and weight.element_type.bits <= _FEW_BITS:
        return CompressedWeight(weight.constant, chain, (), weight.zero_point)
    if (not weight.chain and not node.is_a(*_MOVEMENT)) or not all(_is_factor(other, weight) for other in others):
        return None
    if node.is_a(*_MOVEMENT) and reader.index == 0:
        return CompressedWeight(weight.constant, chain, weight.scales, weight.zero_point)
    if node.is_a(Subtract) and reader.index == 0 and not weight.scales and weight.zero_point is None:
        return CompressedWeight(weight.constant, chain, (), others[0])
    if node.is_a(Multiply) and others and weight.element_type.bits <= _FEW_BITS and _scales(others[0], weight, reader):
        return CompressedWeight(weight.constant, chain, (*weight.scales, others[0]), weight.zero_point)
    return None


def _is_factor(output: Output, weight: CompressedWeight) -> bool:
    """Return whether an operand of a chain is constant, or gathered from a constant as the weight is."""
    return is_parameter(output) or (weight.is_gathered and output.node.is_a(Gather, Convert))


def _scales(factor: Output, weight: CompressedWeight, reader: Input) -> bool:
    """Return whether a factor scales the weight, rather than the weight the factor."""
    if weight.is_gathered:
        return True
    shape = factor.partial_shape
    count = prod(shape.lengths()) if shape.is_static else 0
    return shape.is_static and (count, reader.index) <= (prod(weight.shape), 0)


def is_parameter(output: Output, depth: int = _DEEPEST) -> bool:
    """Return whether an output is a constant, perhaps converted or reshaped."""
    node = output.node
    if node.is_a(Const):
        return True
    if not node.is_a(*_PARAMETER_LAYERS) or not depth:
        return False
    return all(port.source is not None and is_parameter(port.source, depth - 1) for port in node.inputs)


def constants_of(output: Output) -> Iterator[Node]:
    """Yield the real or low-bit constants that a parameter is computed from."""
    if output.node.is_a(Const):
        yield output.node
    elif output.node.is_a(*_PARAMETER_LAYERS, Gather):
        ports = output.node.inputs[:1] if output.node.is_a(*_FIRST_ONLY) else output.node.inputs
        for port in ports:
            if port.source is not None:
                yield from constants_of(port.source)


def stored_bytes(constant: Node) -> int:
    """Return the bytes of a constant's values."""
    const = constant.operation
    return packed_size(const.element_type, prod(const.shape)) if const.element_type.name != "string" else const.size
