"""A node of an ONNX graph as its translator sees it: inputs as outputs of our nodes, attributes by type."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from ir_plugin.diagnostics import Span
from ir_plugin.diagnostics.position import WHOLE_RUN
from ir_plugin.errors import Error
from ir_plugin.frontends.onnx.attributes import Attributes
from ir_plugin.frontends.onnx.bodies import Body
from ir_plugin.frontends.onnx.external import ExternalData
from ir_plugin.frontends.onnx.faults import OnnxReadError, OnnxUnsupportedError
from ir_plugin.frontends.onnx.origin import OnnxOrigin
from ir_plugin.model import Output
from ir_plugin.model.python_origin import BUILT_FOR
from ir_plugin.tensors import Array, ElementType, TensorInfo
from ir_plugin.tensors.scoped import scoped


class ScopeOfNode(Protocol):
    """What a node needs of the scope that it is in, and translators of the model."""

    source: Source
    path: str
    trail: tuple[str, ...]
    opsets: dict[str, int]
    running: frozenset[tuple[str, str, str]]

    def attributes_of(self, proto: Any) -> dict[str, Any]:
        """Return the attributes of a node by name; those that refer to a function's are the caller's, or absent."""

    def function_of(self, node: OnnxNode, opsets: dict[str, int], arguments: dict[str, Any]) -> FunctionScope:
        """Return the scope of a function that a node of this scope calls."""

    def body_of(self, node: OnnxNode, name: str, parameters: Sequence[TensorInfo]) -> Body:
        """Return the graph of an attribute of a node as a body with parameters of these types and shapes."""

    def value(self, name: str) -> Output | None:
        """Return the value of a name; raises for a name without value."""


class FunctionScope(Protocol):
    """What expands a function."""

    running: frozenset[tuple[str, str, str]]

    def define(self, name: str, value: Output | None) -> None:
        """Give a value a name."""

    def translate(self, nodes: Iterable[Any]) -> None:
        """Translate nodes in their order."""

    def value(self, name: str) -> Output | None:
        """Return the value of a name."""


class Observer(Protocol):
    """What a translation tells of faults, if it is to go on after them."""

    def node_failed(self, scope: Any, proto: Any, error: Error) -> None:
        """Take the error of a node, and define its outputs."""

    def graph_done(self, scope: Any, graph: Any) -> None:
        """Take a graph whose nodes are translated."""


@dataclass
class Source:
    """What all scopes of one model share: opset versions by domain, model-local functions, and external data."""

    opsets: dict[str, int]
    functions: dict[tuple[str, str, str], Any] = field(default_factory=dict)
    files: ExternalData = field(default_factory=lambda: ExternalData(None))
    at: Span = WHOLE_RUN
    """The position of the model: its file and the name of its graph."""
    observer: Observer | None = None
    """Without one, the first fault ends the translation."""
    settled: dict[tuple[str, ...], list[TensorInfo]] = field(default_factory=dict)
    """The types and shapes of the states of loops, by the trail of each, that hold in every iteration."""
    expanded: int = 0
    """How many nodes of functions are translated so far."""

    def building(self, label: str, *path: str) -> AbstractContextManager[None]:
        """Return a context manager that attributes the nodes built within it to a part of the ONNX model."""
        position = "/".join(filter(None, [self.at.path, *path]))
        return scoped(BUILT_FOR, OnnxOrigin(label, replace(self.at, path=position)))


class OnnxNode:
    """One node: `node.input(0)`, `node.optional(1)`, `node.attributes.int("axis")`."""

    def __init__(
        self, scope: ScopeOfNode, proto: Any, version: int, schema: Any, inputs: Sequence[Output | None]
    ) -> None:
        self.scope = scope
        self.proto = proto
        self.version = version
        """The version of the domain's opset; `since` is the version of the operator's schema."""
        self.schema = schema
        self.inputs = list(inputs)
        """What each input reads, None for an absent one."""
        self.attributes = Attributes(scope.attributes_of(proto), schema)

    @property
    def type(self) -> str:
        """The operator."""
        return str(self.proto.op_type)

    @property
    def domain(self) -> str:
        """The operator's domain, empty for ONNX's own."""
        return str(self.proto.domain)

    @property
    def since(self) -> int:
        """The version of the operator's schema, or of the opset for an operator without a schema."""
        return int(self.schema.since_version) if self.schema is not None else self.version

    @property
    def name(self) -> str:
        """The node's name, or if it is empty the name of its first output."""
        return str(self.proto.name or next(filter(None, self.proto.output), ""))

    @property
    def trail(self) -> tuple[str, ...]:
        """What identifies the node in the model: the functions and bodies around it, and its first output."""
        return (*self.scope.trail, next(filter(None, self.proto.output), ""))

    @property
    def outputs(self) -> list[str]:
        """The names of the outputs, empty for those that nothing reads."""
        return list(self.proto.output)

    def where(self) -> str:
        """Return the node's description in errors: `ONNX node "conv1" (Conv-22)`."""
        domain = f"{self.domain}." if self.domain else ""
        inside = f" in {self.scope.path}" if self.scope.path else ""
        return f'ONNX node "{self.name}"{inside} ({domain}{self.type}-{self.since})'

    def wants(self, index: int) -> bool:
        """Return whether an output is named, so that something may read it."""
        return index < len(self.proto.output) and bool(self.proto.output[index])

    def has(self, index: int) -> bool:
        """Return whether an input is present."""
        return index < len(self.inputs) and self.inputs[index] is not None

    def optional(self, index: int) -> Output | None:
        """Return the output that an input reads, or None if the input is absent."""
        return self.inputs[index] if index < len(self.inputs) else None

    def input(self, index: int) -> Output:
        """Return the output that a required input reads; raises if the input is absent."""
        source = self.optional(index)
        if source is None:
            raise OnnxReadError(f"input {index}{self._formal(index)} is required and absent")
        return source

    def _formal(self, index: int) -> str:
        formal = self.schema.inputs if self.schema is not None else []
        return f" ({formal[index].name})" if index < len(formal) else ""

    def present(self) -> list[Output]:
        """Return the outputs that the inputs of a variadic operator read; raises if one is absent."""
        return [self.input(index) for index in range(len(self.inputs))]

    def type_of(self, index: int) -> ElementType:
        """Return the element type of a required input."""
        return self.input(index).tensor_info.element_type

    def rank(self, index: int) -> int | None:
        """Return the rank of a required input, None if it is unknown."""
        return self.input(index).tensor_info.shape.ndim

    def known_rank(self, index: int) -> int:
        """Return the rank of a required input; raises if it is unknown."""
        rank = self.rank(index)
        if rank is None:
            raise OnnxUnsupportedError(f"the rank of input {index}{self._formal(index)} is unknown; it must be known")
        return rank

    def constant(self, index: int) -> Array | None:
        """Return the values of an input if they are known before the run, else None (also for an absent one)."""
        source = self.optional(index)
        return None if source is None else source.tensor_info.value

    def body(self, name: str, parameters: Sequence[TensorInfo]) -> Body:
        """Return the graph of an attribute as a body whose first parameters have these types and shapes."""
        return self.scope.body_of(self, name, parameters)
