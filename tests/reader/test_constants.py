"""Constants: every element type from files that OpenVINO wrote, and every way to give the weights."""

from __future__ import annotations

import io
import mmap
from pathlib import Path
from typing import Any

import numpy as np
import openvino as ov
import pytest
from openvino import opset13 as ops

from ir_plugin import Core
from ir_plugin.model import Node
from ir_plugin.tensors import Array, ElementType
from ir_plugin.tensors.packing import packed_size, unpack
from tests.hostile.bases import conv, layer, net, port

WRITTEN = [type for type in ElementType.all if type.is_static and type is not ElementType.string]


def constants(model: Any) -> list[Node]:
    return [node for node in model.nodes if node.type == "Const"]


def values(node: Node) -> Array:
    return np.asarray(node.operation.evaluate())


@pytest.mark.parametrize("type", WRITTEN, ids=str)
@pytest.mark.parametrize("count", [1, 5, 8, 13])
def test_every_element_type_as_openvino_writes_it(type: ElementType, count: int, tmp_path: Path) -> None:
    raw = np.random.default_rng(7).integers(0, 256, packed_size(type, count), np.uint8)
    if type is ElementType.boolean:
        raw &= 1
    kind = getattr(ov.Type, type.name)
    tensor = ov.Tensor(kind, ov.Shape([count]))
    memory = np.frombuffer(raw, np.uint8)[: tensor.get_byte_size()]
    tensor = ov.Tensor(np.ascontiguousarray(memory), ov.Shape([count]), kind)
    ov.serialize(ov.Model([ops.result(ops.constant(tensor))], [], "model"), tmp_path / "model.xml")
    report = Core().validate(tmp_path / "model.xml")
    assert list(report.findings) == []
    array = values(constants(report.model)[0])
    expected = unpack((tmp_path / "model.bin").read_bytes(), type, count)
    assert array.dtype == type.dtype
    assert array.tobytes() == expected.tobytes()
    assert (tmp_path / "model.bin").read_bytes()[: len(memory) - 1] == memory.tobytes()[:-1]


def test_strings_as_openvino_writes_them(tmp_path: Path) -> None:
    words = np.array([["", "ä €"], ["longer text", "x"]])
    constant = ops.constant(ov.Tensor(np.char.encode(words, "utf-8")))
    ov.serialize(ov.Model([ops.result(constant)], [], "model"), tmp_path / "model.xml")
    model = Core().read_model(tmp_path / "model.xml")
    assert values(constants(model)[0]).tolist() == words.tolist()


def test_scalars_and_empty_tensors_as_openvino_writes_them(tmp_path: Path) -> None:
    empty = ov.op.Constant(ov.Type.i64, ov.Shape([0, 4]), [])
    results = [ops.result(constant) for constant in (ops.constant(np.float32(3)), empty)]
    ov.serialize(ov.Model(results, [], "model"), tmp_path / "model.xml")
    report = Core().validate(tmp_path / "model.xml")
    assert list(report.findings) == []
    scalar, empty = sorted((values(node) for node in constants(report.model)), key=np.ndim)
    assert scalar == 3
    assert scalar.shape == ()
    assert empty.shape == (0, 4)


def test_unaligned_and_shared_constants_as_openvino_writes_them(tmp_path: Path) -> None:
    half = ops.constant(np.arange(3, dtype=np.float16))
    same = [ops.constant(np.arange(5, dtype=np.float32)) for _ in range(2)]
    results = [ops.result(constant) for constant in (*same, half)]
    ov.serialize(ov.Model(results, [], "model"), tmp_path / "model.xml")
    report = Core().validate(tmp_path / "model.xml")
    assert list(report.findings) == []
    nodes = constants(report.model)
    offsets = sorted(node.operation.offset for node in nodes)
    assert offsets == [0, 6, 6]
    for node in nodes:
        assert values(node).tolist() == list(range(len(values(node))))


def test_an_unaligned_constant_computes_right() -> None:
    data = 'element_type="f32" shape="2" offset="1" size="8"'
    xml = net(
        [layer(0, "c", "Const", data, (), [port(0, [2])]), layer(1, "out", "Result", "", [port(0, [2])])],
        [(0, 0, 1, 0)],
    )
    weights = b"\xff" + np.array([1.5, -2], np.float32).tobytes()
    model = Core().compile_model(xml.encode(), weights=weights)
    assert model([])[0].tolist() == [1.5, -2]


@pytest.mark.parametrize("port_id", [0, 1])
def test_the_output_port_of_a_constant_is_0_or_1(port_id: int) -> None:
    base = conv()
    xml = base.xml.replace('from-layer="1" from-port="0"', f'from-layer="1" from-port="{port_id}"')
    begin = xml.index('name="w"')
    xml = xml[:begin] + xml[begin:].replace('<port id="0"', f'<port id="{port_id}"', 1)
    assert list(Core().validate(xml.encode(), base.weights).findings) == []


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    base = conv()
    (tmp_path / "model.xml").write_text(base.xml, "utf-8")
    (tmp_path / "model.bin").write_bytes(base.weights)
    (tmp_path / "other.bin").write_bytes(base.weights)
    return tmp_path


def kernel(model: Any) -> Array:
    return values(constants(model)[0])


EXPECTED = np.linspace(-1, 1, 112, dtype=np.float32)[:108].reshape(4, 3, 3, 3)


def test_weights_are_found_beside_the_xml_and_mapped(folder: Path) -> None:
    array = kernel(Core().read_model(folder / "model.xml"))
    np.testing.assert_array_equal(array, EXPECTED)
    owner: Any = array
    while isinstance(owner, np.ndarray) and owner.base is not None:
        owner = owner.base
    assert isinstance(getattr(owner, "obj", owner), mmap.mmap)
    assert not array.flags.writeable


def test_weights_of_another_name(folder: Path) -> None:
    (folder / "model.bin").unlink()
    for weights in (folder / "other.bin", str(folder / "other.bin")):
        np.testing.assert_array_equal(kernel(Core().read_model(str(folder / "model.xml"), weights)), EXPECTED)


def test_weights_as_bytes_arrays_and_tensors_are_not_copied(folder: Path) -> None:
    xml = (folder / "model.xml").read_bytes()
    raw = conv().weights
    sources: list[Any] = [
        raw,
        bytearray(raw),
        memoryview(raw),
        np.frombuffer(raw, np.uint8),
        np.frombuffer(raw, np.float32),
    ]
    for source in sources:
        array = kernel(Core().read_model(xml, source))
        np.testing.assert_array_equal(array, EXPECTED)
        assert np.shares_memory(array, np.frombuffer(source, np.uint8))


def test_weights_as_file_objects(folder: Path) -> None:
    with (folder / "model.xml").open("rb") as xml, (folder / "other.bin").open("rb") as weights:
        model = Core().read_model(xml, weights)
    np.testing.assert_array_equal(kernel(model), EXPECTED)
    model = Core().read_model(io.BytesIO((folder / "model.xml").read_bytes()), io.BytesIO(conv().weights))
    np.testing.assert_array_equal(kernel(model), EXPECTED)


def test_weights_as_a_map_of_ones_own(folder: Path) -> None:
    with (folder / "other.bin").open("rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    array = kernel(Core().read_model((folder / "model.xml").read_bytes(), mapped))
    np.testing.assert_array_equal(array, EXPECTED)
    assert np.shares_memory(array, np.frombuffer(mapped, np.uint8))


def test_without_validation_a_missing_bin_is_an_error_only_where_it_is_needed() -> None:
    xml = net([layer(0, "x", "Parameter", 'shape="2" element_type="f32"', (), [port(0, [2])]),
               layer(1, "out", "Result", "", [port(0, [2])])], [(0, 0, 1, 0)])  # fmt: skip
    assert Core().read_model(xml.encode()).inputs[0].shape == (2,)
