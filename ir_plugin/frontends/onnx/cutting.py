"""The part of an ONNX graph that a conversion keeps: between other inputs and outputs than its own."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from ir_plugin.frontends.ends import Ends, InputEnd, no_tensor
from ir_plugin.frontends.onnx.walking import names_read


class Cut:
    """What a conversion keeps of a graph; without ends it is the whole graph."""

    def __init__(self, graph: Any, ends: Ends, inputs: Sequence[str]) -> None:
        self._graph = graph
        self._ends = ends
        own_outputs = [value.name for value in graph.output]
        self.inputs: dict[str, InputEnd] = ends.by_name(inputs)
        """Types and shapes by the name of an input."""
        self.inner_inputs = frozenset(name for name in self.inputs if name not in inputs)
        """Tensors that become inputs though nodes or initializers have their values."""
        self._outputs = [self._tensor(name, own_outputs) for name in ends.outputs]
        for name in self.inner_inputs - self._defined:
            raise no_tensor(name, [*inputs, *own_outputs, *sorted(self._defined)])
        self.is_inner = bool(self.inner_inputs) or any(name not in own_outputs for name in self._outputs)
        """Whether the graph is cut at a tensor that is neither its input nor its output."""

    @cached_property
    def _defined(self) -> set[str]:
        """The names of what nodes and initializers define."""
        names = {name for node in self._graph.node for name in node.output if name}
        return names | {tensor.name for tensor in self._graph.initializer}

    def _tensor(self, name: str, outputs: Sequence[str]) -> str:
        """Return the name of the tensor that a name of an output, a tensor or a node stands for."""
        if name in outputs or name in self._defined:
            return name
        for node in self._graph.node:
            if name and node.name == name and node.output:
                return str(node.output[0])
        raise no_tensor(name, [*outputs, *sorted(self._defined)])

    def value_info(self, name: str) -> Any:
        """Return the declared type of an inner tensor, or an untyped `ValueInfoProto`."""
        from onnx import ValueInfoProto

        for value in (*self._graph.value_info, *self._graph.output):
            if value.name == name:
                return value
        for tensor in self._graph.initializer:
            if tensor.name == name:
                return _of_tensor(tensor)
        return ValueInfoProto(name=name)

    def outputs(self) -> list[Any]:
        """Return the `ValueInfoProto`s of the outputs: in the order of the graph, then inner tensors as listed."""
        if not self._ends.outputs:
            return list(self._graph.output)
        own = [value for value in self._graph.output if value.name in self._outputs]
        names = {value.name for value in own}
        return own + [self.value_info(name) for name in dict.fromkeys(self._outputs) if name not in names]

    def nodes(self) -> list[Any]:
        """Return the nodes that the outputs need, in their order; all of them where the graph is not cut inside."""
        if not self.is_inner:
            return list(self._graph.node)
        producers = {name: index for index, node in enumerate(self._graph.node) for name in node.output if name}
        waiting = [value.name for value in self.outputs()]
        needed: set[int] = set()
        while waiting:
            name = waiting.pop()
            index = producers.get(name)
            if index is not None and name not in self.inner_inputs and index not in needed:
                needed.add(index)
                waiting += names_read(self._graph.node[index])
        return [self._graph.node[index] for index in sorted(needed)]


def _of_tensor(tensor: Any) -> Any:
    from onnx import helper

    return helper.make_tensor_value_info(tensor.name, tensor.data_type, list(tensor.dims))
