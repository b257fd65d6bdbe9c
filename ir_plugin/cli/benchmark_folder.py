"""What `ir-plugin benchmark` measures of the folder of a language model."""

from __future__ import annotations

import json
from pathlib import Path

import click

from ir_plugin.cli.benchmark_arguments import BenchmarkArguments
from ir_plugin.cli.console import say, working
from ir_plugin.cli.tables import print_table
from ir_plugin.errors import InputError

_OF_MODELS = {
    "batch": "-b", "shape": "-shape", "data_shape": "-data_shape", "api": "-api", "requests": "-nireq",
    "starts": "--start", "input": "--input",
}  # fmt: skip
_TOKENS, _RUNS = 64, 3


def benchmark_folder(folder: Path, arguments: BenchmarkArguments) -> None:
    """Measure the answers of a language model, and print them."""
    from ir_plugin.report.benchmark_texts import benchmark_texts

    for name, option in _OF_MODELS.items():
        if getattr(arguments, name):
            raise InputError(f"{option} is for single models; {folder} is a folder")
    with working("measuring"):
        measured = benchmark_texts(
            folder, arguments.prompt, tokens=arguments.tokens or _TOKENS, runs=arguments.iterations or _RUNS,
            threads=arguments.threads, config=arguments.config, seed=arguments.seed,
        )  # fmt: skip
    if arguments.json_:
        click.echo(json.dumps(measured.to_dict()))
        return
    rows = [
        (f"{speed.library} {speed.version}", *map(_number, (speed.load, speed.first, speed.rate, speed.memory)))
        for speed in measured.speeds
        if not speed.fault
    ]
    print_table(("", ">load ms", ">first token ms", ">tokens/s", ">peak MiB"), rows)
    say()
    runs = f"{measured.runs} run{'' if measured.runs == 1 else 's'}"
    say(f"a prompt of {measured.prompt} tokens, an answer of {measured.tokens}; medians of {runs} after a first one")
    for speed in measured.speeds:
        if speed.fault:
            say(f"{speed.library} {speed.version} cannot run the folder: {speed.fault}")


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.4g}"
