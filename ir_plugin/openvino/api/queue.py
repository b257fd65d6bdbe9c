"""A pool of infer requests that run in parallel."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

from ir_plugin.errors import ArgumentTypeError, PositionError, require, shown, wrong_type
from ir_plugin.openvino.api.compiled import CompiledModel
from ir_plugin.openvino.api.request import InferRequest

Callback = Callable[[InferRequest, Any], Any]
MAX_REQUESTS = 2**16
"""The most requests of a queue."""


class _Job(InferRequest):
    """A request of a queue, which passes itself to the callback and becomes idle after it."""

    def __init__(self, compiled: CompiledModel, queue: AsyncInferQueue, index: int) -> None:
        super().__init__(compiled)
        self._queue = queue
        self._index = index

    def _work(self, done: threading.Event) -> None:
        super()._work(done)
        self._queue.give_back(self._index, self._fault)

    def _callback_arguments(self) -> tuple[Any, ...]:
        return self, self._userdata

    def _set_userdata(self, userdata: Any) -> None:
        self._userdata = userdata


class AsyncInferQueue:
    """A pool of `jobs` requests; `start_async` takes an idle request, and waits for one if all are running."""

    def __init__(self, model: CompiledModel, jobs: int = 0) -> None:
        if not isinstance(model, CompiledModel):
            raise wrong_type("model", "a CompiledModel", model)
        require(jobs, int, "a whole number", "jobs")
        if jobs < 0:
            raise ArgumentTypeError(f"a queue has one request or more, not {shown(jobs)}")
        count = jobs or int(model.get_property("OPTIMAL_NUMBER_OF_INFER_REQUESTS"))
        if count > MAX_REQUESTS:
            raise ArgumentTypeError(f"a queue has up to {MAX_REQUESTS} requests, not {shown(count)}")
        self._requests = [_Job(model, self, index) for index in range(count)]
        self._idle = deque(range(count))
        self._faults: list[BaseException] = []
        self._changed = threading.Condition()

    def start_async(self, inputs: Any = None, userdata: Any = None, share_inputs: bool = False) -> None:
        """Start the next idle request; errors of earlier requests are raised here."""
        with self._changed:
            self._changed.wait_for(lambda: self._idle)
            self._raise()
            job = self._requests[self._idle[0]]
            job._userdata = userdata
            job.start_async(inputs, None, share_inputs)
            self._idle.popleft()

    def give_back(self, index: int, fault: BaseException | None) -> None:
        """Mark a request as idle, and record its error, if any."""
        with self._changed:
            if index not in self._idle:
                self._idle.append(index)
            if fault is not None:
                self._faults.append(fault)
            self._changed.notify_all()

    def _raise(self) -> None:
        if self._faults:
            fault, self._faults = self._faults[0], []
            raise fault

    def wait_all(self) -> None:
        """Wait until all requests are idle, and raise the first error."""
        with self._changed:
            self._changed.wait_for(lambda: len(self._idle) == len(self._requests))
            self._raise()

    def is_ready(self) -> bool:
        """Return whether a request is idle."""
        with self._changed:
            return bool(self._idle)

    def get_idle_request_id(self) -> int:
        """Wait until a request is idle, and return its position."""
        with self._changed:
            self._changed.wait_for(lambda: self._idle)
            return self._idle[0]

    def set_callback(self, callback: Callback) -> None:
        """Call `callback(request, userdata)` at the end of every inference."""
        for request in self._requests:
            request.set_callback(callback)

    @property
    def userdata(self) -> list[Any]:
        """The userdata of each request's last callback."""
        return [request.userdata for request in self._requests]

    def __len__(self) -> int:
        return len(self._requests)

    def __getitem__(self, index: int) -> InferRequest:
        try:
            return self._requests[index]
        except IndexError:
            raise PositionError(f"the queue has no request {shown(index)}; it has {len(self)}") from None
        except TypeError:
            raise wrong_type("index", "a whole number", index) from None

    def __iter__(self) -> Iterator[InferRequest]:
        return iter(self._requests)

    def __repr__(self) -> str:
        return f"<AsyncInferQueue: {len(self)} jobs>"
