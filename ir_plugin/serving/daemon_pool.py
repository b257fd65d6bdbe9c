"""Threads for an event loop that do not keep the process from ending."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from typing import Any, TypeVar

Result = TypeVar("Result")


class DaemonPool:
    """Runs functions in daemon threads, which, unlike an executor's, do not delay the end of the process."""

    def __init__(self, threads: int, name: str) -> None:
        self._jobs: SimpleQueue[tuple[asyncio.Future[Any], Callable[[], Any]] | None] = SimpleQueue()
        self._threads = threads
        for index in range(threads):
            threading.Thread(target=self._work, name=f"{name}-{index}", daemon=True).start()

    def run(self, function: Callable[[], Result]) -> asyncio.Future[Result]:
        """Return the future result of a function in the running loop; a cancelled job may run all the same."""
        future: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        self._jobs.put((future, function))
        return future

    def close(self) -> None:
        """End each thread after its job."""
        for _ in range(self._threads):
            self._jobs.put(None)

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            _perform(*job)
            del job


def _perform(future: asyncio.Future[Any], function: Callable[[], Any]) -> None:
    """Run a function unless its future is cancelled, and settle the future in its loop."""
    if future.cancelled():
        return
    result: Any = None
    fault: BaseException | None = None
    try:
        result = function()
    except BaseException as raised:  # noqa: BLE001 (raised again where the future is awaited)
        fault = raised
    settle(future, result, fault)


def settle(future: asyncio.Future[Any], result: Any, fault: BaseException | None = None) -> None:
    """Settle a future from another thread, unless it is done or its loop is closed."""
    with suppress(RuntimeError):
        future.get_loop().call_soon_threadsafe(_settle, future, result, fault)


def _settle(future: asyncio.Future[Any], result: Any, fault: BaseException | None) -> None:
    if future.done():
        return
    if fault is None:
        future.set_result(result)
    else:
        future.set_exception(fault)
