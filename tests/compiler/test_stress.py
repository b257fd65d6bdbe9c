"""Spin pools under stress: many threads, random jobs, exceptions, cancellations, interrupts and forks without a hang.

The pools work for `SECONDS`, a minute where `HYPOTHESIS_PROFILE` is "fuzz" (`python3 dev.py fuzz`).
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import openvino as ov
import pytest
from openvino import opset13 as ops

from ir_plugin import Core, Error
from tests.support.skips import COMPILED

pytest.importorskip("numba", reason=COMPILED)

from ir_plugin.kernels.numba.concat import CONCAT, INPUT, copy_rows
from ir_plugin.kernels.numba.runtime.spin_pool import SpinPool
from ir_plugin.kernels.numba.runtime.structs import address_of, filled

SECONDS = 60 if os.environ.get("HYPOTHESIS_PROFILE") == "fuzz" else 5
THREADS = 16
PATIENCE = 120
WITH_FORK = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")


class PartError(Exception):
    """Raised by a part."""


def run_threads(work: Callable[[random.Random], None], seconds: float) -> None:
    """Repeat `work` in many threads for some seconds; fail if one raises or does not end."""
    faults: list[BaseException] = []
    until = time.monotonic() + seconds

    def repeat(seed: int) -> None:
        dice = random.Random(seed)
        try:
            while time.monotonic() < until and not faults:
                work(dice)
        except BaseException as fault:
            faults.append(fault)
            raise

    threads = [threading.Thread(target=repeat, args=(seed,), daemon=True) for seed in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(seconds + PATIENCE)
    assert not any(thread.is_alive() for thread in threads), "a thread hangs"
    assert not faults


def compiled_job(pool: SpinPool, dice: random.Random) -> None:
    """Run a compiled job of random length in random parts."""
    rows, parts = dice.choice((1, 7, 600, 60_000)), dice.choice((1, 2, 3, 8, 64, 600))
    source, target = np.arange(rows, dtype=np.int64), np.zeros(rows, np.int64)
    table = np.array([(address_of(source), 8, 8)], INPUT)
    arguments = filled(
        CONCAT, rows=rows, parts=parts, inputs=address_of(table), input_count=1, output=address_of(target), step=8
    )
    pool.call(copy_rows.address, address_of(arguments), parts)
    assert (source == target).all()


def python_job(pool: SpinPool, dice: random.Random) -> None:
    """Run a job in Python, of which one part may raise and some take long."""
    parts, wrong = dice.randrange(1, 9), dice.randrange(40)
    pauses = [dice.choice((0, 0, 0, 1e-4, 5e-3)) for _ in range(parts)]
    done: list[int] = []

    def part(number: int) -> None:
        if pauses[number]:
            time.sleep(pauses[number])
        if number == wrong:
            raise PartError
        done.append(number)

    if wrong < parts:
        with pytest.raises(PartError):
            pool.run(part, parts)
    else:
        pool.run(part, parts)
        assert sorted(done) == list(range(parts))


def test_pools_of_many_threads() -> None:
    shared = SpinPool(3)

    def work(dice: random.Random) -> None:
        pool = shared if dice.random() < 0.2 else SpinPool(dice.randrange(1, 5))
        if pool is not shared:
            pool.begin()
        for _ in range(dice.randrange(1, 20)):
            dice.choice((compiled_job, compiled_job, python_job))(pool, dice)
            if dice.random() < 0.05:
                time.sleep(dice.choice((1e-4, 2e-2)))
        if pool is not shared:
            pool.end()

    shared.begin()
    run_threads(work, SECONDS)
    shared.end()


def save_model(path: Path) -> None:
    """Write a small network of convolutions, which spin pools run."""
    data = ops.parameter([1, 16, 24, 24], np.float32)
    value, dice = data.output(0), np.random.default_rng(1)
    for _ in range(6):
        filters = ops.constant((dice.standard_normal((16, 16, 3, 3)) / 12).astype(np.float32))
        value = ops.relu(ops.convolution(value, filters, [1, 1], [1, 1], [1, 1], [1, 1])).output(0)
    ov.save_model(ov.Model([ops.result(value)], [data], "m"), path, compress_to_fp16=False)


def test_requests_that_are_cancelled(tmp_path: Path) -> None:
    save_model(tmp_path / "m.xml")
    compiled = Core().compile_model(tmp_path / "m.xml", config={"INFERENCE_NUM_THREADS": 2})
    data = np.random.default_rng(2).standard_normal((1, 16, 24, 24)).astype(np.float32)
    precise = {"INFERENCE_PRECISION_HINT": "f32"}
    right = ov.Core().compile_model(tmp_path / "m.xml", "CPU", precise)([data])[0]
    ended: list[str] = []

    def work(dice: random.Random) -> None:
        request = compiled.create_infer_request()
        for _ in range(dice.randrange(1, 6)):
            request.start_async([data])
            if dice.random() < 0.5:
                time.sleep(dice.choice((0, 1e-4, 1e-3)))
                request.cancel()
            try:
                request.wait()
            except Error as fault:
                ended.append(str(fault))
            else:
                np.testing.assert_allclose(request.get_output_tensor().data, right, atol=1e-4)

    run_threads(work, SECONDS / 2)
    deadline = time.monotonic() + PATIENCE
    while not ended and time.monotonic() < deadline:
        work(random.Random(len(ended)))
    assert ended
    assert all("the inference was cancelled" in fault for fault in ended)


HEAD = """
import os, random, signal, sys, threading, time
sys.path.insert(0, sys.argv[1])
from test_stress import *

def finish(child):
    until = time.monotonic() + 60
    while time.monotonic() < until:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            assert status == 0, status
            return
        time.sleep(0.005)
    os.kill(child, signal.SIGKILL)
    sys.exit("a child hangs")

def forked(work):
    child = os.fork()
    if child:
        return child
    try:
        work()
    except BaseException:
        import traceback
        traceback.print_exc()
        os._exit(1)
    os._exit(0)

def jobs(pool, count=20):
    dice = random.Random(count)
    for _ in range(count):
        compiled_job(pool, dice)
        python_job(pool, dice)
"""


def run_script(script: str, *arguments: str) -> None:
    """Run a script in a process of its own, which has to end well."""
    folder = str(Path(__file__).parent)
    command = [sys.executable, "-W", "ignore", "-c", HEAD + script, folder, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE + 60, check=False)
    assert done.returncode == 0, done.stderr[-3000:]


@WITH_FORK
def test_a_fork_between_begin_and_end() -> None:
    run_script("""
pool = SpinPool(2)
pool.begin()
jobs(pool)
def work():
    jobs(pool)
    pool.end()
    pool.begin()
    jobs(pool)
    assert pool._spin_workers is None or pool._spin_workers._threads[0].is_alive()
    pool.end()
for _ in range(5):
    finish(forked(work))
    jobs(pool)
pool.end()
""")


@WITH_FORK
def test_forks_while_other_threads_run_jobs() -> None:
    run_script("""
pools, over = [SpinPool(2) for _ in range(4)], threading.Event()
def busy(pool):
    while not over.is_set():
        pool.begin()
        jobs(pool, 3)
        pool.end()
threads = [threading.Thread(target=busy, args=(pool,), daemon=True) for pool in pools]
for thread in threads:
    thread.start()
def work():
    for pool in [SpinPool(2), *pools]:
        pool.begin()
        jobs(pool)
        pool.end()
for _ in range(10):
    finish(forked(work))
over.set()
for thread in threads:
    thread.join()
""")


@WITH_FORK
def test_forks_while_another_thread_holds_blas() -> None:
    run_script("""
from ir_plugin.kernels.thread_pool import BLAS, ThreadPool
over, pool = threading.Event(), ThreadPool(2)
with BLAS.held(1):
    np.ones((100, 100), np.float32) @ np.ones((100, 100), np.float32)
def busy():
    while not over.is_set():
        with BLAS.held(1):
            pool.run(lambda part: None, 8)
threads = [threading.Thread(target=busy, daemon=True) for _ in range(3)]
for thread in threads:
    thread.start()
def work():
    with BLAS.held(2):
        assert len(BLAS._holders) == 1
        pool.run(lambda part: None, 8)
for _ in range(60):
    finish(forked(work))
over.set()
for thread in threads:
    thread.join()
""")


@WITH_FORK
def test_a_compiled_model_in_forked_processes(tmp_path: Path) -> None:
    save_model(tmp_path / "m.xml")
    run_script(
        """
compiled = Core().compile_model(sys.argv[2], config={"INFERENCE_NUM_THREADS": 2})
data = np.random.default_rng(2).standard_normal((1, 16, 24, 24)).astype(np.float32)
right, over = compiled([data])[0], threading.Event()
def busy():
    request = compiled.create_infer_request()
    while not over.is_set():
        request.infer([data])
threads = [threading.Thread(target=busy, daemon=True) for _ in range(3)]
for thread in threads:
    thread.start()
def work():
    for _ in range(3):
        np.testing.assert_allclose(compiled([data])[0], right, atol=1e-4)
for _ in range(8):
    finish(forked(work))
over.set()
for thread in threads:
    thread.join()
""",
        str(tmp_path / "m.xml"),
    )


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no interval timer")
def test_interrupts_in_jobs() -> None:
    run_script("""
def interrupt(*_):
    raise KeyboardInterrupt
signal.signal(signal.SIGALRM, interrupt)
pool, dice, interrupted = SpinPool(2), random.Random(1), 0
pool.begin()
timer = threading.Timer(120, lambda: os._exit(3))
timer.daemon = True
timer.start()
while interrupted < 200:
    begun = []
    try:
        signal.setitimer(signal.ITIMER_REAL, dice.uniform(1e-6, 1e-3))
        for _ in range(20):
            pool.run(begun.append, 8)
        signal.setitimer(signal.ITIMER_REAL, 0)
    except KeyboardInterrupt:
        interrupted += 1
        count, done = len(begun), []
        time.sleep(1e-3)
        assert len(begun) == count, "a part begins after its job has ended"
        pool.run(done.append, 8)
        assert sorted(done) == list(range(8)), done
        assert not pool._busy.locked()
signal.setitimer(signal.ITIMER_REAL, 0)
assert pool._spin_workers is not None
jobs(pool)
pool.end()
""")
