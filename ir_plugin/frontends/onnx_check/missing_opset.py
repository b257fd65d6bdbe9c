"""The opset that a model does not import: the version that alone gives its nodes a meaning."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Any, TypeAlias

from ir_plugin.diagnostics import Findings
from ir_plugin.errors import Error
from ir_plugin.frontends.onnx.registry import schema_of
from ir_plugin.frontends.onnx.walking import all_nodes
from ir_plugin.frontends.onnx.wellformed import opsets_of
from ir_plugin.model import Model
from ir_plugin.operations.infrastructure.const import Const

Checked: TypeAlias = "Callable[[dict[str, int]], tuple[Findings, Model | None]]"
"""Returns the findings of the model, and its translation, with these opsets."""
_OF_OPSETS = ("ON1", "ON301", "ON5")
"""Prefixes of the codes of findings that nodes have in the wrong version of an opset."""
_OF_TYPES = ("ON302", "ON303")
_LARGEST_COMPARED = 1024


def import_opset(proto: Any, domain: str, checked: Checked) -> str:
    """Import the newest version of a domain's opset that the file format has, if all fitting ones mean the same."""
    try:
        imported = opsets_of(proto.opset_import)
    except Error:
        return ""
    fitting = _fitting(proto, domain, imported, checked)
    if domain in imported or not fitting:
        return ""
    fewest = min(fitting.values(), key=lambda entry: entry[0])[0]
    meanings = {version: meaning for version, (faults, meaning) in fitting.items() if faults == fewest}
    if len(set(meanings.values())) > 1:
        return ""
    version = max(meanings)
    proto.opset_import.add(domain=domain, version=version)
    return f"version {version} of the opset {domain or 'ai.onnx'!r} is imported"


def _fitting(proto: Any, domain: str, imported: Mapping[str, int], checked: Checked) -> dict[int, tuple[int, Hashable]]:
    """Return the number of wrong types and what the model means by the versions with which no node is wrong."""
    types = {node.op_type for node in _nodes_of(proto) if node.domain == domain or not domain}
    if not all(isinstance(type, str) for type in types):
        return {}
    fitting, seen = {}, set()
    for version in reversed(_versions(domain, proto.ir_version)):
        schemas = [schema_of(domain, type, version) for type in sorted(types)]
        key = tuple(schema and schema.since_version for schema in schemas)
        if key not in seen:
            seen.add(key)
            findings, model = checked({**imported, domain: version})
            if model is not None and not any(finding.code.startswith(_OF_OPSETS) for finding in findings):
                wrong = sum(finding.code in _OF_TYPES for finding in findings)
                fitting[version] = wrong, _meaning(model)
    return fitting


def _nodes_of(proto: Any) -> list[Any]:
    return list(all_nodes([*proto.graph.node, *(node for function in proto.functions for node in function.node)]))


def _versions(domain: str, ir_version: int) -> list[int]:
    """Return the versions of a domain's opset that came before or with a version of the file format."""
    from onnx import IR_VERSION, helper

    released = {
        version: needed
        for (name, version), needed in helper.OP_SET_ID_VERSION_MAP.items()
        if name == (domain or "ai.onnx")
    }
    return sorted(version for version, needed in released.items() if needed <= min(ir_version, IR_VERSION)) or [1]


def _meaning(model: Model) -> Hashable:
    """Return the operations of a model with their attributes, inputs and small constants."""
    positions: dict[Any, tuple[int, int]] = {}
    rows: list[Hashable] = []
    for node in model.ordered():
        positions.update({output: (len(rows), output.index) for output in node.outputs})
        operation, values = node.operation, b""
        if isinstance(operation, Const) and node.get_byte_size() <= _LARGEST_COMPARED:
            values = repr(operation.evaluate().tolist()).encode()
        sources = tuple(source and positions.get(source) for source in node.sources)
        rows.append((node.get_type_name(), operation and operation.attribute_key(), values, sources))
    return tuple(rows)
