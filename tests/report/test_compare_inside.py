"""`compare` inside bodies, of planned runs, and with every element type."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ir_plugin
from ir_plugin.compiler.graph import Op
from ir_plugin.compiler.selection import Kernel, StaticKernel, select_kernel
from ir_plugin.report.dump import dump
from ir_plugin.report.store import save_arrays
from ir_plugin.tensors import Array
from tests.support.changed import DIGITS, change_weight, transformer, with_bodies

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")
INNER = [f"loop[{outer}]/columns[{inner}]/inner" for outer in range(3) for inner in range(4)]
CULPRITS = {
    "step/weight": (["loop[0]/step", "loop[1]/step", "loop[2]/step"], ["loop[0]/step", "loop[1]/step", "loop[2]/step"]),
    "carry/weight": (["loop[0]/carry"], ["loop[0]/carry", "loop[1]/carry", "loop[2]/carry"]),
    "inner/weight": (INNER[:4], INNER),
    "then/weight": (["choice[0]/then"], ["choice[0]/then"]),
}
"""What differs though its inputs agree, with errors that add up and fed, by the constant that is changed."""


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return with_bodies(tmp_path_factory.mktemp("bodies") / "model.xml")


@pytest.mark.parametrize("reference", ["openvino", "npz", "xml"])
@pytest.mark.parametrize("constant", CULPRITS)
def test_a_changed_weight_in_a_body(model: Path, constant: str, reference: str, tmp_path: Path) -> None:
    changed = change_weight(model, constant, 3, 0.5, tmp_path / "changed.xml")
    run = tmp_path / "run.npz"
    save_arrays(run, dump(ir_plugin.compile_model(model), seed=7).arrays)
    source: Any = {"openvino": "openvino", "npz": run, "xml": model}[reference]
    of = model if reference == "openvino" else None
    for fed, culprits in zip((False, True), CULPRITS[constant], strict=True):
        comparison = ir_plugin.compare(changed, source, of=of, fed=fed)
        assert [output.name for output in comparison.culprits] == culprits
        assert not comparison.unmatched
        assert comparison.first is not None
        assert comparison.first.name == culprits[0]
        assert [entry.name for entry in comparison.first.constants] == ([constant] if reference != "npz" else [])
        assert comparison["loop"].inputs_agree == (fed or constant == "then/weight")


@pytest.mark.parametrize("fed", [False, True])
@pytest.mark.parametrize("reference", ["openvino", "xml"])
def test_bodies_agree(model: Path, reference: str, fed: bool) -> None:
    comparison = ir_plugin.compare(model, model if reference == "xml" else reference, fed=fed)
    assert comparison.agrees
    assert len(comparison) == 49
    assert not comparison.unmatched


def test_bodies_that_a_reference_does_not_know(model: Path, tmp_path: Path) -> None:
    changed = change_weight(model, "carry/weight", 3, 0.5, tmp_path / "changed.xml")
    outputs = ir_plugin.compile_model(model).intermediates(np.ones((3, 16), np.float32), layers=["loop", "end"])
    comparison = ir_plugin.compare(changed, {"rows": np.ones((3, 16)), "loop": outputs["loop"], "end": outputs["end"]})
    assert [output.name for output in comparison.culprits] == ["loop"]
    assert comparison.culprits[0].through[-2:] == ("loop[2]/columns", "loop[2]/mixed")


@pytest.mark.parametrize("fed", [False, True])
@pytest.mark.parametrize("make", [None, transformer, with_bodies], ids=["digits", "transformer", "bodies"])
def test_a_plan_agrees(make: Any, fed: bool, tmp_path: Path) -> None:
    path = DIGITS if make is None else make(tmp_path / "model.xml")
    plain, comparison = ir_plugin.compare(path, path), ir_plugin.compare(path, path, fed=fed, planned=True)
    assert comparison.agrees
    assert 0 < len(comparison) < len(plain)
    assert {output.label for output in comparison} < {output.label for output in plain}
    assert comparison.to_dict()["planned"] is True


@pytest.mark.parametrize("planned", [False, True])
def test_outputs_that_nothing_reads_are_not_compared(planned: bool, tmp_path: Path) -> None:
    from openvino import opset8 as op

    data = op.parameter([1, 2, 8, 8], np.float32, name="data")
    pooled = op.max_pool(data, [2, 2], [1, 1], [0, 0], [0, 0], [2, 2], name="pool")
    path = saved([op.result(op.relu(pooled.output(0), name="last"))], [data], tmp_path)
    comparison = ir_plugin.compare(path, path, planned=planned)
    assert [output.label for output in comparison] == ["pool", "last"]


@pytest.mark.parametrize("fed", [False, True])
@pytest.mark.parametrize(
    ("make", "constant", "layer"),
    [(None, "conv2/weight", "conv2"), (transformer, "wide/weight", "wide"), (with_bodies, "step/weight", "step")],
    ids=["digits", "transformer", "bodies"],
)
def test_a_changed_weight_in_a_plan(make: Any, constant: str, layer: str, fed: bool, tmp_path: Path) -> None:
    path = DIGITS if make is None else make(tmp_path / "model.xml")
    changed = change_weight(path, constant, 100, 0.5, tmp_path / "changed.xml")
    comparison = ir_plugin.compare(changed, path, fed=fed, planned=True)
    assert comparison.first is not None
    assert [entry.name for entry in comparison.first.constants] == [constant]
    assert any(name.rpartition("]/")[2] == layer for name in (comparison.first.name, *comparison.first.through))
    assert len(comparison.culprits) == (3 if fed and make is with_bodies else 1)


@pytest.mark.parametrize("fed", [False, True])
def test_a_wrong_kernel_is_found(fed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(call: Op, options: Any) -> Kernel | None:
        kernel = select_kernel(call, options)
        if isinstance(kernel, StaticKernel) and call.nodes[0].name == "wide":
            make = kernel.make
            kernel.make = lambda pool: spoiled(make(pool))
        return kernel

    def spoiled(execute: Any) -> Any:
        def run(inputs: Sequence[Array], outputs: Sequence[Array]) -> None:
            execute(inputs, outputs)
            outputs[0][..., 1] += 1

        return run

    monkeypatch.setattr("ir_plugin.compiler.plan.select_kernel", wrong)
    path = transformer(tmp_path / "model.xml")
    comparison = ir_plugin.compare(path, path, fed=fed, planned=True)
    assert len(comparison.culprits) == 1
    assert "wide" in (comparison.culprits[0].name, *comparison.culprits[0].through)
    assert ir_plugin.compare(path, path, fed=fed).agrees


def test_a_weight_that_is_stored_as_f16(tmp_path: Path) -> None:
    """What is converted from constants counts as the constant: the layer that reads it is the culprit."""
    small = ir_plugin.read_model(DIGITS)
    ir_plugin.save_model(small, tmp_path / "small.xml")
    weights = bytearray((tmp_path / "small.bin").read_bytes())
    node = next(
        node for node in ir_plugin.read_model(tmp_path / "small.xml").get_ops() if node.name.startswith("conv2/weight")
        and node.get_type_name() == "Constant"
    )  # fmt: skip
    np.frombuffer(weights, np.float16, 1, int(node.attributes["offset"]) + 20)[:] += np.float16(0.5)
    (tmp_path / "changed.xml").write_bytes((tmp_path / "small.xml").read_bytes())
    (tmp_path / "changed.bin").write_bytes(weights)
    run = dump(ir_plugin.compile_model(tmp_path / "small.xml")).arrays
    for reference, of in (("openvino", tmp_path / "small.xml"), (tmp_path / "small.xml", None), (run, None)):
        for fed in (False, True):
            comparison = ir_plugin.compare(tmp_path / "changed.xml", reference, of=of, fed=fed)
            assert [output.name for output in comparison.culprits] == ["conv2"]
            assert comparison.first is not None
            assert len(comparison.first.constants) == 1


TYPES = ("f64", "f16", "bf16", "f8e4m3", "f8e5m2", "i8", "i64", "u8", "i4", "u4", "boolean")


@pytest.mark.parametrize("fed", [False, True])
@pytest.mark.parametrize("name", TYPES)
def test_element_types_against_openvino(name: str, fed: bool, tmp_path: Path) -> None:
    import openvino as ov
    from openvino import opset13 as op

    data = op.parameter([2, 8], getattr(ov.Type, name), name="data")
    middle = op.convert(op.reshape(data, np.array([4, 4]), False), "f32")
    last = op.convert(op.relu(op.multiply(middle, np.float32(0.5))), name, name="last")
    ov.serialize(ov.Model([op.result(last)], [data], "typed"), tmp_path / "m.xml", tmp_path / "m.bin")
    comparison = ir_plugin.compare(tmp_path / "m.xml", "openvino", fed=fed)
    assert comparison.agrees
    assert not comparison.unmatched
    assert comparison["last"].element_type == name
    run = dump(ir_plugin.compile_model(tmp_path / "m.xml")).arrays
    assert ir_plugin.compare(tmp_path / "m.xml", run, fed=fed).agrees
    run["last"] = np.full((4, 4), -8.0)
    assert [output.name for output in ir_plugin.compare(tmp_path / "m.xml", run, fed=fed).culprits] == ["last"]


def test_strings_against_openvino(tmp_path: Path) -> None:
    import openvino as ov
    from openvino import opset15 as op

    texts = op.parameter([2], ov.Type.string, name="texts")
    parts = op.string_tensor_unpack(texts)
    packed = op.string_tensor_pack(*(parts.output(index) for index in range(3)), name="packed")
    ov.serialize(ov.Model([op.result(packed)], [texts], "texts"), tmp_path / "m.xml", tmp_path / "m.bin")
    inputs = [np.array(["a", "bü"])]
    comparison = ir_plugin.compare(tmp_path / "m.xml", "openvino", inputs)
    assert comparison.agrees
    assert comparison["packed"].shape == (2,)
    comparison = ir_plugin.compare(tmp_path / "m.xml", {"packed": np.array(["a", "b"])}, inputs)
    assert [output.name for output in comparison.culprits] == ["packed"]
    assert comparison.culprits[0].measures is not None
    assert (comparison.culprits[0].measures.mine, comparison.culprits[0].measures.worst) == ("bü", (1,))


def test_dynamic_shapes_against_openvino(tmp_path: Path) -> None:
    import openvino as ov
    from openvino import opset13 as op

    data = op.parameter([-1, -1], np.float32, name="data")
    results = [op.result(op.relu(op.softmax(data, -1))), op.result(op.non_zero(op.relu(data)))]
    ov.serialize(ov.Model(results, [data], "dynamic"), tmp_path / "m.xml", tmp_path / "m.bin")
    for inputs in (None, {"data": np.linspace(-1, 1, 15).reshape(3, 5)}):
        for planned in (False, True):
            comparison = ir_plugin.compare(tmp_path / "m.xml", "openvino", inputs, planned=planned)
            assert comparison.agrees
            assert len(comparison) >= 3


def test_what_openvino_refuses(tmp_path: Path) -> None:
    text = DIGITS.read_text()
    (tmp_path / "m.bin").write_bytes(DIGITS.with_suffix(".bin").read_bytes())
    for old, new, reason in (
        ('type="SoftMax"', 'type="NoSuchLayer"', "doesn't contain the operation with type: NoSuchLayer"),
        ('name="images" type="Parameter"', 'name="images" type="ReadValue"', "openvino cannot run the model"),
    ):
        assert old in text
        (tmp_path / "m.xml").write_text(text.replace(old, new))
        with pytest.raises(ir_plugin.InputError, match=reason):
            ir_plugin.compare(DIGITS, "openvino", of=tmp_path / "m.xml")
    with pytest.raises(ir_plugin.InputError, match="openvino cannot run the model"):
        ir_plugin.compare(DIGITS, "openvino", of=tmp_path / "missing.xml")


@pytest.mark.parametrize("fed", [False, True])
def test_what_magnifies_rounding_is_no_culprit(fed: bool, tmp_path: Path) -> None:
    """Floor makes a whole step of a difference in the last bit; a wrong Floor is the culprit all the same."""
    from openvino import opset13 as op

    data = op.parameter([4], np.float32, name="data")
    below = op.floor(op.multiply(data, np.float32(2), name="twice"), name="below")
    path = saved([op.result(op.add(below, np.float32(1), name="last"))], [data], tmp_path)
    inputs = np.array([0.5, 1.5, 2.25, 3.25], np.float32)
    run = {"twice": np.nextafter(inputs * 2, np.float32(0)), "below": np.array([0, 2, 4, 6], np.float32)}
    comparison = ir_plugin.compare(path, run | {"last": run["below"] + 1}, [inputs], fed=fed)
    if fed:
        assert comparison.agrees
    else:
        assert (comparison["below"].magnifies, comparison["last"].magnifies) == (True, False)
        assert not comparison.culprits
        assert "it magnifies" in str(comparison)
    wrong = ir_plugin.compare(path, run | {"below": np.array([0, 2, 4, 9], np.float32)}, [inputs], fed=fed)
    assert [output.name for output in wrong.culprits] == ["below"]


def saved(results: list[Any], parameters: list[Any], folder: Path) -> Path:
    """Write a model that the wheel's opset API has built."""
    import openvino as ov

    ov.serialize(ov.Model(results, parameters, "made"), folder / "made.xml", folder / "made.bin")
    return folder / "made.xml"
