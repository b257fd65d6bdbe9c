"""ONNX files against onnxruntime, and against the IRs that OpenVINO makes of them: `python -m benchmarks.onnx_files`.

`python -m benchmarks.onnx_files FILE.onnx … [--folder .benchmarks] [--runs 20] [--shape input=1,3,320,320]` prints for
each file the largest difference to onnxruntime relative to the output's largest value, and the processor's time of a
run of the file and of its IR in one thread, in turn. Inputs are random numbers; unknown lengths are tried until
onnxruntime takes them.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import ir_plugin as ov

Array = npt.NDArray[Any]
Feeds = dict[str, Array]
LENGTHS = (320, 48, 512, 16, 224, 16000, 3, 128, 64, 2, 1)
"""What unknown lengths behind the first axis are tried to be."""
_WARM = 8
"""Runs before those that are measured."""
_ONE = {"INFERENCE_NUM_THREADS": 1}
DTYPES = {
    "tensor(float)": np.float32, "tensor(double)": np.float64, "tensor(float16)": np.float16, "tensor(int64)": np.int64,
    "tensor(int32)": np.int32, "tensor(uint8)": np.uint8, "tensor(int8)": np.int8, "tensor(bool)": np.bool_,
}  # fmt: skip


def feeds_of(session: Any, shapes: Mapping[str, list[int]]) -> Iterator[Feeds]:
    """Yield random inputs for a session: for each guess of the unknown lengths."""
    for length in LENGTHS:
        rng = np.random.default_rng(3)
        feeds: Feeds = {}
        for port in session.get_inputs():
            known = [side if isinstance(side, int) and side > 0 else None for side in port.shape]
            guess = [side or (1 if axis == 0 else 3 if axis == 1 and len(known) == 4 else length)
                     for axis, side in enumerate(known)]  # fmt: skip
            dtype = DTYPES[port.type]
            limit = 2 if dtype in (np.float32, np.float64, np.float16, np.bool_) else 100
            feeds[port.name] = (rng.random(shapes.get(port.name, guess)) * limit).astype(dtype)
            if port.name in ("sr", "sample_rate"):
                feeds[port.name] = np.array(16000, dtype)
            if "len" in port.name and len(known) == 1:
                feeds[port.name] = np.array([length], dtype)
        yield feeds


def expected_of(path: Path, shapes: Mapping[str, list[int]]) -> tuple[Feeds, list[Any]]:
    """Return inputs that onnxruntime takes, and its outputs."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    taken = ((feeds, outputs) for feeds in feeds_of(session, shapes) if (outputs := _outputs(session, feeds)))
    first = next(taken, None)
    if first is None:
        raise RuntimeError("onnxruntime takes none of the lengths that are tried; give --shape")
    return first


def _outputs(session: Any, feeds: Feeds) -> list[Any]:
    """Return the outputs of onnxruntime, none for inputs that it refuses."""
    try:
        outputs: list[Any] = session.run(None, feeds)
    except Exception:  # noqa: BLE001  # onnxruntime's exceptions have no base of their own
        return []
    return outputs


def difference(expected: Any, actual: Any) -> float:
    """Return the largest difference relative to the largest expected value; infinite for another shape."""
    left, right = np.asarray(expected), np.asarray(actual)
    if left.shape != right.shape:
        return float("inf")
    if left.dtype.kind in "OUS":
        return 0.0 if left.astype(str).tolist() == right.astype(str).tolist() else float("inf")
    if not left.size:
        return 0.0
    wide, own = left.astype(np.float64), right.astype(np.float64)
    return float(np.nanmax(np.abs(wide - own), initial=0.0) / max(float(np.nanmax(np.abs(wide), initial=0.0)), 1e-6))


def ir_of(path: Path, folder: Path) -> Path | None:
    """Return the IR that OpenVINO makes of a file, None where it refuses it or crashes."""
    target = folder / f"{path.stem}.openvino.xml"
    if not target.exists():
        program = "import sys, openvino as ov; ov.save_model(ov.Core().read_model(sys.argv[1]), sys.argv[2], False)"
        done = subprocess.run([sys.executable, "-c", program, str(path), str(target)], check=False, capture_output=True)
        if done.returncode:
            return None
    return target


def times(first: Any, second: Any, feeds: Feeds, runs: int) -> list[float]:
    """Return the median milliseconds of processor time of two compiled models that run in turn."""
    measured: list[list[float]] = [[], []]
    for number in range(runs + _WARM):
        for index in (0, 1) if number % 2 else (1, 0):
            compiled = (first, second)[index]
            start = time.process_time()
            compiled(feeds)
            measured[index] += [(time.process_time() - start) * 1e3] if number >= _WARM else []
    return [statistics.median(values) for values in measured]


def row(path: Path, folder: Path, runs: int, shapes: Mapping[str, list[int]]) -> str:
    """Return one line of the table."""
    feeds, expected = expected_of(path, shapes)
    start = time.perf_counter()
    model = ov.Core().read_model(path)
    seconds = time.perf_counter() - start
    compiled = ov.Core().compile_model(model, "CPU", _ONE)
    error = max(map(difference, expected, compiled(feeds).values()), default=0.0)
    text = f"| {path.stem} | {error:.0e} | {seconds:.2f} |"
    ir = ir_of(path, folder) if runs else None
    if ir is None:
        return f"{text} | | |"
    own, converted = times(compiled, ov.Core().compile_model(ir, "CPU", _ONE), feeds, runs)
    return f"{text} {own:.2f} | {converted:.2f} | {own / converted:.2f} |"


def main() -> None:
    """Print the table of the files in the arguments."""
    parser = argparse.ArgumentParser()
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--folder", type=Path, default=Path(".benchmarks"))
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--shape", action="append", default=[], help="input=1,3,320,320")
    arguments = parser.parse_args()
    arguments.folder.mkdir(exist_ok=True)
    pairs = (text.partition("=") for text in arguments.shape)
    shapes = {name: [int(side) for side in sides.split(",") if side] for name, _, sides in pairs}
    print("| model | difference | s to read | ONNX ms | IR ms | ONNX to IR |\n|---|---|---|---|---|---|")
    for path in arguments.files:
        print(_row_or_fault(path, arguments.folder, arguments.runs, shapes), flush=True)


def _row_or_fault(path: Path, folder: Path, runs: int, shapes: Mapping[str, list[int]]) -> str:
    try:
        return row(path, folder, runs, shapes)
    except RuntimeError as fault:
        return f"| {path.stem} | {' '.join(str(fault).split())[:300]} |"


if __name__ == "__main__":
    main()
