"""`ir-plugin simplify`: a model without what can be computed before the run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ir_plugin.cli import options
from ir_plugin.cli.command import Command
from ir_plugin.cli.console import working
from ir_plugin.cli.tables import print_table
from ir_plugin.cli.writing import ONNX, opset_of, require_own_path, write_model
from ir_plugin.errors import InputError

if TYPE_CHECKING:
    from ir_plugin.openvino.api import Model

_COLUMNS = ("", ">layers", ">constants", ">bytes of constants", ">bytes of files")


@click.command(cls=Command)
@options.model
@click.option(
    "--out", "-o", type=options.FILE, required=True, help="Write this .xml, weights beside it, or this .onnx."
)
@options.json
@options.quiet
def simplify(model: Path, out: Path, json_: bool) -> None:
    """Write a model without the layers that its results do not need.

    Constants and known shapes are folded, unless they would become larger; layers without effect and unused parts are
    removed; equal layers are computed once. Inputs, outputs and results stay.
    """
    from ir_plugin.openvino.api import Core
    from ir_plugin.openvino.passes.simplification import Simplification

    if out.suffix not in (".xml", ONNX):
        raise InputError(f"the path {str(out)!r} ends neither in .xml nor in .onnx")
    require_own_path(model, out, "the simplified model")
    with working("simplifying"):
        graph = Core().read_model(model)
        before = [*_sizes(graph), _bytes_of(model)]
        Simplification().run_on_model(graph)
        graph.validate_nodes_and_infer_types()
        write_model(graph, out, opset_of(model) if out.suffix == ONNX else None)
    after = [*_sizes(graph), _bytes_of(out)]
    if json_:
        keys = ("layers", "constants", "constant_bytes", "file_bytes")
        sizes = {"before": dict(zip(keys, before, strict=True)), "after": dict(zip(keys, after, strict=True))}
        click.echo(json.dumps({"out": str(out), **sizes}))
        return
    rows = [[path.name, *(f"{size:,}" for size in sizes)] for path, sizes in ((model, before), (out, after))]
    print_table(_COLUMNS, rows)


def _sizes(model: Model) -> list[int]:
    """Return the numbers of layers and of constants among them, and the bytes of these."""
    from ir_plugin.operations.infrastructure.const import Const

    nodes = model.get_ordered_ops()
    constants = [node for node in nodes if node.is_a(Const)]
    return [len(nodes), len(constants), sum(node.get_byte_size() for node in constants)]


def _bytes_of(path: Path) -> int:
    """Return the size of a model's files."""
    if path.suffix == ONNX:
        from ir_plugin.frontends.onnx.reading import external_files

        files = [path, *external_files(path)]
    else:
        files = [path, path.with_suffix(".bin")]
    return sum(file.stat().st_size for file in files if file.exists())
