"""Measure this library against OpenVINO's CPU and onnxruntime, each model in one process.

`python -m benchmarks.run [light transformers trained gathers boxes small]` writes the models to `.benchmarks/`, times
the engines in turn (one run of each after the other, in all orders, so that a drift of the machine's speed affects all
alike; with `--alone` many runs of an engine together, so that the waiting threads of no other engine slow it down), and
prints medians, ratios and the geometric mean of each group as a Markdown table. `--memory` also runs each engine in a
new process, and prints the ratio of their peaks of memory; `--help` lists the other options.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections import defaultdict
from collections.abc import Callable
from itertools import cycle, permutations
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import track

from benchmarks.memory import peak
from benchmarks.models import GROUPS, Array, Work

FOLDER = Path(__file__).parents[1] / ".benchmarks"
OTHERS = ("openvino", "onnxruntime", "onnx.reference")
SATURATED = 1e-3
"""Elements smaller than this part of the largest are negligible."""
FEW_VARIED = 0.005
"""The least part of elements that are not negligible; below it an output is saturated, and its error proves nothing."""
SLOW_RUNS = 2
"""Runs of onnx's ReferenceEvaluator beyond the first."""
REST, WARM = 0.3, 0.1
"""Seconds for which an engine alone waits, and then runs, before it is timed."""


def engines(work: Work, threads: int, provider: str, reference: bool) -> dict[str, Callable[[], list[Array]]]:
    """Return a function for each engine that runs the model once."""
    import openvino as ov

    import ir_plugin

    hints = {"INFERENCE_PRECISION_HINT": "f32", "PERFORMANCE_HINT": "LATENCY", "INFERENCE_NUM_THREADS": threads}
    openvino_model = ov.Core().compile_model(work.ir, "CPU", hints)
    config = {"INFERENCE_NUM_THREADS": threads, "PROVIDER": provider}
    ours = ir_plugin.Core().compile_model(work.ir, config=config)
    runners: dict[str, Callable[[], list[Array]]] = {
        "openvino": lambda: list(openvino_model(work.inputs).to_tuple()),
        "ir_plugin": lambda: list(ours(work.inputs).to_tuple()),
    }
    if work.onnx is not None:
        runners["onnxruntime"] = _onnxruntime(work, threads)
        if reference:
            runners["onnx.reference"] = _reference(work)
    return runners


def _onnxruntime(work: Work, threads: int) -> Callable[[], list[Array]]:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(str(work.onnx), options, providers=["CPUExecutionProvider"])
    names = [port.name for port in session.get_inputs()]
    return lambda: list(session.run(None, dict(zip(names, work.inputs, strict=True))))


def _reference(work: Work) -> Callable[[], list[Array]]:
    import onnx
    from onnx.reference import ReferenceEvaluator

    model = onnx.load(str(work.onnx))
    evaluator = ReferenceEvaluator(model)
    initializers = {tensor.name for tensor in model.graph.initializer}
    names = [port.name for port in model.graph.input if port.name not in initializers]
    return lambda: list(evaluator.run(None, dict(zip(names, work.inputs, strict=True))))


def measure(running: dict[str, Callable[[], list[Array]]], runs: int, alone: bool) -> dict[str, float]:
    """Return the median milliseconds of each engine, and as `error` the largest difference to OpenVINO."""
    results = {name: running[name]() for name in ("openvino", "ir_plugin")}
    times = _alone(running, runs) if alone else _in_turn(running, runs)
    measured = {name: statistics.median(values) for name, values in times.items()}
    outputs = zip(results["openvino"], results["ir_plugin"], strict=True)
    measured["error"] = max(_error(right, ours) for right, ours in outputs)
    measured["varied"] = max(_varied(array) for array in results["openvino"])
    return measured


def _varied(array: Array) -> float:
    """Return the part of an output's elements that are not negligible beside the largest."""
    if array.size == 0 or array.dtype.kind not in "fiu":
        return 0.0
    sizes = np.abs(array.astype(np.float64))
    return float((sizes > SATURATED * sizes.max()).mean())


def _in_turn(running: dict[str, Callable[[], list[Array]]], runs: int) -> dict[str, list[float]]:
    """Return the times of interleaved runs, in all orders, after two rounds that do not count."""
    times: dict[str, list[float]] = {name: [] for name in running}
    for number, names in zip(range(runs + 2), cycle(permutations(running))):
        for name in names:
            if name != "onnx.reference" or number <= SLOW_RUNS:
                took = _timed(running[name])
                times[name] += [took] if number > 1 or name == "onnx.reference" else []
    return times


def _alone(running: dict[str, Callable[[], list[Array]]], runs: int) -> dict[str, list[float]]:
    """Return the times of runs of one engine at a time: half of them in this order, half in the reverse one.

    Before an engine is timed it rests until the threads of the one before sleep, and runs to warm the caches.
    """
    times: dict[str, list[float]] = {name: [] for name in running}
    for names in (list(running), list(running)[::-1]):
        for name in names:
            time.sleep(REST)
            count, end = (1, 0.0) if name == "onnx.reference" else (-(-runs // 2), time.perf_counter() + WARM)
            while time.perf_counter() < end:
                running[name]()
            times[name] += [_timed(running[name]) for _ in range(count)]
    return times


def _timed(run: Callable[[], object]) -> float:
    """Return the milliseconds of a run."""
    start = time.perf_counter()
    run()
    return (time.perf_counter() - start) * 1e3


def _error(expected: Array, actual: Array) -> float:
    if expected.size == 0 or expected.dtype.kind not in "fiu":
        return 0.0
    largest = max(float(np.abs(expected).max()), 1e-9)
    return float(np.abs(expected.astype(np.float64) - actual.astype(np.float64)).max()) / largest


def row(work: Work, measured: dict[str, float]) -> str:
    """Return one line of the table."""
    ours = measured["ir_plugin"]
    cells = [f"{measured[name]:.3g}" if name in measured else "" for name in OTHERS]
    ratios = [f"{ours / measured[name]:.2f}" if name in measured else "" for name in OTHERS[:2]]
    faster = f"{measured['onnx.reference'] / ours:.0f}" if "onnx.reference" in measured else ""
    memory = f"{measured['memory']:.2f}" if "memory" in measured else ""
    error = f"{measured['error']:.0e}" + (" (saturated)" if measured["varied"] < FEW_VARIED else "")
    cells += [f"{ours:.3g}", f"**{ratios[0]}**", ratios[1], faster, memory, error]
    return f"| {work.name} | {' | '.join(cells)} |"


def table(arguments: argparse.Namespace) -> None:
    """Measure the chosen models, and print the line of each as soon as it is measured."""
    ratios: dict[str, list[float]] = defaultdict(list)
    works = [work for group in arguments.groups for work in GROUPS[group](FOLDER)]
    chosen = [work for work in works if not arguments.only or work.name in arguments.only]
    console = Console(stderr=True)
    for work in track(chosen, "measuring", console=console, disable=not console.is_terminal, transient=True):
        running = engines(work, arguments.threads, arguments.provider, arguments.reference)
        measured = measure(running, arguments.runs, arguments.alone)
        del running
        if arguments.memory:
            peaks = {name: peak(name, work, arguments.threads) for name in ("openvino", arguments.provider)}
            measured["memory"] = peaks[arguments.provider] / peaks["openvino"]
        ratios[work.group].append(measured["ir_plugin"] / measured["openvino"])
        print(row(work, measured), flush=True)
    print()
    for group, values in ratios.items():
        print(f"- {group}: {statistics.geometric_mean(values):.2f} of OpenVINO's time (geometric mean)")


def main() -> None:
    """Parse the arguments, measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("groups", nargs="*", default=list(GROUPS), help=f"some of {', '.join(GROUPS)}")
    parser.add_argument("--only", nargs="*", default=[], metavar="MODEL", help="these models of the groups")
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--provider", choices=("numba", "auto", "numpy"), default="numba", help="whose kernels we use")
    parser.add_argument("--alone", action="store_true", help="all runs of an engine, then all of the next")
    parser.add_argument("--memory", action="store_true", help="also the peak memory, in processes of their own")
    parser.add_argument("--reference", action="store_true", help="also onnx's ReferenceEvaluator, which is slow")
    arguments: Any = parser.parse_args()
    FOLDER.mkdir(exist_ok=True)
    print(
        "| model | OpenVINO ms | onnxruntime ms | onnx.reference ms | ir_plugin ms | to OpenVINO | to onnxruntime "
        "| onnx.reference to ours | peak memory | error |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|")
    table(arguments)


if __name__ == "__main__":
    main()
