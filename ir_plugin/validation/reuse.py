"""Inference of a model that was read: equal layers of equal inputs are inferred once in a process."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from functools import partial
from typing import Any

from ir_plugin.model import Node
from ir_plugin.operations.base import Operation
from ir_plugin.operations.infrastructure.const import Const
from ir_plugin.reader.layer_cache import CachedLayer
from ir_plugin.tensors import Bounds, ElementType, FrozenShape, TensorInfo, frozen, shared
from ir_plugin.validation.inference import Inference, specialized

_LARGEST_VALUES = 256
"""Bytes of the largest input whose values results may depend on."""
_MAX_CACHED = 32
"""The most kinds of inputs for which a text keeps results, and the most values for each kind."""

Key = tuple[Hashable, ...]
Values = tuple[object, ...]
Results = tuple[tuple[ElementType, FrozenShape], ...]


class Inferred:
    """What a layer infers from inputs of certain types and shapes, by the values that it needs."""

    __slots__ = ("positions", "results")

    def __init__(self, positions: tuple[int, ...]) -> None:
        self.positions = positions
        self.results: dict[Values, Results] = {}


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
    """Inference of a model after reading, which reuses cached results of equal layers."""

    def __init__(self, cached: Mapping[Node, CachedLayer], *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.operations = _Specialized(self)
        self._cached = cached

    def _visit(self, node: Node) -> Sequence[TensorInfo]:
        cached = self._cached.get(node)
        if cached is None or not cached.is_inferred_alike or node in self.distrusted:
            return super()._visit(node)
        key = self._key(node)
        earlier = None if key is None else cached.inferred.get(key)
        values = None if earlier is None else self._values(node, earlier.positions)
        results = None if earlier is None or values is None else earlier.results.get(values)
        if results is not None:
            return self._reuse(node, results)
        declared = len(node.outputs)
        outputs = super()._visit(node)
        for tensor in outputs:
            tensor.shape = shared(tensor.shape)
        if key is not None and len(outputs) == declared and not self.departures.get(node):
            self._keep(node, cached, key, outputs)
        return outputs

    def infer_bounds(self, node: Node, bounds: Sequence[Bounds | None]) -> list[Bounds | None]:
        """Return the bounds of a node's outputs, those that its text had for equal bounds of the inputs."""
        cached = self._cached.get(node)
        key = None if cached is None or not cached.is_inferred_alike else _bytes_of(bounds)
        if cached is None or key is None:
            return super().infer_bounds(node, bounds)
        computed: list[Bounds | None] | None = cached.bounds.get(key)
        if computed is None:
            if len(cached.bounds) == _MAX_CACHED:
                cached.bounds.clear()
            computed = cached.bounds[key] = super().infer_bounds(node, bounds)
            for array in [array for item in computed if item is not None for array in (item.lower, item.upper)]:
                array.flags.writeable = False
        return computed

    def _key(self, node: Node) -> Key | None:
        """Return the types and shapes of a layer's inputs, None if one is not connected."""
        tensors = self.tensors
        key: list[Hashable] = [self._lenient]
        for port in node.inputs:
            tensor = None if port.source is None else tensors.get(port.source)
            if tensor is None:
                return None
            key += tensor.element_type, tensor.shape
        return tuple(key)

    def _reuse(self, node: Node, results: Results) -> Sequence[TensorInfo]:
        outputs = [TensorInfo(element_type, shape) for element_type, shape in results]
        self.operations.pop(node, None)
        for index, port in enumerate(node.outputs):
            self.tensors[port] = outputs[index]
            if isinstance(node.operation, Const):
                node.operation.resolve(outputs[index])
            else:
                outputs[index].resolve_with(partial(self.resolve, node, index))
        return outputs

    def _keep(self, node: Node, cached: CachedLayer, key: Key, outputs: Sequence[TensorInfo]) -> None:
        """Keep what a layer infers from its inputs, by the small values that it needs."""
        operation: Operation = node.operation
        needed = operation.needs_values if operation.is_built_in else range(len(node.inputs))
        positions = tuple(index for index in needed if index < len(node.inputs))
        values = self._values(node, positions)
        if values is None or not all(tensor.is_pending for tensor in outputs):
            return
        earlier = cached.inferred.get(key)
        if earlier is None or earlier.positions != positions or len(earlier.results) == _MAX_CACHED:
            if len(cached.inferred) == _MAX_CACHED:
                cached.inferred.clear()
            earlier = cached.inferred[key] = Inferred(positions)
        earlier.results[values] = tuple((tensor.element_type, frozen(tensor.shape)) for tensor in outputs)

    def _values(self, node: Node, positions: tuple[int, ...]) -> Values | None:
        """Return the values of some inputs as far as they are cached, None where one is large."""
        values: list[object] = []
        for position in positions:
            source = node.inputs[position].source
            operation = None if source is None else source.node.operation
            if isinstance(operation, Const) and operation.load_packed is not None:
                if operation.size > _LARGEST_VALUES:
                    return None
                values.append(operation.load_packed().tobytes())
                continue
            bounds = None if source is None else self.tensors[source].bounds
            key = () if bounds is None else _bytes_of([bounds])
            if key is None:
                return None
            values.append(key)
        return tuple(values)


def _bytes_of(bounds: Sequence[Bounds | None]) -> tuple[Any, ...] | None:
    """Return types, shapes and bytes of bounds, None where one is unknown or large."""
    key: list[Any] = []
    for item in bounds:
        if item is None or item.lower.nbytes > _LARGEST_VALUES or item.lower.dtype.hasobject:
            return None
        lower, upper = item.lower, item.upper
        key += lower.dtype, lower.shape, lower.tobytes(), None if upper is lower else upper.tobytes()
    return tuple(key)
