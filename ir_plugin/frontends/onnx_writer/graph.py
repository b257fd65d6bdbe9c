"""The ONNX graph that is built: nodes, values with their types, and initializers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from ir_plugin.frontends.onnx.types import number_of
from ir_plugin.frontends.onnx_writer.faults import NotExpressibleError
from ir_plugin.frontends.onnx_writer.values import computing_type, type_of_text, type_text
from ir_plugin.tensors import Array, ElementType, TensorInfo
from ir_plugin.tensors.packing import pack

ML = "ai.onnx.ml"
"""The domain of operators on labels, maps and trees: `emit` takes names such as `ai.onnx.ml.LabelEncoder`."""


class Document:
    """What the graph of a model shares with the graphs of its bodies: names, types and initializers."""

    def __init__(self, opset: int) -> None:
        self.opset = opset
        self.types: dict[str, ElementType] = {}
        """The type in which ONNX holds each value, by name."""
        self.initializers: list[tuple[str, ElementType, tuple[int, ...], Any]] = []
        """Name, type, shape and a source of the bytes: an array of ours, or a Const."""
        self.domains: dict[str, int] = {"": opset}
        self.state_inputs: list[tuple[str, TensorInfo, str]] = []
        """Inputs in place of variables, with their types and shapes, and what the variables start as."""
        self.state_outputs: list[tuple[str, TensorInfo]] = []
        """Outputs in place of variables, with their types and shapes."""
        self._names: set[str] = set()
        self._node_names: set[str] = set()
        self._constants: dict[tuple[str, tuple[int, ...], bytes], str] = {}

    def unique(self, preferred: str) -> str:
        """Return a name that no value has yet, `preferred` if possible."""
        return _added(preferred, self._names)

    def unique_node(self, preferred: str) -> str:
        """Return a name that no node has yet, in bodies neither, `preferred` if possible."""
        return _added(preferred, self._node_names)

    def constant(self, array: Array, element_type: ElementType) -> str:
        """Return the name of a constant that the model does not have; equal ones are one."""
        key = element_type.name, array.shape, pack(array, element_type)
        if key not in self._constants:
            name = self.unique(f"constant_{len(self._constants)}")
            self.add_initializer(name, element_type, array.shape, array)
            self._constants[key] = name
        return self._constants[key]

    def add_initializer(self, name: str, element_type: ElementType, shape: tuple[int, ...], source: Any) -> None:
        """Add a tensor; `source` is an array, or a Const whose values are read when the file is written."""
        self.types[name] = element_type
        self.initializers.append((name, element_type, shape, source))


def _added(preferred: str, taken: set[str]) -> str:
    """Add a name that is not taken to a set, and return it: `preferred` if possible, but never an empty one."""
    name, number = preferred, 1
    while name in taken or not name:
        name, number = f"{preferred}_{number}", number + 1
    taken.add(name)
    return name


class GraphBuilder:
    """The nodes of the graph of a model or a body."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.nodes: list[Any] = []
        self.prefix = ""
        """The name of the layer that is written, which the names of its nodes begin with."""

    def emit(
        self, op: str, inputs: Sequence[str], count: int, result: ElementType | None, attributes: Any
    ) -> list[str]:
        """Add a node and return the names of its outputs.

        Inputs of a type that the operator lacks are cast to a wider one, and outputs of that type back. `result` is the
        type of outputs that the schema does not tell.
        """
        schema = schema_of(op, self.document.opset)
        require_attributes(schema, attributes, len(inputs), self.document.opset)
        operands, types = self._cast_operands(schema, inputs)
        names = [self.fresh(schema.name) for _ in range(count)]
        self.add(op, operands, names, attributes)
        outputs = []
        for position, name in enumerate(names):
            text = _at(schema.outputs, position).type_str
            pair = types.get(text)
            own_type = None if pair is None else pair[1]
            computed = (None if pair is None else pair[0]) or type_of_text(text) or result or _single(schema, text)
            if computed is None:
                raise TypeError(f"the schema of {op} does not tell the type of output {position}")
            self.document.types[name] = computed
            outputs.append(name if own_type is None or own_type is computed else self.cast(name, own_type))
        return outputs

    def cast(self, value: str, element_type: ElementType) -> str:
        """Return a value in an element type that ONNX has."""
        if self.document.types[value] is element_type:
            return value
        schema, text = schema_of("Cast", self.document.opset), type_text(element_type)
        if not any(text in constraint.allowed_type_strs for constraint in schema.type_constraints[1:]):
            raise NotExpressibleError(f"ONNX's Cast of opset {self.document.opset} gives no {element_type.name}")
        name = self.fresh("Cast")
        self.add("Cast", [value], [name], {"to": number_of(element_type)})
        self.document.types[name] = element_type
        return name

    def _cast_operands(
        self, schema: Any, inputs: Sequence[str]
    ) -> tuple[list[str], dict[str, tuple[ElementType, ElementType]]]:
        """Return the inputs in types that the operator takes, and the computed and the own_type type by variable."""
        types: dict[str, tuple[ElementType, ElementType]] = {}
        allowed = {constraint.type_param_str: constraint.allowed_type_strs for constraint in schema.type_constraints}
        operands = []
        for position, value in enumerate(inputs):
            text = _at(schema.inputs, position).type_str
            if not value or value not in self.document.types:
                operands.append(value)
                continue
            own_type = self.document.types[value]
            if text not in types or not _at(schema.inputs, position).is_homogeneous:
                accepted = allowed.get(text, [text])
                computed = computing_type(own_type, accepted) or (type_of_text(text) if text not in allowed else None)
                if computed is None:
                    raise NotExpressibleError(
                        f"ONNX's {schema.name} of opset {self.document.opset} takes no {own_type.name}"
                    )
                types[text] = computed, own_type
            operands.append(self.cast(value, types[text][0]) if own_type.item is None else value)
        return operands, types

    def fresh(self, op: str) -> str:
        """Return a name for a value of the layer that is written."""
        return self.document.unique(f"{self.prefix}/{op}")

    def add(self, op: str, inputs: Sequence[str], outputs: Sequence[str], attributes: Any) -> None:
        """Add a node with these outputs; attributes that are None are left out."""
        from onnx import helper

        domain, _, op_type = op.rpartition(".")
        if domain:
            self.document.domains[domain] = domain_opset(domain, self.document.opset)
        present = {key: value for key, value in attributes.items() if value is not None}
        name = self.document.unique_node(outputs[0])
        node = helper.make_node(op_type, inputs, outputs, name=name, domain=domain or None, **present)
        self.nodes.append(node)

    def value_proto(self, value: str, element_type: ElementType, is_scalar: bool = False) -> Any:
        """Return a `ValueInfoProto` of a type, of a scalar or without a shape."""
        from onnx import ValueInfoProto

        proto = ValueInfoProto(name=value)
        set_type(proto.type, element_type)
        if is_scalar:
            proto.type.tensor_type.shape.SetInParent()
        return proto

    def rename(self, value: str, name: str, since: int, node_name: str) -> None:
        """Give a value that a node after the first `since` ones computes another name, and the node one if any."""
        self.document.types[name] = self.document.types.pop(value)
        for node in self.nodes[since:]:
            if node_name and value in node.output:
                node.name = self.document.unique_node(node_name)
            for field in (node.input, node.output):
                for position, entry in enumerate(field):
                    if entry == value:
                        field[position] = name


def require_attributes(schema: Any, attributes: Mapping[str, Any], inputs: int, opset: int) -> None:
    """Raise if an operator has no such attributes, or takes fewer inputs, in the opset that is written."""
    for name, value in attributes.items():
        if value is not None and name not in schema.attributes:
            raise NotExpressibleError(f"ONNX's {schema.name} of opset {opset} has no attribute {name}")
    if inputs > schema.max_input:
        raise NotExpressibleError(f"ONNX's {schema.name} of opset {opset} takes no input {schema.max_input}")


@lru_cache(maxsize=1024)
def schema_of(op: str, opset: int) -> Any:
    """Return the schema of an operator in an opset; raises if the opset lacks it."""
    from onnx import defs

    domain, _, op_type = op.rpartition(".")
    try:
        schema = defs.get_schema(op_type, domain_opset(domain, opset), domain)
    except defs.SchemaError:
        raise NotExpressibleError(f"ONNX of opset {opset} has no operator {op}") from None
    if schema.deprecated:
        raise NotExpressibleError(f"ONNX of opset {opset} has no operator {op} any more")
    return schema


@lru_cache(maxsize=64)
def domain_opset(domain: str, opset: int) -> int:
    """Return the version of a domain that came with an opset."""
    from onnx import helper

    if not domain:
        return opset
    released: list[int] = [row[3] for row in helper.VERSION_TABLE if len(row) > 3 and row[2] <= opset]
    return max(released)


def _at(parameters: Any, position: int) -> Any:
    """Return a formal parameter; the last one stands for all that follow."""
    return parameters[min(position, len(parameters) - 1)]


def _single(schema: Any, text: str) -> ElementType | None:
    """Return the only type of a variable, or None."""
    texts = [type for item in schema.type_constraints if item.type_param_str == text for type in item.allowed_type_strs]
    return type_of_text(texts[0]) if len(texts) == 1 else None


def type_proto(element_type: ElementType) -> Any:
    """Return a `TypeProto` for a tensor, sequence, optional or map."""
    from onnx import TypeProto

    proto = TypeProto()
    set_type(proto, element_type)
    return proto


def set_type(proto: Any, element_type: ElementType) -> None:
    """Fill a `TypeProto` for a tensor, sequence, optional or map."""
    item = element_type.item
    if item is None:
        proto.tensor_type.elem_type = number_of(element_type)
    elif element_type.kind == "map":
        key = ElementType.string if element_type.name.startswith("map_string") else ElementType.i64
        proto.map_type.key_type = number_of(key)
        set_type(proto.map_type.value_type, item)
    else:
        set_type(getattr(proto, f"{element_type.kind}_type").elem_type, item)
