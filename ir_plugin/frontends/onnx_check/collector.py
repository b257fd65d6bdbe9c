"""The findings of one ONNX model, with the file, graph and node of each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

from ir_plugin.diagnostics import CODES, Finding, Findings, LayerRef, Span
from ir_plugin.diagnostics.codes import Severity
from ir_plugin.frontends.onnx.registry import schema_of

Fix: TypeAlias = "Callable[[], str]"
"""Corrects a fault that has one right answer in the checked `ModelProto`, and returns what it changed, if anything."""


class Location(NamedTuple):
    """A graph: its name, the nodes whose bodies lead to it, and the opset versions by domain."""

    graph: str
    path: tuple[str, ...]
    opsets: dict[str, int]

    def inside(self, node: Any, graph: Any, name: str) -> Location:
        """Return the location of a graph in an attribute of a node."""
        return Location(graph.name or name, (*self.path, f"{name_of(node)}/{name}"), self.opsets)


class Collector:
    """Makes findings of faults; remembers the nodes that have one, so that the inference is silent about them."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.findings = Findings()
        self.fixes: list[tuple[Finding, Fix]] = []
        """The findings with one right answer, in the order of their creation."""
        self._faulty: set[tuple[str, str, tuple[str, ...]]] = set()

    def add(
        self,
        code: str,
        message: str,
        location: Location | None = None,
        node: Any = None,
        part: str = "",
        severity: Severity | None = None,
        fix: Fix | None = None,
        **notes: str,
    ) -> None:
        """Add a finding of a node, of a graph, or of the whole model; notes are `declared`, `inferred`, `because`,
        `help` and `label`.
        """
        layer, where = None, ""
        if location is not None:
            where = "/".join([location.graph, *location.path, *([name_of(node)] if node is not None else [])])
        if node is not None and location is not None:
            layer = LayerRef("", name_of(node), node.op_type, _version(node, location), part, location.path)
        finding = Finding.of(code, message, span=Span(self.file, path=where), layer=layer, severity=severity, **notes)
        self.findings.add(finding)
        if fix is not None:
            self.fixes.append((finding, fix))
        if node is not None and (severity or CODES[code].severity) == "error":
            self._faulty.add(_key(node))

    def has_fault(self, node: Any) -> bool:
        """Return whether a node has an error."""
        return _key(node) in self._faulty


def name_of(node: Any) -> str:
    """Return the name of a node, else of its first output, else its operator."""
    return str(node.name or next(filter(None, node.output), "") or node.op_type)


def _key(node: Any) -> tuple[str, str, tuple[str, ...]]:
    return node.op_type, node.name, tuple(node.output)


def _version(node: Any, location: Location) -> str:
    version = location.opsets.get(node.domain)
    schema = None if version is None else schema_of(node.domain, node.op_type, version)
    return str(version or "") if schema is None else str(schema.since_version)
