"""Names of the inputs and outputs of version 10 models, which include layer names."""

from __future__ import annotations

from ir_plugin.model import Model, Node, Output
from ir_plugin.reader.reading import ElementOrigin, Reading
from ir_plugin.schema.values import shown


def name_tensors_as_layers(reading: Reading, model: Model) -> None:
    """Name the input and output tensors of a version 10 model after their layers, as OpenVINO does.

    A name that another input or output has, or the layer of one, is an error: OpenVINO refuses the file.
    """
    owners: dict[str, Node] = {}
    for parameter in model.parameters:
        owners |= dict.fromkeys(parameter.outputs[0].names, parameter) if parameter.outputs else {}
    sources = [(result, result.inputs[0].source) for result in model.results if result.inputs]
    for result, source in sources:
        for name in sorted(source.names) if source is not None else ():
            if owners.setdefault(name, result) is not result:
                _report_tensor(reading, result, owners[name], name)
    for _, source in sources:
        if source is not None:
            _name_as_layer(reading, source, _output_name(source), owners)
    for parameter in model.parameters:
        for port in parameter.outputs:
            _name_as_layer(reading, port, parameter.name, owners)


def _output_name(port: Output) -> str:
    """Return the name that an output has by its layer, with a number where the layer has several outputs."""
    return port.node.name if len(port.node.outputs) == 1 else f"{port.node.name}.{port.index}"


def _name_as_layer(reading: Reading, port: Output, name: str, owners: dict[str, Node]) -> None:
    """Give a tensor the name of its layer, and report the name if another input or output has it."""
    if name in owners and name not in port.names:
        _report_layer(reading, port, owners[name], name)
    owners.setdefault(name, port.node)
    port.names |= {name}


def _report_tensor(reading: Reading, result: Node, owner: Node, name: str) -> None:
    if not reading.strict or not isinstance(result.origin, ElementOrigin):
        return
    reading.report(
        "IR214", f"the Result reads the tensor {shown(name)}, which belongs to {_shown(owner)} too",
        result.origin.element, attribute="name", layer=result.ref(), severity="error",
        because="OpenVINO refuses a version 10 file in which several inputs and outputs share a tensor name",
        help='write version="11", let one Result read the tensor, or remove its names',
    )  # fmt: skip


def _report_layer(reading: Reading, port: Output, owner: Node, name: str) -> None:
    if not reading.strict or not isinstance(port.node.origin, ElementOrigin):
        return
    reading.report(
        "IR214", f"the tensor is named {shown(name)} after its layer, and so is the tensor of {_shown(owner)}",
        port.node.origin.element, attribute="name", layer=port.node.ref(f"output port {port.port_id}"),
        severity="error",
        because="OpenVINO names inputs and outputs of version 10 after their layers, and refuses the file",
        help='give the layer another name, or write version="11"',
    )  # fmt: skip


def _shown(node: Node) -> str:
    return f'the {node.type} "{node.name}" (id {node.id})'
