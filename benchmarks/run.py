"""Measure this library against OpenVINO's CPU and onnxruntime, each model in one process.

`python -m benchmarks.run [light transformers trained gathers small] [--runs N] [--threads N] [--reference]` makes the
models in `.benchmarks/`, times the engines in turn (one run of each after the other, so that a drift of the machine's
speed touches all alike), and prints medians and ratios as a Markdown table.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.models import GROUPS, Array, Work

FOLDER = Path(__file__).parents[1] / ".benchmarks"


def engines(work: Work, threads: int, reference: bool) -> dict[str, Callable[[], list[Array]]]:
    """Return a function a runtime that runs the model once."""
    import openvino as ov

    import ir_plugin

    hints = {"INFERENCE_PRECISION_HINT": "f32", "PERFORMANCE_HINT": "LATENCY", "INFERENCE_NUM_THREADS": threads}
    judge = ov.Core().compile_model(work.ir, "CPU", hints)
    ours = ir_plugin.Core().compile_model(work.ir, config={"INFERENCE_NUM_THREADS": threads})
    found: dict[str, Callable[[], list[Array]]] = {
        "openvino": lambda: list(judge(work.inputs).to_tuple()),
        "ir_plugin": lambda: list(ours(work.inputs).to_tuple()),
    }
    if work.onnx is not None:
        found["onnxruntime"] = _onnxruntime(work, threads)
        if reference:
            found["onnx.reference"] = _reference(work)
    return found


def _onnxruntime(work: Work, threads: int) -> Callable[[], list[Array]]:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(str(work.onnx), options, providers=["CPUExecutionProvider"])
    names = [given.name for given in session.get_inputs()]
    return lambda: list(session.run(None, dict(zip(names, work.inputs, strict=True))))


def _reference(work: Work) -> Callable[[], list[Array]]:
    import onnx
    from onnx.reference import ReferenceEvaluator

    model = onnx.load(str(work.onnx))
    evaluator = ReferenceEvaluator(model)
    made = {tensor.name for tensor in model.graph.initializer}
    names = [given.name for given in model.graph.input if given.name not in made]
    return lambda: list(evaluator.run(None, dict(zip(names, work.inputs, strict=True))))


def measure(work: Work, runs: int, threads: int, reference: bool) -> dict[str, float]:
    """Return the median milliseconds of each runtime, and the largest difference to OpenVINO as `error`."""
    running = engines(work, threads, reference)
    results = {name: run() for name, run in running.items() if name in ("openvino", "ir_plugin")}
    times: dict[str, list[float]] = {name: [] for name in running}
    for number in range(runs + 2):
        for name, run in running.items():
            if name == "onnx.reference" and number > 2:
                continue
            start = time.perf_counter()
            run()
            if number > 1 or name == "onnx.reference":
                times[name].append((time.perf_counter() - start) * 1e3)
    found = {name: statistics.median(values) for name, values in times.items()}
    pairs = zip(results["openvino"], results["ir_plugin"], strict=True)
    found["error"] = max(_error(right, mine) for right, mine in pairs)
    return found


def _error(right: Array, mine: Array) -> float:
    if right.size == 0 or right.dtype.kind not in "fiu":
        return 0.0
    scale = max(float(np.abs(right).max()), 1e-9)
    return float(np.abs(right.astype(np.float64) - mine.astype(np.float64)).max()) / scale


def row(work: Work, found: dict[str, float]) -> str:
    """Return one line of the table."""
    cells = [f"{found[name]:.3g}" if name in found else "" for name in ("openvino", "onnxruntime", "onnx.reference")]
    ratio = found["ir_plugin"] / found["openvino"]
    cells += [f"{found['ir_plugin']:.3g}", f"**{ratio:.2f}**", f"{found['error']:.0e}"]
    return f"| {work.name} | {' | '.join(cells)} |"


def main() -> None:
    """Measure what was asked for, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("groups", nargs="*", default=list(GROUPS), help=f"some of {', '.join(GROUPS)}")
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--reference", action="store_true", help="also onnx's ReferenceEvaluator, which is slow")
    arguments: Any = parser.parse_args()
    FOLDER.mkdir(exist_ok=True)
    print("| model | OpenVINO ms | onnxruntime ms | onnx.reference ms | ir_plugin ms | ratio to OpenVINO | error |")
    print("|---|---|---|---|---|---|---|")
    for group in arguments.groups:
        for work in GROUPS[group](FOLDER):
            print(row(work, measure(work, arguments.runs, arguments.threads, arguments.reference)), flush=True)
            if sys.stderr.isatty():
                print(f"{group}: {work.name} done", file=sys.stderr)


if __name__ == "__main__":
    main()
