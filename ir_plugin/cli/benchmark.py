"""`ir-plugin benchmark`: latency and throughput, with the options and the report of OpenVINO's benchmark_app."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ir_plugin.cli import options
from ir_plugin.cli.command import Command, Real
from ir_plugin.cli.completion import words
from ir_plugin.cli.console import say, working
from ir_plugin.cli.options import arrays_of, compiled_model

if TYPE_CHECKING:
    from ir_plugin.report.benchmark import Benchmark

HINTS = ("latency", "throughput", "none")


@click.command(cls=Command)
@options.model
@click.option("-t", "--time", "seconds", type=Real(0.01), default=10.0, help="How long to measure, in seconds.")
@click.option("-niter", "iterations", type=click.IntRange(1), help="How many inferences, instead of -t.")
@click.option("-nireq", "requests", type=click.IntRange(0), default=0, help="Requests at a time; 0 is 1.")
@click.option("-hint", default="latency", shell_complete=words(*HINTS), help=f"One of {', '.join(HINTS)}.")
@click.option("-nthreads", "threads", type=click.IntRange(0), default=0, help="Threads of one inference; 0 is all.")
@options.input
@options.config
@options.seed
@options.json
@options.quiet
def benchmark(
    model: Path,
    seconds: float,
    iterations: int | None,
    requests: int,
    hint: str,
    threads: int,
    input: tuple[str, ...],
    config: dict[str, str],
    seed: int,
    json_: bool,
) -> None:
    """Measure latency and throughput on given or random inputs.

    The first inference is reported separately. FPS are inferences per second times the batch. Hints are accepted as
    in benchmark_app; every request uses all threads, whatever the hint.
    """
    from ir_plugin.report.benchmark import benchmark as run_benchmark
    from ir_plugin.report.inputs import complete

    compiled = compiled_model(model, {**_config(hint.lower(), threads), **config})
    with working("measuring", iterations) as advance:
        arrays = dict(enumerate(complete(compiled, arrays_of(input), seed)))
        measured = run_benchmark(compiled, arrays, seconds, iterations, requests or 1, seed, advance)
    if json_:
        click.echo(json.dumps(measured.to_dict()))
        return
    for line in _report(measured):
        say(f"[ INFO ] {line}" if line else "")


def _config(hint: str, threads: int) -> dict[str, object]:
    if hint not in HINTS:
        raise click.BadParameter(f"{hint!r} is not one of {', '.join(HINTS)}", param_hint="-hint")
    config: dict[str, object] = {} if hint == "none" else {"PERFORMANCE_HINT": hint.upper()}
    return config | ({"INFERENCE_NUM_THREADS": threads} if threads else {})


def _report(measured: Benchmark) -> list[str]:
    return [
        "Execution Devices: ['NUMPY']",
        f"First inference took {measured.first:.2f} ms",
        f"Requests:         {measured.requests}",
        f"Count:            {measured.count} iterations",
        f"Duration:         {measured.duration:.2f} ms",
        "Latency:",
        f"   Median:        {measured.median:.3f} ms",
        f"   Average:       {measured.average:.3f} ms",
        f"   Min:           {measured.min:.3f} ms",
        f"   Max:           {measured.max:.3f} ms",
        f"Throughput:       {measured.throughput:.2f} FPS",
    ]
