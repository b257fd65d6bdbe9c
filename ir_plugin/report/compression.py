"""How a model is compressed: the types of its weights, their scales, and the layers that are quantized."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from math import prod
from typing import Any

from ir_plugin.model import Node, Output
from ir_plugin.operations.arithmetic.binary import Multiply, Subtract
from ir_plugin.operations.convolution.family import CONVOLUTIONS
from ir_plugin.operations.infrastructure.const import Const
from ir_plugin.operations.infrastructure.result import Result
from ir_plugin.operations.matrix.matmul import MatMul
from ir_plugin.operations.movement.concat import Concat
from ir_plugin.operations.movement.depth_to_space import DepthToSpace
from ir_plugin.operations.movement.pad import Pad
from ir_plugin.operations.movement.shuffle_channels import ShuffleChannels
from ir_plugin.operations.movement.slice import Slice
from ir_plugin.operations.movement.space_to_depth import SpaceToDepth
from ir_plugin.operations.movement.split import Split
from ir_plugin.operations.movement.strided_slice import StridedSlice
from ir_plugin.operations.movement.transpose import Transpose
from ir_plugin.operations.movement.variadic_split import VariadicSplit
from ir_plugin.operations.pooling.max_pool import MaxPool
from ir_plugin.operations.quantization.fake_convert import FakeConvert
from ir_plugin.operations.quantization.fake_quantize import FakeQuantize
from ir_plugin.operations.shape.reshape import Reshape
from ir_plugin.operations.shape.squeeze import Squeeze
from ir_plugin.operations.shape.unsqueeze import Unsqueeze
from ir_plugin.operations.type.convert import Convert
from ir_plugin.report.compressed_weights import (
    CompressedWeight,
    compressed_weights,
    constants_of,
    granularity,
    is_parameter,
    stored_bytes,
)

_PRODUCTS = (MatMul, *CONVOLUTIONS)
_TRANSPARENT = (
    Convert, Subtract, Multiply, Reshape, Transpose, Squeeze, Unsqueeze, MaxPool, Pad, Split, VariadicSplit, Slice,
    StridedSlice, Concat, ShuffleChannels, DepthToSpace, SpaceToDepth,
)  # fmt: skip
"""Layers between a quantizer and the product that computes with its numbers."""
_DEEPEST = 12


def compression(nodes: Sequence[Node]) -> dict[str, Any]:
    """Return how the weights and activations of layers are compressed, as plain data; reads no values.

    Shares count elements. The bits of a weight include its scales and zero points.
    """
    weights = compressed_weights(nodes)
    quantized = [weight for weight in weights if weight.is_quantized]
    parameters = {constant for weight in weights for constant in weight.parameters}
    fakes = [node for node in nodes if node.is_a(FakeQuantize, FakeConvert)]
    counted = _counted_constants(nodes, weights, parameters, fakes)
    size = sum(map(stored_bytes, {*counted, *parameters}))
    count = sum(prod(node.operation.shape) for node in counted)
    half = {weight.constant for weight in weights if not weight.scales and weight.element_type.name in ("f16", "bf16")}
    layers = _layers(nodes, quantized)
    return {
        "weights": count,
        "weight_bytes": size,
        "bits_per_weight": _ratio(8 * size, count),
        "element_types": _element_types(counted, count),
        "schemes": _schemes(quantized),
        "weight_only_layers": layers["weight_only"],
        "quantized_layers": layers["quantized"],
        "fake_quantize": _fakes(fakes),
        "half_precision": {"constants": len(half), "bytes": sum(map(stored_bytes, half))},
    }


def _counted_constants(
    nodes: Sequence[Node], weights: Sequence[CompressedWeight], parameters: set[Node], fakes: Sequence[Node]
) -> list[Node]:
    """Return the constants that are weights: neither parameters of a compression nor limits of a FakeQuantize."""
    limits = {constant for node in fakes for port in node.inputs[1:] for constant in _constants(port.source)}
    compressed, uncounted = {weight.constant for weight in weights}, parameters | limits
    return [node for node in nodes if node not in uncounted and (node in compressed or _is_real_constant(node))]


def _is_real_constant(node: Node) -> bool:
    return node.is_a(Const) and bool(node.outputs[0].element_type.is_real)


def _constants(output: Output | None) -> Iterable[Node]:
    return constants_of(output) if output is not None and is_parameter(output) else ()


def _ratio(part: float, whole: float) -> float:
    return round(part / whole, 4) if whole else 0.0


def _element_types(constants: Sequence[Node], count: int) -> list[dict[str, Any]]:
    elements: Counter[str] = Counter()
    sizes: Counter[str] = Counter()
    for node in constants:
        name = node.outputs[0].element_type.name
        elements[name] += prod(node.operation.shape)
        sizes[name] += stored_bytes(node)
    return [
        {"type": name, "elements": number, "share": _ratio(number, count), "bytes": sizes[name]}
        for name, number in elements.most_common()
    ]


def _schemes(weights: Sequence[CompressedWeight]) -> list[dict[str, Any]]:
    """Return the ways in which weights are quantized, the one with the most elements first."""
    schemes: dict[tuple[Any, ...], list[CompressedWeight]] = defaultdict(list)
    for weight in weights:
        zero = None if weight.zero_point is None else _stored_type(weight.zero_point)
        key = (weight.element_type.name, weight.granularity, weight.group_size, _stored_type(weight.scales[0]), zero)
        schemes[key].append(weight)
    described = [_scheme(key, members) for key, members in schemes.items()]
    return sorted(described, key=lambda scheme: -int(scheme["elements"]))


def _scheme(key: tuple[Any, ...], weights: Sequence[CompressedWeight]) -> dict[str, Any]:
    constants = {weight.constant for weight in weights}
    elements = sum(prod(node.operation.shape) for node in constants)
    parameters = {constant for weight in weights for constant in weight.parameters}
    type, granularity, group_size, scale_type, zero_type = key
    return {
        "type": type,
        "granularity": granularity,
        "group_size": group_size,
        "scale_type": scale_type,
        "zero_point_type": zero_type,
        "weights": len(constants),
        "layers": len({node for weight in weights for node in weight.consumers}),
        "elements": elements,
        "bits_per_weight": _ratio(8 * sum(map(stored_bytes, {*constants, *parameters})), elements),
    }


def _stored_type(parameter: Output) -> str:
    first = next(iter(constants_of(parameter)), None)
    return parameter.element_type.name if first is None else first.outputs[0].element_type.name


def _layers(nodes: Sequence[Node], weights: Sequence[CompressedWeight]) -> dict[str, int]:
    """Return the number of layers whose weights alone are quantized, and of products of quantized operands."""
    reading = {node for weight in weights for node in weight.consumers}
    outputs = {weight.output for weight in weights}
    products = [node for node in nodes if node.is_a(*_PRODUCTS)]
    quantized = {node for node in products if all(_is_quantized(port.source, outputs) for port in node.inputs[:2])}
    reading = {node for node in reading if not node.is_a(Result, FakeQuantize)}
    return {"weight_only": len(reading - quantized), "quantized": len(quantized)}


def _is_quantized(output: Output | None, weights: set[Output], depth: int = _DEEPEST) -> bool:
    """Return whether an operand consists of quantized numbers."""
    if output is None or not depth:
        return False
    if output in weights or output.node.is_a(FakeQuantize, FakeConvert):
        return True
    if output.node.is_a(Convert) and _is_integer(output.node.inputs[0].element_type.name):
        return True
    return output.node.is_a(*_TRANSPARENT) and _is_quantized(output.node.inputs[0].source, weights, depth - 1)


def _is_integer(type: str) -> bool:
    return type in ("i8", "u8", "i4", "u4", "i2", "u2", "u3", "u6", "u1")


def _fakes(nodes: Sequence[Node]) -> list[dict[str, Any]]:
    counts = Counter(_fake(node) for node in nodes)
    return [
        {"layer": kind, "of": role, "levels": levels, "granularity": spread, "count": count}
        for (kind, role, levels, spread), count in counts.most_common()
    ]


def _fake(node: Node) -> tuple[str, str, int | str, str]:
    kind, source = node.get_type_name(), node.inputs[0].source
    is_weight = source is not None and is_parameter(source)
    levels = node.operation.levels if node.is_a(FakeQuantize) else node.operation.destination_type
    limits = [port.source for port in node.inputs[1:3] if port.source is not None]
    return kind, "weights" if is_weight else "activations", levels, granularity(limits)


def compression_summary(document: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield labels and lines of text that say how a model is compressed; none without weights."""
    if document["weights"]:
        shares = ", ".join(f"{entry['type']} {_percent(entry['share'])}" for entry in document["element_types"])
        yield "weights", f"{shares}; {document['bits_per_weight']:.4g} bits a weight"
    for scheme in document["schemes"]:
        zero = f", zero points {scheme['zero_point_type']}" if scheme["zero_point_type"] else ""
        yield (
            "quantized",
            f"{scheme['weights']:,} {scheme['type']} {scheme['granularity']}, scales {scheme['scale_type']}{zero}: "
            f"{scheme['bits_per_weight']:.4g} bits a weight",
        )
    half = document["half_precision"]
    if half["constants"]:
        yield "compressed", f"{half['constants']:,} constants in half precision, {half['bytes']:,} bytes"
    for entry in document["fake_quantize"]:
        steps = f"{entry['levels']} levels" if isinstance(entry["levels"], int) else entry["levels"]
        yield "simulated", f"{entry['count']:,} {entry['layer']} of {entry['of']}, {steps}, {entry['granularity']}"
    if document["weight_only_layers"] or document["quantized_layers"]:
        yield (
            "layers",
            f"{document['quantized_layers']:,} compute with quantized numbers, "
            f"{document['weight_only_layers']:,} have quantized weights only",
        )


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %" if share >= 0.001 else "below 0.1 %"
