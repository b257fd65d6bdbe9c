"""What is written is read as it was, by us and by OpenVINO, for every sample of every operation."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ir_plugin
from ir_plugin.tensors import ElementType
from ir_plugin.tensors.packing import pack, packed_size, unpack
from tests.operations.test_samples import variants
from tests.support.collect import modules
from tests.support.ir import BuiltIR, build_together
from tests.support.oracle import Layer, ask_together, computed, fed, openvino_core
from tests.writer.same import require_same

SHIPPED = sorted((Path(__file__).parents[2] / "samples").glob("*/*.xml"))


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_shipped_samples(path: Path, tmp_path: Path) -> None:
    model = ir_plugin.Core().read_model(path)
    ir_plugin.serialize(model, tmp_path / "copy.xml")
    require_same(model, ir_plugin.Core().read_model(tmp_path / "copy.xml"))


MODULES = {name: module.SAMPLES for name, module in modules() if getattr(module, "SAMPLES", ())}


@pytest.mark.parametrize("name", MODULES)
def test_samples(name: str, tmp_path: Path) -> None:
    layers = valid_layers(
        [
            (sample, shapes)
            for sample in MODULES[name]
            for variant, shapes in variants(sample).items()
            if variant in ("static", "dynamic", "intervals")
        ]
    )
    written = tmp_path / "copy.xml"
    model = read_together(layers)[0]
    ir_plugin.serialize(model, written)
    require_same(model, ir_plugin.Core().read_model(written))
    ask_together(
        [layer for layer in layers if not layer[0].openvino_shapes],
        lambda asked: require_same_in_openvino(asked, written),
    )
    judged = [(sample, shapes) for sample, shapes in layers if not sample.openvino and not shapes]
    faults = ask_together(judged, lambda asked: require_same_results(asked, written))
    assert [fault for fault in faults if fault is not None] == []


def read_together(layers: Sequence[Layer]) -> tuple[ir_plugin.Model, BuiltIR]:
    ir = build_together(layers)
    return ir_plugin.Core().read_model(ir.xml, ir.weights), ir


def valid_layers(layers: Sequence[Layer]) -> list[Layer]:
    """Return the layers without those that findings name."""
    ir = build_together(layers)
    findings = ir_plugin.Core().validate(ir.xml, ir.weights).findings.errors
    named = {int(finding.layer.name.split()[0]) for finding in findings if finding.layer is not None}
    assert bool(named) == bool(findings)
    left = [layer for number, layer in enumerate(layers) if number not in named]
    return valid_layers(left) if named else left


def require_same_in_openvino(layers: Sequence[Layer], written: Path) -> list[None]:
    """Hold what OpenVINO reads of our copy against what it reads of the IR; it may refuse to read the IR."""
    model, ir = read_together(layers)
    first = openvino_core().read_model(ir.xml, ir.weights)
    ir_plugin.serialize(model, written)
    try:
        second = openvino_core().read_model(written)
    except RuntimeError as fault:
        raise AssertionError("OpenVINO refuses the copy") from fault
    assert described(first) == described(second)
    return [None] * len(layers)


def require_same_results(layers: Sequence[Layer], written: Path) -> list[None]:
    """Hold the results of OpenVINO for our copy against those for the IR."""
    model, ir = read_together(layers)
    ir_plugin.serialize(model, written)
    inputs = [item for sample, _ in layers for item in fed(sample)]
    first = computed(openvino_core().read_model(ir.xml, ir.weights), inputs)
    second = computed(openvino_core().read_model(written), inputs)
    for left, right in zip(first, second, strict=True):
        np.testing.assert_array_equal(left, right)
    return [None] * len(layers)


def described(model: Any) -> list[str]:
    ports = [*model.inputs, *model.outputs]
    return [f"{port.get_element_type()}{port.get_partial_shape()}{sorted(port.get_names())}" for port in ports]


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
