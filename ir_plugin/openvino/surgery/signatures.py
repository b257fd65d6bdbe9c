"""Signatures of vertices: what they are, what they are computed from, and what is computed from them."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ir_plugin.errors import Error
from ir_plugin.model import Node
from ir_plugin.openvino.surgery.vertices import Vertex, VertexGraph
from ir_plugin.tensors import Array, ElementType, PartialShape

FULL, WITHOUT_VALUES, TYPES = 0, 1, 2
"""How much of a layer counts: all; all but the values of constants; its type."""


@dataclass(frozen=True)
class Signatures:
    """Hashes of each vertex: of itself, of everything upstream, and of everything downstream."""

    own: list[int]
    up: list[int]
    down: list[int]

    def upstream(self, number: int) -> tuple[int, int]:
        """Return the signature of a vertex with all that it is computed from."""
        return self.own[number], self.up[number]

    def downstream(self, number: int) -> tuple[int, int]:
        """Return the signature of a vertex with all that is computed from it."""
        return self.own[number], self.down[number]

    def whole(self, number: int) -> tuple[int, int, int]:
        """Return the signature of a vertex with all around it."""
        return self.own[number], self.up[number], self.down[number]

    def around(self, number: int) -> tuple[int, int]:
        """Return the signature of all around a vertex."""
        return self.up[number], self.down[number]


def signatures(graph: VertexGraph, level: int) -> Signatures:
    """Return the signatures of a graph's vertices, with as much of each as `level` says."""
    own = [content(vertex, level) for vertex in graph.vertices]
    up, down = [0] * len(own), [0] * len(own)
    for number, vertex in enumerate(graph.vertices):
        up[number] = hash(tuple(_source(source, own, up) for source in vertex.inputs))
    for number in range(len(own) - 1, -1, -1):
        readers = graph[number].readers
        down[number] = hash(
            tuple(sorted((port, index, hash((own[reader], down[reader]))) for port, reader, index in readers))
        )
    return Signatures(own, up, down)


def _source(source: tuple[int, int] | None, own: Sequence[int], up: Sequence[int]) -> int:
    return 0 if source is None else hash((own[source[0]], up[source[0]], source[1]))


def content(vertex: Vertex, level: int) -> int:
    """Return the hash of a vertex alone."""
    if level == TYPES:
        return hash(vertex.type)
    if vertex.constant is not None:
        shape = tuple(vertex.constant.operation.shape)
        stored = vertex.constant.operation.element_type.name
        return hash(("Constant", shape) if level == WITHOUT_VALUES else ("Constant", shape, stored, digest(vertex)))
    return hash(
        (vertex.node.get_type_info(), attributes_key(vertex.node), vertex.position, _bodies(vertex.node, level))
    )


def attributes_of(node: Node) -> dict[str, Any]:
    """Return the attributes of a node, with shapes as texts that show intervals."""
    if node.operation is None:
        return dict(node.attributes)
    values: dict[str, Any] = node.operation.attribute_values()
    return {name: _plain(value) for name, value in values.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, PartialShape):
        return str(value)
    return value.name if isinstance(value, ElementType) else value


def attributes_key(node: Node) -> str:
    """Return the attributes of a node as a text that is equal for equal attributes."""
    return repr(sorted((name, repr(value)) for name, value in attributes_of(node).items()))


def _bodies(node: Node, level: int) -> tuple[Any, ...]:
    subgraphs = {} if node.operation is None else node.operation.subgraphs
    return tuple((name, _whole(VertexGraph(item.body, item), level)) for name, item in sorted(subgraphs.items()))


def _whole(graph: VertexGraph, level: int) -> int:
    """Return the hash of a whole graph, whatever its order."""
    marks = signatures(graph, level)
    return hash(tuple(sorted(hash(marks.whole(number)) for number in range(len(graph)))))


def digest(vertex: Vertex) -> bytes:
    """Return the digest of a constant's values, empty if there are none; it is computed once."""
    if vertex.digest is None:
        array = values(vertex)
        vertex.digest = b"" if array is None else _digest(array)
    return vertex.digest


def _digest(array: Array) -> bytes:
    if array.dtype == object:
        return hashlib.blake2b(repr(array.tolist()).encode("utf-8", "backslashreplace"), digest_size=16).digest()
    raw = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    return hashlib.blake2b(raw.data, digest_size=16).digest()


def values(vertex: Vertex) -> Array | None:
    """Return the values of a constant, None if there are none, or no weights that hold them."""
    if vertex.constant is None:
        return None
    try:
        array: Array = vertex.constant.operation.evaluate()
        return array
    except Error:
        return None
