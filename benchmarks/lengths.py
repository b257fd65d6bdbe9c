"""Networks that meet another length in every run, beside OpenVINO in f32.

`python -m benchmarks.lengths` prints a line a network of `benchmarks.length_models`: the median milliseconds of both
libraries for lengths that they have not met before, for the same lengths again, and the plans that were made.
"""

from __future__ import annotations

import argparse
import gc
import statistics
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import openvino as ov

from benchmarks.architectures import CLOCKS
from benchmarks.length_models import INPUTS, LARGE, Array
from ir_plugin import Core


def _times(models: list[Any], sizes: list[list[Array]], clock: Callable[[], float]) -> list[float]:
    """Return the median milliseconds of each library, which take turns."""
    times: list[list[float]] = [[], []]
    for number, inputs in enumerate(sizes):
        for which in (0, 1) if number % 2 else (1, 0):
            start = clock()
            models[which](inputs)
            times[which].append((clock() - start) * 1e3)
    return [statistics.median(values) for values in times]


def measure(name: str, threads: int, provider: str, clock: Callable[[], float]) -> str:
    """Return the line of a network."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m.xml"
        ov.save_model(LARGE[name](), path, compress_to_fp16=False)
        config = {"INFERENCE_NUM_THREADS": threads}
        exact = config | {"INFERENCE_PRECISION_HINT": "f32", "PERFORMANCE_HINT": "LATENCY"}
        ours = Core().compile_model(path, config=config | {"PROVIDER": provider})
        models: list[Any] = [ov.Core().compile_model(path, "CPU", exact), ours]
    order = np.random.default_rng(7).permutation(np.arange(8, 121))
    sizes = [INPUTS[name](int(size)) for size in order]
    gc.disable()
    _times(models, sizes[:13], clock)
    new = _times(models, sizes[13:], clock)
    again = _times(models, sizes[13:], clock)
    gc.enable()
    plans = len(ours.engine._plans)
    parts = [f"{left:.2f} | {right:.2f} | **{right / left:.2f}**" for left, right in (new, again)]
    return f"| {name} | {parts[0]} | {parts[1]} | {plans} |"


def main() -> None:
    """Parse the arguments and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(LARGE))
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--provider", choices=("numba", "auto", "numpy"), default="numba")
    parser.add_argument("--clock", choices=CLOCKS, default="wall")
    arguments = parser.parse_args()
    print("| network | new: OpenVINO ms | ours | ratio | again: OpenVINO ms | ours | ratio | plans |")
    print("|---|---|---|---|---|---|---|---|")
    for name in arguments.names or LARGE:
        print(measure(name, arguments.threads, arguments.provider, CLOCKS[arguments.clock]), flush=True)


if __name__ == "__main__":
    main()
