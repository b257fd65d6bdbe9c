"""Measure new processes up to their first result: `python -m benchmarks.start [IR …]`, by default models of `run`.

Each library reads, compiles and runs the model in processes of its own, in turn; the least seconds of wall clock and of
processor time of `RUNS` processes, which other programs disturb least. Compiled kernels are in the cache.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parents[1] / ".benchmarks"
MODELS = ("mobilenet_v2", "resnet50.v2", "bert", "decoder_llama_tiny")
RUNS = 5
PROGRAM = """
import json, sys, time
start, used = time.perf_counter(), time.process_time()
import {library} as library
import numpy as np
model = library.Core().read_model(sys.argv[1])
compiled = library.Core().compile_model(model, "CPU")
inputs = []
for port in compiled.inputs:
    lengths = [length.get_length() if length.is_static else 1 for length in port.get_partial_shape()]
    inputs.append(np.ones(lengths, port.get_element_type().to_dtype()))
compiled(inputs)
print(json.dumps([time.perf_counter() - start, time.process_time() - used]))
"""


def seconds(library: str, model: Path) -> list[float]:
    """Return the seconds of wall clock and of processor time of a new process."""
    command = [sys.executable, "-c", PROGRAM.format(library=library), str(model)]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=Path(__file__).parents[1])
    values: list[float] = json.loads(done.stdout.splitlines()[-1])
    return values


def main() -> None:
    """Measure every model, and print a table."""
    print("| model | OpenVINO s | ours s (ratio) | OpenVINO processor s | ours (ratio) |\n|---|---|---|---|---|")
    for path in [Path(text) for text in sys.argv[1:]] or [FOLDER / f"{name}.xml" for name in MODELS]:
        if not path.exists():
            continue
        seconds("ir_plugin", path)
        rows: dict[str, list[list[float]]] = {"openvino": [], "ir_plugin": []}
        for _ in range(RUNS):
            for library, values in rows.items():
                values.append(seconds(library, path))
        theirs, ours = ([min(row[kind] for row in rows[name]) for kind in range(2)] for name in rows)
        cells = [f"{theirs[kind]:.2f} | {ours[kind]:.2f} ({ours[kind] / theirs[kind]:.2f})" for kind in range(2)]
        print(f"| {path.stem} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
