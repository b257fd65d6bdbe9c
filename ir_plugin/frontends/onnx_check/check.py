"""The check of an ONNX model: structure, operators, tensors, then the types and shapes of all values."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from ir_plugin.diagnostics import Findings
from ir_plugin.diagnostics.limits import DEFAULT_LIMITS, Limits
from ir_plugin.errors import Error, LimitError
from ir_plugin.frontends.onnx.expansion import Key, functions_of, key_of, repeated_functions, require_expandable
from ir_plugin.frontends.onnx.external import ExternalData
from ir_plugin.frontends.onnx.faults import require_onnx
from ir_plugin.frontends.onnx.reading import load_onnx, name_of_source
from ir_plugin.frontends.onnx.scope import DEEPEST
from ir_plugin.frontends.onnx.walking import all_nodes, graphs_of
from ir_plugin.frontends.onnx.wellformed import opsets_of, opsets_of_model, require_graph, require_node, require_texts
from ir_plugin.frontends.onnx_check.collector import Collector, Fix, Location
from ir_plugin.frontends.onnx_check.graphs import GraphNames, Visible, check_function_names
from ir_plugin.frontends.onnx_check.inference import CheckedTranslation
from ir_plugin.frontends.onnx_check.missing_opset import import_opset
from ir_plugin.frontends.onnx_check.operators import OperatorCheck, check_ir_version, check_opsets
from ir_plugin.frontends.onnx_check.tensors import check_tensors
from ir_plugin.model import Model
from ir_plugin.validation.check import Report
from ir_plugin.validation.limits import report_elements

Functions = Mapping[Key, Any]


def check_onnx(source: Any, limits: Limits = DEFAULT_LIMITS) -> Report:
    """Return the report of all faults of an ONNX model, with the model as far as it can be translated."""
    require_onnx()
    collector = Collector(name_of_source(source))
    try:
        proto, files = load_onnx(source, limits.bytes)
    except Error as fault:
        code, message, help = "ON001", str(fault), "check the path, and that the file is complete"
        if fault.findings:
            code, message, help = fault.findings[0].code, fault.findings[0].message, fault.findings[0].help
        collector.add(code, message, help=help)
        return Report(collector.file, collector.findings)
    return Report(collector.file, collector.findings, check_proto(collector, proto, files, limits))


def check_proto(collector: Collector, proto: Any, files: ExternalData, limits: Limits = DEFAULT_LIMITS) -> Model | None:
    """Collect the faults of a loaded model, and return the model as far as it can be translated."""
    nodes = sum(1 for _ in all_nodes(proto.graph.node))
    if nodes > limits.layers:
        message = f"the model has {nodes} nodes; the limit is {limits.layers}"
        collector.add("ON005", message, help="raise --limit-layers if the model is really so large")
        return None
    model = _Check(collector, proto, files).run()
    if model is not None:
        report_elements(model, collector.findings, limits.elements, "ON005")
    return model


class _Check:
    """The check of one loaded model."""

    def __init__(self, collector: Collector, proto: Any, files: ExternalData) -> None:
        self._collector = collector
        self._proto = proto
        self._files = files
        self._imports: dict[str, Fix] = {}

    def run(self) -> Model | None:
        """Check everything, and return the model; None if it cannot be translated at all."""
        opsets = self._opsets()
        return None if opsets is None or not self._has_texts() else self.run_with(opsets)

    def run_with(self, opsets: dict[str, int]) -> Model | None:
        """Check everything with other versions of opsets than those that the model imports."""
        functions = functions_of(self._proto)
        check_opsets(self._collector, opsets)
        check_ir_version(self._collector, self._proto.ir_version)
        for domain, name, _ in repeated_functions(self._proto):
            self._collector.add("ON201", f"the function {name} of the domain {domain!r} is there twice",
                                help="rename or delete one of them")  # fmt: skip
        self._operators = OperatorCheck(self._collector, functions, self._import_of)
        graph = self._proto.graph
        location = Location(graph.name or "graph", (), opsets)
        nodes = self._check_graph(graph, location, [], 0)
        self._check_functions(functions, opsets)
        try:
            require_expandable(graph, functions)
        except LimitError as fault:
            self._add_limit(fault, location)
            return None
        translation = CheckedTranslation(self._collector, opsets, functions, self._files)
        try:
            return translation.run(graph, nodes)
        except (Error, RecursionError) as fault:
            self._add_limit(fault, location)
            return None

    def _add_limit(self, fault: BaseException, location: Location) -> None:
        code = "ON005" if isinstance(fault, (LimitError, RecursionError)) else "ON301"
        self._collector.add(code, str(fault) or "the model is nested too deep", location,
                            help="write a model without functions or bodies that are nested this deep")  # fmt: skip

    def _opsets(self) -> dict[str, int] | None:
        try:
            return opsets_of_model(self._proto)
        except Error as fault:
            code = "ON004" if "not UTF-8" in str(fault) else "ON002"
            self._collector.add(code, str(fault), help="write the opset version with which the model was exported",
                                fix=self._import_of("") if not self._proto.opset_import else None)  # fmt: skip
            return None

    def _import_of(self, domain: str) -> Fix:
        """Return the fix that imports the opset of a domain."""
        if domain not in self._imports:
            self._imports[domain] = partial(import_opset, self._proto, domain, self._with)
        return self._imports[domain]

    def _with(self, opsets: dict[str, int]) -> tuple[Findings, Model | None]:
        """Return the findings and the model with other opsets."""
        collector = Collector(self._collector.file)
        model = _Check(collector, self._proto, self._files).run_with(opsets) if self._has_texts() else None
        return collector.findings, model

    def _has_texts(self) -> bool:
        """Return whether all names are UTF-8; report the first graph, function or node with another name."""
        try:
            self._require_texts(self._proto.graph, 0)
            for function in self._proto.functions:
                require_texts("a name of a function", [function.name, function.domain, function.overload])
                require_texts("a name of a function", [*function.input, *function.output, *function.attribute])
                for node in function.node:
                    require_node(node)
        except Error as fault:
            deep = "nested" in str(fault)
            self._collector.add("ON005" if deep else "ON004", str(fault), help="export the model again")
            return False
        return True

    def _require_texts(self, graph: Any, depth: int) -> None:
        if depth > DEEPEST:
            raise Error(f"graphs are nested deeper than {DEEPEST}")
        require_graph(graph)
        for node in graph.node:
            require_node(node)
            for attribute in node.attribute:
                for inner in graphs_of(attribute):
                    self._require_texts(inner, depth + 1)

    def _check_graph(self, graph: Any, location: Location, outer: Visible, depth: int) -> list[Any]:
        """Check a graph and those inside it; return its nodes in topological order."""
        names = GraphNames(self._collector, graph, location, outer)
        names.check_ends()
        order = names.check_order()
        check_tensors(self._collector, self._files, graph, location)
        for index, node in enumerate(graph.node):
            self._operators.check(node, location)
            for attribute in node.attribute:
                for inner in graphs_of(attribute):
                    self._check_graph(inner, location.inside(node, inner, attribute.name), names.visible, depth + 1)
            names.check_node(node, index)
        names.check_results()
        return order

    def _check_functions(self, functions: Functions, opsets: dict[str, int]) -> None:
        operators = OperatorCheck(self._collector, functions)
        for function in functions.values():
            location = Location(function.name, (), opsets)
            try:
                location = location._replace(opsets=opsets | opsets_of(function.opset_import))
            except Error as fault:
                self._collector.add("ON002", str(fault), location, help="write the version for which it was exported")
            for node in function.node:
                operators.check(node, location)
            check_function_names(self._collector, function, location)
        for cycle in _call_cycles(functions):
            names = " → ".join(key[1] for key in [*cycle, cycle[0]][:9])
            self._collector.add("ON206", f"these functions call each other: {names}", Location(cycle[0][1], (), opsets),
                                help="let one of them do without the others")  # fmt: skip


def _call_cycles(functions: Functions) -> list[list[Key]]:
    """Return a cycle of calls for each function that calls itself through others, once for all of them."""
    calls = {
        key: [called for node in function.node if (called := key_of(node)) in functions]
        for key, function in functions.items()
    }
    done: set[Key] = set()
    cycles = []
    for start in calls:
        trail: list[Key] = []
        waiting = [iter([start])]
        while waiting:
            key = next(waiting[-1], None)
            if key is None:
                waiting.pop()
                if trail:
                    done.add(trail.pop())
            elif key in trail:
                cycles.append(trail[trail.index(key) :])
            elif key not in done:
                trail.append(key)
                waiting.append(iter(calls[key]))
    return cycles[:1]
