"""Operators, attributes and numbers of inputs and outputs of nodes, held against the schemas of the package onnx."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any

from ir_plugin.diagnostics.suggest import did_you_mean
from ir_plugin.frontends.onnx.attributes import KINDS
from ir_plugin.frontends.onnx.expansion import Key, key_of
from ir_plugin.frontends.onnx.registry import ALIASES, schema_of, translator, translators
from ir_plugin.frontends.onnx_check.collector import Collector, Fix, Location
from ir_plugin.frontends.onnx_check.fixes import copies_of, remove

SINGLE, VARIADIC = 0, 2
"""Numbers of `FormalParameterOption`."""


def check_opsets(collector: Collector, opsets: Mapping[str, int]) -> None:
    """Report opsets that are newer than those that the package onnx knows."""
    for domain, version in opsets.items():
        newest = newest_versions().get(ALIASES.get(domain, domain))
        if newest is not None and version > newest:
            collector.add(
                "ON003", f"the model imports version {version} of the opset {domain or 'ai.onnx'!r}",
                declared=str(version), inferred=str(newest),
                because=f"the newest version that the installed package onnx knows is {newest}",
                help="update the package onnx; until then the operators are read as in the newest version it knows",
            )  # fmt: skip


def check_ir_version(collector: Collector, version: int) -> None:
    """Report a version of the file format that is newer than the one that the package onnx knows."""
    from onnx import IR_VERSION

    if version > IR_VERSION:
        collector.add(
            "ON003", f"the model has version {version} of ONNX's file format", declared=str(version),
            inferred=str(IR_VERSION),
            because=f"the newest version that the installed package onnx knows is {IR_VERSION}",
            help="update the package onnx; until then fields that it does not know are left out",
        )  # fmt: skip


@cache
def newest_versions() -> dict[str, int]:
    """Return the newest opset version of each domain that the package onnx knows."""
    from onnx import defs

    newest: dict[str, int] = {"": defs.onnx_opset_version()}
    for schema in defs.get_all_schemas_with_history():
        newest[schema.domain] = max(schema.since_version, newest.get(schema.domain, 0))
    return newest


@cache
def _operators() -> dict[str, list[str]]:
    """Return the operators of each domain, those with a schema and those with a translator."""
    from onnx import defs

    names: dict[str, dict[str, None]] = {}
    for schema in defs.get_all_schemas_with_history():
        names.setdefault(schema.domain, {})[schema.name] = None
    for entry in translators():
        names.setdefault(entry.domain, {})[entry.type] = None
    return {domain: sorted(items) for domain, items in names.items()}


class OperatorCheck:
    """Holds the nodes of a model against the schemas of their operators and the functions of the model."""

    def __init__(
        self, collector: Collector, functions: Mapping[Key, Any], import_of: Callable[[str], Fix] | None = None
    ) -> None:
        self._collector = collector
        self._functions = functions
        self._import_of = import_of

    def check(self, node: Any, location: Location) -> None:
        """Report what is wrong with the operator, the attributes and the numbers of inputs and outputs of a node."""
        function = self._functions.get(key_of(node))
        domains = (node.domain, ALIASES.get(node.domain))
        version = next((location.opsets[name] for name in domains if name in location.opsets), None)
        if function is not None and version is not None:
            self._check_call(node, function, location)
            return
        if version is None:
            imported = ", ".join(repr(name) for name in location.opsets) or "none"
            self._collector.add(
                "ON002", f"the model imports no opset of the domain {node.domain!r}", location, node,
                because=f"it imports opsets of these domains: {imported}", help="add the domain to opset_import",
                fix=None if self._import_of is None else self._import_of(ALIASES.get(node.domain, node.domain)),
            )  # fmt: skip
            return
        schema = schema_of(node.domain, node.op_type, version)
        if schema is None:
            self._check_unknown(node, version, location)
            return
        self._check_version(node, schema, version, location)
        self._check_attributes(node, schema, location)
        self._check_inputs(node, schema, location)
        self._check_outputs(node, schema, location)

    def _check_unknown(self, node: Any, version: int, location: Location) -> None:
        if translator(node.domain, node.op_type, version) is not None:
            return
        domain = ALIASES.get(node.domain, node.domain)
        names = [*_operators().get(domain, []), *(name for owner, name, _ in self._functions if owner == node.domain)]
        others = [name or "ai.onnx" for name, operators in _operators().items() if node.op_type in operators]
        self._collector.add(
            "ON501", f"there is no operator {node.op_type} in the domain {domain or 'ai.onnx'!r}", location, node,
            because=f"the domain {others[0]!r} has it" if others else "",
            help=did_you_mean(node.op_type, names) or "correct name or domain, or define it as a function of the model",
        )  # fmt: skip

    def _check_version(self, node: Any, schema: Any, version: int, location: Location) -> None:
        if schema.since_version > version:
            self._collector.add(
                "ON502", f"{node.op_type} came with opset {schema.since_version}; the model imports {version}",
                location, node, declared=str(version), inferred=str(schema.since_version),
                help=f"import opset {schema.since_version} or newer; onnx.version_converter converts a model",
            )  # fmt: skip
        elif schema.deprecated:
            is_translated = translator(node.domain, node.op_type, schema.since_version) is not None
            self._collector.add(
                "ON503", f"{node.op_type} was removed with opset {schema.since_version}; the model imports {version}",
                location, node, severity=None if is_translated else "error", declared=str(version),
                help=f"import an opset before {schema.since_version}, or write the operator that replaced it",
            )  # fmt: skip

    def _check_attributes(self, node: Any, schema: Any, location: Location) -> None:
        for name in _repeated(node):
            self._collector.add("ON107", f'the attribute "{name}" is there twice',
                                location, node, f'attribute "{name}"', help="delete one of them",
                                fix=partial(_remove_copies, node, name))  # fmt: skip
        for attribute in node.attribute:
            part, definition = f'attribute "{attribute.name}"', schema.attributes.get(attribute.name)
            if definition is None:
                self._collector.add(
                    "ON101", f'{node.op_type}-{schema.since_version} has no attribute "{attribute.name}"',
                    location, node,
                    part, help=did_you_mean(attribute.name, schema.attributes) or _listed(schema.attributes),
                )  # fmt: skip
            elif not attribute.ref_attr_name and attribute.type not in (0, definition.type.value):
                declared, expected = KINDS[attribute.type], KINDS[definition.type.value]
                self._collector.add(
                    "ON102", f'the attribute "{attribute.name}" is of the type {declared}; it must be {expected}',
                    location, node, part, declared=declared, inferred=expected, help=f"write it as {expected}",
                )  # fmt: skip
        present = {attribute.name for attribute in node.attribute}
        for name, definition in schema.attributes.items():
            if definition.required and name not in present:
                self._collector.add(
                    "ON103", f'the attribute "{name}" ({KINDS[definition.type.value]}) is required and absent',
                    location, node,
                    f'attribute "{name}"', help=did_you_mean(name, present - set(schema.attributes)) or f"add {name}",
                )  # fmt: skip

    def _check_inputs(self, node: Any, schema: Any, location: Location) -> None:
        count = len(node.input)
        if count > schema.max_input:
            self._miscount(node, schema, location, "inputs", count, schema.max_input)
        for position, formal in enumerate(schema.inputs):
            is_needed = formal.option.value == SINGLE or (
                formal.option.value == VARIADIC and position < schema.min_input
            )
            if is_needed and (position >= count or not node.input[position]):
                part = f"input {position}"
                self._collector.add(
                    "ON105", f"input {position} ({formal.name}) is required and absent", location, node, part,
                    because=f"{node.op_type}-{schema.since_version} has {_span(schema.min_input, schema.max_input)} "
                    f"inputs; the node has {count}", help=f"connect {formal.name}",
                )  # fmt: skip

    def _check_outputs(self, node: Any, schema: Any, location: Location) -> None:
        if len(node.output) > schema.max_output:
            self._miscount(node, schema, location, "outputs", len(node.output), schema.max_output)
        if not any(node.output) and schema.min_output:
            self._collector.add(
                "ON106", f"the node has no output; {node.op_type}-{schema.since_version} has at least "
                f"{schema.min_output}", location, node, "outputs", "warning",
                help="name its outputs, or delete the node",
            )  # fmt: skip

    def _miscount(self, node: Any, schema: Any, location: Location, what: str, count: int, most: int) -> None:
        operator = f"{node.op_type}-{schema.since_version}"
        self._collector.add(
            "ON106", f"the node has {count} {what}; {operator} has at most {most}", location,
            node, what, declared=str(count), inferred=str(most), help=f"delete {what} from number {most} on",
        )  # fmt: skip

    def _check_call(self, node: Any, function: Any, location: Location) -> None:
        for what, values, formal in (("inputs", node.input, function.input), ("outputs", node.output, function.output)):
            if len(values) > len(formal):
                self._collector.add(
                    "ON106", f"the node has {len(values)} {what}; the function {node.op_type} has {len(formal)}",
                    location, node, what, declared=str(len(values)), inferred=str(len(formal)),
                    help=f"delete {what} from number {len(formal)} on",
                )  # fmt: skip
        names = [*function.attribute, *(attribute.name for attribute in function.attribute_proto)]
        for attribute in node.attribute:
            if attribute.name not in names:
                self._collector.add(
                    "ON101", f'the function {node.op_type} has no attribute "{attribute.name}"', location, node,
                    f'attribute "{attribute.name}"', help=did_you_mean(attribute.name, names) or _listed(names),
                )  # fmt: skip


def _remove_copies(node: Any, name: str) -> str:
    copies = copies_of(attribute for attribute in node.attribute if attribute.name == name)
    return remove(node.attribute, copies, f'the copy of the attribute "{name}"')


def _repeated(node: Any) -> list[str]:
    return [name for name, count in Counter(attribute.name for attribute in node.attribute).items() if count > 1]


def _listed(names: Any) -> str:
    ordered = sorted(names)
    return f"its attributes are {', '.join(ordered)}" if ordered else "it has none; delete it"


def _span(least: int, most: int) -> str:
    if least == most:
        return str(least)
    return f"{least} or more" if most > 2**30 else f"{least} to {most}"
