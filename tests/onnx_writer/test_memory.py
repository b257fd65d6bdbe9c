"""Mapped weights are written and simplified one tensor at a time: bytes that Python and NumPy allocate are counted."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("onnx", reason="the extra [onnx]")

import onnx
from onnx import TensorProto, helper

import ir_plugin as ov
from ir_plugin.openvino.passes.simplification import Simplification

WIDTH, LAYERS = 1024, 12
TENSOR = 4 * WIDTH * WIDTH
SMAPS = Path("/proc/self/smaps")


def model_of(folder: Path) -> Path:
    """Return the path of a model whose weights, some of them transposed and some of them equal, are outside."""
    tensors, nodes = [], []
    with (folder / "weights.data").open("wb") as file:
        for layer in range(LAYERS):
            tensor = TensorProto(name=f"w{layer}", data_type=1, dims=[WIDTH, WIDTH], data_location="EXTERNAL")
            for key, value in (("location", "weights.data"), ("offset", file.tell()), ("length", TENSOR)):
                tensor.external_data.add(key=key, value=str(value))
            file.write(np.full(WIDTH * WIDTH, layer // 3, np.float32).tobytes())
            tensors.append(tensor)
            weight = f"w{layer}"
            if layer % 2:
                nodes.append(helper.make_node("Transpose", [weight], [f"t{layer}"], perm=[1, 0]))
                weight = f"t{layer}"
            nodes.append(helper.make_node("MatMul", ["x", weight], [f"y{layer}"]))
    nodes.append(helper.make_node("Sum", [f"y{layer}" for layer in range(LAYERS)], ["y"]))
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, WIDTH]) for name in ("x", "y")]
    graph = helper.make_graph(nodes, "outside", ends[:1], ends[1:], tensors)
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    (folder / "model.onnx").write_bytes(proto.SerializeToString())
    return folder / "model.onnx"


def pages_of(path: Path) -> int:
    """Return the bytes of a mapped file that are in the memory of this process; 0 where the system does not tell."""
    lines = SMAPS.read_text("utf-8").splitlines() if SMAPS.exists() else []
    begins = [number for number, line in enumerate(lines) if line.endswith(str(path))]
    sizes = [next(line for line in lines[begin:] if line.startswith("Rss:")) for begin in begins]
    return sum(int(size.split()[1]) << 10 for size in sizes)


def write(model: ov.Model, folder: Path) -> None:
    ov.save_onnx(model, folder / "out.onnx", external_data=True)


def simplify(model: ov.Model, folder: Path) -> None:
    Simplification().run_on_model(model)
    model.validate_nodes_and_infer_types()
    write(model, folder)


def serialize(model: ov.Model, folder: Path) -> None:
    ov.serialize(model, folder / "out.xml")


@pytest.mark.parametrize("change", [write, simplify, serialize])
def test_no_more_than_one_tensor_is_in_memory(change: Callable[[ov.Model, Path], None], tmp_path: Path) -> None:
    path = model_of(tmp_path)
    change(ov.Core().read_model(path), tmp_path)
    gc.collect()
    model = ov.Core().read_model(path)
    tracemalloc.start()
    try:
        change(model, tmp_path)
        assert tracemalloc.get_traced_memory()[1] < 1.2 * TENSOR
    finally:
        tracemalloc.stop()
    assert pages_of(tmp_path / "weights.data") <= TENSOR


@pytest.mark.parametrize(("change", "name"), [(write, "out.onnx"), (simplify, "out.onnx"), (serialize, "out.xml")])
def test_the_written_file_computes_the_same(
    change: Callable[[ov.Model, Path], None], name: str, tmp_path: Path
) -> None:
    path = model_of(tmp_path)
    change(ov.Core().read_model(path), tmp_path)
    if name.endswith(".onnx"):
        onnx.checker.check_model(str(tmp_path / name), full_check=True)
    array = np.ones((1, WIDTH), np.float32)
    before, after = (ov.compile_model(ov.Core().read_model(file))(array)[0] for file in (path, tmp_path / name))
    np.testing.assert_array_equal(after, before)
