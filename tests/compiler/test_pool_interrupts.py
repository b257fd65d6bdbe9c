"""An interrupt at any point of a job leaves a pool of threads idle, and ready for the next job."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable

import pytest

from ir_plugin.kernels.thread_pool import ThreadPool
from tests.api.test_interrupts import interrupted
from tests.compiler.test_threads import pools

PARTS = 6
MIN_POINTS = 20
PART_SECONDS = 0.001
"""After twice as long, a part that ran on, or that began, has changed the counts."""
DEADLINE = 120.0


def interrupt_everywhere(pool: ThreadPool) -> list[str]:
    """Interrupt a job at each point, up to one that it does not reach, and return what goes wrong."""
    faults: list[str] = []
    number, is_reached = 0, True
    while is_reached or number < MIN_POINTS:
        number, is_reached, began, ended, runs = number + 1, False, Counter[int](), Counter[int](), Counter[int]()

        def work(part: int, began: Counter[int] = began, ended: Counter[int] = ended) -> None:
            began[part] += 1
            time.sleep(PART_SECONDS)
            ended[part] += 1

        try:
            with interrupted(number):
                pool.run(work, PARTS)
        except KeyboardInterrupt:
            is_reached = True
        at_end = ended.copy()
        time.sleep(2 * PART_SECONDS)
        if not began == ended == at_end:
            faults.append(f"point {number}: a part still runs")
        pool.run(lambda part, runs=runs: runs.update([part]), PARTS)  # type: ignore[misc]
        if runs != Counter(range(PARTS)):
            faults.append(f"point {number}: the next job runs {runs}")
        if pool._busy.locked():
            faults.append(f"point {number}: the pool is busy")
    return faults


@pytest.mark.parametrize("build", pools())
def test_an_interrupted_job_leaves_the_pool_ready(build: Callable[[int], ThreadPool]) -> None:
    pool, faults = build(2), list[str]()
    pool.begin()
    thread = threading.Thread(target=lambda: faults.extend(interrupt_everywhere(pool)), daemon=True)
    thread.start()
    thread.join(DEADLINE)
    assert not thread.is_alive(), "a job waits for parts that nobody runs"
    pool.end()
    assert faults == []
