"""`ir-plugin info`: facts about a model."""

from __future__ import annotations

import json
import os
from collections import defaultdict
from pathlib import Path
from typing import Any

import click

from ir_plugin.cli import options
from ir_plugin.cli.command import Command
from ir_plugin.cli.console import say, working
from ir_plugin.cli.options import model_file, shapes_of
from ir_plugin.cli.tables import print_table


@click.command(cls=Command)
@options.model_or_folder
@click.option("--layers", is_flag=True, help="Also print a row for every layer.")
@click.option(
    "--shape", metavar="NAME=1x3x8x8", multiple=True, help="Count for an input of this shape; one input needs no name."
)
@options.no_validate
@options.json
@options.quiet
def info(model: Path, layers: bool, shape: tuple[str, ...], validate: bool, json_: bool) -> None:
    """Print a model's inputs, outputs, cost and requirements.

    These include operations, parameters, multiplications, memory, and the required opset and OpenVINO release.
    Of the folder of a language model also its tokens, chat template and parameters of generation.
    MMAC are millions of multiply-accumulates of convolutions, matrix products, and LSTM, GRU and RNN.
    """
    from ir_plugin.openvino.api import Core
    from ir_plugin.report.facts import facts

    with working("reading"):
        source_model = Core().read_model(model_file(model), validate=validate)
        if shape:
            source_model.reshape(shapes_of(shape))
        document = facts(source_model) | _text_document(model)
    if json_:
        click.echo(json.dumps(document, indent=2))
    else:
        _print(document, model, layers)


def _text_document(model: Path) -> dict[str, Any]:
    """Return the facts of a language model's folder beside its model; none for another file."""
    if not os.path.isdir(model):
        return {}
    from ir_plugin.openvino.genai.check_folder import is_text_folder
    from ir_plugin.report.text_facts import text_facts

    return {"texts": text_facts(model)} if is_text_folder(model) else {}


def _print(document: dict[str, Any], model: Path, layers: bool) -> None:
    from ir_plugin.report.facts import facts_summary

    say(f"{document['name'] or model.name}: IR version {document['version']}, {document['layers']} layers")
    lines = facts_summary(document)
    if "texts" in document:
        from ir_plugin.report.text_facts import text_summary

        lines += text_summary(document["texts"])
    for label, text in lines:
        say(f"  {label:<11} {text}")
    say()
    ports = [
        (port["name"], kind.removesuffix("s"), port["type"], port["shape"])
        for kind in ("inputs", "outputs")
        for port in document[kind]
    ]
    print_table(("name", "", "type", "shape"), ports)
    say()
    print_table(("operation", ">count", ">MMAC", "~needs"), _operations(document))
    if layers:
        say()
        print_table(("layer", "operation", "~>MMAC", "~>output bytes", "~needs"), map(_row, document["per_layer"]))


def _operations(document: dict[str, Any]) -> list[tuple[object, ...]]:
    macs: dict[str, int] = defaultdict(int)
    needs: dict[str, str] = {}
    for layer in document["per_layer"]:
        macs[layer["operation"]] += layer["macs"]
        needs[layer["operation"]] = _needs(layer)
    rows = dict.fromkeys([*document["operations"], *macs])
    return [
        (name, document["operations"].get(name, "in bodies"), _millions(macs[name]), needs.get(name, ""))
        for name in rows
    ]


def _row(layer: dict[str, Any]) -> tuple[object, ...]:
    return layer["name"], layer["operation"], _millions(layer["macs"]), f"{layer['output_bytes']:,}", _needs(layer)


def _needs(layer: dict[str, Any]) -> str:
    return f"OpenVINO {layer['minimum_runtime']}" if layer["minimum_runtime"] else ""


def _millions(count: int) -> str:
    return f"{count / 1e6:,.2f}" if count else ""
