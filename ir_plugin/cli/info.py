"""`ir-plugin info`: what a model is."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import Annotated, Any

import typer

from ir_plugin.cli.app import ModelPath
from ir_plugin.cli.console import print_table, say
from ir_plugin.cli.options import Json, Quiet


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(info)


def info(
    model: ModelPath,
    layers: Annotated[bool, typer.Option("--layers", help="Also a row for every layer.")] = False,
    json_: Json = False,
    quiet: Quiet = False,
) -> None:
    """Print the inputs, outputs, operations, parameters and cost of a model, and the runtime it needs.

    MMAC are millions of multiply-accumulates of convolutions and matrix products. Lengths that are not known count as
    short as they can be, but 1.
    """
    from ir_plugin.api import Core
    from ir_plugin.report.facts import facts

    del quiet
    found = facts(Core().read_model(model))
    if json_:
        typer.echo(json.dumps(found, indent=2))
        return
    for line in _head(found, model.name):
        say(line)
    say()
    ports = [
        (kind.removesuffix("s"), port["name"], port["type"], port["shape"])
        for kind in ("inputs", "outputs")
        for port in found[kind]
    ]
    print_table("", ("port", "names", "type", "shape"), ports)
    say()
    print_table("", ("operation", ">count", ">MMAC", "needs"), _operations(found))
    if layers:
        say()
        print_table("", ("layer", "operation", ">MMAC", ">output bytes", "needs"), map(_row, found["per_layer"]))


def _head(found: dict[str, Any], file: str) -> list[str]:
    dynamic = ", for unknown lengths of 1" if found["is_dynamic"] else ""
    return [
        f"{found['name'] or file}: IR version {found['version']}, {found['layers']} layers, "
        f"{found['parameters']:,} parameters in {found['weight_bytes']:,} bytes, needs opset{found['minimum_opset']} "
        f"(OpenVINO {found['minimum_runtime']})",
        f"{found['flops'] / 1e6:,.2f} MFLOP ({found['macs'] / 1e6:,.2f} MMAC), "
        f"{found['peak_bytes']:,} bytes for values at a time{dynamic}",
    ]


def _operations(found: dict[str, Any]) -> list[tuple[object, ...]]:
    macs: dict[str, int] = defaultdict(int)
    needs: dict[str, str] = {}
    for layer in found["per_layer"]:
        macs[layer["operation"]] += layer["macs"]
        needs[layer["operation"]] = _needs(layer)
    rows = dict.fromkeys([*found["operations"], *macs])
    return [
        (name, found["operations"].get(name, "in bodies"), _millions(macs[name]), needs.get(name, "")) for name in rows
    ]


def _row(layer: dict[str, Any]) -> tuple[object, ...]:
    return layer["name"], layer["operation"], _millions(layer["macs"]), f"{layer['output_bytes']:,}", _needs(layer)


def _needs(layer: dict[str, Any]) -> str:
    return f"OpenVINO {layer['minimum_runtime']}" if layer["minimum_runtime"] else ""


def _millions(count: int) -> str:
    return f"{count / 1e6:,.2f}" if count else ""
