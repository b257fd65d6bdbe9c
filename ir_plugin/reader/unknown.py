"""The finding for a layer whose type and version name no known operation."""

from __future__ import annotations

from collections.abc import Sequence

from lxml import etree

from ir_plugin.diagnostics.suggest import did_you_mean
from ir_plugin.model import Node
from ir_plugin.operations.opsets import NEWEST_OPSET, opset_number, resolve, with_release
from ir_plugin.reader.reading import Reading
from ir_plugin.schema.values import shown

_CUSTOM = ("experimental", "extension")

_ELSEWHERE = {
    "and": "LogicalAnd", "averagepool": "AvgPool", "batchnorm": "BatchNormInference",
    "batchnormalization": "BatchNormInference", "cast": "Convert", "ceil": "Ceiling", "conv": "Convolution",
    "conv1d": "Convolution", "conv2d": "Convolution", "conv3d": "Convolution",
    "convtranspose": "ConvolutionBackpropData", "dense": "MatMul", "depthwiseconv": "GroupConvolution",
    "div": "Divide", "expand": "Broadcast", "flatten": "Reshape", "fullyconnected": "MatMul", "gemm": "MatMul",
    "globalaveragepool": "ReduceMean", "globalmaxpool": "ReduceMax", "groupconv": "GroupConvolution",
    "innerproduct": "MatMul", "linear": "MatMul", "max": "Maximum", "min": "Minimum", "mul": "Multiply",
    "neg": "Negative", "not": "LogicalNot", "or": "LogicalOr", "permute": "Transpose", "pow": "Power",
    "resize": "Interpolate", "sub": "Subtract", "upsample": "Interpolate", "where": "Select", "xor": "LogicalXor",
}  # fmt: skip
"""The types of IR for names, in small letters, that other formats give to the same operations."""


_OF_PLUGINS = frozenset([
    "AUGRUCell", "AUGRUSequence", "DynamicQuantize", "FullyConnected", "FullyConnectedCompressed",
    "FullyConnectedQuantized", "FullyConnectedQuantizedLegacy", "GatedDeltaNet", "GatherCompressed", "Gemm", "GLU",
    "IndirectGemm", "IndirectSDPA", "KVCache", "KVCacheCompressed", "LLMMLP", "LeakyRelu", "LoraSubgraph", "MOE",
    "MOECompressed", "Ngram", "PagedAttention", "PagedAttentionExtension", "Placeholder", "PowerStatic",
    "QKVProjection", "ReadValueWithSubgraph", "ReadValues", "Reorder", "RMS", "RoPE", "SDPA",
    "ScaledDotProductAttentionWithKVCache", "Subgraph", "SwiGLU", "SwishCPU", "VLSDPA",
])  # fmt: skip
"""The operations of no public opset, into which plugins of OpenVINO change a model before they run it."""
_PORTABLE = "use the IR from which it was compiled: read_model and save_model, not a model cache or get_runtime_model"


def report_unknown(reading: Reading, node: Node, element: etree._Element) -> None:
    """Report a layer whose operation is unknown."""
    opset = opset_number(node.version)
    versions = reading.registry.versions_of(node.type)
    if opset is not None and not 1 <= opset <= NEWEST_OPSET:
        message = f'"{node.version}" is not an opset; this library knows opset1 to opset{NEWEST_OPSET}'
        help = _defined(node, versions) if versions else ""
        reading.report("IR502", message, element, attribute="version", layer=node.ref(), help=help)
    elif resolve(node.type, node.version) is not None:
        message = f"this library has no implementation of {node.type} of {node.version}"
        help = f"add one with Core().add_extension; it belongs to {with_release(node.version)}"
        reading.report("IR501", message, element, attribute="type", layer=node.ref(), help=help)
    elif versions and (opset is not None or node.version in _CUSTOM):
        message = f"{node.type} is not in {node.version}"
        help = _defined(node, versions)
        reading.report("IR503", message, element, attribute="version", layer=node.ref(), help=help)
    elif versions:
        message = f'"{node.version}" is not an opset'
        opsets = (f"opset{number}" for number in range(1, NEWEST_OPSET + 1))
        help = did_you_mean(node.version, opsets) or _defined(node, versions)
        reading.report("IR502", message, element, attribute="version", layer=node.ref(), help=help)
    else:
        _report_type(reading, node, element, opset)


def _defined(node: Node, versions: Sequence[str]) -> str:
    """Return the opsets that define a type, with the runtime that each needs."""
    return f"{node.type} is defined in {', '.join(map(with_release, versions))}"


def _report_type(reading: Reading, node: Node, element: etree._Element, opset: int | None) -> None:
    if node.type in _OF_PLUGINS and (opset is None or node.type.casefold() not in _ELSEWHERE):
        message = f"{node.type} is an operation of OpenVINO's plugins, in no public opset"
        because = "a model cache or a dump of a compiled model holds such layers"
        reading.report("IR501", message, element, attribute="type", layer=node.ref(), because=because, help=_PORTABLE)
        return
    elsewhere = _ELSEWHERE.get(node.type.casefold())
    help = f'did you mean "{elsewhere}"?' if elsewhere else did_you_mean(node.type, reading.registry.types())
    if not help:
        help = "add it with Core().add_extension, or install the plugin that provides it"
    type = node.type if node.type.isidentifier() else shown(node.type)
    message = f"{type} is not an operation of {node.version}"
    if opset is None:
        message = f'there is no operation {type} of version "{node.version}"'
    reading.report("IR501", message, element, attribute="type", layer=node.ref(), help=help)
