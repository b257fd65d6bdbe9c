"""Dynamic batching: requests of the same shapes that wait at the same time run together."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ir_plugin import InferRequest
from ir_plugin.errors import Error
from ir_plugin.serving.daemon_pool import DaemonPool
from ir_plugin.serving.limits import Limits
from ir_plugin.serving.metrics import Metrics
from ir_plugin.serving.served_model import ServedModel

Outputs = Sequence[NDArray[Any]]
_CANCEL_INTERVAL = 0.02
"""Seconds after which a run that nobody waits for is cancelled again."""
_CLOSING_SECONDS = 0.5
"""Seconds that a stop waits for cancelled runs; a layer of many seconds is left to the end of the process."""


@dataclass(eq=False)
class _Pending:
    """A request that waits; requests with the same key may share a batch, None runs alone."""

    arrays: list[NDArray[Any]]
    key: Hashable | None
    rows: int
    result: asyncio.Future[Outputs]
    since: float = field(default_factory=monotonic)


class Batcher:
    """Runs requests in worker threads. Its methods belong to one event loop."""

    def __init__(
        self, served: ServedModel, limits: Limits, metrics: Metrics, *, is_batching: bool, workers: int
    ) -> None:
        self._served, self._limits, self._metrics = served, limits, metrics
        self._is_batching = is_batching and limits.max_batch > 1
        self._pending: deque[_Pending] = deque()
        self._arrival = asyncio.Event()
        self._pool = DaemonPool(workers, "ir-plugin-serve")
        self._running: set[_Pending] = set()
        self._abandoned = 0
        requests = [served.compiled.create_infer_request() for _ in range(workers)]
        self._workers = [asyncio.create_task(self._work(request)) for request in requests]

    @property
    def is_stuck(self) -> bool:
        """Whether each worker has a run that nobody waits for, and which has not yet ended."""
        return self._abandoned == len(self._workers)

    async def close(self) -> None:
        """Cancel all requests, and wait a moment until those that run have noticed."""
        for pending in [*self._pending, *self._running]:
            pending.result.cancel()
        deadline = monotonic() + _CLOSING_SECONDS
        while self._running and monotonic() < deadline:
            await asyncio.sleep(_CANCEL_INTERVAL)
        for worker in self._workers:
            worker.cancel()
        await asyncio.gather(*self._workers, return_exceptions=True)
        self._pool.close()

    def submit(self, arrays: list[NDArray[Any]]) -> asyncio.Future[Outputs]:
        """Return the future outputs for the inputs of a request.

        A request whose future is cancelled leaves the queue; a run is cancelled when all its requests are.
        """
        key: Hashable | None = None
        rows = 1
        lengths = {array.shape[0] if array.ndim else 0 for array in arrays}
        if self._is_batching and len(lengths) == 1 and 0 not in lengths:
            key, rows = tuple(array.shape[1:] for array in arrays), lengths.pop()
        pending = _Pending(arrays, key, rows, asyncio.get_running_loop().create_future())
        self._pending.append(pending)
        self._arrival.set()
        return pending.result

    async def _work(self, request: InferRequest) -> None:
        while True:
            batch = await self._next_batch()
            await self._run(batch, request)

    async def _next_batch(self) -> list[_Pending]:
        """Return the oldest request with those that fit it, once the batch is full or its window has passed."""
        while not self._pending:
            await self._arrived(None)
        first = self._pending.popleft()
        batch, rows = [first], first.rows
        while first.key is not None:
            rows = self._take(batch, first.key, rows)
            left = first.since + self._limits.batch_window - monotonic()
            if rows >= self._limits.max_batch or left <= 0 or first.result.done():
                break
            await self._arrived(left)
        return batch

    async def _arrived(self, seconds: float | None) -> None:
        """Wait for the next request, at most some seconds; a worker whose time has passed may wake the others."""
        self._arrival.clear()
        timer = None if seconds is None else asyncio.get_running_loop().call_later(seconds, self._arrival.set)
        await self._arrival.wait()
        if timer is not None:
            timer.cancel()

    def _take(self, batch: list[_Pending], key: Hashable, rows: int) -> int:
        """Move requests of a key that still fit from the queue into the batch, and return its rows."""
        for pending in list(self._pending):
            if pending.result.done():
                self._pending.remove(pending)
            elif pending.key == key and rows + pending.rows <= self._limits.max_batch:
                self._pending.remove(pending)
                batch.append(pending)
                rows += pending.rows
        return rows

    async def _run(self, batch: list[_Pending], request: InferRequest) -> None:
        """Run a batch; where it fails, each of its requests alone, so that only those at fault fail."""
        start = monotonic()
        batch = [pending for pending in batch if not pending.result.done()]
        if not batch:
            return
        for pending in batch:
            self._metrics.queue_seconds.observe(start - pending.since)
        try:
            outputs = await self._outputs(batch, request)
        except Exception as fault:  # noqa: BLE001 the request gets whatever its run raises
            if len(batch) > 1:
                for pending in batch:
                    await self._run([pending], request)
            elif not batch[0].result.done():
                batch[0].result.set_exception(fault)
            return
        self._metrics.inference_seconds.observe(monotonic() - start)
        self._metrics.batch_rows.observe(sum(pending.rows for pending in batch))
        for pending, parts in zip(batch, outputs, strict=True):
            if not pending.result.done():
                pending.result.set_result(parts)

    async def _outputs(self, batch: list[_Pending], request: InferRequest) -> list[Outputs]:
        """Return the outputs of each request of a batch from a run in a thread, cancelled when nobody waits for it."""
        self._running.update(batch)
        try:
            run = self._pool.run(lambda: self._inferred(batch, request))
            answers = asyncio.gather(*[pending.result for pending in batch], return_exceptions=True)
            first: set[asyncio.Future[Any]] = {run, answers}
            await asyncio.wait(first, return_when=asyncio.FIRST_COMPLETED)
            if not run.done():
                await self._cancelled(run, request)
            return await run
        finally:
            self._running.difference_update(batch)

    async def _cancelled(self, run: asyncio.Future[list[Outputs]], request: InferRequest) -> None:
        """Cancel a run until it ends: the start of an inference forgets an earlier call."""
        self._abandoned += 1
        try:
            while not run.done():
                request.cancel()
                await asyncio.wait({run}, timeout=_CANCEL_INTERVAL)
        finally:
            self._abandoned -= 1

    def _inferred(self, batch: list[_Pending], request: InferRequest) -> list[Outputs]:
        """Return the outputs of each request of a batch."""
        if batch[0].key is None:
            return [self._served.infer(batch[0].arrays, request)]
        count = sum(pending.rows for pending in batch)
        size = self._padded(count)
        rows = [
            _joined([pending.arrays[position] for pending in batch], size - count)
            for position in range(len(batch[0].arrays))
        ]
        outputs = self._served.infer(rows, request)
        if any(output.ndim == 0 or output.shape[0] != size for output in outputs):
            raise Error(f"an output has no batch of {size}")
        ends = np.cumsum([pending.rows for pending in batch])
        return [
            [output[end - pending.rows : end] for output in outputs]
            for pending, end in zip(batch, ends, strict=True)
        ]  # fmt: skip

    def _padded(self, count: int) -> int:
        """Return the next power of two, so that a model has few plans; a longer batch than the maximum stays."""
        return max(count, min(1 << (count - 1).bit_length(), self._limits.max_batch))


def _joined(parts: Sequence[NDArray[Any]], padding: int) -> NDArray[Any]:
    """Return the rows of all parts, and the last row again for each row of the padding."""
    if len(parts) == 1 and not padding:
        return parts[0]
    last = parts[-1][-1:]
    return np.concatenate([*parts, *[last] * padding])
