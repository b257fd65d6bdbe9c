"""Nodes of a graph with their inputs and outputs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from ir_plugin.diagnostics import LayerRef, Span
from ir_plugin.errors import InputError
from ir_plugin.tensors import ElementType, PartialShape, Tensor

UNKNOWN = Tensor(ElementType.dynamic, None)


class Origin(Protocol):
    """Where a node was read from."""

    def span(self, attribute: str = "") -> Span:
        """Return the place of the layer, or of one of its attributes."""

    def port(self, direction: str, index: int, dimension: int | None = None, attribute: str = "") -> Span:
        """Return the place of a port (`input` or `output`), of one of its dimensions or attributes."""


@dataclass(frozen=True)
class Declared:
    """What a file says of a port; None where it says nothing."""

    shape: PartialShape | None
    element_type: ElementType | None


NOTHING_DECLARED = Declared(None, None)


class Input:
    """One input of a node, and the output it reads."""

    __slots__ = ("declared", "index", "node", "port_id", "source")

    def __init__(self, node: Node, index: int, port_id: int, declared: Declared = NOTHING_DECLARED) -> None:
        self.node = node
        self.index = index
        self.port_id = port_id
        self.declared = declared
        self.source: Output | None = None

    def get_node(self) -> Node:
        """Return the node that reads."""
        return self.node

    def get_index(self) -> int:
        """Return the position among the node's inputs."""
        return self.index

    def get_source_output(self) -> Output:
        """Return the output that is read."""
        if self.source is None:
            raise InputError(f'input {self.index} of "{self.node.name}" is not connected')
        return self.source

    @property
    def tensor(self) -> Tensor:
        """What is known of the value."""
        return self.source.tensor if self.source is not None else UNKNOWN

    @property
    def element_type(self) -> ElementType:
        """The element type."""
        return self.tensor.element_type

    @property
    def partial_shape(self) -> PartialShape:
        """The shape."""
        return self.tensor.shape

    def __repr__(self) -> str:
        return f'<Input: {self.index} of "{self.node.name}", {self.tensor}>'


class Output:
    """One output of a node: its tensor, tensor names, and the inputs that read it."""

    __slots__ = ("declared", "index", "names", "node", "port_id", "readers", "rt_info", "tensor")

    def __init__(
        self,
        node: Node,
        index: int,
        port_id: int,
        declared: Declared = NOTHING_DECLARED,
        names: frozenset[str] = frozenset(),
    ) -> None:
        self.node = node
        self.index = index
        self.port_id = port_id
        self.declared = declared
        self.names = names
        self.readers: list[Input] = []
        self.rt_info: dict[str, Any] = {}
        self.tensor = UNKNOWN

    def get_node(self) -> Node:
        """Return the node that computes it."""
        return self.node

    def get_index(self) -> int:
        """Return the position among the node's outputs."""
        return self.index

    def get_names(self) -> set[str]:
        """Return the tensor names."""
        return set(self.names)

    def get_any_name(self) -> str:
        """Return one of the tensor names."""
        if not self.names:
            raise InputError(f'output {self.index} of "{self.node.name}" has no tensor name')
        return min(self.names)

    @property
    def any_name(self) -> str:
        """One of the tensor names."""
        return self.get_any_name()

    @property
    def element_type(self) -> ElementType:
        """The element type."""
        return self.tensor.element_type

    def get_element_type(self) -> ElementType:
        """Return the element type."""
        return self.tensor.element_type

    @property
    def partial_shape(self) -> PartialShape:
        """The shape."""
        return self.tensor.shape

    def get_partial_shape(self) -> PartialShape:
        """Return the shape."""
        return self.tensor.shape

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape, where it is static."""
        return self.tensor.shape.to_shape()

    def get_shape(self) -> tuple[int, ...]:
        """Return the shape, where it is static."""
        return self.shape

    def get_target_inputs(self) -> set[Input]:
        """Return the inputs that read it."""
        return set(self.readers)

    def __repr__(self) -> str:
        return f"<Output: names[{', '.join(sorted(self.names))}] shape{self.partial_shape} type: {self.element_type}>"


class Node:
    """One layer: its operation with attributes, inputs and outputs.

    `operation` is the instance that infers and evaluates (None for a layer whose type is not known), `type`
    and `version` what the file says, `attributes` the texts of the file.
    """

    __slots__ = (
        "attributes", "id", "inputs", "name", "operation", "origin", "outputs", "path", "rt_info", "type", "version",
    )  # fmt: skip

    def __init__(self, id: str, name: str, type: str, version: str, operation: Any = None) -> None:
        self.id = id
        self.name = name
        self.type = type
        self.version = version
        self.operation = operation
        self.inputs: list[Input] = []
        self.outputs: list[Output] = []
        self.attributes: dict[str, str] = {}
        self.rt_info: dict[str, Any] = {}
        self.origin: Origin | None = None
        self.path: tuple[str, ...] = ()

    def ref(self, part: str = "") -> LayerRef:
        """Return the reference that findings carry."""
        return LayerRef(self.id, self.name, self.type, self.version, part, self.path)

    def span(self, attribute: str = "") -> Span:
        """Return the place in the file, as far as it is known."""
        return self.origin.span(attribute) if self.origin is not None else Span()

    def input(self, index: int = 0) -> Input:
        """Return one input."""
        return self.inputs[index]

    def output(self, index: int = 0) -> Output:
        """Return one output."""
        return self.outputs[index]

    def get_friendly_name(self) -> str:
        """Return the layer's name."""
        return self.name

    def set_friendly_name(self, name: str) -> None:
        """Change the layer's name."""
        self.name = name

    @property
    def friendly_name(self) -> str:
        """The layer's name."""
        return self.name

    def get_name(self) -> str:
        """Return a name that is unique in the model: the type and the id."""
        return f"{self.get_type_name()}_{self.id}"

    def get_type_name(self) -> str:
        """Return the operation's type."""
        return self.operation.type if self.operation is not None else self.type

    def get_attributes(self) -> dict[str, Any]:
        """Return the attributes with their values."""
        if self.operation is None:
            return dict(self.attributes)
        return {name: getattr(self.operation, name) for name in self.operation.fields()}

    def get_rt_info(self) -> dict[str, Any]:
        """Return the runtime information."""
        return self.rt_info

    def get_input_size(self) -> int:
        """Return the number of inputs."""
        return len(self.inputs)

    def get_output_size(self) -> int:
        """Return the number of outputs."""
        return len(self.outputs)

    def get_output_partial_shape(self, index: int) -> PartialShape:
        """Return the shape of one output."""
        return self.outputs[index].partial_shape

    def get_output_shape(self, index: int) -> tuple[int, ...]:
        """Return the static shape of one output."""
        return self.outputs[index].shape

    def get_output_element_type(self, index: int) -> ElementType:
        """Return the element type of one output."""
        return self.outputs[index].element_type

    def __repr__(self) -> str:
        return f'<{self.get_type_name()}: "{self.name}" ({", ".join(str(output.tensor) for output in self.outputs)})>'
