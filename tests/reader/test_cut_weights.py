"""A `.bin` that another program changes while it is in use is an error, never a signal and never a mixture."""

from __future__ import annotations

import json
import mmap
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import openvino as ov
import pytest
from openvino import opset13 as ops

from ir_plugin import Core, Error, Operation
from ir_plugin.tensors import Array, TensorInfo
from tests.reader.changes import ENTRIES, SAFE
from tests.support.ir import build
from tests.support.sample import const, param


@pytest.mark.parametrize("optimize", [True, False])
def test_weights_cut_after_compiling_are_an_error(tmp_path: Path, optimize: bool) -> None:
    ones = np.ones(1 << 16, np.float32)
    ir = build("Add", 1, [param(ones), const(ones)], {"auto_broadcast": "numpy"}, 1)
    path = tmp_path / "model.xml"
    path.write_bytes(ir.xml)
    path.with_suffix(".bin").write_bytes(ir.weights)
    model = Core().read_model(path)
    compiled = Core().compile_model(model, config={"OPTIMIZE": optimize})
    assert compiled([ones])[0][0] == 2
    with path.with_suffix(".bin").open("r+b") as file:
        file.truncate(16)
    with pytest.raises(Error, match="was cut from 262144 to 16 bytes"):
        compiled([ones])
    with pytest.raises(Error, match="was cut from 262144 to 16 bytes"):
        Core().compile_model(model.clone(), config={"OPTIMIZE": optimize})([ones])


@pytest.fixture(scope="module")
def changing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a model with weights that are folded, added, and read as a shape."""
    image = ops.parameter([-1, 4096], np.float32, name="x")
    weights = ops.constant(np.arange(4096, dtype=np.float16), name="weights")
    added = ops.add(image, ops.convert(weights, "f32"))
    shaped = ops.reshape(added, ops.constant(np.array([-1, 64, 64])), False)
    scaled = ops.multiply(shaped, ops.constant(np.full((64, 64), 2, np.float32)))
    path = tmp_path_factory.mktemp("changing") / "model.xml"
    ov.serialize(ov.Model([scaled], [image]), path)
    return path


CHANGES = {
    "cut": "was cut from [0-9]+ to 0 bytes while it was in use",
    "grown": "has grown from [0-9]+ to [0-9]+ bytes while it was in use",
    "overwritten": "was written to at 2001-09-09 .* while it was in use",
}


@pytest.mark.parametrize("how", [*CHANGES, "replaced"])
def test_every_entry_names_changed_weights(changing: Path, how: str, tmp_path: Path) -> None:
    for suffix in (".xml", ".bin"):
        (tmp_path / f"model{suffix}").write_bytes(changing.with_suffix(suffix).read_bytes())
    command = [sys.executable, "-m", "tests.reader.changes", str(tmp_path / "model.xml"), how]
    root = Path(__file__).parents[2]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    outcomes = json.loads(done.stdout)
    refusing = ENTRIES if how in CHANGES else {}
    for name in refusing:
        assert outcomes[name].startswith("error "), (name, outcomes[name])
        assert_matches(outcomes[name], rf"{tmp_path / 'model.bin'} {CHANGES[how]}; read the model again")
    assert {name: text for name, text in outcomes.items() if name not in refusing and text != "done"} == {}
    assert set(outcomes) == {*ENTRIES, *SAFE}


def assert_matches(text: str, pattern: str) -> None:
    with pytest.raises(Error, match=pattern):
        raise Error(text)


def test_a_memory_map_of_the_caller_is_guarded(changing: Path, tmp_path: Path) -> None:
    weights = tmp_path / "weights.bin"
    weights.write_bytes(changing.with_suffix(".bin").read_bytes())
    sources: list[Any] = [np.memmap(weights, np.uint8, "r")]
    with weights.open("rb") as file:
        sources += [mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)]
    models = [Core().read_model(changing, source) for source in [*sources, memoryview(sources[1])]]
    os.truncate(weights, 0)
    for model in models:
        with pytest.raises(Error, match="the file of the memory map was cut from"):
            model.reshape([3, 4096])


class Overwriting(Operation, version="custom"):
    """Marks a file as written while it is computed, as another program's write would."""

    path: ClassVar[Path]

    def infer(self, data: TensorInfo, bias: TensorInfo) -> TensorInfo:
        del bias
        return data

    def evaluate(self, data: Array, bias: Array) -> Array:
        os.utime(self.path, (1e9, 1e9))
        return data + bias


@pytest.mark.parametrize("optimize", [True, False])
@pytest.mark.parametrize("stepwise", [True, False])
def test_weights_that_change_in_a_run_are_an_error(tmp_path: Path, optimize: bool, stepwise: bool) -> None:
    core = Core()
    core.add_extension(Overwriting)
    Overwriting.path = tmp_path / "model.bin"
    ones = np.ones(4, np.float32)
    ir = build("Overwriting", "custom", [param(ones), const(ones)], {}, 1)
    (tmp_path / "model.xml").write_bytes(ir.xml)
    (tmp_path / "model.bin").write_bytes(ir.weights)
    compiled = core.compile_model(tmp_path / "model.xml", config={"OPTIMIZE": optimize})
    run: Any = compiled.intermediates if stepwise else compiled
    with pytest.raises(Error, match="was written to at 2001-09-09"):
        run([ones])


class Two(Operation, version="custom"):
    """Says one output, and gives what `returned` returns."""

    returned: ClassVar[Any] = None

    def infer(self, data: TensorInfo) -> TensorInfo:
        return data

    def evaluate(self, data: Array) -> Any:
        return type(self).returned(data)


@pytest.mark.parametrize("optimize", [True, False])
@pytest.mark.parametrize(
    ("returned", "says"),
    [
        (lambda x: (x, x), "evaluate returned 2 outputs; infer says 1"),
        (lambda _: (), "evaluate returned 0 outputs; infer says 1"),
        (lambda x: x[:1], r"evaluate returned \[1\] for output 0; infer says \[3\]"),
    ],
)
def test_a_custom_operation_that_breaks_its_word_is_named(returned: Any, says: str, optimize: bool) -> None:
    core = Core()
    core.add_extension(Two)
    Two.returned = staticmethod(returned)
    compiled = core.compile_model(XML, weights=b"", config={"OPTIMIZE": optimize})
    with pytest.raises(Error, match=f'layer "layer" .*{says}'):
        compiled([np.ones(3, np.float32)])


XML = build("Two", "custom", [param([1.0, 2.0, 3.0])], {}, 1).xml
