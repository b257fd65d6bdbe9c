"""What is written is read as it was, by us and by OpenVINO, for every sample of every operation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ir_plugin
from ir_plugin.tensors import Array, ElementType
from ir_plugin.tensors.packing import pack, packed_size, unpack
from tests.operations.test_samples import SAMPLES, _from_openvino, _openvino_tensor, built, openvino_core, variants
from tests.support.sample import Sample
from tests.writer.same import require_same

SHIPPED = sorted(Path("samples").glob("*/*.xml"))


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_shipped_samples(path: Path, tmp_path: Path) -> None:
    model = ir_plugin.Core().read_model(path)
    ir_plugin.serialize(model, tmp_path / "copy.xml")
    require_same(model, ir_plugin.Core().read_model(tmp_path / "copy.xml"))


COMPUTED = set(list(SAMPLES)[::4])
"""Samples that OpenVINO also computes, before and after; all others would take minutes."""


@pytest.mark.parametrize("name", SAMPLES)
def test_samples(name: str, tmp_path: Path) -> None:
    sample = SAMPLES[name]
    shown = variants(sample)
    for variant in ("static", "dynamic", "intervals"):
        if variant not in shown:
            continue
        shapes = shown[variant]
        ir = built(sample, shapes)
        report = ir_plugin.Core().validate(ir.xml, ir.weights)
        if not report.ok:
            continue
        model = ir_plugin.Core().read_model(ir.xml, ir.weights)
        ir_plugin.serialize(model, tmp_path / "copy.xml")
        require_same(model, ir_plugin.Core().read_model(tmp_path / "copy.xml"))
        require_same_in_openvino(
            sample, ir.xml, ir.weights, tmp_path / "copy.xml", compute=variant == "static" and name in COMPUTED
        )


def require_same_in_openvino(sample: Sample, xml: bytes, weights: bytes, written: Path, *, compute: bool) -> None:
    if sample.openvino_shapes:
        return
    core = openvino_core()
    try:
        first = core.read_model(xml, weights)
    except RuntimeError:
        return
    second = core.read_model(written)
    assert described(first) == described(second)
    if compute and not sample.openvino:
        for left, right in zip(run(first, sample), run(second, sample), strict=True):
            np.testing.assert_array_equal(left, right)


def described(model: Any) -> list[str]:
    ports = [*model.inputs, *model.outputs]
    return [f"{port.get_element_type()}{port.get_partial_shape()}{sorted(port.get_names())}" for port in ports]


def run(model: Any, sample: Sample) -> list[Array]:
    compiled = openvino_core().compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    request = compiled.create_infer_request()
    inputs = [item for item in sample.inputs if item is not None and not item.constant]
    for index, item in enumerate(inputs):
        request.set_input_tensor(index, _openvino_tensor(item))
    request.infer()
    return [_from_openvino(request.get_output_tensor(index)) for index in range(len(compiled.outputs))]


@pytest.mark.parametrize("type", [type for type in ElementType.all if type.is_static], ids=str)
def test_constants_of_every_type(type: ElementType, tmp_path: Path) -> None:
    for count in (0, 1, 5, 11):
        data = random_bytes(type, count)
        model = ir_plugin.Core().read_model(constant_ir(type, count, len(data)), data or b"\0")
        ir_plugin.serialize(model, tmp_path / "copy.xml")
        require_same(model, ir_plugin.Core().read_model(tmp_path / "copy.xml"))
        read = openvino_core().read_model(tmp_path / "copy.xml")
        assert read.output(0).get_element_type().to_string() == type.name
        assert list(read.output(0).shape) == [count]
        if count and type is not ElementType.boolean:
            assert (tmp_path / "copy.bin").read_bytes() == data


def random_bytes(type: ElementType, count: int) -> bytes:
    if type is ElementType.string:
        return pack(np.array(["", "ü", "a b", "x" * 50, ","] * 3, object)[:count], type)
    raw = np.random.default_rng(count).integers(0, 100, packed_size(type, count), np.uint8).tobytes()
    return pack(unpack(raw, type, count), type)


def constant_ir(type: ElementType, count: int, size: int) -> bytes:
    port = f'<port id="0" precision="{type.precision}"><dim>{count}</dim></port>'
    return (
        '<net name="n" version="11"><layers><layer id="0" name="c" type="Const" version="opset1">'
        f'<data element_type="{type.name}" shape="{count}" offset="0" size="{max(size, 1)}"/>'
        f'<output>{port}</output></layer><layer id="1" name="r" type="Result" version="opset1"><input>{port}</input>'
        '</layer></layers><edges><edge from-layer="0" from-port="0" to-layer="1" to-port="0"/></edges>'
        "<rt_info/></net>"
    ).encode()
