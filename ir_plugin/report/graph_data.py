"""The views of a model's graph as plain data: nodes and edges, with a separate view for each body."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ir_plugin.diagnostics import Finding
from ir_plugin.diagnostics.escape import safe
from ir_plugin.model import Model, Node, Output
from ir_plugin.operations.infrastructure.assign import Assign
from ir_plugin.operations.infrastructure.const import Const
from ir_plugin.operations.infrastructure.parameter import Parameter
from ir_plugin.operations.infrastructure.read_value import ReadValue
from ir_plugin.operations.infrastructure.result import Result
from ir_plugin.operations.shape.shape_of import ShapeOf
from ir_plugin.report.cost import declared_macs
from ir_plugin.report.graph_groups import Group, groups_of
from ir_plugin.report.specification import specification

LayerKey = tuple[tuple[str, ...], str]
"""The path and the id of a layer, which are the same in every copy of a model."""

_MAX_VALUES = 12


@dataclass(frozen=True)
class GraphNode:
    """One layer in a view; texts from the file are not escaped."""

    key: LayerKey
    name: str
    type: str
    version: str
    family: str
    role: str
    """`const` for constants and layers computed from them alone, `shape` for computations of shapes, else `op`."""
    inputs: tuple[tuple[str, str], ...]
    """The source of each input, and its type and shape."""
    outputs: tuple[tuple[str, str], ...]
    """The tensor names of each output, and its type and shape."""
    attributes: Mapping[str, str]
    link: str
    macs: int
    bodies: tuple[int, ...] = ()
    findings: tuple[Finding, ...] = ()


@dataclass
class GraphView:
    """A model or a body: nodes, and edges as (node, output, node, input, label)."""

    title: str
    label: str
    """The model's name; for a body the name of its layer, and of the body within it."""
    parent: int | None
    nodes: list[GraphNode] = field(default_factory=list)
    edges: list[tuple[int, int, int, int, str]] = field(default_factory=list)
    groups: list[Group] = field(default_factory=list)
    """The repeated blocks of a large graph."""


def views(model: Model, findings: Iterable[Finding] = ()) -> list[GraphView]:
    """Return the view of the model first, then the views of all bodies."""
    by_layer: dict[LayerKey, list[Finding]] = {}
    for finding in findings:
        if finding.layer is not None:
            by_layer.setdefault((finding.layer.path, finding.layer.id), []).append(finding)
    collected: list[GraphView] = []
    _add_view(collected, model, GraphView(model.name, model.name, None), by_layer)
    return collected


def _add_view(
    collected: list[GraphView], model: Model, view: GraphView, findings: Mapping[LayerKey, list[Finding]]
) -> int:
    """Fill a view, collect it with the views of its bodies, and return its number."""
    number = len(collected)
    collected.append(view)
    roles = _roles(model)
    positions = {node: position for position, node in enumerate(model.nodes)}
    bodies: dict[Node, list[int]] = {}
    for owner, name, subgraph in model.bodies():
        label = f"{owner.name} ({name})"
        inner = GraphView(f"{view.title} / {label}" if view.title else label, label, number)
        bodies.setdefault(owner, []).append(_add_view(collected, subgraph.body, inner, findings))
    for node in model.nodes:
        own = findings.get((node.path, node.id), [])
        view.nodes.append(_node(node, roles[node], tuple(bodies.get(node, ())), tuple(own)))
        for port in node.inputs:
            if port.source is not None and port.source.node in positions:
                label = str(port.source.partial_shape)
                edge = (positions[port.source.node], port.source.index, positions[node], port.index, label)
                view.edges.append(edge)
    names, types = [node.name for node in view.nodes], [node.type for node in view.nodes]
    links = [(edge[0], edge[2]) for edge in view.edges]
    view.groups = groups_of(names, types, [node.role for node in view.nodes], links)
    return number


def _node(node: Node, role: str, bodies: tuple[int, ...], findings: tuple[Finding, ...]) -> GraphNode:
    version = node.operation.version if node.operation is not None else node.version
    inputs = tuple((_source(port.source), _type_text(port.source)) for port in node.inputs)
    outputs = tuple((", ".join(sorted(port.names)), _type_text(port)) for port in node.outputs)
    return GraphNode(
        (node.path, node.id),
        node.name,
        node.get_type_name(),
        version.removeprefix("opset"),
        _family(node),
        role,
        inputs,
        outputs,
        _attributes(node),
        _link(node),
        declared_macs(node) if node.operation is not None else 0,
        bodies,
        findings,
    )


def _source(source: Output | None) -> str:
    if source is None:
        return ""
    return source.node.name if len(source.node.outputs) == 1 else f"{source.node.name}:{source.index}"


def _type_text(port: Output | None) -> str:
    return "not connected" if port is None else f"{port.element_type.name}{port.partial_shape}"


def _attributes(node: Node) -> dict[str, str]:
    attributes = {name: safe(str(value), 300) for name, value in node.get_attributes().items()}
    if node.is_a(Const) and node.outputs and node.outputs[0].partial_shape.size.upper <= _MAX_VALUES:
        value = node.outputs[0].tensor_info.value
        if value is not None:
            attributes["value"] = safe(str(value.tolist()), 300)
    return attributes


def _family(node: Node) -> str:
    parts = type(node.operation).__module__.split(".")
    is_builtin = parts[:2] == ["ir_plugin", "operations"] and len(parts) > 3
    return parts[2] if is_builtin else "unknown" if node.operation is None else "extension"


def _link(node: Node) -> str:
    """Return the address of the operation's specification, or an empty string for an extension."""
    family = _family(node)
    version = node.operation.version if node.operation is not None else ""
    if family in ("unknown", "extension") or not version.startswith("opset"):
        return ""
    return specification(family, node.operation.type, version.removeprefix("opset"))


def _roles(model: Model) -> dict[Node, str]:
    """Return the role of each layer: `const`, `shape` or `op`."""
    roles: dict[Node, str] = {}
    for node in _in_order(model):
        sources = {roles.get(port.source.node, "op") for port in node.inputs if port.source is not None}
        if node.is_a(Parameter, Result, Assign, ReadValue) or getattr(node.operation, "subgraphs", None):
            roles[node] = "op"
        elif node.is_a(ShapeOf) or (sources and "op" not in sources and "shape" in sources):
            roles[node] = "shape"
        else:
            roles[node] = "const" if node.is_a(Const) or sources == {"const"} else "op"
    return roles


def _in_order(model: Model) -> list[Node]:
    """Return all nodes in topological order, the nodes of cycles last."""
    waiting = {node: sum(port.source is not None for port in node.inputs) for node in model.nodes}
    ready = [node for node, count in waiting.items() if not count]
    for node in ready:
        for port in node.outputs:
            for reader in port.readers:
                if reader.node in waiting:
                    waiting[reader.node] -= 1
                    if not waiting[reader.node]:
                        ready.append(reader.node)
    seen = set(ready)
    return [*ready, *(node for node in model.nodes if node not in seen)]


def plain(view: GraphView, runs: Mapping[LayerKey, Any]) -> dict[str, Any]:
    """Return a view as data for the page; `runs` holds the facts of a run by layer."""
    return {
        "title": safe(view.title, 200),
        "label": safe(view.label, 120),
        "parent": view.parent,
        "nodes": [_plain_node(node, runs.get(node.key)) for node in view.nodes],
        "edges": [[*edge[:4], safe(edge[4], 80)] for edge in view.edges],
        "groups": [{"label": safe(group.label, 120), "members": group.members} for group in view.groups],
    }


def _plain_node(node: GraphNode, run: Any) -> dict[str, Any]:
    data: dict[str, Any] = {
        "name": safe(node.name, 200),
        "type": safe(node.type, 80),
        "version": safe(node.version, 20),
        "id": safe(node.key[1], 24),
        "family": node.family,
        "role": node.role,
        "in": [[safe(text, 200) for text in pair] for pair in node.inputs],
        "out": [[safe(text, 200) for text in pair] for pair in node.outputs],
        "attrs": {safe(key, 80): value for key, value in node.attributes.items()},
        "link": node.link,
    }
    if node.macs:
        data["macs"] = node.macs
    if node.bodies:
        data["bodies"] = list(node.bodies)
    if node.findings:
        data["findings"] = [_plain_finding(finding) for finding in node.findings]
    if run is not None:
        data["run"] = run
    return data


def _plain_finding(finding: Finding) -> dict[str, str]:
    part = finding.layer.part if finding.layer is not None else ""
    why = "; ".join(text for text in (part, finding.label, finding.because, finding.help) if text)
    return {
        "code": finding.code,
        "severity": finding.severity,
        "message": safe(finding.message, 400),
        "why": safe(why, 800),
        "line": str(finding.span.line or ""),
    }
