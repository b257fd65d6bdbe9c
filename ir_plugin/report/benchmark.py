"""Latency and throughput, measured as OpenVINO's benchmark_app does."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ir_plugin.api import AsyncInferQueue, CompiledModel
from ir_plugin.errors import InputError
from ir_plugin.report.inputs import complete
from ir_plugin.tensors import Array


@dataclass(frozen=True)
class Benchmark:
    """The measurements of a benchmark; times are in milliseconds."""

    requests: int
    count: int
    duration: float
    first: float
    """The first inference, which is not counted."""
    median: float
    average: float
    min: float
    max: float
    throughput: float
    """Frames a second: inferences times the batch."""
    batch: int = 1

    def to_dict(self) -> dict[str, Any]:
        """Return the measurements as plain data."""
        return asdict(self)


def benchmark(
    compiled: CompiledModel,
    inputs: Any = None,
    seconds: float = 10.0,
    iterations: int | None = None,
    requests: int = 1,
    seed: int = 0,
    listener: Callable[[], None] | None = None,
) -> Benchmark:
    """Return the latency and throughput of running for some seconds or iterations, with `requests` at a time."""
    if seconds <= 0 and iterations is None:
        raise InputError("a benchmark takes some time, or a number of iterations")
    arrays = dict(enumerate(complete(compiled, inputs, seed)))
    start = time.perf_counter()
    compiled.infer_new_request(arrays)
    first = (time.perf_counter() - start) * 1e3
    measure = _run_sequentially if requests == 1 else _run_concurrently
    latencies, elapsed = measure(compiled, arrays, _Limit(seconds, iterations, listener), requests)
    values = np.array(latencies)
    batch = _batch(arrays)
    return Benchmark(
        requests, len(values), elapsed * 1e3, first, float(np.median(values)), float(values.mean()),
        float(values.min()), float(values.max()), len(values) * batch / elapsed, batch,
    )  # fmt: skip


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
    compiled: CompiledModel, arrays: Mapping[int, Array], limit: _Limit, requests: int
) -> tuple[Sequence[float], float]:
    del requests
    request = compiled.create_infer_request()
    latencies = []
    start = time.perf_counter()
    while limit.goes_on():
        request.infer(arrays, share_inputs=True)
        latencies.append(request.latency)
    return latencies, time.perf_counter() - start


def _run_concurrently(
    compiled: CompiledModel, arrays: Mapping[int, Array], limit: _Limit, requests: int
) -> tuple[Sequence[float], float]:
    queue = AsyncInferQueue(compiled, requests)
    latencies: list[float] = []
    queue.set_callback(lambda request, _: latencies.append(request.latency))
    start = time.perf_counter()
    while limit.goes_on():
        queue.start_async(arrays, share_inputs=True)
    queue.wait_all()
    return latencies, time.perf_counter() - start


def _batch(arrays: Mapping[int, Array]) -> int:
    """Return the first length of the inputs that look like images if they agree on it, else 1."""
    lengths = {array.shape[0] for array in arrays.values() if array.ndim > 3}
    return lengths.pop() or 1 if len(lengths) == 1 else 1
