"""Measure how many tasks Dask's scheduler hands out: `python -m benchmarks.scheduler 2 100 1000` prints a table.

The scheduler is a process of its own, as in a cluster. The workers are simulated by one process, which holds them up:
the second figure is what the scheduler alone would reach, tasks by the seconds of its processor.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import dask
import psutil
from distributed import Client, Worker

TASKS = 3000
_SIMULATED = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.system-monitor.interval": "1h",
    "distributed.admin.system-monitor.gil.enabled": False,
}
"""What a thousand workers of one process would each spend its time with."""


@contextmanager
def scheduler() -> Iterator[tuple[str, psutil.Process]]:
    """Start a scheduler, and yield its address and its process."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "scheduler.json"
        command = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--port", "0", "--no-dashboard"]
        process = subprocess.Popen([*command, "--scheduler-file", str(file)], stderr=subprocess.DEVNULL)
        try:
            while not file.exists() or not file.read_text("utf-8").endswith("}"):
                time.sleep(0.1)
            yield json.loads(file.read_text("utf-8"))["address"], psutil.Process(process.pid)
        finally:
            process.terminate()
            process.wait()


async def rates(address: str, process: psutil.Process, workers: int) -> tuple[float, float]:
    """Return the tasks a second, and those a second of the scheduler's processor time."""
    with tempfile.TemporaryDirectory() as folder:
        started = [
            Worker(address, nthreads=1, memory_limit=0, dashboard=False, local_directory=folder) for _ in range(workers)
        ]
        await asyncio.gather(*started)
        async with Client(address, asynchronous=True) as client:
            await client.gather(client.map(_nothing, range(workers), pure=False))
            before, start = sum(process.cpu_times()[:2]), time.perf_counter()
            await client.gather(client.map(_nothing, range(TASKS), pure=False))
            duration, busy = time.perf_counter() - start, sum(process.cpu_times()[:2]) - before
        await asyncio.gather(*(worker.close(nanny=False) for worker in started))
    return TASKS / duration, TASKS / busy


def _nothing(number: int) -> int:
    return number


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("workers", type=int, nargs="*", default=[2, 100, 1000])
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    print("| workers | tasks a second | tasks a second of the scheduler's processor |\n|---|---|---|")
    for workers in parser.parse_args().workers:
        with dask.config.set({**_SIMULATED, "logging.distributed": "critical"}), scheduler() as (address, process):
            rate, alone = asyncio.run(rates(address, process, workers))
        print(f"| {workers} | {rate:.0f} | {alone:.0f} |", flush=True)


if __name__ == "__main__":
    main()
