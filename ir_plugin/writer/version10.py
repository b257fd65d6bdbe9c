"""Limits of IR version 10: opsets, element types, and the conversion of inputs and outputs by its readers."""

from __future__ import annotations

from collections.abc import Iterator

from ir_plugin.errors import UnsupportedError
from ir_plugin.model import Model, Node, Output
from ir_plugin.operations.opsets import opset_number

NEWEST_OPSET = 8
"""The newest opset that readers of version 10 know: OpenVINO 2021.4's."""

_TYPES = frozenset(
    ["boolean", "bf16", "f16", "f32", "f64", "i4", "i8", "i16", "i32", "i64", "u1", "u4", "u8", "u16", "u32", "u64"]
)
_OUTPUT_TYPES = ("f32", "i32")


def require_version10(model: Model) -> None:
    """Raise with all faults unless the model has the same meaning as a version 10 file."""
    faults = list(dict.fromkeys([*_ends(model), *_layers(model)]))
    if faults:
        listed = "\n".join(f"  {fault}" for fault in faults)
        raise UnsupportedError(f"the model cannot be written as version 10:\n{listed}")


def _ends(model: Model) -> Iterator[str]:
    for node in model.parameters:
        if node.outputs[0].element_type.name == "f16":
            yield f'input "{node.name}" is f16; readers of version 10 make it f32'
    for node in model.results:
        type = node.inputs[0].element_type
        if type.name not in _OUTPUT_TYPES:
            converted = "i32" if type.name in ("i64", "u64", "u32") else "f32"
            yield f'output "{node.name}" is {type.name}; readers of version 10 make it {converted}'


def _layers(model: Model) -> Iterator[str]:
    for node in model.ordered():
        version = node.version if node.operation is None else node.operation.version
        number = opset_number(version)
        if number is not None and number > NEWEST_OPSET:
            yield f'layer "{node.name}" is {node.get_type_name()} of {version}; version 10 has {NEWEST_OPSET} opsets'
        yield from _ports(node)
    for _, _, subgraph in model.bodies():
        yield from _layers(subgraph.body)


def _ports(node: Node) -> Iterator[str]:
    for port in node.outputs:
        type = port.element_type
        if type.is_static and type.name not in _TYPES:
            yield f'layer "{node.name}" has the element type {type.name}, which version 10 lacks'
        if node.get_type_name() == "Parameter" and _is_interval(port):
            yield f'input "{node.name}" has the shape {port.partial_shape}; version 10 knows lengths and -1 only'


def _is_interval(port: Output) -> bool:
    dims = port.partial_shape.dims
    return dims is None or any(dim.is_dynamic and str(dim) != "?" for dim in dims)
