"""`ir-plugin info`: what a model is."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import click

from ir_plugin.cli import options
from ir_plugin.cli.command import Command
from ir_plugin.cli.console import say, working
from ir_plugin.cli.options import shapes_of
from ir_plugin.cli.tables import print_table

_UNITS = ((1e12, "T"), (1e9, "G"), (1e6, "M"))


@click.command(cls=Command)
@options.model
@click.option("--layers", is_flag=True, help="Also a row for every layer.")
@click.option(
    "--shape",
    metavar="NAME=1x3x8x8",
    multiple=True,
    help="Count for an input of this shape; one input needs no name.",
)
@options.json
@options.quiet
def info(model: Path, layers: bool, shape: tuple[str, ...], json_: bool) -> None:
    """Print what a model takes, gives and costs, and what it needs.

    That are inputs, outputs, operations, parameters, multiplications, memory, and the opset and OpenVINO release.
    MMAC are millions of multiply-accumulates of convolutions and matrix products.
    """
    from ir_plugin.api import Core
    from ir_plugin.report.facts import facts

    with working("reading"):
        read = Core().read_model(model)
        if shape:
            read.reshape(shapes_of(shape))
        found = facts(read)
    if json_:
        click.echo(json.dumps(found, indent=2))
    else:
        _print(found, model, layers)


def _print(found: dict[str, Any], model: Path, layers: bool) -> None:
    say(f"{found['name'] or model.name}: IR version {found['version']}, {found['layers']} layers")
    for label, text in _head(found):
        say(f"  {label:<11} {text}")
    say()
    ports = [
        (port["name"], kind.removesuffix("s"), port["type"], port["shape"])
        for kind in ("inputs", "outputs")
        for port in found[kind]
    ]
    print_table(("name", "", "type", "shape"), ports)
    say()
    print_table(("operation", ">count", ">MMAC", "~needs"), _operations(found))
    if layers:
        say()
        print_table(("layer", "operation", "~>MMAC", "~>output bytes", "~needs"), map(_row, found["per_layer"]))


def _head(found: dict[str, Any]) -> list[tuple[str, str]]:
    factor, prefix = next((unit for unit in _UNITS if found["flops"] >= unit[0]), _UNITS[-1])
    dynamic = "; with unknown lengths of 1" if found["is_dynamic"] else ""
    release = found["minimum_runtime"]
    return [
        ("parameters", f"{found['parameters']:,} in {found['weight_bytes']:,} bytes"),
        ("cost", f"{found['flops'] / factor:,.2f} {prefix}FLOP ({found['macs'] / factor:,.2f} {prefix}MAC){dynamic}"),
        ("memory", f"{found['peak_bytes']:,} bytes for values at a time, besides the parameters"),
        ("needs", f"OpenVINO {release}{' or newer' if release[:1].isdigit() else ''}, opset{found['minimum_opset']}"),
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
