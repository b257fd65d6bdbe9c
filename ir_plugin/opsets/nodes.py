"""Nodes that are built in Python: constants of numbers and arrays, and layers with inferred outputs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from ir_plugin.diagnostics import Finding
from ir_plugin.diagnostics.suggest import did_you_mean
from ir_plugin.errors import ArgumentTypeError, InputError, ShapeError, ValidationError, wrong_type
from ir_plugin.model import Input, Model, Node, Output
from ir_plugin.model.graph import connect
from ir_plugin.model.node import new_id
from ir_plugin.model.python_origin import current_origin
from ir_plugin.model.rewiring import unlist
from ir_plugin.operations.base import Operation
from ir_plugin.operations.infrastructure.const import Const
from ir_plugin.operations.registry import Definition, Registry
from ir_plugin.opsets.lists import spatial_lists
from ir_plugin.schema.catalogue import standard
from ir_plugin.schema.interface import AttributeSpec, Interface
from ir_plugin.schema.values import ValueTextError
from ir_plugin.tensors import Array, Dimension, ElementType, PartialShape, Shape, TensorInfo
from ir_plugin.tensors.packing import to_type
from ir_plugin.validation.inference import Inference


def output_of(value: Any, where: str, name: str | None = None) -> Output:
    """Return an output itself, the only output of a node, or the output of a new Constant with the values.

    `name`, the name of the node that reads it, prefixes the constant's name.
    """
    if isinstance(value, Output):
        return value
    if isinstance(value, Node):
        if len(value.outputs) != 1:
            raise InputError(f'{where}: "{value.name}" has {len(value.outputs)} outputs; write output(…) for one')
        return value.outputs[0]
    constant = constant_node(value)
    if name:
        constant.name = f"{name}/{constant.name}"
    return constant.outputs[0]


def constant_node(value: Any, dtype: Any = None, name: str | None = None) -> Node:
    """Return a Const node with the values of a number, a list, an array or a tensor."""
    array, element_type = _values(value, dtype)
    return new_node("Constant", Const.of(array, element_type), [], name)


def _values(value: Any, dtype: Any) -> tuple[Array, ElementType]:
    if is_tensor(value):
        return np.array(value.values), ElementType(value.element_type)
    if isinstance(value, (str, bytes)):
        raise ArgumentTypeError(f"a constant needs numbers, a list of texts or a node, not {type(value).__name__}")
    try:
        array = np.array(value)
    except (ValueError, TypeError) as fault:
        raise ArgumentTypeError(f"a constant needs numbers or texts: {fault}") from None
    if array.dtype.kind in "US":
        array = array.astype(object)
    if array.dtype.kind not in "biufcVO" or (array.dtype.kind == "O" and not all(map(_is_text, array.flat))):
        raise ArgumentTypeError(f"a constant needs numbers, texts or a node, not {type(value).__name__}")
    element_type = ElementType.from_dtype(array.dtype) if dtype is None else ElementType(dtype)
    return (array if dtype is None else to_type(array, element_type)), element_type


def is_tensor(value: Any) -> bool:
    """Return whether a value is a `Tensor`, whose class is in a layer above."""
    return isinstance(getattr(value, "element_type", None), ElementType) and hasattr(value, "values")


def _is_text(item: object) -> bool:
    return isinstance(item, (str, bytes))


def built(definition: Definition, inputs: Sequence[Output], values: Mapping[str, Any], name: str | None) -> Node:
    """Return a node of an operation with these inputs and attributes, its outputs inferred.

    Raises `InputError` for an attribute that does not fit, and `ValidationError` for inputs that do not.
    """
    fields = attributes_of(definition, standard().interface(definition), values, inputs)
    return new_node(definition.type, definition.cls(**fields), inputs, name)


def new_node(type: str, operation: Operation, inputs: Sequence[Output], name: str | None) -> Node:
    """Return a node with inferred outputs; without a name, it is named by its type and id."""
    id = new_id()
    node = Node.of(id, name or f"{type}_{id}", operation.type, operation.version, operation)
    node.origin = current_origin()
    connect_inputs(node, inputs)
    return node


def connect_inputs(node: Node, inputs: Sequence[Output]) -> None:
    """Connect the inputs of a node without ports and infer its outputs; connects nothing if they do not fit."""
    for index, source in enumerate(inputs):
        port = Input(node, index, index)
        node.inputs.append(port)
        connect(source, port)
    try:
        tensors = inferred_outputs(node)
    except ValidationError:
        for port in node.inputs:
            unlist(port)
        raise
    for index, tensor in enumerate(tensors):
        output = Output(node, index, len(inputs) + index)
        output.tensor_info = tensor
        node.outputs.append(output)


def inferred_outputs(node: Node) -> Sequence[TensorInfo]:
    """Return the inferred output tensors; their values are computed from the producers when they are first read."""
    inputs = [port.tensor_info for port in node.inputs]
    inference = _BuiltInference()
    try:
        tensors = inference.infer(node, inputs)
    except ShapeError as fault:
        raise _misfit(node, inputs, fault) from None
    inference.update_bodies(node)
    for index, tensor in enumerate(tensors):
        tensor.resolve_with(partial(inference.resolve, node, index))
    return tensors


_OF_ANY_TYPE = {
    ("CTCGreedyDecoderSeqLen", "opset6"),
    ("Gather", "opset1"),
    ("GroupNormalization", "opset12"),
    ("NonMaxSuppression", "opset1"),
    ("NonMaxSuppression", "opset3"),
    ("NonMaxSuppression", "opset4"),
}
"""Definitions that OpenVINO builds from inputs whose element types the specification does not allow."""


class _BuiltInference(Inference):
    """Inference over nodes whose outputs hold their inferred tensors."""

    is_partial = True

    def __init__(self) -> None:
        super().__init__(lenient=False)
        self.tensors = _KnownTensors()
        self.operations = _SpecializedOperations()
        self._inner: Inference | None = None

    def infer(self, node: Node, inputs: Sequence[TensorInfo | None]) -> Sequence[TensorInfo]:
        """Return the inferred outputs; element types are checked where OpenVINO checks them."""
        self._lenient = (node.operation.type, node.operation.version) in _OF_ANY_TYPE
        return super().infer(node, inputs)

    def infer_body(self, node: Node, body: Model, parameters: Sequence[TensorInfo]) -> list[TensorInfo]:
        """Return the tensors of a body's Results; a body reads nothing of the graph around it."""
        if self._inner is None:
            self._inner = Inference()
        return self._inner.infer_body(node, body, parameters)

    def update_bodies(self, node: Node) -> None:
        """Write the inferred tensors of the ports in the bodies of a node, which a printed body shows."""
        if self._inner is None:
            return
        for port, tensor in self._inner.tensors.items():
            port.tensor_info = tensor
        for subgraph in node.operation.subgraphs.values():
            for parameter in subgraph.body.parameters:
                tensor = parameter.outputs[0].tensor_info
                parameter.operation.element_type, parameter.operation.shape = tensor.element_type, tensor.shape


class _KnownTensors(dict[Output, TensorInfo]):
    """A mapping from each output to its inferred tensor."""

    def get(self, port: Output, default: Any = None) -> TensorInfo:
        del default
        return port.tensor_info

    def __missing__(self, port: Output) -> TensorInfo:
        return port.tensor_info


class _SpecializedOperations(dict[Node, Operation]):
    """A mapping from each node to its operation, specialized to the types of its ports."""

    def __missing__(self, node: Node) -> Operation:
        operation: Operation = node.operation
        inputs = tuple(None if port.source is None else port.source.tensor_info.element_type for port in node.inputs)
        return operation.specialize(inputs, tuple(port.tensor_info.element_type for port in node.outputs))


def _misfit(node: Node, inputs: Sequence[TensorInfo], fault: ShapeError) -> ValidationError:
    """Return the error for a node that does not fit its inputs, with the line that builds it."""
    signature = ", ".join(map(str, inputs))
    finding = Finding.of(
        "IR301",
        str(fault),
        span=node.span(),
        layer=node.ref(),
        because=f"{node.operation.type}({signature})",
        help=fault.help,
    )
    origin = f"{node.origin}: " if node.origin is not None else ""
    return ValidationError(
        f'{origin}layer "{node.name}" ({node.operation.type}): {fault}; its inputs: {signature}', [finding]
    )


def attributes_of(
    definition: Definition,
    interface: Interface,
    values: Mapping[str, Any],
    inputs: Sequence[Output],
    complete: bool = True,
) -> dict[str, Any]:
    """Return the fields of an operation: the values, and the defaults of absent attributes.

    With `complete`, an absent attribute without a default raises.
    """
    fields = default_fields(interface)
    specs = _specs(interface)
    parsed = dict(parsed_attribute(definition, name, value) for name, value in values.items())
    fields |= parsed
    lists = spatial_lists(definition, parsed, inputs)
    missing = [spec.name for name, spec in specs.items() if spec.required and name not in parsed and name not in lists]
    if complete and missing:
        raise InputError(f"{definition.type} needs the attribute{'s' * (len(missing) > 1)} {', '.join(missing)}")
    return fields | lists


def default_fields(interface: Interface) -> dict[str, Any]:
    """Return the fields of an operation whose layer writes no attribute."""
    return dict(interface.values_when_absent)


def _specs(interface: Interface) -> dict[str, AttributeSpec]:
    return {spec.python_name: spec for spec in interface.attributes.values() if spec.type != "extra"}


def parsed_attribute(definition: Definition, name: str, value: Any) -> tuple[str, Any]:
    """Return the field and the value of an attribute; raises if there is none, or the value does not fit."""
    specs = _specs(standard().interface(definition))
    spec = specs.get(name.replace("-", "_"))
    if spec is None:
        raise InputError(
            f"{definition.type} has no attribute {name!r}; {did_you_mean(name, specs) or ', '.join(specs)}"
        )
    return spec.python_name, _parsed(definition, spec, value)


def _parsed(definition: Definition, spec: AttributeSpec, value: Any) -> Any:
    if spec.type == "string" and not isinstance(value, str):
        raise wrong_type(f"{definition.type}, attribute {spec.name!r}", "a text", value)
    text = attribute_text(value, spec.type)
    try:
        return spec.parse(text.lower() if spec.type == "enumeration" else text)
    except ValueTextError as fault:
        try:
            return spec.parse_loosely(text)
        except ValueTextError:
            raise InputError(f"{definition.type}, attribute {spec.name!r}: {fault}") from None


def attribute_text(value: Any, kind: str) -> str:
    """Return a value of an attribute as an IR writes it."""
    if kind == "element_type":
        return str(ElementType(value).name)
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (PartialShape, Shape)):
        return ",".join(map(str, value))
    if isinstance(value, (str, Dimension)):
        return str(value)
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, Iterable):
        return ",".join(attribute_text(item, "") for item in value)
    if isinstance(value, np.generic):
        value = value.item()
    return repr(value) if isinstance(value, float) else str(value)


def definition_of(type: str, version: str) -> Definition:
    """Return the definition of an operation that an opset introduced."""
    definition = Registry().resolve(type, version)
    if definition is None:
        raise InputError(f"there is no operation {type} in {version}")
    return definition
