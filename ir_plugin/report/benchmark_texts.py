"""How fast the language model of a folder generates, beside openvino_genai; each library runs in its own process."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

from ir_plugin.errors import Error
from ir_plugin.openvino.genai import LLMPipeline, Tokenizer
from ir_plugin.report import memory
from ir_plugin.report.prompts import prompt_tokens, require_context
from ir_plugin.version import __version__

PROMPT = 32
"""Tokens of a prompt that is not given."""
_PROGRAM = """
import json, runpy, statistics, sys, time
from importlib import import_module
import numpy
library, core, memory, folder, ids, count, runs, config = json.loads(sys.argv[1])
start = time.perf_counter()
tensor = import_module(core).Tensor
pipeline = import_module(library).LLMPipeline(folder, "CPU", **config)
load = (time.perf_counter() - start) * 1e3
options = {"max_new_tokens": count, "ignore_eos": True, "do_sample": False}
prompts = [tensor(numpy.roll(numpy.array([ids], numpy.int64), run)) for run in range(1 + runs)]
metrics = [pipeline.generate(prompt, **options).perf_metrics for prompt in prompts][1:]
first = statistics.median(item.get_ttft().mean for item in metrics)
rate = statistics.median(item.get_throughput().mean for item in metrics) if count > 1 else None
print(json.dumps([load, first, rate, runpy.run_path(memory)["peak_memory"]()]))
"""


@dataclass(frozen=True)
class TextSpeed:
    """What one library needs for a prompt and its answer; times are in milliseconds, the medians of all runs."""

    library: str
    version: str
    fault: str = ""
    """Why the library cannot run the folder; then nothing is measured."""
    load: float | None = None
    """From the import to the pipeline."""
    first: float | None = None
    """From the call to the first token, in a process that has answered before."""
    rate: float | None = None
    """Further tokens a second, None if there are none."""
    memory: float | None = None
    """The peak of the process in MiB, or None where the system does not tell it."""


@dataclass(frozen=True)
class TextBenchmark:
    """The measurements of all libraries on the same tokens."""

    folder: str
    prompt: int
    """Tokens of the prompt."""
    tokens: int
    """Tokens that were generated, with the first."""
    runs: int
    speeds: tuple[TextSpeed, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the measurements as plain data."""
        return asdict(self)


def benchmark_texts(
    folder: Path,
    prompt: str | None = None,
    *,
    tokens: int = 64,
    runs: int = 3,
    threads: int = 0,
    config: Mapping[str, Any] | None = None,
    seed: int = 0,
) -> TextBenchmark:
    """Measure the answer to a prompt, or to random tokens, by this library and by openvino_genai where installed.

    `config` are properties of this library; openvino_genai has its default ones, and the same number of threads. Each
    run moves the prompt's last token to its beginning, as openvino_genai keeps what it computed for the first tokens of
    a prompt, and finds it again for the same prompt.
    """
    tokenizer = Tokenizer(folder)
    ids = _random_tokens(tokenizer, seed) if prompt is None else prompt_tokens(folder, tokenizer, prompt)
    require_context(folder, ids, tokens)
    shared = {"INFERENCE_NUM_THREADS": threads} if threads else {}
    speeds = []
    for library, core, release, properties in _libraries(config or {}):
        arguments = [library, core, memory.__file__, str(folder), ids, tokens, runs, {**shared, **properties}]
        speeds.append(_speed(library, release, arguments))
    if speeds[0].fault:
        LLMPipeline(folder, "CPU", **(config or {}))  # raises what is wrong with the folder
        raise Error(f"a new process cannot generate text with {folder}: {speeds[0].fault}")
    return TextBenchmark(str(folder), len(ids), tokens, runs, tuple(speeds))


def _libraries(config: Mapping[str, Any]) -> Iterator[tuple[str, str, str, Mapping[str, Any]]]:
    """Yield the module of each library that is installed, the module of its tensors, its release and properties."""
    yield "ir_plugin.genai", "ir_plugin", __version__, config
    try:
        yield "openvino_genai", "openvino", version("openvino-genai"), {}
    except PackageNotFoundError:
        return


def _random_tokens(tokenizer: Tokenizer, seed: int) -> list[int]:
    ids: list[int] = np.random.default_rng(seed).integers(0, len(tokenizer.get_vocab_vector()), PROMPT).tolist()
    return ids


def _speed(library: str, release: str, arguments: list[Any]) -> TextSpeed:
    """Return the measurements of a new process."""
    command = [sys.executable, "-c", _PROGRAM, json.dumps(arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return TextSpeed(library, release, (done.stderr.strip().splitlines() or ["no reason"])[-1])
    return TextSpeed(library, release, "", *json.loads(done.stdout.splitlines()[-1]))
