"""The values of one ONNX graph, function or body by name, and the translation of its nodes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ir_plugin.diagnostics.suggest import did_you_mean
from ir_plugin.errors import Error
from ir_plugin.frontends.onnx.bodies import Body
from ir_plugin.frontends.onnx.constants import constant_of, constant_of_tensor, dense_of
from ir_plugin.frontends.onnx.expansion import MAX_EXPANDED, key_of, too_large
from ir_plugin.frontends.onnx.faults import OnnxReadError, OnnxUnsupportedError, located
from ir_plugin.frontends.onnx.functions import expanded_local, expanded_schema
from ir_plugin.frontends.onnx.metadata import result_name
from ir_plugin.frontends.onnx.node import OnnxNode, Source
from ir_plugin.frontends.onnx.node_order import in_order
from ir_plugin.frontends.onnx.registry import ALIASES, as_outputs, schema_of, translator, translators
from ir_plugin.frontends.onnx.wellformed import require_graph, require_node
from ir_plugin.model import Output
from ir_plugin.model.node import new_id
from ir_plugin.opsets import opset16 as ops
from ir_plugin.opsets.basic import parameter, result
from ir_plugin.tensors import TensorInfo
from ir_plugin.validation.inference import COMPUTATION_ERRORS

DEEPEST = 64
"""The deepest nesting of functions and bodies."""


class Scope:
    """Names of values in one graph; a body's scope asks its parent for names that it lacks (see `bodies`)."""

    def __init__(
        self,
        source: Source,
        parent: Scope | None = None,
        path: str = "",
        arguments: Mapping[str, Any] | None = None,
        opsets: Mapping[str, int] | None = None,
        body: Body | None = None,
        trail: tuple[str, ...] = (),
    ) -> None:
        self.source = source
        self.path = path
        self._parent = parent
        self._body = body
        self.depth: int = 0 if parent is None else parent.depth + 1
        self.trail = trail
        """The functions and bodies that this scope is inside of, by the first outputs of their nodes."""
        self.arguments = dict(arguments or {})
        """The attributes of the call of a function, which attributes of its nodes may refer to."""
        self.opsets = dict(source.opsets if opsets is None else opsets)
        self.running: frozenset[tuple[str, str, str]] = parent.running if parent is not None else frozenset()
        """The functions that are being expanded."""
        self.results: frozenset[str] = frozenset()
        """Names of results of the model; each has its own node."""
        self.cut: frozenset[str] = frozenset()
        """Names of values that are inputs instead of what their nodes compute."""
        self._values: dict[str, Output | None] = {}
        self._initializers: dict[str, Any] = {}
        if self.depth > DEEPEST:
            raise OnnxUnsupportedError(f"bodies and functions are nested deeper than {DEEPEST}")

    def version_of(self, domain: str) -> int:
        """Return the opset version of a domain; raises if the model imports none."""
        for name in (domain, ALIASES.get(domain, domain)):
            if name in self.opsets:
                return self.opsets[name]
        imported = ", ".join(repr(name) for name in self.opsets)
        raise OnnxReadError(f"the model imports no opset of the domain {domain!r}, only of {imported or 'none'}")

    def attributes_of(self, proto: Any) -> dict[str, Any]:
        """Return the attributes of a node by name; those that refer to a function's are the caller's, or absent.

        Of two of a name the first counts, as in OpenVINO.
        """
        values: dict[str, Any] = {}
        for attribute in proto.attribute:
            refers = attribute.ref_attr_name and self.running
            actual = self.arguments.get(attribute.ref_attr_name) if refers else attribute
            if actual is not None:
                values.setdefault(attribute.name, actual)
        return values

    def define(self, name: str, value: Output | None) -> None:
        """Give a value a name; a name that has a value already is an error."""
        self._require_new([name])
        self._values[name] = value

    def _require_new(self, names: Iterable[str]) -> None:
        """Raise for a name that has a value already, before the work of computing another one."""
        for name in names:
            if name in self._values and name not in self.cut:
                raise OnnxReadError(f'the value "{name}" is defined twice')

    def add_initializers(self, graph: Any) -> None:
        """Make the initializers of a graph known; each becomes a constant when it is first read."""
        require_graph(graph)
        for tensor in graph.initializer:
            self._initializers[tensor.name] = tensor
        for sparse in graph.sparse_initializer:
            self._initializers[sparse.values.name] = sparse

    def lacks(self, name: str) -> bool:
        """Return whether this graph itself has no value of a name yet."""
        return name not in self._values

    def has_initializer(self, name: str) -> bool:
        """Return whether a graph's input has a default value."""
        return name in self._initializers

    def value(self, name: str) -> Output | None:
        """Return the value of a name, None for an absent one; raises for a name without value."""
        if not name:
            return None
        if name in self._values:
            return self._values[name]
        if name in self._initializers:
            self._values[name] = self._constant(name)
            return self._values[name]
        return self.outer(name)

    def outer(self, name: str) -> Output | None:
        """Return the value of a name that this scope lacks: a body has it from the graph around it; else raises."""
        if self._body is not None and self._parent is not None:
            value = self._parent.value(name)
            self.define(name, None if value is None else self._body.twin(value, name))
            return self._values[name]
        near = did_you_mean(name, [*self._values, *self._initializers])
        raise OnnxReadError(
            f'nothing before it has the value "{name}"'
            + (f"; {near}" if near else "; are the nodes in topological order?")
        )

    def _constant(self, name: str) -> Output:
        tensor = self._initializers[name]
        with self.source.building(f'ONNX initializer "{name}"', self.path, name):
            if hasattr(tensor, "indices"):
                node = constant_of(*dense_of(tensor, self.source.files), name)
            else:
                node = constant_of_tensor(tensor, self.source.files, name)
        node.outputs[0].set_names([name])
        return node.outputs[0]

    def translate(self, nodes: Iterable[Any]) -> None:
        """Translate nodes in their order, and define their outputs."""
        for proto in nodes:
            self.source.expanded += self.depth > 0
            if self.source.expanded > MAX_EXPANDED:
                raise too_large()
            self._translate(proto)

    def _translate(self, proto: Any) -> None:
        require_node(proto)
        label = f'ONNX node "{proto.name or next(iter(proto.output), "")}" ({proto.op_type})'
        try:
            version = self.version_of(proto.domain)
            schema = schema_of(proto.domain, proto.op_type, version)
            node = OnnxNode(self, proto, version, schema, [self.value(name) for name in proto.input])
            label = node.where()
            self._require_new(proto.output)
            mark = int(new_id())
            with self.source.building(label, self.path, node.name):
                outputs = self.outputs_of(node)
                self._define(node, outputs, mark)
        except (*COMPUTATION_ERRORS, RecursionError) as fault:
            error = located(label, fault)
            if self.source.observer is None:
                raise error from (None if isinstance(fault, Error) else fault)
            self.source.observer.node_failed(self, proto, error)

    def outputs_of(self, node: OnnxNode) -> list[Output | None]:
        """Return the outputs of a node, from its function in the model, its translator, or its schema's function."""
        key = key_of(node.proto)
        if key in self.source.functions:
            return expanded_local(node, key)
        entry = translator(node.domain, node.type, node.since)
        if entry is not None:
            return as_outputs(entry.translate(node))
        outputs = expanded_schema(node)
        if outputs is None:
            raise _unknown(node)
        return outputs

    def _define(self, node: OnnxNode, outputs: Sequence[Output | None], mark: int) -> None:
        """Give the outputs their names; nodes that were built for them take the ONNX node's name."""
        names = node.outputs
        if len(outputs) < len(names) and any(names[len(outputs) :]):
            raise OnnxReadError(f"it has {len(outputs)} outputs; the model reads {len(names)}")
        for name, source in zip(names, outputs, strict=False):
            if not name or name in self.cut:
                continue
            output = self._own(name, source, mark)
            self.define(name, output)
            if output is None:
                continue
            if int(output.node.id) > mark:
                own = "" if name in self.results else node.proto.name
                output.node.name = self._prefixed(own or name)
            if not self.path and output.node.type != "Parameter":
                output.add_names([name])

    def _own(self, name: str, source: Output | None, mark: int) -> Output | None:
        """Return an output, or for a result of the model that an earlier node computes, an Identity of it."""
        if source is None or name not in self.results or int(source.node.id) > mark:
            return source
        own: Output = ops.identity(source).outputs[0]
        return own

    def function_of(self, node: OnnxNode, opsets: dict[str, int], arguments: dict[str, Any]) -> Scope:
        """Return the scope of a function that a node of this scope calls."""
        return Scope(self.source, self, self._prefixed(node.name), arguments, opsets, trail=node.trail)

    def body_of(self, node: OnnxNode, name: str, parameters: Sequence[TensorInfo]) -> Body:
        """Return the graph of an attribute of a node as a body with parameters of these types and shapes."""
        graph = node.attributes.graph(name)
        if len(graph.input) != len(parameters):
            raise OnnxReadError(
                f"the graph {name!r} has {len(graph.input)} inputs; there are {len(parameters)} values for them"
            )
        pairs = zip(graph.input, parameters, strict=True)
        body = Body([parameter(info.shape, info.element_type, value.name) for value, info in pairs])
        body.name = graph.name or name
        path = self._prefixed(f"{node.name}/{name}")
        scope = Scope(self.source, self, path, self.arguments, self.opsets, body, (*node.trail, name))
        scope.fill(graph, body)
        return body

    def fill(self, graph: Any, body: Body) -> None:
        """Translate the graph of a body, which has parameters but no results yet."""
        self.add_initializers(graph)
        for node in body.parameters:
            self.define(node.name, node.outputs[0])
        self.translate(in_order(graph.node))
        if self.source.observer is not None:
            self.source.observer.graph_done(self, graph)
        for value in graph.output:
            source = self.value(value.name)
            if source is None:
                raise OnnxReadError(f"the result {value.name!r} of the graph is an absent value")
            body.results.append(result(source, result_name(value.name)))

    def _prefixed(self, name: str) -> str:
        return f"{self.path}/{name}" if self.path else name


def _unknown(node: OnnxNode) -> OnnxUnsupportedError:
    operators = {item.type for item in translators() if item.domain == ALIASES.get(node.domain, node.domain)}
    domain = f" of the domain {node.domain!r}" if node.domain else ""
    near = did_you_mean(node.type, operators)
    return OnnxUnsupportedError(
        f"the operator {node.type}{domain} is not known in opset {node.version}" + (f"; {near}" if near else "")
    )
