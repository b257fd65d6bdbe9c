"""Inference of a model that was read: equal layers of equal inputs are inferred once in a process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from ir_plugin.model import Node
from ir_plugin.operations.base import Operation
from ir_plugin.operations.infrastructure.const import Const
from ir_plugin.reader.templates import LayerTemplate
from ir_plugin.tensors import ElementType, FrozenShape, TensorInfo, frozen, shared
from ir_plugin.validation.inference import Inference, specialized

_LARGEST_VALUES = 256
"""Bytes of the largest constant whose values results may depend on."""
_MOST = 32
"""The most kinds of inputs for which a text keeps results, and the most values for each kind."""

Key = tuple[int, ...]
Results = tuple[tuple[ElementType, FrozenShape], ...]


class Inferred:
    """What a layer infers from inputs of certain types and shapes, by the values that it asked for.

    `inputs` keeps alive the types and shapes whose identities are the key.
    """

    __slots__ = ("inputs", "positions", "results")

    def __init__(self, inputs: Sequence[TensorInfo | None], positions: tuple[int, ...]) -> None:
        self.inputs = [(tensor.element_type, tensor.shape) for tensor in inputs if tensor is not None]
        self.positions = positions
        self.results: dict[tuple[bytes, ...], Results] = {}


class _Specialized(dict[Node, Operation]):
    """The operations of layers, bound to the inferred types when they are asked for."""

    def __init__(self, inference: Inference) -> None:
        super().__init__()
        self._inference = inference

    def __missing__(self, node: Node) -> Operation:
        outputs = [self._inference.tensors[port] for port in node.outputs]
        operation = self[node] = specialized(node.operation, self._inference.inputs_of(node), outputs)
        return operation


class ReadInference(Inference):
    """Inference of layers that are as their templates say; what was inferred before is taken from them."""

    def __init__(self, templates: Mapping[Node, LayerTemplate], *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.operations = _Specialized(self)
        self._templates = templates

    def _visit(self, node: Node) -> Sequence[TensorInfo]:
        template = self._templates.get(node)
        if template is None or not template.is_inferred_alike or node in self.distrusted:
            return super()._visit(node)
        key = self._key(node)
        earlier = None if key is None else template.inferred.get(key)
        values = None if earlier is None else _values(node, earlier.positions)
        results = None if earlier is None or values is None else earlier.results.get(values)
        if results is not None:
            return self._reuse(node, results)
        declared = len(node.outputs)
        outputs = super()._visit(node)
        for tensor in outputs:
            tensor.shape = shared(tensor.shape)
        if key is not None and len(outputs) == declared and not self.departures.get(node):
            _keep(node, template, key, self.inputs_of(node), outputs)
        return outputs

    def _key(self, node: Node) -> Key | None:
        """Return what identifies the types and shapes of a layer's inputs, None if one is not connected."""
        tensors, key = self.tensors, [int(self._lenient)]
        for port in node.inputs:
            tensor = None if port.source is None else tensors.get(port.source)
            if tensor is None:
                return None
            key += id(tensor.element_type), id(tensor.shape)
        return tuple(key)

    def _reuse(self, node: Node, results: Results) -> Sequence[TensorInfo]:
        outputs = [TensorInfo(element_type, shape) for element_type, shape in results]
        for index, port in enumerate(node.outputs):
            self.tensors[port] = outputs[index]
            if isinstance(node.operation, Const):
                node.operation.resolve(outputs[index])
            else:
                outputs[index].resolve_with(partial(self.resolve, node, index))
        return outputs


def _keep(
    node: Node, template: LayerTemplate, key: Key, inputs: Sequence[TensorInfo | None], outputs: Sequence[TensorInfo]
) -> None:
    """Keep what a layer infers from its inputs, if that depends on no values but those of small constants."""
    positions = tuple(index for index, tensor in enumerate(inputs) if tensor is not None and tensor.is_read)
    values = _values(node, positions)
    if values is None or not all(tensor.is_pending for tensor in outputs):
        return
    earlier = template.inferred.get(key)
    if earlier is None or earlier.positions != positions or len(earlier.results) == _MOST:
        if len(template.inferred) == _MOST:
            template.inferred.clear()
        earlier = template.inferred[key] = Inferred(inputs, positions)
    earlier.results[values] = tuple((tensor.element_type, frozen(tensor.shape)) for tensor in outputs)


def _values(node: Node, positions: tuple[int, ...]) -> tuple[bytes, ...] | None:
    """Return the bytes of some inputs, None unless all of them are small constants of the weights."""
    values = []
    for position in positions:
        source = node.inputs[position].source
        operation = None if source is None else source.node.operation
        if not isinstance(operation, Const) or operation.load_packed is None or operation.size > _LARGEST_VALUES:
            return None
        values.append(operation.load_packed().tobytes())
    return tuple(values)
