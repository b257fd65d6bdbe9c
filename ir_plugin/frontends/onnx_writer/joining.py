"""Nodes that are one in ONNX: biases of Conv and Gemm, and shapes that nodes give to initializers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from ir_plugin.frontends.onnx.walking import names_read
from ir_plugin.frontends.onnx_writer.graph import GraphBuilder
from ir_plugin.operations.infrastructure.const import Const

_RESHAPES = ("Reshape", "Unsqueeze", "Squeeze")
_INTEGER = 2
"""The type of an attribute that is one integer."""


def join_nodes(graph: GraphBuilder, outputs: Collection[str], ranks: Mapping[str, int | None]) -> None:
    """Join nodes of a graph whose values have these ranks, as far as they are known, and drop what is not read."""
    _drop_unread(graph, outputs)
    joiner = _Joiner(graph, outputs, ranks)
    graph.nodes[:] = [node for node in graph.nodes if not joiner.joins(node)]
    read = _drop_unread(graph, outputs)
    initializers = graph.document.initializers
    initializers[:] = [entry for entry in initializers if entry[0] in read]


def _drop_unread(graph: GraphBuilder, outputs: Collection[str]) -> set[str]:
    """Drop the nodes that nothing reads, and return the names that are read."""
    read, needed = set(outputs), []
    for node in reversed(graph.nodes):
        if not read.isdisjoint(node.output):
            needed.append(node)
            read.update(names_read(node))
    graph.nodes[:] = reversed(needed)
    return read


class _Joiner:
    """The nodes of a graph by what they compute, and how often each value is read."""

    def __init__(self, graph: GraphBuilder, outputs: Collection[str], ranks: Mapping[str, int | None]) -> None:
        self.document = graph.document
        self.ranks = ranks
        self.positions = {entry[0]: position for position, entry in enumerate(self.document.initializers)}
        self.reads = Counter(name for node in graph.nodes for name in names_read(node))
        self.reads.update(outputs)
        self.producers = {name: node for node in graph.nodes for name in node.output}

    def joins(self, node: Any) -> bool:
        """Return whether a node becomes part of an initializer or of the node before it."""
        if node.op_type in _RESHAPES:
            return self._reshapes(node)
        if node.op_type != "Add":
            return False
        return any(self._adds(product, bias, node) for product, bias in (node.input, reversed(node.input)))

    def _shape(self, name: str) -> tuple[int, ...] | None:
        position = self.positions.get(name)
        return None if position is None else self.document.initializers[position][2]

    def _reshapes(self, node: Any) -> bool:
        """Give an initializer that only this node reads its shape and the name of its output."""
        data, output = node.input[0], node.output[0]
        shape = self._shape(data)
        if shape is None or self.reads[data] != 1 or self.reads[output] == 0:
            return False
        values = self._integers(node)
        target = None if values is None or 0 in (*shape, *values) else _reshaped(node.op_type, shape, values)
        if target is None:
            return False
        self._replace(data, output, target)
        return True

    def _integers(self, node: Any) -> list[int] | None:
        """Return the shape or axes of a node that changes shapes, None if they are computed."""
        if len(node.input) < 2:
            return next((list(item.ints) for item in node.attribute if item.name == "axes"), None)
        position = self.positions.get(node.input[1])
        if position is None:
            return None
        source = self.document.initializers[position][3]
        values = source.evaluate() if isinstance(source, Const) else source
        return [int(value) for value in np.asarray(values).reshape(-1)]

    def _replace(self, name: str, renamed: str, shape: tuple[int, ...]) -> None:
        """Give an initializer another name and shape."""
        position = self.positions.pop(name)
        _, element_type, _, source = self.document.initializers[position]
        self.document.initializers[position] = renamed, element_type, shape, source
        self.document.types[renamed] = element_type
        self.positions[renamed] = position

    def _adds(self, product: str, bias: str, node: Any) -> bool:
        """Make the sum of a product and an initializer one node, which has the name and output of the sum."""
        producer, shape = self.producers.get(product), self._shape(bias)
        if producer is None or shape is None or self.reads[product] != 1:
            return False
        if producer.op_type in ("Conv", "ConvTranspose") and len(producer.input) == 2:
            joined = self._convolves(producer, bias, shape)
        else:
            joined = producer.op_type == "MatMul" and self._multiplies(producer, bias, shape)
        if joined:
            producer.name, producer.output[0] = node.name, node.output[0]
            self.producers[node.output[0]] = producer
        return joined

    def _convolves(self, node: Any, bias: str, shape: tuple[int, ...]) -> bool:
        """Give a convolution the bias of its channels."""
        weights = self._shape(node.input[1])
        if weights is None or len(shape) > len(weights):
            return False
        group = next((item.i for item in node.attribute if item.name == "group"), 1)
        channels = weights[0] if node.op_type == "Conv" else weights[1] * group
        if (1,) * (len(weights) - len(shape)) + shape != (1, channels, *[1] * (len(weights) - 2)):
            return False
        name = bias
        if self.reads[bias] == 1:
            self._replace(bias, bias, (channels,))
        else:
            name = self.document.unique(f"{bias}/Reshape")
            _, element_type, _, source = self.document.initializers[self.positions[bias]]
            self.document.add_initializer(name, element_type, (channels,), source)
        node.input.append(name)
        return True

    def _multiplies(self, node: Any, bias: str, shape: tuple[int, ...]) -> bool:
        """Make a product of matrices with a bias of its columns a Gemm."""
        data, weights = node.input
        turn = self.producers.get(weights)
        is_turned = turn is not None and turn.op_type == "Transpose" and self._shape(turn.input[0]) is not None
        weights = turn.input[0] if is_turned and turn is not None else weights
        matrix = self._shape(weights)
        if self.ranks.get(data) != 2 or matrix is None or len(matrix) != 2:
            return False
        columns = matrix[0 if is_turned else 1]
        if shape not in ((columns,), (1, columns)) or not self.document.types[data].is_floating:
            return False
        del node.input[:]
        node.input.extend([data, weights, bias])
        node.op_type = "Gemm"
        if is_turned:
            node.attribute.add(name="transB", type=_INTEGER, i=1)
        return True


def _reshaped(op: str, shape: Sequence[int], values: Sequence[int]) -> tuple[int, ...] | None:
    """Return the shape that Reshape, Unsqueeze or Squeeze gives, None if it does not fit."""
    array = np.broadcast_to(np.int8(0), tuple(shape))
    try:
        if op == "Reshape":
            return array.reshape(tuple(values)).shape
        change = np.expand_dims if op == "Unsqueeze" else np.squeeze
        return change(array, tuple(values)).shape
    except ValueError:
        return None
