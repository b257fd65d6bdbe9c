"""`ir-plugin warm`: compiled kernels ahead of their first use."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ir_plugin.cli import options
from ir_plugin.cli.command import Argument, Command
from ir_plugin.cli.console import say, working
from ir_plugin.cli.tables import print_table

if TYPE_CHECKING:
    from ir_plugin.report.warming import DeclaredKernel


@click.command(cls=Command)
@click.argument(
    "models",
    cls=Argument,
    metavar="[MODEL]...",
    type=options.FILE,
    nargs=-1,
    about="Models whose kernels are compiled: .xml, .onnx, or folders with a language model.",
)
@click.option("--all", "all_", is_flag=True, help="Compile the kernels of every model, as without a model.")
@click.option("--list", "list_", is_flag=True, help="List the kernels of every model, and compile none.")
@options.config
@options.json
@options.quiet
def warm(models: tuple[Path, ...], all_: bool, list_: bool, config: dict[str, str], json_: bool) -> None:
    """Compile kernels ahead, which later runs use in place of NumPy's.

    Compiles what the models need, or without a model all kernels, which takes some minutes on all processors. Of the
    folder of a language model that is what a prompt and the tokens after it need. What is compiled already stays, so
    that a command which was ended goes on. Kernels are kept beside the package, in the user's cache folder, or in the
    folder that NUMBA_CACHE_DIR names. They are of use on processors of the same kind, with the same versions of Python,
    NumPy and numba.
    """
    from ir_plugin.report import warming

    if models and (all_ or list_):
        raise click.UsageError("name models, or write --all or --list")
    if list_:
        _print(warming.declared_kernels(), json_)
        return
    total = len(models) or warming.missing_kernels()
    with working("compiling", total or None) as advance:
        warmed = warming.warm(models, config, advance)
    if json_:
        click.echo(json.dumps(warmed.to_dict()))
        return
    say(f"{warmed.kernels} kernels in {warmed.folder}")
    say(f"{warmed.compiled} of them compiled now, in {warmed.seconds:.1f} s" if warmed.compiled else "all were there")


def _print(kernels: list[DeclaredKernel], json_: bool) -> None:
    if json_:
        click.echo(json.dumps([asdict(kernel) for kernel in kernels]))
        return
    rows = [
        (kernel.name, f"{kernel.seconds:.2f}", f"{kernel.bytes:,}") if kernel.is_compiled else (kernel.name, "", "")
        for kernel in kernels
    ]
    print_table(("kernel", ">seconds", ">bytes"), rows)
    compiled = [kernel for kernel in kernels if kernel.is_compiled]
    seconds, size = sum(kernel.seconds for kernel in compiled), sum(kernel.bytes for kernel in compiled)
    say(f"{len(compiled)} of {len(kernels)} kernels are compiled, in {seconds:.1f} s of processor time, {size:,} bytes")
