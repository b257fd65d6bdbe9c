"""Measure the server with 1, 8 and 64 clients: `python -m benchmarks.serving [REQUESTS]`, by default 2000 a row.

The server runs in a process of its own, with its usual options; all clients in this one, each with one connection and
one image of the digits sample at a time. The clients share the processors with the server, so the processor time of the
server for a request is printed too, which other programs disturb less than the rate.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import psutil

DIGITS = Path(__file__).parents[1] / "samples" / "digits" / "digits.xml"
CLIENTS = (1, 8, 64)
REQUESTS = 2000
WARM_UP = 200


def message() -> bytes:
    """Return a request for one image, with its head."""
    image = np.load(DIGITS.with_name("images.npy"))[:1].astype(np.float32)
    entry = {"name": "images", "datatype": "FP32", "shape": list(image.shape), "data": image.ravel().tolist()}
    body = json.dumps({"inputs": [entry]}).encode()
    return b"POST /v2/models/digits/infer HTTP/1.1\r\nhost: digits\r\ncontent-length: %d\r\n\r\n" % len(body) + body


async def client(port: int, count: int) -> list[float]:
    """Send requests one after another, and return the seconds of each."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    request, seconds = message(), []
    for _ in range(count):
        start = time.perf_counter()
        writer.write(request)
        head = await reader.readuntil(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200 "), head
        length = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
        await reader.readexactly(int(length.split(b":")[1]))
        seconds.append(time.perf_counter() - start)
    writer.close()
    return seconds


async def load(port: int, clients: int, requests: int) -> list[float]:
    """Return the sorted seconds of requests by some clients at a time."""
    parts = await asyncio.gather(*[client(port, -(-requests // clients)) for _ in range(clients)])
    return sorted(seconds for part in parts for seconds in part)


def used(process: psutil.Process) -> float:
    """Return the processor seconds of a process."""
    times = process.cpu_times()
    return float(times.user + times.system)


def row(process: psutil.Process, port: int, clients: int, requests: int) -> str:
    """Return a row of the table."""
    asyncio.run(load(port, clients, WARM_UP))
    start, before = time.perf_counter(), used(process)
    seconds = asyncio.run(load(port, clients, requests))
    elapsed, cost = time.perf_counter() - start, used(process) - before
    middle, last = seconds[len(seconds) // 2], seconds[int(len(seconds) * 0.99)]
    rate, milliseconds = len(seconds) / elapsed, 1000 * cost / len(seconds)
    return f"| {clients} | {rate:.0f} | {1000 * middle:.1f} | {1000 * last:.1f} | {milliseconds:.2f} |"


def main() -> None:
    """Start a server, measure it, and print a table."""
    requests = int(sys.argv[1]) if len(sys.argv) > 1 else REQUESTS
    command = [sys.executable, "-m", "ir_plugin", "serve", str(DIGITS), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        port = int(server.stdout.readline().rsplit(":", 1)[1])
        print(f"load of the machine before: {psutil.getloadavg()[0]:.1f}")
        print(
            "| clients | requests a second | p50 ms | p99 ms | server's processor ms a request |\n|---|---|---|---|---|"
        )
        for clients in CLIENTS:
            print(row(psutil.Process(server.pid), port, clients, requests), flush=True)
        server.terminate()


if __name__ == "__main__":
    main()
