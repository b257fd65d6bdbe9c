"""`ir-plugin convert`: an ONNX model as an IR, or a model as ONNX."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ir_plugin.cli import options
from ir_plugin.cli.command import Argument, Command
from ir_plugin.cli.console import say, say_wrapped, working
from ir_plugin.cli.tables import print_table
from ir_plugin.errors import InputError

if TYPE_CHECKING:
    from ir_plugin.model import Model as Graph
    from ir_plugin.model import Output
    from ir_plugin.openvino.api import Model

_OWN = "extension"


@dataclass(frozen=True)
class ConvertArguments:
    """The arguments and options of `ir-plugin convert`."""

    model: Path
    out: str | None
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    compress: bool
    layouts: tuple[str, ...]
    opset: int | None
    external: bool | None
    json_: bool


@click.command(cls=Command)
@click.argument("model", cls=Argument, metavar="MODEL", type=options.FILE, about="An .onnx, or the .xml of an IR.")
@click.option("--output-model", "--output_model", "-o", "out", type=click.Path(),
              help="Write this .xml, this .onnx, or an .xml into this folder; default: the current one.")  # fmt: skip
@click.option("--input", "inputs", metavar="NAME[SHAPE],…", multiple=True,
              help="Inputs and shapes: x[1,3,?,8..16]; an inner tensor cuts the model.")  # fmt: skip
@click.option("--output", "outputs", metavar="NAME,…", multiple=True, help="Keep these outputs or inner tensors.")
@click.option("--compress-to-fp16", "--compress_to_fp16", "compress", type=bool, default=True, is_flag=False,
              flag_value=True, metavar="[True|False]", help="Write f32 and f64 weights as f16.")  # fmt: skip
@click.option("--layout", "layouts", metavar="NAME=NCHW", multiple=True,
              help="The layout of an input or output; the only input needs no name.")  # fmt: skip
@click.option("--opset", type=int, metavar="N", help="The opset of an .onnx that is written; default: 21.")
@click.option("--external-data/--no-external-data", "external", default=None,
              help="Write the weights of an .onnx beside it, or inside; default: beside it from 2 GiB on.")  # fmt: skip
@options.json
@options.quiet
@options.collected(ConvertArguments)
def convert(arguments: ConvertArguments) -> None:
    """Write an ONNX model as an OpenVINO IR, or any model as ONNX.

    The IR has the tensor names of the ONNX model, and runs in OpenVINO, except for operations that OpenVINO lacks;
    a note names these. OpenVINO is not needed for the conversion.
    """
    from ir_plugin.openvino.api import save_model, save_onnx
    from ir_plugin.openvino.api.conversion_inputs import parsed_inputs
    from ir_plugin.openvino.conversion import converted

    target = _target(arguments.model, arguments.out)
    with working("converting"):
        names = [name for text in arguments.outputs for name in text.split(",")]
        result = converted(arguments.model, parsed_inputs(arguments.inputs), names)
        for text in arguments.layouts:
            _set_layout(result, text)
        if target.suffix == ".onnx":
            save_onnx(result, target, arguments.opset, arguments.external)
        else:
            _require_no_onnx_options(arguments)
            save_model(result, target, compress_to_fp16=arguments.compress)
    own = [] if target.suffix == ".onnx" else _own_operations(result)
    if arguments.json_:
        click.echo(json.dumps(_document(result, target, own)))
        return
    ports = [("input", port) for port in result.inputs] + [("output", port) for port in result.outputs]
    print_table(("", "tensor", "type", "shape"), [(kind, *_row(port)) for kind, port in ports], flexible=(1,))
    if own:
        say_wrapped(f"note: OpenVINO lacks {', '.join(own)}; only ir_plugin reads this IR", error=True)
    say(f"{target} has {len(result.get_ops())} layers")


def _target(model: Path, out: str | None) -> Path:
    if out is None:
        target = Path(f"{model.stem}.xml")
    elif os.path.isdir(out) or out.endswith(os.sep):
        target = Path(out, f"{model.stem}.xml")
    else:
        target = Path(out if out.endswith((".xml", ".onnx")) else f"{out}.xml")
    if os.path.realpath(target) == os.path.realpath(model):
        raise InputError(f"the output would replace the model {str(model)!r}; give --output-model another name")
    return target


def _require_no_onnx_options(arguments: ConvertArguments) -> None:
    """Raise for options of ONNX files where an IR is written."""
    if arguments.opset is not None or arguments.external is not None:
        raise InputError("--opset and --external-data are of an .onnx that is written; give --output-model one")


def _set_layout(model: Model, text: str) -> None:
    name, _, layout = text.rpartition("=")
    if name:
        ports = [port for port in (*model.inputs, *model.outputs) if name in {*port.names, port.node.name}]
    else:
        ports = list(model.inputs) if len(model.inputs) == 1 else []
    if not ports:
        raise InputError(f"--layout {text!r} names no input or output; write it as images=NCHW")
    for port in ports:
        port.node.set_layout(layout)


def _own_operations(model: Model) -> list[str]:
    """Return the operations of the model and its bodies that no opset of OpenVINO has."""
    waiting: list[Graph] = [model]
    names: set[str] = set()
    while waiting:
        current = waiting.pop()
        names |= {node.get_type_name() for node in current.nodes if node.operation.version == _OWN}
        waiting += [subgraph.body for _, _, subgraph in current.bodies()]
    return sorted(names)


def _row(port: Output) -> tuple[str, str, str]:
    return ", ".join(sorted(port.names) or [port.node.name]), port.element_type.name, str(port.partial_shape)


def _document(model: Model, target: Path, own: list[str]) -> dict[str, object]:
    ends = {
        kind: [{"names": sorted(port.names), "type": port.element_type.name, "shape": str(port.partial_shape)}
               for port in ports]
        for kind, ports in (("inputs", model.inputs), ("outputs", model.outputs))
    }  # fmt: skip
    return {"out": str(target), "layers": len(model.get_ops()), "own_operations": own, **ends}
