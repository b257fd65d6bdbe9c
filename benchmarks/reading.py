"""Measure reading and checking: `python -m benchmarks.reading [LAYERS …]`.

Writes a chain of Const, Add and ReLU of each size to `.benchmarks/`, reads it in this process with OpenVINO and with
this library (with and without validation; medians), and runs `ir-plugin check` on it in a new process. The memory is
the increase of the peak of a new process that has read a small model before.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

FOLDER = Path(__file__).parents[1] / ".benchmarks"
SIZES = (1_500, 25_000, 100_000)


def chain(layers: int) -> Path:
    """Write an IR of about `layers` layers, and return its path."""
    path = FOLDER / f"chain{layers}.xml"
    if path.exists():
        return path
    dims = "".join(f"<dim>{length}</dim>" for length in (1, 8, 4, 4))
    out = f'<output><port id="2" precision="FP32">{dims}</port></output>'
    input_port = f'<port id="0">{dims}</port>'
    source = '<data shape="1,8,4,4" element_type="f32"/>'
    weights = '<data element_type="f32" shape="1,8,4,4" offset="0" size="512"/>'
    layer_texts = [
        f'<layer id="0" name="x" type="Parameter" version="opset1">{source}{out}</layer>',
        f'<layer id="1" name="c" type="Const" version="opset1">{weights}{out}</layer>',
    ]
    edges = []
    for id in range(2, layers - 1):
        add = id % 2 == 0
        ports = f'{input_port}<port id="1">{dims}</port>' if add else input_port
        kind = "Add" if add else "ReLU"
        layer_texts.append(
            f'<layer id="{id}" name="n{id}" type="{kind}" version="opset1"><input>{ports}</input>{out}</layer>'
        )
        edges.append((0 if id == 2 else id - 1, id, 0))
        edges += [(1, id, 1)] if add else []
    layer_texts.append(
        f'<layer id="{layers}" name="r" type="Result" version="opset1"><input>{input_port}</input></layer>'
    )
    edges.append((layers - 2, layers, 0))
    lines = [f'<edge from-layer="{a}" from-port="2" to-layer="{b}" to-port="{port}"/>' for a, b, port in edges]
    body = "\n".join(["<layers>", *layer_texts, "</layers><edges>", *lines, "</edges>"])
    path.write_text(f'<net name="chain" version="11">{body}</net>')
    path.with_suffix(".bin").write_bytes(bytes(512))
    return path


def median(run: Callable[[], object], runs: int) -> float:
    """Return the median seconds of `runs` runs."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


PEAK = """
import sys
import {library} as library
def peak():
    for line in open("/proc/self/status"):
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) // 1024
library.Core().read_model(sys.argv[1])
before = peak()
model = library.Core().read_model(sys.argv[2])
print(peak() - before)
"""


def peak(library: str, path: Path) -> int:
    """Return the MB by which reading a model raises the peak of a process, as Linux reports it."""
    command = [sys.executable, "-c", PEAK.format(library=library), str(chain(100)), str(path)]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=Path(__file__).parents[1])
    return int(done.stdout)


def main() -> None:
    """Measure every size, and print a table."""
    import openvino as ov

    import ir_plugin

    FOLDER.mkdir(exist_ok=True)
    print(
        "| layers | OpenVINO read_model s | ours, validated (ratio) | not validated (ratio) | check, process s | "
        "OpenVINO peak MB | ours (ratio) |"
    )
    print("|---|---|---|---|---|---|---|")
    for layers in [int(text) for text in sys.argv[1:]] or SIZES:
        path, openvino_core, core = chain(layers), ov.Core(), ir_plugin.Core()
        runs = 7 if layers < 10_000 else 1
        theirs = median(partial(openvino_core.read_model, path), runs)
        checked = median(partial(core.read_model, path), runs)
        plain = median(partial(core.read_model, path, validate=False), runs)
        command = [sys.executable, "-m", "ir_plugin.cli", "check", str(path)]
        whole = median(partial(subprocess.run, command, check=True, capture_output=True), min(runs, 3))
        ratios = f"{checked:.3f} ({checked / theirs:.1f}) | {plain:.3f} ({plain / theirs:.1f})"
        theirs_peak, ours = peak("openvino", path), peak("ir_plugin", path)
        memory = f"{theirs_peak} | {ours} ({ours / max(theirs_peak, 1):.1f})"
        print(f"| {layers:,} | {theirs:.3f} | {ratios} | {whole:.2f} | {memory} |", flush=True)


if __name__ == "__main__":
    main()
