"""Edits of a model: other shapes, more outputs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, SupportsIndex

from ir_plugin.diagnostics import Findings
from ir_plugin.diagnostics.suggest import did_you_mean
from ir_plugin.errors import InputError, ValidationError, require, wrong_type
from ir_plugin.model import Model, Node, Output
from ir_plugin.openvino.api.building import result_of
from ir_plugin.openvino.api.lookup import position_of
from ir_plugin.operations.base import OperationClass
from ir_plugin.operations.infrastructure.read_value import ReadValue
from ir_plugin.tensors import FrozenShape, PartialShape, Shape, frozen
from ir_plugin.validation.check import infer_model

Shapes = dict[Node, FrozenShape]

_SHAPES = (PartialShape, Shape, str, list, tuple)


def shapes_by_node(parameters: list[Node], shapes: Any) -> Shapes:
    """Return input shapes by Parameter, from a shape for the only input, or shapes by index, name or port."""
    by_key = shapes if isinstance(shapes, Mapping) else {None: shapes}
    ports = [node.outputs[0] for node in parameters]
    for key in shapes if isinstance(shapes, Mapping) else ():
        require(key, (SupportsIndex, str, Output), "an index, a name or a port", "shapes")
    for shape in by_key.values():
        require(shape, _SHAPES, "a PartialShape, text, a list or a tuple", "shapes")
    by_node: Shapes = {}
    for key, shape in by_key.items():
        node = parameters[position_of(ports, key, "input")]
        if node in by_node:
            raise InputError(f'the shape of input "{node.name}" is given twice')
        by_node[node] = frozen(shape)
    return by_node


def variable_shapes(model: Model, shapes: Mapping[str, Any] | None) -> Shapes:
    """Return variable shapes by ReadValue, from shapes by variable id."""
    if shapes is None:
        return {}
    require(shapes, Mapping, "a dictionary of shapes by variable", "variables_shapes")
    readers = {node.operation.variable_id: node for node in model.nodes if node.is_a(ReadValue)}
    by_node: Shapes = {}
    for name, shape in shapes.items():
        require(name, str, "the name of a variable", "variables_shapes")
        require(shape, _SHAPES, "a PartialShape, text, a list or a tuple", "variables_shapes")
        if name not in readers:
            raise InputError(f"the model has no variable {name!r}; it has {', '.join(readers) or 'none'}")
        by_node[readers[name]] = frozen(shape)
    return by_node


def reshape(model: Model, shapes: Shapes, variables: Shapes) -> None:
    """Change the shapes of parameters and variables, and infer all others; an error leaves the model unchanged."""
    old_shapes = {node: node.operation.shape for node in shapes}
    old_variables = {node: node.operation.variable_shape for node in variables}
    _set(shapes, "shape")
    _set(variables, "variable_shape")
    try:
        infer(model, "the model cannot be reshaped")
    except ValidationError:
        _set(old_shapes, "shape")
        _set(old_variables, "variable_shape")
        infer_model(model, Findings(), strict=False)
        raise


def _set(shapes: Shapes, attribute: str) -> None:
    for node, shape in shapes.items():
        setattr(node.operation, attribute, shape)


def infer(model: Model, what: str) -> None:
    """Infer all shapes again; raises with the first layer that does not fit."""
    findings = Findings()
    infer_model(model, findings, strict=False)
    if findings.errors:
        first = findings.errors[0]
        raise ValidationError(f"{what}: layer {first.layer}: {first.message}", list(findings))


def find_outputs(model: Model, names: Any) -> list[Output]:
    """Return the outputs for tensor names, layer names, (layer name, port number) or ports."""
    items = names if isinstance(names, (list, tuple)) and not is_layer_port(names) else [names]
    return [_find_output(model, item) for item in items]


def is_layer_port(item: Any) -> bool:
    """Return whether an item is a pair of the name of a layer and the number of its port."""
    return isinstance(item, tuple) and len(item) == 2 and isinstance(item[0], str) and isinstance(item[1], int)


def _find_output(model: Model, item: Any) -> Output:
    if isinstance(item, Output):
        return item
    if isinstance(item, Node):
        return item.output(0)
    if is_layer_port(item):
        return _layer(model, item[0]).output(item[1])
    if not isinstance(item, str):
        raise wrong_type("outputs", "a tensor name, (layer name, port) or a port", item)
    for node in model.nodes:
        for port in node.outputs:
            if item in port.names and node.get_type_name() != "Result":
                return port
    return _layer(model, item).output(0)


def _layer(model: Model, name: str) -> Node:
    for node in model.nodes:
        if node.name == name:
            return node
    candidates = [node.name for node in model.nodes]
    candidates += [tensor for node in model.nodes for port in node.outputs for tensor in port.names]
    help = did_you_mean(name, candidates)
    raise InputError(f"the model has no tensor and no layer {name!r}" + (f"; {help}" if help else ""))


def add_result(model: Model, port: Output) -> Node:
    """Return the Result of a port, a new one if there is none; a port without tensor names gets the Result's name."""
    for reader in port.readers:
        if reader.node.get_type_name() == "Result" and reader.node in model.nodes:
            return reader.node
    number = max((int(node.id) for node in model.nodes), default=-1) + 1
    node = result_of(port, str(number))
    if not port.names:
        port.set_names([node.name])
    node.outputs[0].copy_names(port)
    model.nodes.append(node)
    return node


def add_nodes(model: Model, nodes: Any, definition: OperationClass) -> None:
    """Add nodes of an operation; nothing is added where one has another, or needs a Parameter that is not there."""
    type = definition.type
    require(nodes, (list, tuple), f"a list of {type}s", f"{type.lower()}s")
    for node in nodes:
        require(node, Node, f"a {type}", f"{type.lower()}s")
        if not node.is_a(definition):
            raise InputError(f"{node!r} is no {type}")
    before = list(model.nodes)
    model.nodes += [node for node in nodes if node not in before]
    order = model.ordered()
    missing = [node.name for node in order if node.get_type_name() == "Parameter" and node not in model.nodes]
    if missing:
        model.nodes = before
        raise InputError(f"the model reads Parameters that are not among its inputs: {', '.join(missing)}")
    present = set(model.nodes)
    model.nodes += [node for node in order if node not in present]
    for result in model.results:
        source = result.inputs[0].source
        if source is not None and not result.outputs[0].names:
            result.outputs[0].take_names(source)


def replace_parameter(model: Model, old: Node, new: Any) -> None:
    """Put a Parameter where another stands, and let its readers read it."""
    require(new, Node, "a Parameter", "parameter")
    if new.get_type_name() != "Parameter":
        raise InputError(f"{new!r} is not a Parameter")
    if new is old:
        return
    if new in model.nodes:
        raise InputError(f'"{new.name}" is an input of the model already')
    old.outputs[0].replace(new.outputs[0])
    model.nodes = [new if node is old else node for node in model.nodes if node is not new]


def remove_node(model: Model, node: Node, definition: OperationClass) -> None:
    """Remove a Result, Assign or Parameter from a model; other nodes change nothing, as in OpenVINO."""
    require(node, Node, f"a {definition.type}", definition.type.lower())
    if node not in model.nodes or not node.is_a(definition):
        return
    for port in node.inputs:
        if port.source is not None:
            port.source.readers.remove(port)
    model.nodes.remove(node)
