"""The weights of a reference model that a compressed model stores in fewer bits."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from ir_plugin.model import Input, Model, Node, Output
from ir_plugin.operations.infrastructure.const import Const
from ir_plugin.operations.shape.reshape import Reshape
from ir_plugin.operations.shape.squeeze import Squeeze
from ir_plugin.operations.shape.unsqueeze import Unsqueeze
from ir_plugin.operations.type.convert import Convert
from ir_plugin.report.quantizers import Quantizer
from ir_plugin.tensors import Array
from ir_plugin.tensors.packing import to_type

_RESHAPING = (Reshape, Squeeze, Unsqueeze)


def originals_of(entries: Sequence[Quantizer], model: Model, reference: Model) -> dict[Output, Array]:
    """Return the reference's weights by the outputs of the quantizers of stored weights.

    A weight is matched by the layer of the same name, type and input, by the constant of the same name, or by the layer
    at the same position among all layers of its type that read weights, if both models have as many.
    """
    mine, theirs = _Layers(model), _Layers(reference)
    weights: dict[Output, Array] = {}
    for quantizer in entries:
        if quantizer.entry is not None:
            continue
        for candidate in _candidates(quantizer, mine, theirs):
            array = _fitting(candidate, quantizer)
            if array is not None:
                weights[quantizer.output] = array
                break
    return weights


class _Layers:
    """The layers of a model and its bodies, by name and by type."""

    def __init__(self, model: Model) -> None:
        self.by_name: dict[str, Node] = {}
        self.by_type: dict[str, list[Node]] = defaultdict(list)
        for node in _nodes(model):
            self.by_name.setdefault(node.name, node)
            self.by_type[node.get_type_name()].append(node)


def _nodes(model: Model) -> Iterator[Node]:
    for node in model.ordered():
        yield node
        for subgraph in node.operation.subgraphs.values():
            yield from _nodes(subgraph.body)


def _candidates(quantizer: Quantizer, mine: _Layers, theirs: _Layers) -> Iterator[Output]:
    """Yield the outputs of the reference that may be the weight, the surest first."""
    readers = quantizer.readers
    for reader in readers:
        yield from _input_of(theirs.by_name.get(reader.node.name), reader)
    names = [quantizer.name, *sorted(quantizer.output.names)]
    for name in names:
        node = theirs.by_name.get(name)
        if node is not None and node.outputs:
            yield node.outputs[0]
    for reader in readers:
        kind = reader.node.get_type_name()
        ours, others = mine.by_type[kind], theirs.by_type[kind]
        if len(ours) == len(others):
            yield from _input_of(others[ours.index(reader.node)], reader)


def _input_of(node: Node | None, reader: Input) -> Iterator[Output]:
    if node is not None and node.get_type_name() == reader.node.get_type_name() and reader.index < len(node.inputs):
        source = node.inputs[reader.index].source
        if source is not None:
            yield source


def _fitting(candidate: Output, quantizer: Quantizer) -> Array | None:
    """Return a weight of the shape that the quantizer's output has, or None."""
    shape = quantizer.output.partial_shape
    array = constant_value(candidate)
    if array is None or shape.is_dynamic or array.dtype.kind in "OUSb":
        return None
    lengths = shape.lengths()
    if array.shape != lengths and array.T.shape == lengths and array.ndim > 1:
        array = array.T
    return array if array.shape == lengths else None


def stored_constant(output: Output) -> Node | None:
    """Return the Constant whose value an output is, but for conversions and reshapes; None for other outputs."""
    node = output.node
    while node.is_a(Convert, *_RESHAPING):
        source = node.inputs[0].source if node.inputs else None
        if source is None:
            return None
        node = source.node
    return node if node.is_a(Const) else None


def constant_value(output: Output) -> Array | None:
    """Return the value of a constant that may be converted to floats and reshaped; None for other outputs."""
    node = output.node
    if node.is_a(Const):
        return np.asarray(node.operation.evaluate())
    source = node.inputs[0].source if node.inputs else None
    if source is None or not node.is_a(Convert, *_RESHAPING):
        return None
    array = constant_value(source)
    if array is None:
        return None
    if node.is_a(Convert):
        return to_type(array, output.element_type)
    return array.reshape(output.partial_shape.to_shape()) if output.partial_shape.is_static else None


def by_names(entries: Sequence[Quantizer], arrays: Mapping[str, Array]) -> dict[Output, Array]:
    """Return the stored arrays with the name of a weight, its constant or its layers, by the quantizers' outputs."""
    weights: dict[Output, Array] = {}
    for quantizer in entries:
        if quantizer.entry is None and quantizer.output.partial_shape.is_static:
            lengths = quantizer.output.partial_shape.lengths()
            names = [quantizer.name, quantizer.output.node.name, *sorted(quantizer.output.names)]
            for name in names:
                if name in arrays and arrays[name].shape == lengths:
                    weights.setdefault(quantizer.output, arrays[name])
    return weights
