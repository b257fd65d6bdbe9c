"""The peak memory of a process that loads a model and runs it: `python -m benchmarks.memory ENGINE IR THREADS`.

ENGINE is `openvino`, or `auto` or `numpy`: this library with these kernels. Inputs are zeros.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.models import Work

RUNS = 3


def peak(engine: str, work: Work, threads: int) -> float:
    """Return the peak megabytes of a new process that runs the model three times."""
    with tempfile.TemporaryDirectory() as folder:
        inputs = Path(folder) / "inputs.npz"
        np.savez(inputs, *work.inputs)
        command = [sys.executable, "-m", "benchmarks.memory", engine, str(work.ir), str(threads), str(inputs)]
        done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=Path(__file__).parents[1])
    return float(json.loads(done.stdout.splitlines()[-1]))


def main() -> None:
    """Run a model, and print the peak."""
    engine, ir, threads, inputs = sys.argv[1:5]
    with np.load(inputs) as file:
        arrays = [file[name] for name in file.files]
    config = {"INFERENCE_NUM_THREADS": int(threads)}
    if engine == "openvino":
        import openvino as ov

        hints = config | {"INFERENCE_PRECISION_HINT": "f32", "PERFORMANCE_HINT": "LATENCY"}
        reference = ov.Core().compile_model(ir, "CPU", hints)
        for _ in range(RUNS):
            reference(arrays)
    else:
        import ir_plugin

        engine_model = ir_plugin.Core().compile_model(ir, config=config | {"PROVIDER": engine})
        for _ in range(RUNS):
            engine_model(arrays)
    print(json.dumps(peak_of_process()))


def peak_of_process() -> float:
    """Return the peak megabytes of this process; the maximum that getrusage reports may be the parent's."""
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text("utf-8").splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) / 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)


if __name__ == "__main__":
    main()
