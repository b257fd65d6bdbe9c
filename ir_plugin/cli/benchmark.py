"""`ir-plugin benchmark`: latency and throughput, with the options and the report of OpenVINO's benchmark_app."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from ir_plugin.cli.app import ModelPath
from ir_plugin.cli.console import say, working
from ir_plugin.cli.options import Inputs, Json, Quiet, Seed, arrays_of

if TYPE_CHECKING:
    from ir_plugin.report.benchmark import Benchmark

HINTS = ("latency", "throughput", "none")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(benchmark)


def benchmark(
    model: ModelPath,
    seconds: Annotated[float, typer.Option("-t", "--time", min=0.01, help="How long to measure, in seconds.")] = 10.0,
    iterations: Annotated[int | None, typer.Option("-niter", min=1, help="How many inferences, instead of -t.")] = None,
    requests: Annotated[int, typer.Option("-nireq", min=0, help="Requests at a time; default: 1.")] = 0,
    hint: Annotated[str, typer.Option("-hint", help=f"One of {', '.join(HINTS)}.")] = "latency",
    threads: Annotated[int, typer.Option("-nthreads", min=0, help="Threads of one inference; default: all.")] = 0,
    input: Inputs = None,
    seed: Seed = 0,
    json_: Json = False,
    quiet: Quiet = False,
) -> None:
    """Measure latency and throughput on given or random inputs.

    The first inference is reported by itself. FPS are inferences a second times the batch.
    """
    from ir_plugin.api import Core
    from ir_plugin.report.benchmark import benchmark as measured
    from ir_plugin.report.inputs import complete

    del quiet
    if hint.lower() not in HINTS:
        raise typer.BadParameter(f"{hint!r} is none of {', '.join(HINTS)}", param_hint="-hint")
    config: dict[str, object] = {} if hint.lower() == "none" else {"PERFORMANCE_HINT": hint.upper()}
    compiled = Core().compile_model(model, config=config | ({"INFERENCE_NUM_THREADS": threads} if threads else {}))
    arrays = dict(enumerate(complete(compiled, arrays_of(input), seed)))
    with working("measuring", iterations) as advance:
        found = measured(compiled, arrays, seconds, iterations, requests or 1, seed, advance)
    if json_:
        typer.echo(json.dumps(found.to_dict()))
    else:
        for line in _report(found):
            say(f"[ INFO ] {line}" if line else "")


def _report(found: Benchmark) -> list[str]:
    return [
        "Execution Devices: ['NUMPY']",
        f"First inference took {found.first:.2f} ms",
        f"Requests:         {found.requests}",
        f"Count:            {found.count} iterations",
        f"Duration:         {found.duration:.2f} ms",
        "Latency:",
        f"   Median:        {found.median:.3f} ms",
        f"   Average:       {found.average:.3f} ms",
        f"   Min:           {found.min:.3f} ms",
        f"   Max:           {found.max:.3f} ms",
        f"Throughput:       {found.throughput:.2f} FPS",
    ]
