"""`ir-plugin cut`: write the part of a model between tensors as a separate model."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem

from ir_plugin.cli import options
from ir_plugin.cli.command import Command
from ir_plugin.cli.console import say, say_wrapped, working
from ir_plugin.cli.tables import print_table
from ir_plugin.cli.writing import ONNX, opset_of, require_own_path, write_model
from ir_plugin.tensors.files import open_regular

if TYPE_CHECKING:
    from ir_plugin.model import Output
    from ir_plugin.openvino.surgery import Part

_LAYER = re.compile(rb"<layer\s[^>]*?\bname=\"([^\"<>&]{1,200})\"")
_MAX_BYTES = 2**25


def _layers(context: click.Context, _parameter: click.Parameter, prefix: str) -> list[CompletionItem]:
    """Return the layers of the model on the command line that begin with a prefix.

    While the value of an option is missing, click leaves the model among the unparsed words.
    """
    model = context.params.get("model") or next(iter(context.args), None)
    try:
        if model is None or os.path.getsize(model) > _MAX_BYTES:
            return []
        with open_regular(model) as file:
            names = [name.decode("utf-8", "replace") for name in _LAYER.findall(file.read())]
    except OSError:
        return []
    return [CompletionItem(name) for name in dict.fromkeys(names) if name.startswith(prefix)]


@click.command(cls=Command)
@options.model
@click.option("--from", "from_", metavar="TENSOR", multiple=True, shell_complete=_layers,
              help="An input of the part: a tensor, a layer, LAYER:PORT or the id of a layer.")  # fmt: skip
@click.option("--to", metavar="TENSOR", multiple=True, shell_complete=_layers,
              help="An output of the part; default: the model's outputs that depend on the inputs.")  # fmt: skip
@click.option(
    "--out", "-o", type=options.FILE, required=True, help="Write this .xml, weights beside it, or this .onnx."
)
@options.json
@options.quiet
def cut(model: Path, from_: tuple[str, ...], to: tuple[str, ...], out: Path, json_: bool) -> None:
    """Write the part of a model between some tensors.

    The tensors of --from become its inputs, with the inferred types and shapes; without --from it has the model's
    inputs. A layer stands for all of its outputs. Other inputs of the model that the part needs come along, with a
    note; values that are known without running become constants.
    """
    if not from_ and not to:
        raise click.UsageError(
            "name where the part begins or ends: --from TENSOR, --to TENSOR", click.get_current_context()
        )
    require_own_path(model, out, "the part")
    from ir_plugin.openvino.api import Core
    from ir_plugin.openvino.surgery import extract

    with working("reading"):
        whole = Core().read_model(model)
        part = extract(whole, list(from_), list(to))
        write_model(part.model, out, opset_of(model) if out.suffix == ONNX else None)
    if json_:
        click.echo(json.dumps(_document(part, out, len(whole.nodes))))
        return
    ports = [("input", port) for port in part.model.inputs] + [("output", port) for port in part.model.outputs]
    print_table(("", "tensor", "type", "shape"), [(kind, *_row(port)) for kind, port in ports], flexible=(1,))
    for note in part.notes:
        say_wrapped(f"note: {note}", error=True)
    say(f"{out} has {len(part.model.nodes)} of {len(whole.nodes)} layers")


def _row(port: Output) -> tuple[str, str, str]:
    names = sorted(port.names) or [port.node.name]
    return ", ".join(names), port.element_type.name, str(port.partial_shape)


def _document(part: Part, out: Path, layers: int) -> dict[str, object]:
    return {
        "out": str(out),
        "layers": len(part.model.nodes),
        "layers_before": layers,
        "inputs": list(map(_plain, part.model.inputs)),
        "outputs": list(map(_plain, part.model.outputs)),
        "notes": list(part.notes),
    }


def _plain(port: Output) -> dict[str, object]:
    return {
        "name": port.node.name,
        "tensor_names": sorted(port.names),
        "type": port.element_type.name,
        "shape": str(port.partial_shape),
    }
