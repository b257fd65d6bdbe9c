"""The peak memory of an ONNX model with external data: `python -m benchmarks.external_data [--megabytes 2048]`.

It writes a model of matrix products and a table of embeddings into a temporary folder, its weights in a
file beside it, opens, compiles and runs it in a process of its own, and prints the process's peak in megabytes and as a
part of the file. `--provider numpy` leaves numba out, `--folder` names where the file is written.

`--write` saves it as ONNX with external data instead, and `--simplify` simplifies a model with a Transpose of every
second weight first; both print the peak above the one at the start as a multiple of the largest tensor.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.memory import peak_of_process

WIDTH = 2048
_RESET = Path("/proc/self/clear_refs")
"""Writing 5 makes the peak of this process the memory that it has now, on Linux."""


def write(folder: Path, megabytes: int, transposed: bool = False) -> Path:
    """Return the path of a model whose external data take about so many megabytes; some weights are `transposed`."""
    import onnx
    from onnx import helper

    layers = max((megabytes << 20) // (4 * WIDTH * WIDTH) - 1, 1)
    block = (np.random.default_rng(1).random(WIDTH * WIDTH, np.float32) - np.float32(0.5)) / np.float32(WIDTH**0.5)
    nodes, offset = [helper.make_node("Gather", ["table", "ids"], ["x0"])], 0
    tensors: list[onnx.TensorProto] = []
    with (folder / "weights.data").open("wb") as file:

        def add(name: str, shape: list[int]) -> None:
            nonlocal offset
            size = int(np.prod(shape))
            tensor = onnx.TensorProto(name=name, data_type=1, dims=shape, data_location="EXTERNAL")
            file.write(np.roll(block, len(tensors))[:size].tobytes())
            for key, value in (("location", "weights.data"), ("offset", offset), ("length", 4 * size)):
                tensor.external_data.add(key=key, value=str(value))
            tensors.append(tensor)
            offset += 4 * size

        add("table", [WIDTH, WIDTH])
        for layer in range(layers):
            add(f"w{layer}", [WIDTH, WIDTH])
            weight = f"w{layer}"
            if transposed and layer % 2:
                nodes.append(helper.make_node("Transpose", [weight], [f"t{layer}"], perm=[1, 0]))
                weight = f"t{layer}"
            nodes.append(helper.make_node("MatMul", [f"x{layer}", weight], [f"x{layer + 1}"]))
    ids = helper.make_tensor_value_info("ids", onnx.TensorProto.INT64, [16])
    out = helper.make_tensor_value_info(f"x{layers}", onnx.TensorProto.FLOAT, None)
    graph = helper.make_graph(nodes, "external", [ids], [out], tensors)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    (folder / "model.onnx").write_bytes(model.SerializeToString())
    return folder / "model.onnx"


def measure(path: Path, provider: str) -> dict[str, float]:
    """Return the peaks after opening and after runs, and the seconds that these took."""
    import ir_plugin as ov

    base, start = peak_of_process(), time.perf_counter()
    model = ov.Core().read_model(path)
    opened, opening = peak_of_process(), time.perf_counter() - start
    compiled = ov.Core().compile_model(model, config={"PROVIDER": provider})
    for _ in range(2):
        compiled([np.arange(16)])
    return {"imported": base, "opened": opened, "run": peak_of_process(), "s to open": opening,
            "s in all": time.perf_counter() - start}  # fmt: skip


def measure_writing(path: Path, simplifies: bool) -> dict[str, float]:
    """Return the peaks before and after the model is written, with the same steps on a small model before both."""
    with tempfile.TemporaryDirectory() as folder:
        _rewrite(write(Path(folder), 1), simplifies)
    _RESET.write_text("5", "utf-8")
    base, start = peak_of_process(), time.perf_counter()
    _rewrite(path, simplifies)
    return {"start": base, "written": peak_of_process(), "s in all": time.perf_counter() - start}


def _rewrite(path: Path, simplifies: bool) -> None:
    import ir_plugin as ov
    from ir_plugin.openvino.passes.simplification import Simplification

    model = ov.Core().read_model(path)
    if simplifies:
        Simplification().run_on_model(model)
    ov.save_onnx(model, path.with_name("written.onnx"), external_data=True)


def main() -> None:
    """Write the model, and print what a process of its own measures."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--megabytes", type=int, default=2048)
    parser.add_argument("--provider", default="numba")
    parser.add_argument("--folder", default=None)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--simplify", action="store_true")
    parser.add_argument("--measure", type=Path, default=None)
    arguments = parser.parse_args()
    writes = arguments.write or arguments.simplify
    if arguments.measure:
        path = arguments.measure
        measured = measure_writing(path, arguments.simplify) if writes else measure(path, arguments.provider)
        print(json.dumps(measured))
        return
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        path = write(Path(folder), arguments.megabytes, arguments.simplify)
        size = sum(file.stat().st_size for file in Path(folder).iterdir()) / 2**20
        command = [sys.executable, "-m", "benchmarks.external_data", *sys.argv[1:], "--measure", str(path)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        measured = json.loads(done.stdout.splitlines()[-1])
    print(f"{size:.0f} MB:", ", ".join(f"{name} {value:.1f}" for name, value in measured.items()))
    if writes:
        tensor = 4 * WIDTH * WIDTH / 2**20
        print(f"peak above the start: {(measured['written'] - measured['start']) / tensor:.2f} of the largest tensor")
        return
    own = measured["run"] - measured["imported"]
    print(f"peak {measured['run'] / size:.2f} of the files, {own / size:.2f} without imports")


if __name__ == "__main__":
    main()
