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
    """What was measured; times are in milliseconds."""

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
        """Return it as plain data."""
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
    """Run for some seconds, or a number of times, with several requests at a time."""
    if seconds <= 0 and iterations is None:
        raise InputError("a benchmark takes some time, or a number of iterations")
    given = dict(enumerate(complete(compiled, inputs, seed)))
    start = time.perf_counter()
    compiled.infer_new_request(given)
    first = (time.perf_counter() - start) * 1e3
    measure = _one_at_a_time if requests == 1 else _several
    latencies, took = measure(compiled, given, _Limit(seconds, iterations, listener), requests)
    values = np.array(latencies)
    batch = _batch(given)
    return Benchmark(
        requests, len(values), took * 1e3, first, float(np.median(values)), float(values.mean()), float(values.min()),
        float(values.max()), len(values) * batch / took, batch,
    )  # fmt: skip


class _Limit:
    """Says whether to go on; asked before each inference. At least one is made."""

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


def _one_at_a_time(
    compiled: CompiledModel, given: Mapping[int, Array], limit: _Limit, requests: int
) -> tuple[Sequence[float], float]:
    del requests
    request = compiled.create_infer_request()
    latencies = []
    start = time.perf_counter()
    while limit.goes_on():
        request.infer(given, share_inputs=True)
        latencies.append(request.latency)
    return latencies, time.perf_counter() - start


def _several(
    compiled: CompiledModel, given: Mapping[int, Array], limit: _Limit, requests: int
) -> tuple[Sequence[float], float]:
    queue = AsyncInferQueue(compiled, requests)
    latencies: list[float] = []
    queue.set_callback(lambda request, _: latencies.append(request.latency))
    start = time.perf_counter()
    while limit.goes_on():
        queue.start_async(given, share_inputs=True)
    queue.wait_all()
    return latencies, time.perf_counter() - start


def _batch(given: Mapping[int, Array]) -> int:
    """Return the first length of inputs that look like images, where they agree on it, else 1."""
    firsts = {array.shape[0] for array in given.values() if array.ndim > 3}
    return firsts.pop() or 1 if len(firsts) == 1 else 1
