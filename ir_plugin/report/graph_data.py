"""A model as plain data for views of its graph: graphs of nodes and edges, bodies as graphs of their own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ir_plugin.diagnostics import Finding
from ir_plugin.diagnostics.escape import safe
from ir_plugin.model import Model, Node, Output
from ir_plugin.report.cost import declared_macs
from ir_plugin.report.specification import specification

Place = tuple[tuple[str, ...], str]
"""The path and the id of a layer, which are the same in every copy of a model."""

_MOST_VALUES = 12


@dataclass(frozen=True)
class GraphNode:
    """One layer in a view; texts are as the file has them."""

    place: Place
    name: str
    type: str
    version: str
    family: str
    role: str
    """`const` for constants and what is computed from them alone, `shape` for computations of shapes, else `op`."""
    inputs: tuple[tuple[str, str], ...]
    """For each input where it comes from, and type and shape."""
    outputs: tuple[tuple[str, str], ...]
    """For each output its tensor names, and type and shape."""
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
    """For a body the layer that has it, and which of its bodies it is; for the model its name."""
    parent: int | None
    nodes: list[GraphNode] = field(default_factory=list)
    edges: list[tuple[int, int, int, int, str]] = field(default_factory=list)


def views(model: Model, findings: Iterable[Finding] = ()) -> list[GraphView]:
    """Return the model's graph first, then those of all bodies."""
    found: dict[Place, list[Finding]] = {}
    for finding in findings:
        if finding.layer is not None:
            found.setdefault((finding.layer.path, finding.layer.id), []).append(finding)
    made: list[GraphView] = []
    _add_view(made, model, GraphView(model.name, model.name, None), found)
    return made


def _add_view(made: list[GraphView], model: Model, view: GraphView, findings: Mapping[Place, list[Finding]]) -> int:
    """Fill a view, and add it and those of the bodies within; returns its number."""
    number = len(made)
    made.append(view)
    roles = _roles(model)
    positions = {node: position for position, node in enumerate(model.nodes)}
    bodies: dict[Node, list[int]] = {}
    for owner, name, subgraph in model.bodies():
        label = f"{owner.name} ({name})"
        inner = GraphView(f"{view.title} / {label}" if view.title else label, label, number)
        bodies.setdefault(owner, []).append(_add_view(made, subgraph.body, inner, findings))
    for node in model.nodes:
        mine = findings.get((node.path, node.id), [])
        view.nodes.append(_node(node, roles[node], tuple(bodies.get(node, ())), tuple(mine)))
        for port in node.inputs:
            if port.source is not None and port.source.node in positions:
                label = str(port.source.partial_shape)
                edge = (positions[port.source.node], port.source.index, positions[node], port.index, label)
                view.edges.append(edge)
    return number


def _node(node: Node, role: str, bodies: tuple[int, ...], findings: tuple[Finding, ...]) -> GraphNode:
    version = node.operation.version if node.operation is not None else node.version
    inputs = tuple((_source(port.source), _described(port.source)) for port in node.inputs)
    outputs = tuple((", ".join(sorted(port.names)), _described(port)) for port in node.outputs)
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


def _described(port: Output | None) -> str:
    return "not connected" if port is None else f"{port.element_type.name}{port.partial_shape}"


def _attributes(node: Node) -> dict[str, str]:
    found = {name: safe(str(value), 300) for name, value in node.get_attributes().items()}
    if node.get_type_name() == "Constant" and node.outputs and node.outputs[0].partial_shape.size.upper <= _MOST_VALUES:
        value = node.outputs[0].known.value
        if value is not None:
            found["value"] = safe(str(value.tolist()), 300)
    return found


def _family(node: Node) -> str:
    parts = type(node.operation).__module__.split(".")
    known = parts[:2] == ["ir_plugin", "operations"] and len(parts) > 3
    return parts[2] if known else "unknown" if node.operation is None else "extension"


def _link(node: Node) -> str:
    """Return the page of the operation's specification; nothing for what is not of OpenVINO."""
    family = _family(node)
    version = node.operation.version if node.operation is not None else ""
    if family in ("unknown", "extension") or not version.startswith("opset"):
        return ""
    return specification(family, node.operation.type, version.removeprefix("opset"))


def _roles(model: Model) -> dict[Node, str]:
    """Return which layers are constants, which compute shapes, and which the rest; sources come before readers."""
    roles: dict[Node, str] = {}
    for node in _sorted(model):
        kind = node.get_type_name()
        sources = {roles.get(port.source.node, "op") for port in node.inputs if port.source is not None}
        if kind in ("Parameter", "Result", "Assign", "ReadValue") or getattr(node.operation, "subgraphs", None):
            roles[node] = "op"
        elif kind == "ShapeOf" or (sources and "op" not in sources and "shape" in sources):
            roles[node] = "shape"
        else:
            roles[node] = "const" if kind == "Constant" or sources == {"const"} else "op"
    return roles


def _sorted(model: Model) -> list[Node]:
    """Return all nodes, each after what it reads as far as there is no cycle."""
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


def plain(view: GraphView, runs: Mapping[Place, Any]) -> dict[str, Any]:
    """Return a view as data for the page; `runs` holds what is known of a run."""
    return {
        "title": safe(view.title, 200),
        "label": safe(view.label, 120),
        "parent": view.parent,
        "nodes": [_plain_node(node, runs.get(node.place)) for node in view.nodes],
        "edges": [[*edge[:4], safe(edge[4], 80)] for edge in view.edges],
    }


def _plain_node(node: GraphNode, run: Any) -> dict[str, Any]:
    found: dict[str, Any] = {
        "name": safe(node.name, 200),
        "type": safe(node.type, 80),
        "version": safe(node.version, 20),
        "id": safe(node.place[1], 24),
        "family": node.family,
        "role": node.role,
        "in": [[safe(text, 200) for text in pair] for pair in node.inputs],
        "out": [[safe(text, 200) for text in pair] for pair in node.outputs],
        "attrs": {safe(key, 80): value for key, value in node.attributes.items()},
        "link": node.link,
    }
    if node.macs:
        found["macs"] = node.macs
    if node.bodies:
        found["bodies"] = list(node.bodies)
    if node.findings:
        found["findings"] = [_plain_finding(finding) for finding in node.findings]
    if run is not None:
        found["run"] = run
    return found


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
