"""Latency and throughput, measured as OpenVINO's benchmark_app does."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from itertools import cycle
from typing import Any

import numpy as np

from ir_plugin.errors import InputError
from ir_plugin.openvino.api import AsyncInferQueue, CompiledModel
from ir_plugin.report.benchmark_data import BenchmarkData, ShapeLatency
from ir_plugin.report.inputs import Random, complete
from ir_plugin.report.memory import peak_memory
from ir_plugin.tensors import Array


class Benchmark(BenchmarkData):
    """The measurements of a benchmark; times are in milliseconds."""

    def _repr_html_(self) -> str:
        from ir_plugin.report.benchmark_html import cell_of

        return cell_of(self)


def benchmark(
    compiled: CompiledModel,
    inputs: Any = None,
    seconds: float = 10.0,
    iterations: int | None = None,
    requests: int = 1,
    seed: int = 0,
    listener: Callable[[], None] | None = None,
    shapes: Sequence[Mapping[Any, Sequence[int]]] = (),
) -> Benchmark:
    """Return the latency and throughput of running for some seconds or iterations, with `requests` at a time.

    With `shapes` the inferences take one combination of input shapes after the other, with random values. Variables
    have their initial values before each inference.
    """
    if seconds <= 0 and iterations is None:
        raise InputError("a benchmark takes some time, or a number of iterations")
    feeds = [dict(enumerate(complete(compiled, values, seed))) for values in _combined(inputs, shapes)]
    firsts = [_first(compiled, arrays) for arrays in feeds]
    measure = _run_sequentially if requests == 1 else _run_concurrently
    latencies, elapsed = measure(compiled, feeds, _Limit(seconds, iterations, listener), requests)
    values = np.array([latency for latency, _ in latencies])
    batches = [_batch(arrays) for arrays in feeds]
    frames = sum(batches[number] for _, number in latencies)
    return Benchmark(
        requests, len(values), elapsed * 1e3, firsts[0], float(np.median(values)), float(values.mean()),
        float(values.min()), float(values.max()), frames / elapsed, batches[0], peak_memory(),
        tuple(_by_shape(feeds, firsts, latencies)) if shapes else (),
    )  # fmt: skip


def _combined(inputs: Any, shapes: Sequence[Mapping[Any, Sequence[int]]]) -> list[Any]:
    """Return the inputs with random values of each combination of shapes."""
    if not shapes:
        return [inputs]
    fixed = dict(inputs) if isinstance(inputs, Mapping) else dict(enumerate(inputs or ()))
    return [{**fixed, **{name: Random(tuple(lengths)) for name, lengths in chosen.items()}} for chosen in shapes]


def _first(compiled: CompiledModel, arrays: Mapping[int, Array]) -> float:
    start = time.perf_counter()
    compiled.infer_new_request(arrays)
    return (time.perf_counter() - start) * 1e3


def _by_shape(
    feeds: Sequence[Mapping[int, Array]], firsts: Sequence[float], latencies: Sequence[tuple[float, int]]
) -> list[ShapeLatency]:
    """Return the times of each combination of shapes that was run."""
    rows = []
    for number, (arrays, first) in enumerate(zip(feeds, firsts, strict=True)):
        own = [latency for latency, feed in latencies if feed == number]
        text = ", ".join(f"[{','.join(map(str, array.shape))}]" for array in arrays.values())
        rows.append(ShapeLatency(text, len(own), first, float(np.median(own)) if own else first))
    return rows


class _Limit:
    """Decides before each inference whether to go on; there is at least one inference."""

    def __init__(self, seconds: float, iterations: int | None, listener: Callable[[], None] | None) -> None:
        self._iterations = iterations
        self._end = time.perf_counter() + seconds
        self._count = 0
        self._listener = listener

    def goes_on(self) -> bool:
        if self._count and self._listener is not None:
            self._listener()
        done = self._count >= self._iterations if self._iterations is not None else time.perf_counter() >= self._end
        self._count += 1
        return self._count == 1 or not done


def _run_sequentially(
    compiled: CompiledModel, feeds: Sequence[Mapping[int, Array]], limit: _Limit, requests: int
) -> tuple[Sequence[tuple[float, int]], float]:
    """Return the latency and the number of the feed of each inference, and the seconds of all."""
    del requests
    request = compiled.create_infer_request()
    latencies = []
    start = time.perf_counter()
    for number, arrays in cycle(enumerate(feeds)):
        if not limit.goes_on():
            break
        request.reset_state()
        request.infer(arrays, share_inputs=True)
        latencies.append((request.latency, number))
    return latencies, time.perf_counter() - start


def _run_concurrently(
    compiled: CompiledModel, feeds: Sequence[Mapping[int, Array]], limit: _Limit, requests: int
) -> tuple[Sequence[tuple[float, int]], float]:
    queue = AsyncInferQueue(compiled, requests)
    latencies: list[tuple[float, int]] = []
    queue.set_callback(lambda request, number: latencies.append((request.latency, number)))
    start = time.perf_counter()
    for number, arrays in cycle(enumerate(feeds)):
        if not limit.goes_on():
            break
        queue[queue.get_idle_request_id()].reset_state()
        queue.start_async(arrays, number, share_inputs=True)
    queue.wait_all()
    return latencies, time.perf_counter() - start


def _batch(arrays: Mapping[int, Array]) -> int:
    """Return the first length of the inputs that look like images if they agree on it, else 1."""
    lengths = {array.shape[0] for array in arrays.values() if array.ndim > 3}
    return lengths.pop() or 1 if len(lengths) == 1 else 1
