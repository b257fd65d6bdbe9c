"""Finds the quantizers of a model: layers that round numbers to few levels, with their inputs, scales and readers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import prod

from ir_plugin.model import Input, Model, Node, Output
from ir_plugin.operations.activation.clamp import Clamp
from ir_plugin.operations.arithmetic.binary import Add, Multiply, Subtract
from ir_plugin.operations.arithmetic.division import Divide
from ir_plugin.operations.arithmetic.round import Round
from ir_plugin.operations.convolution.convolution_backprop_data import ConvolutionBackpropData
from ir_plugin.operations.convolution.group_convolution import GroupConvolution
from ir_plugin.operations.convolution.group_convolution_backprop_data import GroupConvolutionBackpropData
from ir_plugin.operations.matrix.matmul import MatMul
from ir_plugin.operations.quantization.fake_convert import FakeConvert
from ir_plugin.operations.quantization.fake_quantize import FakeQuantize
from ir_plugin.operations.table import OperationTable
from ir_plugin.operations.type.convert import Convert
from ir_plugin.report.compressed_weights import CompressedWeight, compressed_weights, granularity, is_parameter
from ir_plugin.tensors import ElementType

_QUANTIZING = (Add, Subtract, Clamp, Round, Convert, Multiply, Divide)
_LONGEST = 8
_MAX_LEVELS = 2**16


@dataclass(frozen=True)
class Quantizer:
    """Layers that round numbers to few levels and map them back; undone, their output is their source."""

    name: str
    kind: str
    """The layer's type, `QuantizeLinear` for a pair of quantization and dequantization, or `weight`."""
    role: str
    """`weights` or `activations`."""
    output: Output
    entry: Input | None = None
    """The input that reads the numbers before; None for a stored weight."""
    levels: int | None = None
    element_type: ElementType | None = None
    parameters: tuple[Output, ...] = ()
    """Scales or limits, whose shapes say which elements share them."""
    weight: CompressedWeight | None = None
    path: tuple[str, ...] = ()
    """The names of the layers whose bodies it is in."""

    @property
    def granularity(self) -> str:
        """What shares a scale: `per tensor`, `per channel` or `groups of 128`."""
        return granularity(self.parameters) if self.weight is None else self.weight.granularity

    @property
    def steps(self) -> str:
        """The number of levels, or the element type of the codes."""
        if self.element_type is not None:
            return self.element_type.name
        return "" if self.levels is None else str(self.levels)

    @property
    def readers(self) -> list[Input]:
        """The inputs that read the quantized numbers, directly or through layers that only move weights."""
        return list(self.output.readers) if self.weight is None else self.weight.readers


def quantizers(model: Model) -> list[Quantizer]:
    """Return the quantizers of a model and its bodies, in the order of execution."""
    paths = dict(_all_nodes(model))
    nodes = list(paths)
    weights = [weight for weight in compressed_weights(nodes) if weight.element_type.bits <= 16]
    simulated = {weight.readers[0].node: weight for weight in weights if _ends_in_fake(weight)}
    position = {node: index for index, node in enumerate(nodes)}
    entries = [
        *(_stored(weight) for weight in weights if weight.is_quantized),
        *(quantizer for node in nodes for quantizer in _of_node(node, simulated.get(node))),
    ]
    entries.sort(key=lambda quantizer: position[quantizer.output.node])
    return [replace(quantizer, path=paths[quantizer.output.node]) for quantizer in entries]


def _all_nodes(model: Model, path: tuple[str, ...] = ()) -> Iterator[tuple[Node, tuple[str, ...]]]:
    """Yield the layers of a model and its bodies, and the names of the layers around each."""
    for node in model.ordered():
        yield node, path
        for subgraph in node.operation.subgraphs.values():
            yield from _all_nodes(subgraph.body, (*path, node.name))


def _ends_in_fake(weight: CompressedWeight) -> bool:
    """Return whether a FakeQuantize maps the codes of a weight to its values."""
    readers = weight.readers
    is_coded = bool(weight.element_type.is_integer) and not weight.scales
    return is_coded and len(readers) == 1 and readers[0].index == 0 and readers[0].node.is_a(FakeQuantize)


def _stored(weight: CompressedWeight) -> Quantizer:
    return Quantizer(
        weight.constant.name, "weight", "weights", weight.output, None, None, weight.element_type, weight.scales, weight
    )


def _of_node(node: Node, coded: CompressedWeight | None) -> Iterator[Quantizer]:
    """Yield the quantizers that begin at a node; `coded` is the weight whose codes it maps to values."""
    kind = node.get_type_name()
    if not node.is_a(FakeQuantize, FakeConvert):
        if node.is_a(Convert) and _is_code(node.outputs[0].element_type):
            yield from _pairs(node)
        return
    if any(_is_code_of(reader) for reader in node.outputs[0].readers):
        return
    parameters = tuple(port.source for port in node.inputs[1:] if port.source is not None)
    fields = _grid(node)
    if coded is not None:
        yield Quantizer(coded.constant.name, "weight", "weights", node.outputs[0], None, *fields, parameters)
        return
    source = node.inputs[0].source
    role = "weights" if source is not None and is_parameter(source) else "activations"
    yield Quantizer(node.name, kind, role, node.outputs[0], node.inputs[0], *fields, parameters)


def _grid(node: Node) -> tuple[int | None, ElementType | None]:
    """Return the number of levels, or the type of the codes."""
    operation = node.operation
    if isinstance(operation, FakeQuantize):
        return min(max(operation.levels, 2), _MAX_LEVELS), None
    return None, ElementType(operation.destination_type)


def _is_code(type: ElementType) -> bool:
    return bool(type.is_static and type.bits <= 16 and type.is_integer)


def _is_code_of(reader: Input) -> bool:
    return reader.node.is_a(Convert) and _is_code(reader.node.outputs[0].element_type)


def _pairs(convert: Node) -> Iterator[Quantizer]:
    """Yield a quantizer for each dequantization that reads the codes of a Convert."""
    entry = _entry(convert)
    if entry is None:
        return
    type = convert.outputs[0].element_type
    for reader in convert.outputs[0].readers:
        ends = _dequantized(reader)
        if ends is not None:
            output, parameters = ends
            yield Quantizer(output.node.name, "QuantizeLinear", "activations", output, entry, None, type, parameters)


def _entry(convert: Node) -> Input | None:
    """Return the input of the first layer of a quantization: FakeQuantize, or a division by a scale."""
    port, scaled = convert.inputs[0], None
    for _ in range(_LONGEST):
        node = None if port.source is None else port.source.node
        if node is None or not _is_quantizing(node):
            break
        port = node.inputs[0]
        if node.is_a(FakeQuantize):
            return port
        if node.is_a(Divide, Multiply):
            scaled = port
    return scaled


def _is_quantizing(node: Node) -> bool:
    if node.is_a(FakeQuantize):
        return True
    others = [port.source for port in node.inputs[1:] if port.source is not None]
    return node.is_a(*_QUANTIZING) and all(map(is_parameter, others))


def _dequantized(reader: Input) -> tuple[Output, tuple[Output, ...]] | None:
    """Return the end of a dequantization by Convert, Subtract and Multiply, and its scale."""
    node, is_real = reader.node, False
    for _ in range(_LONGEST):
        others = [port.source for port in node.inputs[1:] if port.source is not None]
        if not node.is_a(Convert, Subtract, Multiply) or not all(map(is_parameter, others)):
            return None
        is_real = is_real or bool(node.outputs[0].element_type.is_real)
        if node.is_a(Multiply):
            end = _converted(node.outputs[0])
            return (end, tuple(others)) if is_real else None
        readers = list(node.outputs[0].readers)
        if len(readers) != 1 or readers[0].index != 0:
            return None
        node = readers[0].node
    return None


def _converted(output: Output) -> Output:
    """Return the output of a Convert to floating point that alone reads `output`, else `output`."""
    readers = list(output.readers)
    if len(readers) == 1 and readers[0].node.is_a(Convert):
        after = readers[0].node.outputs[0]
        return after if after.element_type.is_real else output
    return output


def channel_axes(readers: Sequence[Input], rank: int) -> tuple[int, ...]:
    """Return the axes of a weight's output channels, by the layer that reads it; the first axis of other layers."""
    for reader in readers:
        if reader.node.is_a(MatMul) and rank > 1:
            attribute = "transpose_b" if reader.index else "transpose_a"
            transposed = bool(getattr(reader.node.operation, attribute))
            return (rank - 2 if transposed == bool(reader.index) else rank - 1,)
        axes = _CHANNEL_AXES.get(reader.node.operation)
        if axes is not None:
            return axes
    return (0,)


_CHANNEL_AXES: OperationTable[tuple[int, ...]] = OperationTable(
    {GroupConvolution: (0, 1), ConvolutionBackpropData: (1,), GroupConvolutionBackpropData: (0, 2)}
)


def shared_axes(quantizer: Quantizer, shape: Sequence[int]) -> tuple[int, ...]:
    """Return the axes of a shape along which all elements share a scale."""
    rank = len(shape)
    lengths = [1] * rank
    for parameter in quantizer.parameters:
        dims = parameter.partial_shape.to_shape() if parameter.partial_shape.is_static else ()
        if len(dims) <= rank:
            for axis, length in zip(range(rank - len(dims), rank), dims, strict=True):
                lengths[axis] = max(lengths[axis], length)
    return tuple(axis for axis in range(rank) if lengths[axis] == 1)


def stored_shape(quantizer: Quantizer, shape: Sequence[int]) -> tuple[int, ...]:
    """Return the shape in which the parameters of a quantizer broadcast: a grouped weight has an axis of groups."""
    weight = quantizer.weight
    if weight is None or prod(weight.shape) != prod(shape):
        return tuple(shape)
    return weight.shape


def most_per_channel(entries: Iterable[Quantizer]) -> bool:
    """Return whether more weights are quantized per channel or in groups than per tensor."""
    kinds = [quantizer.granularity != "per tensor" for quantizer in entries if quantizer.role == "weights"]
    return 2 * sum(kinds) > len(kinds)
