"""`ir-plugin info`: what a model is."""

from __future__ import annotations

import json
from collections import Counter
from typing import Annotated, Any

import typer

from ir_plugin.cli.app import ModelPath
from ir_plugin.cli.console import print_table


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(info)


def info(
    model: ModelPath, json_: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False
) -> None:
    """Print the inputs, outputs, operations and parameters of a model."""
    facts = _facts(model)
    if json_:
        typer.echo(json.dumps(facts, indent=2))
        return
    typer.echo(
        f"{facts['name'] or model.name}: IR version {facts['version']}, {facts['layers']} layers, "
        f"{facts['parameters']:,} parameters in {facts['weight_bytes']:,} bytes, needs opset{facts['minimum_opset']}\n"
    )
    ports = [
        (kind.removesuffix("s"), port["name"], port["type"], port["shape"])
        for kind in ("inputs", "outputs")
        for port in facts[kind]
    ]
    print_table("", ("port", "names", "type", "shape"), ports)
    typer.echo("")
    print_table("", ("operation", ">count"), facts["operations"].items())


def _facts(path: Any) -> dict[str, Any]:
    from ir_plugin.api import Core
    from ir_plugin.operations.opsets import opset_number

    model = Core().read_model(path)
    nodes = model.get_ordered_ops()
    constants = [node.operation for node in nodes if node.get_type_name() == "Constant"]
    sizes = [port.partial_shape.size for node in nodes if node.get_type_name() == "Constant" for port in node.outputs]
    counts = Counter(f"{node.get_type_name()}-{node.operation.version.removeprefix('opset')}" for node in nodes)
    return {
        "name": model.name,
        "version": model.version,
        "layers": len(nodes),
        "parameters": sum(size.lower for size in sizes),
        "weight_bytes": sum(constant.size for constant in constants),
        "minimum_opset": max((opset_number(node.operation.version) or 0 for node in nodes), default=0),
        "inputs": [_port(port) for port in model.inputs],
        "outputs": [_port(port) for port in model.outputs],
        "operations": dict(sorted(counts.items(), key=lambda item: (-item[1], item[0]))),
    }


def _port(port: Any) -> dict[str, str]:
    from ir_plugin.api.lookup import names_of

    return {"name": ", ".join(names_of(port)), "type": port.element_type.name, "shape": str(port.partial_shape)}
