"""Small networks of many kinds whose lengths change from run to run, beside OpenVINO in f32.

`python -m benchmarks.architectures --write FOLDER` writes the IRs of `benchmarks.architecture_models` and their
inputs, where torch, transformers, diffusers, torchvision and OpenVINO are installed. Then `python -m
benchmarks.architectures FOLDER` runs both libraries in turn in one process on all sizes of the inputs, another one in
each run, and prints a line a network, with the quotient of the sums of the medians, and the means of the kinds.
"""

from __future__ import annotations

import argparse
import gc
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
CLOCKS: dict[str, Callable[[], float]] = {"wall": time.perf_counter, "processor": time.process_time}


@dataclass(frozen=True)
class Row:
    """Milliseconds for all sizes together: OpenVINO's and ours; the greatest difference of an output, and its size."""

    theirs: float
    ours: float
    error: float

    @property
    def ratio(self) -> float:
        """Our time over OpenVINO's."""
        return self.ours / self.theirs


def _inputs(path: Path) -> list[list[Array]]:
    """Return the inputs beside an IR, a list a size."""
    with np.load(path.with_suffix(".npz")) as arrays:
        sizes = sorted({int(name.split(".")[0]) for name in arrays.files})
        return [[arrays[f"{size}.{port}"] for port in range(len(arrays.files) // len(sizes))] for size in sizes]


def _compiled(path: Path, threads: int) -> list[Any]:
    import openvino as ov

    import ir_plugin

    config = {"INFERENCE_NUM_THREADS": threads, "PERFORMANCE_HINT": "LATENCY"}
    exact = config | {"INFERENCE_PRECISION_HINT": "f32"}
    return [
        ov.Core().compile_model(path, "CPU", exact),
        ir_plugin.Core().compile_model(path, config={"INFERENCE_NUM_THREADS": threads}),
    ]


def _difference(theirs: list[Array], ours: list[Array]) -> float:
    """Return the greatest difference of floating-point outputs, as a part of their root mean square."""
    worst = 0.0
    for left, right in zip(theirs, ours, strict=True):
        if left.shape != right.shape:
            return float("inf")
        if left.dtype.kind == "f" and left.size:
            size = float(np.sqrt(np.mean(np.square(left, dtype=np.float64)))) or 1.0
            worst = max(worst, float(np.abs(left - right).max()) / size)
    return worst


def measure(path: Path, runs: int, threads: int, clock: Callable[[], float]) -> Row:
    """Return the times of both libraries on all sizes of the inputs of an IR."""
    sizes, compiled = _inputs(path), _compiled(path, threads)
    results = [[[np.array(part) for part in model(inputs).values()] for inputs in sizes] for model in compiled]
    error = max(_difference(left, right) for left, right in zip(*results, strict=True))
    times: dict[tuple[int, int], list[float]] = {}
    gc.disable()
    for run in range(runs + 5):
        for size, inputs in enumerate(sizes):
            for which in (0, 1) if (run + size) % 2 else (1, 0):
                start = clock()
                compiled[which](inputs)
                times.setdefault((which, size), []).append((clock() - start) * 1e3)
    gc.enable()
    theirs, ours = (sum(statistics.median(times[which, size][5:]) for size in range(len(sizes))) for which in (0, 1))
    return Row(theirs, ours, error)


def write(folder: Path, only: list[str]) -> None:
    """Write the networks that the installed versions of the libraries can trace; say which they cannot."""
    from benchmarks.architecture_models import ARCHITECTURES, write

    for kind, names in ARCHITECTURES.items():
        for name in names:
            if not only or name in only:
                try:
                    print(write(folder, kind, name), flush=True)
                except Exception as error:  # noqa: BLE001
                    print(f"{kind}/{name} is left out: {type(error).__name__}: {str(error)[-200:]}", flush=True)


def main() -> None:
    """Parse the arguments; write the networks, or measure those of a folder."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--only", nargs="*", default=[], metavar="NAME")
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--clock", choices=CLOCKS, default="wall")
    arguments = parser.parse_args()
    if arguments.write:
        write(arguments.folder, arguments.only)
        return
    print("| kind | network | OpenVINO ms | ir_plugin ms | ratio | error |\n|---|---|---|---|---|---|")
    ratios: dict[str, list[float]] = {}
    for path in sorted(arguments.folder.glob("*/*.xml")):
        if not arguments.only or path.stem in arguments.only:
            row = measure(path, arguments.runs, arguments.threads, CLOCKS[arguments.clock])
            kind = path.parent.name
            ratios.setdefault(kind, []).append(row.ratio)
            print(
                f"| {kind} | {path.stem} | {row.theirs:.2f} | {row.ours:.2f} | **{row.ratio:.2f}** | {row.error:.0e} |",
                flush=True,
            )
    for kind, values in ratios.items():
        mean = statistics.geometric_mean(values)
        print(f"\nGeometric mean of {len(values)} {kind}: {mean:.2f}; the greatest {max(values):.2f}.")


if __name__ == "__main__":
    main()
