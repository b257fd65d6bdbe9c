"""`ir-plugin benchmark`: latency and throughput, with the options and the report of OpenVINO's benchmark_app."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ir_plugin.cli import options
from ir_plugin.cli.benchmark_arguments import BenchmarkArguments
from ir_plugin.cli.benchmark_folder import benchmark_folder
from ir_plugin.cli.benchmark_model import compiled_for, split_inputs
from ir_plugin.cli.command import Argument, Command, Real
from ir_plugin.cli.completion import words
from ir_plugin.cli.console import say, working
from ir_plugin.cli.options import arrays_of
from ir_plugin.errors import InputError

if TYPE_CHECKING:
    from ir_plugin.report.benchmark import Benchmark
    from ir_plugin.report.benchmark_start import Start
    from ir_plugin.report.benchmark_tokens import Tokens

HINTS = ("latency", "throughput", "tput", "cumulative_throughput", "ctput", "none")
_SHORT_HINTS = {"tput": "throughput", "ctput": "cumulative_throughput"}
APIS = ("sync", "async")
STARTS = ("warm", "cold")


@click.command(cls=Command)
@click.argument("model", cls=Argument, metavar="[MODEL]", required=False, type=options.FILE, about=options.ABOUT_EITHER)
@click.option("-m", "path_to_model", type=options.FILE, help="The model, as in benchmark_app.")
@click.option("-d", "device", default="CPU", help="The device; CPU, AUTO and NUMPY are the same.")
@click.option("-t", "--time", "seconds", type=Real(0.01), default=10.0, help="How long to measure, in seconds.")
@click.option("-niter", "iterations", type=click.IntRange(1), help="How many inferences, instead of -t.")
@click.option("-nireq", "requests", type=click.IntRange(0), default=0, help="Requests at a time; 0 is 1.")
@click.option(
    "-api", "api", shell_complete=words(*APIS), help="sync runs one request; async as many as -nireq.  [default: async]"
)
@click.option("-hint", default="latency", shell_complete=words(*HINTS), help=f"One of {', '.join(HINTS)}.")
@click.option("-nthreads", "threads", type=click.IntRange(0), default=0, help="Threads of one inference; 0 is all.")
@click.option(
    "-b",
    "batch",
    type=click.IntRange(1),
    help="The batch of all inputs: N of their layouts, or the first of several dimensions.",
)
@click.option("-shape", "shape", default="", metavar="NAME[…],…", help="Reshape inputs: ids[1,?],mask[1,1..512].")
@click.option(
    "-data_shape",
    "--shapes",
    "data_shape",
    default="",
    metavar="NAME[…],…",
    help="Shapes of random inputs, several of an input in turn: ids[1,8][1,16],mask[1,8][1,16].",
)
@click.option("--tokens", type=click.IntRange(1), help="Also generate N tokens, and time the first and the next.")
@options.prompt
@click.option(
    "--start",
    "starts",
    multiple=True,
    shell_complete=words(*STARTS),
    help=f"Also time a new process up to its first result: {' or '.join(STARTS)} (without compiled kernels).",
)
@options.input
@options.config
@options.no_validate
@options.seed
@options.json
@options.quiet
@options.collected(BenchmarkArguments)
def benchmark(arguments: BenchmarkArguments) -> None:
    """Measure latency, throughput and memory.

    The first inference is reported separately. FPS are inferences per second times the batch. Hints are accepted as
    in benchmark_app; every request uses all threads, whatever the hint. --tokens needs a decoder, whose state grows;
    the shape of input_ids is the shape of the prompt.

    Of the folder of a language model it measures the answer to a prompt, else to 32 random tokens: the first token,
    tokens a second and memory, beside openvino_genai where that is installed. -niter is the number of answers.
    """
    path = _path(arguments.model, arguments.path_to_model)
    if os.path.isdir(path):
        benchmark_folder(path, arguments)
        return
    if arguments.prompt is not None:
        raise InputError(f"--prompt needs the folder of a language model; {path} is none")
    measured = _measured(path, arguments)
    if arguments.json_:
        click.echo(json.dumps(measured.to_dict()))
        return
    for line in _report(measured):
        say(f"[ INFO ] {line}" if line else "")


def _measured(path: Path, arguments: BenchmarkArguments) -> Benchmark:
    """Return the measurements of the model, and of tokens and starts where the options ask for them."""
    from ir_plugin.report.benchmark import benchmark as run_benchmark
    from ir_plugin.report.benchmark_start import measure_start
    from ir_plugin.report.benchmark_tokens import measure_tokens
    from ir_plugin.report.inputs import complete

    requests = _requests(arguments.api, arguments.requests)
    properties = {**_config(arguments.hint.lower(), arguments.threads), **arguments.config}
    batch, shape, seed, validate = arguments.batch, arguments.shape, arguments.seed, arguments.validate
    _require_starts(arguments.starts, batch is not None or bool(shape) or not validate)
    compiled = compiled_for(path, arguments.device, batch, shape, properties, validate=validate)
    shapes, iterations = list(shape_sets(arguments.data_shape)), arguments.iterations
    with working("measuring", iterations) as advance:
        provided = arrays_of(arguments.input)
        arrays = provided if shapes else dict(enumerate(complete(compiled, provided, seed)))
        measured = run_benchmark(compiled, arrays, arguments.seconds, iterations, requests, seed, advance, shapes)
        if arguments.tokens is not None:
            measured = replace(measured, tokens=measure_tokens(compiled, arguments.tokens, provided, seed))
        starts = tuple(measure_start(path, kind, properties, seed) for kind in arguments.starts)
    return replace(measured, starts=starts)


def _path(model: Path | None, path_to_model: Path | None) -> Path:
    """Return the path that is an argument or follows -m."""
    path = path_to_model if model is None else model
    if path is None:
        raise click.UsageError("Missing argument 'MODEL'.")
    if model is not None and path_to_model is not None:
        raise click.UsageError(f"two models are given: {model} and -m {path_to_model}")
    return path


def _requests(api: str | None, requests: int) -> int:
    if api is not None and api not in APIS:
        raise click.BadParameter(f"{api!r} is not one of {', '.join(APIS)}", param_hint="-api")
    if api == "sync" and requests > 1:
        raise click.BadParameter(f"-api sync runs one request, not {requests}", param_hint="-nireq")
    return requests or 1


def _require_starts(starts: tuple[str, ...], is_changed: bool) -> None:
    if starts and is_changed:
        raise click.BadParameter(
            "a new process runs the file unchanged; leave out -b, -shape and --no-validate", param_hint="--start"
        )
    for kind in starts:
        if kind not in STARTS:
            raise click.BadParameter(f"{kind!r} is not one of {', '.join(STARTS)}", param_hint="--start")


def shape_sets(text: str) -> Iterator[dict[str | None, tuple[int, ...]]]:
    """Yield the shapes of all inputs for each inference; an input with a single shape has it in all of them."""
    shapes: dict[str | None, list[tuple[int, ...]]] = {}
    fault = f"--shapes {text!r} are not shapes; write them as ids[1,8][1,16],mask[1,8][1,16]"
    for name, of_input in split_inputs(text, r"(?:\[[\d,\s]*\])+", fault):
        lengths = [tuple(map(int, re.findall(r"\d+", shape))) for shape in re.findall(r"\[([^\]]*)\]", of_input)]
        shapes.setdefault(name or None, []).extend(lengths)
    counts = {len(of_input) for of_input in shapes.values()} - {1}
    if len(counts) > 1:
        raise InputError(
            f"--shapes {text!r} have different numbers of shapes; write as many for each input, or only one"
        )
    for number in range(max(counts, default=min(len(shapes), 1))):
        yield {name: of_input[number % len(of_input)] for name, of_input in shapes.items()}


def _config(hint: str, threads: int) -> dict[str, object]:
    if hint not in HINTS:
        raise click.BadParameter(f"{hint!r} is not one of {', '.join(HINTS)}", param_hint="-hint")
    hint = _SHORT_HINTS.get(hint, hint)
    config: dict[str, object] = {} if hint == "none" else {"PERFORMANCE_HINT": hint.upper()}
    return config | ({"INFERENCE_NUM_THREADS": threads} if threads else {})


def _report(measured: Benchmark) -> list[str]:
    lines = [
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
    if measured.memory is not None:
        lines.append(f"Peak memory:      {measured.memory:.0f} MiB")
    lines += [
        f"Shapes {row.shape}: {row.median:.3f} ms, the first {row.first:.2f} ms, {row.count} iterations"
        for row in measured.shapes
    ]
    if measured.tokens is not None:
        lines += _of_tokens(measured.tokens)
    return lines + [line for start in measured.starts for line in _of_start(start)]


def _of_tokens(tokens: Tokens) -> list[str]:
    lines = [f"First token:      {tokens.first:.3f} ms after a prompt of {tokens.prompt}"]
    if tokens.next is None or tokens.slowest is None or tokens.rate is None:
        return lines
    return [
        *lines,
        f"Next token:       {tokens.next:.3f} ms (median of {tokens.count - 1}), the slowest {tokens.slowest:.3f} ms",
        f"Tokens:           {tokens.rate:.1f} a second",
    ]


def _of_start(start: Start) -> list[str]:
    memory = "" if start.memory is None else f", peak memory {start.memory:.0f} MiB"
    return [
        f"{start.kind.capitalize()} start:       {start.total:.0f} ms to the first result{memory}",
        f"   import {start.import_:.0f} ms, read {start.read:.0f} ms, compile {start.compile:.0f} ms, "
        f"first inference {start.first:.0f} ms",
    ]
