"""Dynamic batching: requests of the same shapes that wait at the same time run together."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Hashable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from time import monotonic

import numpy as np

from ir_plugin.errors import Error
from ir_plugin.serving.limits import Limits
from ir_plugin.serving.metrics import Metrics
from ir_plugin.serving.served_model import ServedModel
from ir_plugin.tensors import Array

Outputs = Sequence[Array]


@dataclass(eq=False)
class _Pending:
    """A request that waits; requests with the same key may share a batch, None runs alone."""

    arrays: list[Array]
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
        self._arrival = asyncio.Condition()
        self._executor = ThreadPoolExecutor(workers, "ir-plugin-serve")
        self._workers = [asyncio.create_task(self._work()) for _ in range(workers)]

    async def close(self) -> None:
        """Stop the workers; requests that wait are cancelled."""
        for worker in self._workers:
            worker.cancel()
        await asyncio.gather(*self._workers, return_exceptions=True)
        while self._pending:
            self._pending.popleft().result.cancel()
        self._executor.shutdown(wait=False, cancel_futures=True)

    async def infer(self, arrays: list[Array]) -> Outputs:
        """Return the outputs for the inputs of a request; a cancelled request leaves the queue."""
        key: Hashable | None = None
        rows = 1
        lengths = {array.shape[0] if array.ndim else 0 for array in arrays}
        if self._is_batching and len(lengths) == 1 and 0 not in lengths:
            key, rows = tuple(array.shape[1:] for array in arrays), lengths.pop()
        pending = _Pending(arrays, key, rows, asyncio.get_running_loop().create_future())
        async with self._arrival:
            self._pending.append(pending)
            self._arrival.notify_all()
        return await pending.result

    async def _work(self) -> None:
        while True:
            batch = await self._next_batch()
            batch = [pending for pending in batch if not pending.result.done()]
            if batch:
                await self._run(batch)

    async def _next_batch(self) -> list[_Pending]:
        """Return the oldest request with those that fit it, once the batch is full or its window has passed."""
        async with self._arrival:
            await self._arrival.wait_for(lambda: self._pending)
            first = self._pending.popleft()
            batch, rows = [first], first.rows
            while first.key is not None:
                rows = self._take(batch, first.key, rows)
                left = first.since + self._limits.batch_window - monotonic()
                if rows >= self._limits.max_batch or left <= 0 or first.result.done():
                    break
                try:
                    await asyncio.wait_for(self._arrival.wait(), left)
                except asyncio.TimeoutError:
                    continue
        return batch

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

    async def _run(self, batch: list[_Pending]) -> None:
        """Run a batch; where it fails, each of its requests alone, so that only those at fault fail."""
        start = monotonic()
        for pending in batch:
            self._metrics.queue_seconds.observe(start - pending.since)
        try:
            outputs = await self._in_thread(batch)
        except Exception as fault:  # noqa: BLE001 the request gets whatever its run raises
            if len(batch) > 1:
                for pending in batch:
                    await self._run([pending])
            elif not batch[0].result.done():
                batch[0].result.set_exception(fault)
            return
        self._metrics.inference_seconds.observe(monotonic() - start)
        self._metrics.batch_rows.observe(sum(pending.rows for pending in batch))
        for pending, parts in zip(batch, outputs, strict=True):
            if not pending.result.done():
                pending.result.set_result(parts)

    async def _in_thread(self, batch: list[_Pending]) -> list[Outputs]:
        return await asyncio.get_running_loop().run_in_executor(self._executor, self._inferred, batch)

    def _inferred(self, batch: list[_Pending]) -> list[Outputs]:
        """Return the outputs of each request of a batch."""
        if batch[0].key is None:
            return [self._served.infer(batch[0].arrays)]
        count = sum(pending.rows for pending in batch)
        size = self._padded(count)
        rows = [
            _joined([pending.arrays[position] for pending in batch], size - count)
            for position in range(len(batch[0].arrays))
        ]
        outputs = self._served.infer(rows)
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


def _joined(parts: Sequence[Array], padding: int) -> Array:
    """Return the rows of all parts, and the last row again for each row of the padding."""
    if len(parts) == 1 and not padding:
        return parts[0]
    last = parts[-1][-1:]
    return np.concatenate([*parts, *[last] * padding])
