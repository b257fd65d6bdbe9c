"""The changes between two graphs whose vertices are matched."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from ir_plugin.model import Model, Node, Output, SubGraph
from ir_plugin.model.type_info import plain_info
from ir_plugin.openvino.surgery.matching import matched
from ir_plugin.openvino.surgery.signatures import attributes_key, attributes_of, digest, values
from ir_plugin.openvino.surgery.vertices import Vertex, VertexGraph, output_of
from ir_plugin.operations.infrastructure.parameter import Parameter
from ir_plugin.operations.infrastructure.result import Result
from ir_plugin.tensors import Array

Kind = Literal["removed", "added", "type", "attribute", "rewired", "constant", "output", "names", "rt_info"]
_MAX_BYPASSED = 256
"""The most inserted or removed layers that are searched for the way around them."""
_ABSENT = "–"


@dataclass(frozen=True)
class Change:
    """One difference: a layer of one model only, or what differs of a layer of both."""

    kind: Kind
    name: str
    """The layer's name, in the first model where it has it."""
    type: str
    """The operation and its version, such as `Relu-1`."""
    part: str = ""
    """The attribute, input or output."""
    before: str = ""
    after: str = ""
    path: tuple[str, ...] = ()
    """The layers and their bodies that lead to the layer, outermost first."""
    other_name: str = ""
    """The name in the second model where it is another one."""
    max_abs: float | None = None
    """For a constant of equal shape: the largest difference of an element."""
    max_rel: float | None = None
    """For a constant of equal shape: the largest difference by the size of the first model's element."""
    differing: int = 0
    """For a constant of equal shape: the number of elements that differ."""


@dataclass(frozen=True)
class Comparison:
    """The changes between two graphs, and the outputs whose type or shape changes as a consequence."""

    changes: tuple[Change, ...]
    consequences: tuple[Change, ...]
    layers: tuple[int, int]


def compare_graphs(first: Model, second: Model, rt_info: bool = False) -> Comparison:
    """Return the changes from one graph to another, bodies included."""
    comparer = _Comparer(VertexGraph(first), VertexGraph(second), (), rt_info)
    comparer.run()
    if rt_info and first.rt_info != second.rt_info:
        for name, before, after in _mappings(first.rt_info, second.rt_info):
            comparer.changes.append(Change("rt_info", "", "Model", name, before, after))
    return Comparison(tuple(comparer.changes), tuple(comparer.consequences), (len(first.nodes), len(second.nodes)))


class _Comparer:
    """Collects the changes between two graphs."""

    def __init__(self, first: VertexGraph, second: VertexGraph, path: tuple[str, ...], rt_info: bool) -> None:
        self.first = first
        self.second = second
        self.changes: list[Change] = []
        self.consequences: list[Change] = []
        self._match = matched(first, second)
        self._path = path
        self._rt_info = rt_info
        self._changed: set[int] = set()
        """Vertices of the first graph that changed, or read one that did."""

    def run(self) -> None:
        """Collect the changes in the order of the first graph, then what the second has besides."""
        for i, vertex in enumerate(self.first.vertices):
            j = self._match.partner(i)
            if j is None:
                self.changes.append(self._alone("removed", self.first, vertex))
            else:
                self._compare(i, j)
        for j, vertex in enumerate(self.second.vertices):
            if self._match.to_first[j] < 0:
                self.changes.append(self._alone("added", self.second, vertex))

    def _alone(self, kind: Kind, graph: VertexGraph, vertex: Vertex) -> Change:
        """Return the change for a layer of one graph, with what it reads and what reads it."""
        sources = [graph[source[0]] for source in vertex.inputs if source is not None]
        reads = ", ".join(f'"{source.node.name}"' for source in sources[:4] if not source.is_constant)
        readers = ", ".join(f'"{graph[reader].node.name}"' for _, reader, _ in vertex.readers[:4])
        port = output_of(vertex, 0)
        shown = "" if port is None else f"{port.element_type.name}{port.partial_shape}"
        text = "; ".join(filter(None, [shown, reads and f"reads {reads}", readers and f"read by {readers}"]))
        before, after = (text, "") if kind == "removed" else ("", text)
        return Change(kind, vertex.node.name, versioned(vertex), before=before, after=after, path=self._path)

    def _compare(self, i: int, j: int) -> None:
        mine, theirs = self.first[i], self.second[j]
        start = len(self.changes)
        self._compare_operations(mine, theirs)
        self.changes += list(self._rewired(i, j))
        if mine.constant is not None and theirs.constant is not None:
            self.changes += _constants(mine, theirs, self._head(mine, theirs))
        self._compare_bodies(mine, theirs)
        is_changed = len(self.changes) > start
        follows = is_changed or any(source is None or self._is_changed(source[0]) for source in mine.inputs)
        if follows:
            self._changed.add(i)
        self._compare_outputs(mine, theirs, follows)
        if self._rt_info:
            entries = _mappings(mine.node.rt_info, theirs.node.rt_info)
            self.changes += [self._change("rt_info", mine, theirs, *entry) for entry in entries]

    def _is_changed(self, i: int) -> bool:
        return i in self._changed or self._match.partner(i) is None

    def _head(self, mine: Vertex, theirs: Vertex) -> dict[str, Any]:
        other = "" if mine.node.name == theirs.node.name else theirs.node.name
        return {"name": mine.node.name, "type": versioned(mine), "path": self._path, "other_name": other}

    def _change(self, kind: Kind, mine: Vertex, theirs: Vertex, part: str, before: str, after: str) -> Change:
        return Change(kind, part=part, before=before, after=after, **self._head(mine, theirs))

    def _compare_operations(self, mine: Vertex, theirs: Vertex) -> None:
        """Compare types, versions and attributes."""
        if versioned(mine) != versioned(theirs):
            self.changes.append(self._change("type", mine, theirs, "", versioned(mine), versioned(theirs)))
        if mine.type != theirs.type or mine.is_constant:
            return
        if attributes_key(mine.node) != attributes_key(theirs.node):
            for entry in _mappings(attributes_of(mine.node), attributes_of(theirs.node)):
                self.changes.append(self._change("attribute", mine, theirs, *entry))
        if mine.position != theirs.position:
            texts = _plain(mine.position), _plain(theirs.position)
            self.changes.append(self._change("attribute", mine, theirs, "port map", *texts))

    def _rewired(self, i: int, j: int) -> Iterator[Change]:
        """Yield the inputs that read something else, other than through layers that are added or removed."""
        mine, theirs = self.first[i], self.second[j]
        count = max(len(mine.inputs), len(theirs.inputs))
        pairs = list(zip(_padded(mine.inputs, count), _padded(theirs.inputs, count), strict=True))
        changed = [index for index, pair in enumerate(pairs) if not self._is_same_source(*pair)]
        if not changed:
            return
        if len(mine.inputs) != len(theirs.inputs) and len(changed) > 1:
            listed = _listed(self.first, mine.inputs), _listed(self.second, theirs.inputs)
            yield self._change("rewired", mine, theirs, "inputs", *listed)
            return
        for index in changed:
            before, after = pairs[index]
            texts = _source(self.first, before), _source(self.second, after)
            yield self._change("rewired", mine, theirs, f"input {index}", *texts)

    def _is_same_source(self, before: tuple[int, int] | None, after: tuple[int, int] | None) -> bool:
        """Return whether an input reads the same, or differs by added and removed layers on the way."""
        if before is None or after is None:
            if before is not None:
                return self._match.to_second[before[0]] < 0
            return after is None or self._match.to_first[after[0]] < 0
        source, other = self._match.partner(before[0]), self._match.to_first[after[0]]
        if source is not None and source == after[0]:
            return before[1] == after[1]
        if source is None and other < 0:
            return True
        if other < 0 and source is not None:
            return _leads(self.second, after[0], (source, before[1]), self._match.to_first)
        return source is None and _leads(self.first, before[0], (other, after[1]), self._match.to_second)

    def _compare_outputs(self, mine: Vertex, theirs: Vertex, follows: bool) -> None:
        """Compare types and shapes, and tensor names but for those that inputs and outputs get from their layers."""
        for index in range(max(len(mine.node.outputs), len(theirs.node.outputs))):
            ports = output_of(mine, index), output_of(theirs, index)
            texts = _tensor(ports[0]), _tensor(ports[1])
            if texts[0] != texts[1]:
                change = self._change("output", mine, theirs, f"output {index}", *texts)
                (self.consequences if follows else self.changes).append(change)
            names = _names(ports)
            is_end = ports[1] is not None and any(_layer_names(ports[1], ends=True))
            if (
                names[0] != names[1]
                and not (names[0] == _ABSENT and is_end)
                and "Result" not in (mine.type, theirs.type)
            ):
                self.changes.append(self._change("names", mine, theirs, f"output {index}", *names))

    def _compare_bodies(self, mine: Vertex, theirs: Vertex) -> None:
        bodies, others = _bodies(mine.node), _bodies(theirs.node)
        for name in sorted({*bodies, *others}):
            if name not in bodies or name not in others:
                texts = name if name in bodies else _ABSENT, name if name in others else _ABSENT
                self.changes.append(self._change("attribute", mine, theirs, "body", *texts))
                continue
            graphs = VertexGraph(bodies[name].body, bodies[name]), VertexGraph(others[name].body, others[name])
            inner = _Comparer(*graphs, (*self._path, f"{mine.node.name}/{name}"), self._rt_info)
            inner.run()
            self.changes += inner.changes
            self.consequences += inner.consequences


def _bodies(node: Node) -> dict[str, SubGraph]:
    return {} if node.operation is None else node.operation.subgraphs


def versioned(vertex: Vertex) -> str:
    """Return the operation of a vertex with its version: `Relu-1`."""
    if vertex.is_constant:
        return "Constant"
    type, version = vertex.node.get_type_info()
    return f"{type}-{version.removeprefix('opset')}"


def _leads(graph: VertexGraph, start: int, target: tuple[int, int], partners: Sequence[int]) -> bool:
    """Return whether unmatched layers from `start` upstream read an output."""
    seen, waiting = {start}, [start]
    while waiting and len(seen) <= _MAX_BYPASSED:
        for source in graph[waiting.pop()].inputs:
            if source == target:
                return True
            if source is not None and partners[source[0]] < 0 and source[0] not in seen:
                seen.add(source[0])
                waiting.append(source[0])
    return False


def _padded(inputs: Sequence[tuple[int, int] | None], count: int) -> list[tuple[int, int] | None]:
    return [*inputs, *[None] * (count - len(inputs))]


def _source(graph: VertexGraph, source: tuple[int, int] | None) -> str:
    if source is None:
        return _ABSENT
    node = graph[source[0]].node
    return f'"{node.name}"' if len(node.outputs) == 1 else f'"{node.name}":{source[1]}'


def _listed(graph: VertexGraph, sources: Sequence[tuple[int, int] | None]) -> str:
    return ", ".join(_source(graph, source) for source in sources)


def _tensor(port: Output | None) -> str:
    return _ABSENT if port is None else f"{port.element_type.name}{port.partial_shape}"


def _names(ports: Sequence[Output | None]) -> list[str]:
    """Return the tensor names of two outputs without layer names, after which a model names inputs and outputs."""
    layers = {name for port in ports if port is not None for name in _layer_names(port)}
    return [_ABSENT if port is None else ", ".join(sorted(port.names - layers)) or _ABSENT for port in ports]


def _layer_names(port: Output, ends: bool = False) -> Iterator[str]:
    """Yield the names of an output's layer, with `ends` only if it is a Parameter, and of the Results that read it."""
    if not ends or port.node.is_a(Parameter):
        yield port.node.name
    yield from (reader.node.name for reader in port.readers if reader.node.is_a(Result))


def _plain(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return ",".join(map(_plain, value))
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def _mappings(before: dict[str, Any], after: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield the names whose values differ between two dictionaries, with both as texts."""
    before, after = plain_info(before), plain_info(after)
    for name in sorted({*before, *after}):
        if name not in before or name not in after or repr(before[name]) != repr(after[name]):
            yield name, _text(before, name), _text(after, name)


def _text(values: dict[str, Any], name: str) -> str:
    return _plain(values[name]) if name in values else _ABSENT


def _constants(mine: Vertex, theirs: Vertex, head: dict[str, Any]) -> list[Change]:
    """Return the change of a constant, if its stored type, its shape or a value differs."""
    texts = _stored(mine), _stored(theirs)
    is_alike = texts[0] == texts[1]
    if is_alike and digest(mine) == digest(theirs):
        return []
    arrays = values(mine), values(theirs)
    if arrays[0] is None or arrays[1] is None or arrays[0].shape != arrays[1].shape:
        return [Change("constant", before=texts[0], after=texts[1], **head)]
    max_abs, max_rel, differing = distance(arrays[0], arrays[1])
    if is_alike and not differing:
        return []
    change = Change("constant", before=texts[0], after=texts[1], **head)
    return [replace(change, max_abs=max_abs, max_rel=max_rel, differing=differing)]


def _stored(vertex: Vertex) -> str:
    """Return how a constant is stored: `f16[2,3]`, or `f16[2,3] as f32` if a Convert decompresses it."""
    if vertex.constant is None:
        return _ABSENT
    operation = vertex.constant.operation
    stored = f"{operation.element_type.name}[{','.join(map(str, operation.shape))}]"
    is_converted = vertex.constant is not vertex.node
    return f"{stored} as {vertex.node.outputs[0].element_type.name}" if is_converted else stored


def distance(before: Array, after: Array) -> tuple[float | None, float | None, int]:
    """Return the largest absolute and relative difference, and the number of differing elements; NaNs are equal.

    Texts have no distance.
    """
    if "O" in (before.dtype.kind, after.dtype.kind):
        return None, None, int(np.count_nonzero(before != after))
    with np.errstate(all="ignore"):
        kind = np.complex128 if "c" in (before.dtype.kind, after.dtype.kind) else np.float64
        a, b = before.astype(kind), after.astype(kind)
        differs = (before != after) & ~(np.isnan(a) & np.isnan(b)) if before.dtype == after.dtype else a != b
        error = np.where(differs, np.abs(a - b), 0.0)
        error = np.where(np.isnan(error), np.inf, error)
        relative = np.where(differs, error / np.abs(a), 0.0)
        relative = np.where(np.isnan(relative), np.inf, relative)
    return float(error.max(initial=0)), float(relative.max(initial=0)), int(np.count_nonzero(differs))
