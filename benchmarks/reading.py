"""Measure reading: `python -m benchmarks.reading [LAYERS | MODEL.xml …]`.

A number stands for a chain of Const, Add and ReLU of so many layers, which is written to `.benchmarks/`. Times are
those of the processor, the least of several, OpenVINO and this library in turn: the first read of new processes, and
the later ones in one process, validated and not. Layers of texts that the process has read before are not validated
again, so that later reads, also of other files with such layers, take less. The memory is the increase of the peak of a
new process that has read a small model before.
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

FOLDER = Path(__file__).parents[1] / ".benchmarks"
SIZES = ("1500", "25000", "100000")


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


FIRST = """
import sys, time
import {library} as library
core = library.Core()
start = time.process_time()
model = core.read_model(sys.argv[1])
print(time.process_time() - start)
"""

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


def measured(program: str, library: str, *paths: Path) -> float:
    """Return what a program prints in a new process, which keeps the bytecode of modules as after an installation."""
    command = [sys.executable, "-c", program.format(library=library), *map(str, paths)]
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(FOLDER / "bytecode")}
    root = Path(__file__).parents[1]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=root, env=environment)
    return float(done.stdout)


def seconds(run: Callable[[], object]) -> float:
    """Return the processor's seconds of a run, without those of freeing its result and of collecting garbage before."""
    gc.collect()
    start = time.process_time()
    result = run()
    taken = time.process_time() - start
    del result
    return taken


def least(functions: list[Callable[[], object]], runs: int) -> list[float]:
    """Return the least time of each function; they run in turn."""
    rounds = [[seconds(function) for function in functions] for _ in range(runs)]
    return [min(times) for times in zip(*rounds, strict=True)]


def row(path: Path, runs: int) -> str:
    """Return the row of one file."""
    import openvino as ov

    import ir_plugin

    openvino_core, core = ov.Core(), ir_plugin.Core()
    rounds = [[measured(FIRST, library, path) for library in ("openvino", "ir_plugin")] for _ in range(min(runs, 3))]
    first_theirs, first = (min(times) for times in zip(*rounds, strict=True))
    reads = [partial(openvino_core.read_model, path), partial(core.read_model, path)]
    core.read_model(path)
    theirs, checked, plain = least([*reads, partial(core.read_model, path, validate=False)], runs)
    theirs_peak, peak = (measured(PEAK, library, chain(100), path) for library in ("openvino", "ir_plugin"))
    cells = [
        f"{path.stem} | {1e3 * first_theirs:.1f} | {1e3 * first:.1f} ({first / first_theirs:.1f})",
        f"{1e3 * theirs:.1f} | {1e3 * checked:.1f} ({checked / theirs:.1f}) | {1e3 * plain:.1f} ({plain / theirs:.1f})",
        f"{theirs_peak:.0f} | {peak:.0f} ({peak / max(theirs_peak, 1):.1f})",
    ]
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Measure every file, and print a table."""
    FOLDER.mkdir(exist_ok=True)
    print(
        "| model | first read: OpenVINO ms | ours (ratio) | later reads: OpenVINO ms | ours (ratio) | "
        "not validated (ratio) | peak: OpenVINO MB | ours (ratio) |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for argument in sys.argv[1:] or SIZES:
        is_chain = argument.isdigit()
        path = chain(int(argument)) if is_chain else Path(argument)
        print(row(path, 3 if is_chain and int(argument) >= 10_000 else 9), flush=True)


if __name__ == "__main__":
    main()
