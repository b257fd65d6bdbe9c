"""An interrupt at any point of a call leaves requests and queues ready for the next call."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import numpy as np
import pytest

import ir_plugin as ov
from tests.api.models import WEIGHTS, two_inputs

INPUTS = [np.ones((1, 3, 4), np.float32), np.ones((1, 3, 1), np.float32)]
EXPECTED = np.array([2, 3, 4], np.float32).reshape(1, 3, 1) * np.ones((1, 3, 4), np.float32)


@pytest.fixture(autouse=True)
def without_collections() -> Iterator[None]:
    """Collect no garbage meanwhile: finalizers would run at points of a call that differ from one call to the next."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


@contextmanager
def interrupted(number: int) -> Iterator[list[int]]:
    """Raise KeyboardInterrupt where Python handles signals: at the start of its functions, at the end of those of C."""
    counts = [0]

    def count(frame: FrameType, event: str, _argument: object) -> None:
        is_ours = str(frame.f_globals.get("__name__")).startswith("ir_plugin")
        if event not in ("call", "c_return") or not is_ours or frame.f_code.co_name == "<genexpr>":
            return
        counts[0] += 1
        if counts[0] == number:
            sys.setprofile(None)
            raise KeyboardInterrupt

    previous = sys.getprofile()
    sys.setprofile(count)
    try:
        yield counts
    finally:
        sys.setprofile(previous)


def points(call: Callable[[], object]) -> int:
    """Return how many points of a call an interrupt may come at."""
    with interrupted(0) as counts:
        call()
    settle()
    return counts[0]


def settle() -> None:
    """Wait for the threads of requests."""
    for thread in threading.enumerate():
        if thread.name == "ir_plugin request":
            thread.join()


def calls_of(request: ov.InferRequest) -> dict[str, Callable[[], object]]:
    return {
        "infer": lambda: request.infer(INPUTS),
        "infer_only": lambda: request.infer_only(INPUTS, False),
        "steps": lambda: list(request.steps(INPUTS)),
        "start_async": lambda: request.start_async(INPUTS),
    }


@pytest.mark.parametrize("name", ["infer", "infer_only", "steps", "start_async"])
def test_an_interrupted_request_is_idle(name: str) -> None:
    request = ov.Core().compile_model(two_inputs(), weights=WEIGHTS).create_infer_request()
    call = calls_of(request)[name]
    request.infer(INPUTS)
    call()
    settle()
    count = points(call)
    assert count > 10
    for number in range(1, count + 1):
        with pytest.raises(KeyboardInterrupt), interrupted(number):
            call()
        settle()
        assert request.wait_for(0)
        np.testing.assert_array_equal(request.infer(INPUTS)["relu_0"], EXPECTED, str(number))


@pytest.mark.parametrize("jobs", [2**16 + 1, 10**9, 10**4301, -(10**4301)], ids=["16 bits", "32 bits", "huge", "low"])
def test_a_queue_of_too_many_requests_is_refused_at_once(jobs: int) -> None:
    compiled = ov.Core().compile_model(two_inputs(), weights=WEIGHTS)
    with pytest.raises(ov.Error, match=r"a queue has (up to 65536 requests|one request or more), not "):
        ov.AsyncInferQueue(compiled, jobs)
    many = ov.Core().compile_model(two_inputs(), weights=WEIGHTS, config={"PERFORMANCE_HINT_NUM_REQUESTS": 10**9})
    assert len(ov.AsyncInferQueue(many, 3)) == 3


def test_an_interrupted_queue_keeps_its_requests() -> None:
    queue = ov.AsyncInferQueue(ov.Core().compile_model(two_inputs(), weights=WEIGHTS), 1)
    results: list[Any] = []
    queue.set_callback(lambda request, _userdata: results.append(request.get_tensor("relu_0").data.copy()))
    queue.start_async(INPUTS)
    settle()
    count = points(lambda: queue.start_async(INPUTS))
    assert count > 10
    for number in range(1, count + 1):
        with pytest.raises(KeyboardInterrupt), interrupted(number):
            queue.start_async(INPUTS)
        settle()
        results.clear()
        queue.start_async(INPUTS)
        queue.wait_all()
        settle()
        np.testing.assert_array_equal(results, [EXPECTED])
