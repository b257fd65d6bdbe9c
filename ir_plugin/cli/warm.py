"""`ir-plugin warm`: compiled kernels ahead of their first use."""

from __future__ import annotations

import json
from pathlib import Path

import click

from ir_plugin.cli import options
from ir_plugin.cli.command import Argument, Command
from ir_plugin.cli.console import say, working


@click.command(cls=Command)
@click.argument(
    "models",
    cls=Argument,
    metavar="[MODEL]...",
    type=options.FILE,
    nargs=-1,
    about="Models whose kernels are compiled.",
)
@options.config
@options.json
@options.quiet
def warm(models: tuple[Path, ...], config: dict[str, str], json_: bool) -> None:
    """Compile kernels ahead, so that no later run waits for numba.

    Compiles what the models need, or without a model all kernels, which takes a minute or two. Kernels are kept beside
    the package, in the user's cache folder, or in the folder that NUMBA_CACHE_DIR names. They are of use on processors
    of the same kind, with the same versions of Python, NumPy and numba.
    """
    from ir_plugin.report.warming import warm as fill_cache

    with working("compiling", len(models) or None) as advance:
        warmed = fill_cache(models, config, advance)
    if json_:
        click.echo(json.dumps(warmed.to_dict()))
        return
    say(f"{warmed.kernels} kernels in {warmed.folder}")
    say(f"{warmed.compiled} of them compiled now, in {warmed.seconds:.1f} s" if warmed.compiled else "all were there")
