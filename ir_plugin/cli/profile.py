"""`ir-plugin profile`: time and memory by layer."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ir_plugin.cli import options
from ir_plugin.cli.command import Command
from ir_plugin.cli.console import say, working
from ir_plugin.cli.options import arrays_of, compiled_model
from ir_plugin.cli.tables import print_table

if TYPE_CHECKING:
    from ir_plugin.report.profile import Profile
    from ir_plugin.report.profile_data import ProfiledLayer

COLUMNS = (
    "layer", "operation", "~kernel", ">ms", ">%", "~>calls", "~>output", "~>MMAC", "~>GFLOP/s", "~fused into it",
)  # fmt: skip
TYPE_COLUMNS = ("operation", ">steps", ">ms", ">%", ">MMAC")
_MAX_ROWS = 40


@click.command(cls=Command)
@options.model
@options.input
@options.config
@click.option("--runs", "-n", type=click.IntRange(1), default=5, help="Measured runs, after some to warm up.")
@click.option("--optimize/--plain", default=True, help="The compiled plan, or plain evaluation.")
@click.option(
    "--dump-passes",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Write the compiler's graph before and after each pass to DIR, as text.",
)
@options.no_validate
@options.everything
@options.seed
@options.json
@options.quiet
def profile(
    model: Path,
    input: tuple[str, ...],
    config: dict[str, str],
    runs: int,
    optimize: bool,
    dump_passes: Path | None,
    validate: bool,
    everything: bool,
    seed: int,
    json_: bool,
) -> None:
    """Print the time and memory of every layer.

    Layers are in order of their time, the slowest first; of a model with many layers only these are listed. Also
    prints the totals by type of layer, and the fused layers.
    MMAC are millions of multiply-accumulates.
    """
    from ir_plugin.report.profile import profile as run_profile

    compiled = compiled_model(model, {"OPTIMIZE": optimize, **config}, validate=validate)
    with dumping(dump_passes), working("measuring", runs) as advance:
        result = run_profile(compiled, arrays_of(input), runs, seed, advance)
    if json_:
        click.echo(json.dumps(result.to_dict()))
        return
    _print(result, everything)


@contextmanager
def dumping(folder: Path | None) -> Iterator[None]:
    """Write the graph after every pass within the `with` to the folder, unless it is None."""
    if folder is None:
        yield
        return
    from ir_plugin.compiler.passes import pass_observer
    from ir_plugin.report.passes import PassDump

    with pass_observer(PassDump(folder)):
        yield


def _print(result: Profile, everything: bool) -> None:
    total = sum(layer.milliseconds for layer in result.layers) or 1.0
    layers = sorted(result.layers, key=lambda layer: -layer.milliseconds)[: None if everything else _MAX_ROWS]
    print_table(COLUMNS, [_row(layer, total) for layer in layers], flexible=(0, len(COLUMNS) - 1))
    if len(layers) < len(result.layers):
        say(f"… the slowest {len(layers)} of {len(result.layers)} steps; --all lists every one")
    if any(layer.compiled_kernel for layer in result.layers):
        say("→ what runs where kernels are compiled: `ir-plugin warm MODEL`")
    say()
    types = [
        (type, steps, f"{milliseconds:.3f}", f"{milliseconds / total:.1%}", _millions(count))
        for type, (steps, milliseconds, count) in result.by_type().items()
    ]
    print_table(TYPE_COLUMNS, types)
    say()
    say(
        f"one run: {result.milliseconds:.3f} ms (median of {result.runs}), {total:.3f} ms in {len(result.layers)} steps"
    )
    say(f"memory: {result.constant_bytes:,} bytes of constants, {result.arena_bytes:,} bytes for prepared outputs")
    if result.folded:
        names = ", ".join(f'"{name}"' for name in result.folded[:6]) + (", …" if len(result.folded) > 6 else "")
        say(f"{len(result.folded)} layers folded or removed when compiled: {names}")


def _row(layer: ProfiledLayer, total: float) -> tuple[str, ...]:
    milliseconds = layer.milliseconds
    calls = "" if layer.calls == 1 else f"{layer.calls:g}"
    speed = f"{layer.gflops:.1f}" if layer.macs and layer.calls == 1 else ""
    fused = ", ".join(layer.fused)
    kernel = f"{layer.kernel} → {layer.compiled_kernel}" if layer.compiled_kernel else layer.kernel
    return (
        layer.name, layer.type, kernel, f"{milliseconds:.3f}", f"{milliseconds / total:.1%}", calls,
        shown_bytes(layer.output_bytes), _millions(layer.macs), speed, fused,
    )  # fmt: skip


def _millions(count: int) -> str:
    return f"{count / 1e6:,.2f}" if count else ""


def shown_bytes(count: float) -> str:
    """Return a number of bytes in a suitable unit."""
    for unit in ("B", "KiB", "MiB"):
        if count < 1024:
            return f"{count:.4g} {unit}"
        count /= 1024
    return f"{count:.4g} GiB"
