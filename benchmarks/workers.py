"""Measure `map` with workers: `python -m benchmarks.workers [--workers 2]` prints the figures as a Markdown table.

* How much faster several workers are than one, and how much faster as many processes are that only call the model: what
  the machine allows, whose cores share memory and clock.
* The throughput beside onnxruntime in the same `map_blocks`.
* The overhead of `map` over calling the compiled model in a loop.

`python -m benchmarks.scheduler` measures the scheduler.
"""

from __future__ import annotations

import argparse
import multiprocessing
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import dask
import dask.array as da
import numpy as np
from distributed import Client, LocalCluster

import ir_plugin as ov
from benchmarks.models import GROUPS, Array, Work
from ir_plugin.batch_inference.jobs import MapJob, Stored, run_on

FOLDER = Path(__file__).parents[1] / ".benchmarks"
ROUNDS = 5


def seconds(function: Callable[[], Any]) -> float:
    """Return the time of a call."""
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def in_turn(functions: dict[str, Callable[[], Any]], rounds: int = ROUNDS) -> dict[str, float]:
    """Return the median time of each function, called one after the other in changing orders."""
    times: dict[str, list[float]] = {name: [] for name in functions}
    for round in range(rounds):
        for name in list(functions)[:: -1 if round % 2 else 1]:
            times[name].append(seconds(functions[name]))
    return {name: statistics.median(values) for name, values in times.items()}


def input_of(work: Work) -> tuple[str, Array]:
    """Return the name and the value of a network's only input."""
    return ov.Predictor(work.ir).ports.input_names[0], work.inputs[0]


def overhead(work: Work, batches: int) -> float:
    """Return the time of `map` over that of a loop, less one."""
    name, array = input_of(work)
    rows = np.tile(array, (batches, *[1] * (array.ndim - 1)))
    predictor = ov.Predictor(work.ir)
    compiled = ov.Core().compile_model(work.ir)
    step = len(array)

    def loop() -> None:
        for start in range(0, len(rows), step):
            compiled({name: rows[start : start + step]})

    def mapped() -> None:
        ov.map(predictor, {name: rows}, batch_size=step)

    loop()
    mapped()
    times = in_turn({"loop": loop, "map": mapped}, 2 * ROUNDS)
    return times["map"] / times["loop"] - 1


def beside_onnxruntime(work: Work, batches: int, threads: int) -> float:
    """Return our throughput over onnxruntime's, both in `map_blocks` on Dask's threads."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(work.onnx, options, providers=["CPUExecutionProvider"])
    name, array = input_of(work)
    theirs_name = session.get_inputs()[0].name
    lazy = da.from_array(np.tile(array, (batches, *[1] * (array.ndim - 1))), chunks=array.shape)
    ours = ov.map(work.ir, {name: lazy}, batch_size=len(array))
    ours = next(iter(ours.values())) if isinstance(ours, dict) else ours
    theirs = lazy.map_blocks(
        lambda block: session.run(None, {theirs_name: block})[0], dtype=ours.dtype, chunks=ours.chunks,
        drop_axis=list(range(1, lazy.ndim)), new_axis=list(range(1, ours.ndim)),
        meta=np.empty((0,) * ours.ndim, ours.dtype),
    )  # fmt: skip
    with dask.config.set(scheduler="threads", num_workers=threads):
        ours.compute()
        theirs.compute()
        times = in_turn({"ours": ours.compute, "onnxruntime": theirs.compute})
    return times["onnxruntime"] / times["ours"]


def speed_up(work: Work, batches: int, workers: int, rows_a_task: int, folder: Path) -> float:
    """Return the time of one worker over that of several, in `ir-plugin map`'s way."""
    name, array = input_of(work)
    rows = np.tile(array, (batches, *[1] * (array.ndim - 1)))
    np.save(folder / "rows.npy", rows)
    predictor = ov.Predictor(work.ir, {"INFERENCE_NUM_THREADS": 1})
    times = {}
    for count in (1, workers):
        quiet = {"dashboard_address": None, "silence_logs": 50}
        with LocalCluster(n_workers=count, threads_per_worker=1, **quiet) as cluster, Client(cluster) as client:
            results = []
            for number in range(ROUNDS):
                inputs = {name: Stored(str(folder / "rows.npy"))}
                job = MapJob(predictor, inputs, str(folder / f"{count}-{number}.zarr"), rows_a_task).start(False)
                results.append(seconds(lambda job=job, client=client: list(run_on(client, job, job.missing()))))  # type: ignore[misc]
            times[count] = statistics.median(results[1:])
    return times[1] / times[workers]


def processes_speed_up(work: Work, batches: int, workers: int) -> float:
    """Return the time of one process over that of several which share the batches, without a scheduler or a store."""
    times: dict[int, list[float]] = {1: [], workers: []}
    context = multiprocessing.get_context("spawn")
    for _ in range(ROUNDS):
        for count, values in times.items():
            barrier, results = context.Barrier(count), context.Queue()
            arguments = (work, batches // count, barrier, results)
            processes = [context.Process(target=_infer_repeatedly, args=arguments) for _ in range(count)]
            for process in processes:
                process.start()
            values.append(max(results.get() for _ in processes))
            for process in processes:
                process.join()
    return statistics.median(times[1]) / statistics.median(times[workers])


def _infer_repeatedly(work: Work, batches: int, barrier: Any, results: Any) -> None:
    compiled = ov.Core().compile_model(work.ir, config={"INFERENCE_NUM_THREADS": 1})
    compiled(work.inputs)
    barrier.wait()
    results.put(seconds(lambda: [compiled(work.inputs) for _ in range(batches)]))


def works(group: str, only: list[str]) -> list[Work]:
    """Return the benchmarked networks of a group with one input, or those of them that are named."""
    FOLDER.mkdir(exist_ok=True)
    return [work for work in GROUPS[group](FOLDER) if len(work.inputs) == 1 and (not only or work.name in only)]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--batches", type=int, default=24)
    parser.add_argument("--rows", type=int, default=1, help="rows of a worker's task")
    parser.add_argument("--group", default="light")
    parser.add_argument("--only", nargs="*", default=[], metavar="NETWORK")
    arguments = parser.parse_args()
    print("| network | workers | processes | over onnxruntime | overhead of map |\n|---|---|---|---|---|")
    for work in works(arguments.group, arguments.only):
        with tempfile.TemporaryDirectory() as folder:
            faster = speed_up(work, arguments.batches, arguments.workers, arguments.rows, Path(folder))
        limit = processes_speed_up(work, arguments.batches, arguments.workers)
        throughput = beside_onnxruntime(work, arguments.batches, arguments.workers) if work.onnx is not None else 0
        extra = 100 * overhead(work, arguments.batches)
        print(f"| {work.name} | {faster:.2f} | {limit:.2f} | {throughput:.2f} | {extra:.1f} % |", flush=True)


if __name__ == "__main__":
    main()
