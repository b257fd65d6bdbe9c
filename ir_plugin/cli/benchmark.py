"""`ir-plugin benchmark`: latency and throughput, with the options and the report of OpenVINO's benchmark_app."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from ir_plugin.cli.console import say, working
from ir_plugin.cli.options import Inputs, Json, ModelPath, Quiet, Seed, arrays_of, compiled_model

if TYPE_CHECKING:
    from ir_plugin.report.benchmark import Benchmark

HINTS = ("latency", "throughput", "none")

Seconds = Annotated[float, typer.Option("-t", "--time", min=0.01, help="How long to measure, in seconds.")]
Iterations = Annotated[int | None, typer.Option("-niter", min=1, help="How many inferences, instead of -t.")]
Requests = Annotated[int, typer.Option("-nireq", min=0, help="Requests at a time; 0 is 1.")]
Hint = Annotated[str, typer.Option("-hint", help=f"One of {', '.join(HINTS)}.", autocompletion=lambda: list(HINTS))]
Threads = Annotated[int, typer.Option("-nthreads", min=0, help="Threads of one inference; 0 is all.")]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(benchmark)


def benchmark(
    model: ModelPath,
    seconds: Seconds = 10.0,
    iterations: Iterations = None,
    requests: Requests = 0,
    hint: Hint = "latency",
    threads: Threads = 0,
    input: Inputs = None,
    seed: Seed = 0,
    json_: Json = False,
    quiet: Quiet = False,
) -> None:
    """Measure latency and throughput on given or random inputs.

    The first inference is reported by itself. FPS are inferences a second times the batch. Hints are accepted as
    benchmark_app has them; every request uses all threads, whatever the hint.
    """
    from ir_plugin.report.benchmark import benchmark as measured
    from ir_plugin.report.inputs import complete

    del quiet
    compiled = compiled_model(model, _config(hint.lower(), threads))
    with working("measuring", iterations) as advance:
        arrays = dict(enumerate(complete(compiled, arrays_of(input), seed)))
        found = measured(compiled, arrays, seconds, iterations, requests or 1, seed, advance)
    if json_:
        typer.echo(json.dumps(found.to_dict()))
        return
    for line in _report(found):
        say(f"[ INFO ] {line}" if line else "")


def _config(hint: str, threads: int) -> dict[str, object]:
    if hint not in HINTS:
        raise typer.BadParameter(f"{hint!r} is none of {', '.join(HINTS)}", param_hint="-hint")
    config: dict[str, object] = {} if hint == "none" else {"PERFORMANCE_HINT": hint.upper()}
    return config | ({"INFERENCE_NUM_THREADS": threads} if threads else {})


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
