"""Measure single layers, of static and of open lengths, against OpenVINO's CPU in one process.

`python -m benchmarks.layers [CASE ...]` builds each layer with OpenVINO's opsets, times both engines in turn, and
prints least milliseconds, their ratio and the largest difference as a Markdown table. A layer of open lengths gets
inputs of six sizes in turn. The least of many times is what other processes of the machine disturb least.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np
import openvino as ov

from benchmarks import layer_models as models
from benchmarks.layer_models import Array, Build
from ir_plugin import Core

Run = Callable[[list[Array]], Any]

CLOCKS = {"wall": time.perf_counter, "cpu": time.process_time}

SIZES = 6
"""Sizes of the inputs of a layer of open lengths."""


@dataclass(frozen=True)
class Case:
    """A layer to measure: what builds it for a size, and the axes that are open, by the number of the input."""

    build: Build
    size: int
    open: dict[int, tuple[int, ...]] = field(default_factory=dict)
    step: int = 1
    """The difference of two sizes."""


CASES = {
    "deformable convolution, 64 channels": Case(models.deformable_convolution, 56, {0: (2, 3), 1: (2, 3), 2: (2, 3)}),
    "ROIAlign, mean": Case(models.roi_align("avg", 2), 300, {1: (0,), 2: (0,)}),
    "ROIAlign, max": Case(models.roi_align("max", 0), 100, {1: (0,), 2: (0,)}),
    "TopK, 300 of 8400": Case(models.top_k((1, 8400), 300, 1), 8400, {0: (1,)}, 16),
    "TopK, 5 of 1000 in 64 rows": Case(models.top_k((64, 1000), 5, 1), 1000, {0: (1,)}),
    "TopK, 20 neighbours of 512": Case(models.top_k((512, 512), 20, 1), 512, {0: (1,)}),
    "TopK, 100 along axis 1": Case(models.top_k((4, 1000, 20), 100, 1), 1000, {0: (1,)}),
    "sort of 64 rows": Case(models.sort(64), 1000, {0: (1,)}),
    "sort of one row": Case(models.sort(1), 20000, {0: (1,)}, 16),
    "NonZero, [100, 100]": Case(models.non_zero(2), 100, {0: (0,)}),
    "NonZero, a row": Case(models.non_zero(1), 512, {0: (0,)}),
    "CumSum, i64": Case(models.cum_sum((1, 0), 1, np.int64), 512, {0: (1,)}),
    "CumSum, axis 1 of 3": Case(models.cum_sum((8, 0, 128), 1, np.float32), 256, {0: (1,)}),
    "Unique": Case(models.unique, 10000, {0: (0,)}, 16),
    "ScatterUpdate": Case(models.scatter_update, 256, {0: (0,)}),
    "ScatterNDUpdate": Case(models.scatter_nd, 256, {0: (0,)}),
    "ScatterElementsUpdate": Case(models.scatter_elements, 256, {0: (0,)}),
    "GroupNormalization": Case(models.group_normalization, 32, {0: (2, 3)}),
    "GroupNormalization, as torch's": Case(models.group_normalization_of_torch, 32, {0: (2, 3)}),
    "convolution 3-D, 16 channels": Case(models.convolution((1, 16, 16, 0, 0), 32, (3, 3, 3)), 32, {0: (3, 4)}),
    "convolution 3-D, 3 channels": Case(
        models.convolution((1, 3, 16, 0, 0), 32, (3, 7, 7), strides=2), 56, {0: (3, 4)}
    ),
    "max pooling 3-D": Case(models.max_pool((1, 32, 16, 0, 0), 3, 2), 32, {0: (3, 4)}),
    "mean pooling 3-D": Case(models.mean_pool((1, 32, 16, 0, 0), 2, 2), 32, {0: (3, 4)}),
    "depthwise, dilation 4 at 14": Case(models.depthwise((1, 96, 0, 0), (3, 3), 4), 14, {0: (2, 3)}),
    "depthwise, 8 channels": Case(models.depthwise((1, 8, 0, 0), (5, 5), 1), 64, {0: (2, 3)}),
    "depthwise 1-D, dilation 9": Case(models.depthwise((1, 192, 0), (3,), 9), 128, {0: (2,)}),
    "convolution 1-D, 64 channels": Case(models.convolution((1, 64, 0), 64, (7,), dilation=3), 2048, {0: (2,)}, 8),
    "convolution 1-D, 16 channels": Case(models.convolution((1, 16, 0), 16, (11,), dilation=5), 8192, {0: (2,)}, 8),
    "convolution 1-D, 192 channels": Case(models.convolution((1, 192, 0), 384, (5,)), 128, {0: (2,)}),
    "convolution 1-D to one channel": Case(models.convolution((1, 32, 0), 1, (7,)), 8192, {0: (2,)}, 8),
    "transposed 1-D, stride 8": Case(models.transposed((1, 128, 0), 64, 16, 8), 256, {0: (2,)}),
    "transposed 1-D, stride 2": Case(models.transposed((1, 64, 0), 32, 4, 2), 2048, {0: (2,)}, 8),
    "residual block of a vocoder": Case(models.vocoder_block, 2048, {0: (2,)}, 8),
    "resize, linear, twice": Case(models.resized("linear_onnx", "half_pixel", 64, 2.0), 32, {0: (2, 3)}),
    "resize, linear, 8 times": Case(models.resized("linear_onnx", "half_pixel", 19, 8.0), 64, {0: (2, 3)}),
    "resize, corners": Case(models.resized("linear_onnx", "align_corners", 64, 2.0), 32, {0: (2, 3)}),
    "resize, cubic": Case(models.resized("cubic", "half_pixel", 16, 2.0), 64, {0: (2, 3)}),
    "resize, nearest": Case(models.resized("nearest", "asymmetric", 64, 2.0), 32, {0: (2, 3)}),
    "resize, 3 channels, half": Case(models.resized("linear_onnx", "half_pixel", 3, 0.5), 320, {0: (2, 3)}),
    "attention, 1024 of 8 x 40": Case(models.attention(8, 40, 0), 1024, {0: (2,), 1: (2,), 2: (2,)}),
    "attention, 256 of 8 x 80": Case(models.attention(8, 80, 0), 256, {0: (2,), 1: (2,), 2: (2,)}),
    "attention, 1024 of 8 x 40 on 77": Case(models.attention(8, 40, 77), 1024, {0: (2,)}),
    "RandomUniform, added": Case(models.random_uniform, 16384, {0: (0,)}),
    "LSTM, 20 steps of 128": Case(models.lstm(128), 20, {0: (1,)}),
    "GRU, 20 steps of 64": Case(models.gru(64), 20, {0: (1,)}),
    "LSTM, one step at a time": Case(models.lstm_loop(64), 20, {0: (0,)}),
    "loop of RWKV": Case(models.rwkv(64), 20, {0: (1,), 1: (1,)}),
}  # fmt: skip


def milliseconds(
    runners: dict[str, Run], inputs: list[list[Array]], seconds: float, clock: Callable[[], float]
) -> list[float]:
    """Return the least time of each engine, run in turn."""
    times: dict[str, list[float]] = {name: [] for name in runners}
    warm, end = 2 * SIZES, time.perf_counter() + seconds
    for number, values in enumerate(cycle(inputs)):
        for name in list(runners)[:: 1 if number % 2 else -1]:
            start = clock()
            runners[name](values)
            times[name].append((clock() - start) * 1e3)
        if number > warm + 5 and time.perf_counter() > end:
            break
    return [min(values[warm:]) for values in times.values()]


def measured(case: Case, is_open: bool, folder: Path, arguments: argparse.Namespace) -> str:
    """Return the cells of one line of the table."""
    model, values = case.build(case.size)
    inputs = [values]
    if is_open:
        shapes = {port: list(port.partial_shape) for port in model.inputs}
        for position, axes in case.open.items():
            for axis in axes:
                shapes[model.input(position)][axis] = ov.Dimension(-1)
        model.reshape({port: ov.PartialShape(shape) for port, shape in shapes.items()})
        inputs = [case.build(case.size - case.step * number)[1] for number in range(SIZES)]
    path = folder / "layer.xml"
    ov.save_model(model, path, compress_to_fp16=False)
    threads = {"INFERENCE_NUM_THREADS": arguments.threads}
    hints = {"INFERENCE_PRECISION_HINT": "f32", "PERFORMANCE_HINT": "LATENCY"}
    theirs = ov.Core().compile_model(path, "CPU", hints | threads)
    ours = Core().compile_model(path, config=threads | {"PROVIDER": arguments.provider})
    error = max(_error(theirs(item), ours(item)) for item in inputs)
    first, second = milliseconds(
        {"openvino": theirs, "ir_plugin": ours}, inputs, arguments.seconds, CLOCKS[arguments.clock]
    )
    return f"{first:.3g} | {second:.3g} | **{second / first:.2f}** | {error:.0e}"


def _error(expected: Any, actual: Any) -> float:
    """Return the largest difference, in parts of the largest number."""
    errors = [0.0]
    for right, ours in zip(expected.to_tuple(), actual.to_tuple(), strict=True):
        if right.shape != ours.shape:
            return float("inf")
        if right.size:
            largest = max(float(np.abs(right).max()), 1e-9)
            errors.append(float(np.abs(right.astype(np.float64) - ours.astype(np.float64)).max()) / largest)
    return max(errors)


def main(names: Sequence[str] | None = None) -> None:
    """Parse the arguments, measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("cases", nargs="*", help="parts of the names of cases")
    parser.add_argument("--seconds", type=float, default=0.4, help="the time of each line")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--clock", choices=list(CLOCKS), default="wall", help="cpu: with one thread, on a busy machine")
    parser.add_argument("--provider", choices=("numba", "auto", "numpy"), default="numba", help="whose kernels we use")
    parser.add_argument("--lengths", choices=("static", "open", "both"), default="both")
    arguments = parser.parse_args(names)
    print("| layer | lengths | OpenVINO ms | ir_plugin ms | ratio | error |", "|---|---|---|---|---|---|", sep="\n")
    for name, case in CASES.items():
        if arguments.cases and not any(part.lower() in name.lower() for part in arguments.cases):
            continue
        for is_open in (False, True):
            if arguments.lengths in ("both", "open" if is_open else "static"):
                with tempfile.TemporaryDirectory() as folder:
                    cells = measured(case, is_open, Path(folder), arguments)
                print(f"| {name} | {'open' if is_open else 'static'} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
