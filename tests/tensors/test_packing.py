"""The bytes of constants, against what OpenVINO writes, reads and converts."""

from __future__ import annotations

import struct
from contextlib import suppress
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import openvino as ov
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from ir_plugin.errors import Error, PackingError
from ir_plugin.tensors import Array, ElementType
from ir_plugin.tensors.packing import NF4_VALUES, pack, packed_size, unpack

NUMERIC = [type for type in ElementType.all if type.kind not in ("dynamic", "string")]
NAMES = [type.name for type in NUMERIC]
LOW_BIT = [type.name for type in NUMERIC if type.is_low_bit]
VIEWS = [type.name for type in NUMERIC if not type.is_low_bit and type.kind != "bool"]
INTEGERS = [type.name for type in NUMERIC if type.is_integer]
PRECISIONS = {type.name: type.precision for type in ElementType.all}

EXAMPLES = [
    ("u1", [1, 0, 1, 1, 0, 0, 1, 0, 1, 1], "B2 C0"),
    ("u2", [0, 1, 2, 3, 3], "E4 03"),
    ("u3", [0, 1, 2, 3, 4, 5, 6, 7], "1B 1B 0F"),
    ("u3", [0, 1, 2, 3, 4, 5, 6, 7, 7, 5], "1B 1B 0F D0 00 C0"),
    ("u3", [7], "C0 00 80"),
    ("u4", [1, 2, 15], "21 0F"),
    ("u4", [5], "05"),
    ("u6", [1, 2, 33, 63], "12 1F 0B"),
    ("u6", [1, 2, 33, 63, 47], "12 1F 0B F0 00 80"),
    ("i4", [-8, -1, 7], "F8 07"),
    ("nf4", [NF4_VALUES[12], -1, 1, 0], "0C 7F"),
    ("f4e2m1", [0.5, 6, -3], "71 0D"),
    ("f8e4m3", [0.5, 448, -448], "30 7E FE"),
    ("f8e5m2", [1, 2], "3C 40"),
    ("f8e8m0", [1, 2, 0.5], "7F 80 7E"),
    ("boolean", [True, False, True], "01 00 01"),
    ("bf16", [1, 2.5], "80 3F 20 40"),
    ("i16", [-2, 258], "FE FF 02 01"),
    ("string", ["a", "bé", "", "x\0z"], "04000000 00000000 01000000 04000000 04000000 07000000 61 62 C3 A9 78 00 7A"),
    ("string", [], "00000000 00000000"),
]


def elements(element_type: ElementType, count: int, seed: int = 0) -> Array:
    """Return `count` values, from anywhere in the type's range; finite ones of a real type."""
    data = np.random.default_rng(seed).integers(0, 256, packed_size(element_type, count), np.uint8)
    values: Array = unpack(data, element_type, count).copy()
    if element_type.is_floating:
        with np.errstate(invalid="ignore"):
            values[~np.isfinite(values.astype(np.float64))] = 1
    return values


def same_bits(a: Array, b: Array) -> bool:
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


def tensor_port(precision: str, shape: tuple[int, ...], port: int = 0) -> str:
    dims = "".join(f"<dim>{length}</dim>" for length in shape)
    return f'<port id="{port}" precision="{precision}">{dims}</port>'


def model_of(data: bytes, name: str, shape: tuple[int, ...], offset: int = 0, *, to_f32: bool = False) -> ov.Model:
    """Let OpenVINO read an IR with one constant, and perhaps a Convert behind it."""
    precision, target = PRECISIONS[name], "FP32" if to_f32 else PRECISIONS[name]
    shape_text = ", ".join(map(str, shape))
    convert = f"""<layer id="1" name="convert" type="Convert" version="opset1"><data destination_type="f32"/>
        <input>{tensor_port(precision, shape)}</input><output>{tensor_port("FP32", shape, 1)}</output></layer>"""
    edges = [(0, 0, 1, 0), (1, 1, 2, 0)] if to_f32 else [(0, 0, 2, 0)]
    lines = [f'<edge from-layer="{a}" from-port="{b}" to-layer="{c}" to-port="{d}"/>' for a, b, c, d in edges]
    xml = f"""<net name="n" version="11"><layers>
        <layer id="0" name="constant" type="Const" version="opset1">
        <data element_type="{name}" shape="{shape_text}" offset="{offset}" size="{len(data)}"/>
        <output>{tensor_port(precision, shape)}</output></layer>
        {convert if to_f32 else ""}
        <layer id="2" name="result" type="Result" version="opset1"><input>{tensor_port(target, shape)}</input></layer>
        </layers><edges>{"".join(lines)}</edges></net>"""
    weights = ov.Tensor(np.frombuffer(b"\xee" * offset + data, np.uint8).copy())
    return ov.Core().read_model(xml.encode(), weights)


def run_on_cpu(model: ov.Model) -> Array:
    return np.array(ov.Core().compile_model(model, "CPU")([])[0])


def serialized(model: ov.Model, folder: Path) -> list[tuple[dict[str, str], bytes]]:
    """Return the attributes and the bytes of each constant that OpenVINO writes."""
    ov.serialize(model, folder / "model.xml", folder / "model.bin")
    blob = (folder / "model.bin").read_bytes()
    attributes = [node.attrib for node in ET.parse(folder / "model.xml").iterfind(".//layer[@type='Const']/data")]
    return [(data, blob[int(data["offset"]) :][: int(data["size"])]) for data in attributes]


def constant(values: Array, element_type: ElementType) -> Any:
    if values.dtype.isbuiltin == 1 and not element_type.is_low_bit:
        return ov.op.Constant(values)
    plain = values.astype(np.float64) if element_type.is_floating else values
    return ov.op.Constant(getattr(ov.Type, element_type.name), ov.Shape(values.shape), plain.reshape(-1).tolist())


@pytest.mark.parametrize(("name", "values", "text"), EXAMPLES)
def test_examples_of_the_format(name: str, values: list[Any], text: str) -> None:
    element_type, data = ElementType(name), bytes.fromhex(text)
    array = np.array(values, element_type.dtype)
    assert pack(array, element_type) == data
    unpacked = unpack(data, element_type, len(values))
    assert unpacked.dtype == element_type.dtype
    assert unpacked.tolist() == array.tolist()
    assert packed_size(element_type, len(values)) <= len(data)


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 7, 8, 9, 10, 31])
@pytest.mark.parametrize("name", NAMES)
def test_constants_written_by_openvino_are_read(name: str, count: int, tmp_path: Path) -> None:
    element_type = ElementType(name)
    values = elements(element_type, count)
    [(data, blob)] = serialized(ov.Model([constant(values, element_type).output(0)], [], "n"), tmp_path)
    assert data["element_type"] == name
    assert len(blob) == packed_size(element_type, count)
    assert blob == pack(values, element_type)
    assert same_bits(unpack(blob, element_type, count), values)


def test_constants_of_one_file_lie_at_unaligned_offsets(tmp_path: Path) -> None:
    arrays = {type: elements(type, 5, seed=1) for type in NUMERIC}
    constants = [constant(values, type) for type, values in arrays.items()]
    written = serialized(ov.Model([node.output(0) for node in constants], [], "n"), tmp_path)
    assert any(int(data["offset"]) % 8 for data, _ in written)
    read = {ElementType(data["element_type"]): blob for data, blob in written}
    assert [type for type in NUMERIC if not same_bits(unpack(read[type], type, 5), arrays[type])] == []


@pytest.mark.parametrize("name", NAMES)
def test_scalars_and_empty_constants(name: str, tmp_path: Path) -> None:
    element_type = ElementType(name)
    for shape in ((), (0,), (2, 0, 3)):
        values = elements(element_type, int(np.prod(shape))).reshape(shape)
        [(data, blob)] = serialized(ov.Model([constant(values, element_type).output(0)], [], "n"), tmp_path)
        assert data["shape"] == ", ".join(map(str, shape))
        assert same_bits(unpack(blob, element_type, values.size), values.reshape(-1))
        assert pack(values, element_type) == (blob if values.size else b"")
        assert unpack(b"", element_type, 0).size == 0


@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("f64", "i64", "u32", "u64", "i32")])
def test_openvino_converts_what_was_packed_to_the_same_numbers(name: str) -> None:
    element_type = ElementType(name)
    values = elements(element_type, 45, seed=2)
    model = model_of(pack(values, element_type), name, (5, 9), offset=3, to_f32=True)
    np.testing.assert_array_equal(run_on_cpu(model), values.astype(np.float32).reshape(5, 9))


@pytest.mark.parametrize("name", LOW_BIT)
def test_every_code_means_what_it_means_to_openvino(name: str) -> None:
    element_type = ElementType(name)
    codes = np.arange(2**element_type.bits, dtype=np.uint8)
    data = pack(codes, ElementType(f"u{element_type.bits}"))
    theirs = run_on_cpu(model_of(data, name, codes.shape, to_f32=True))
    ours = unpack(data, element_type, codes.size).astype(np.float32)
    assert same_bits(ours, theirs)


@pytest.mark.parametrize("name", ["f8e4m3", "f8e5m2", "f8e8m0"])
def test_every_finite_byte_means_what_it_means_to_openvino(name: str) -> None:
    data = np.arange(256, dtype=np.uint8)
    ours = unpack(data, ElementType(name), 256).astype(np.float32)
    theirs = run_on_cpu(model_of(data.tobytes(), name, (256,), to_f32=True))
    finite = np.isfinite(ours)
    assert finite.sum() == {"f8e4m3": 254, "f8e5m2": 248, "f8e8m0": 255}[name]
    finite &= np.abs(ours) != np.float32(2.0**-127)  # the CPU plugin takes denormal results as zero
    np.testing.assert_array_equal(theirs[finite], ours[finite])


def nf4_of_openvino(values: Array) -> Array:
    constant = ov.op.Constant(ov.Type.nf4, ov.Shape(values.shape), values.astype(np.float64).tolist())
    return unpack(np.array(constant.get_data(), np.uint8), ElementType.nf4, values.size)


def test_nf4_rounds_as_openvino_at_both_sides_of_every_limit() -> None:
    steps = np.arange(-3, 4, dtype=np.int32)
    middles = ((NF4_VALUES[:-1].astype(np.float64) + NF4_VALUES[1:]) / 2).astype(np.float32)
    values = (middles.view(np.int32)[:, None] + steps).view(np.float32).reshape(-1)
    values = np.concatenate([values, np.linspace(-1.5, 1.5, 301, dtype=np.float32)])
    ours = unpack(pack(values, ElementType.nf4), ElementType.nf4, values.size)
    np.testing.assert_array_equal(ours, nf4_of_openvino(values))


def test_nf4_takes_what_is_out_of_reach_as_openvino_does() -> None:
    values = np.array([np.inf, -np.inf, 7, -0.0], np.float32)
    ours = unpack(pack(values, ElementType.nf4), ElementType.nf4, values.size)
    np.testing.assert_array_equal(ours, nf4_of_openvino(values))


@pytest.mark.parametrize("name", ["f4e2m1", "f8e4m3", "f8e5m2", "f16"])
def test_reals_are_rounded_as_by_openvino(name: str) -> None:
    values = np.random.default_rng(3).normal(size=1000)
    if name.startswith("f8"):
        values = values.astype(np.float16)  # OpenVINO rounds to f16 first, and so twice
    constant = ov.op.Constant(getattr(ov.Type, name), ov.Shape([1000]), values.astype(np.float32).tolist())
    assert pack(values, ElementType(name)) == np.array(constant.get_data()).tobytes()


@settings(deadline=None)
@given(st.data())
@pytest.mark.parametrize("name", NAMES)
def test_round_trip_from_values(name: str, data: st.DataObject) -> None:
    element_type = ElementType(name)
    count = data.draw(st.integers(0, 40))
    values = elements(element_type, count, data.draw(st.integers(0, 2**32)))
    packed = pack(values, element_type)
    assert len(packed) == packed_size(element_type, count) >= packed_size(element_type, count, minimum=True)
    assert same_bits(unpack(packed, element_type, count), values)
    assert same_bits(unpack(memoryview(bytearray(packed + b"more")), element_type, count), values)


@settings(deadline=None)
@given(st.data())
@pytest.mark.parametrize("name", [name for name in INTEGERS if name != "u64"])
def test_round_trip_from_wider_integers(name: str, data: st.DataObject) -> None:
    element_type = ElementType(name)
    sign = int(element_type.has_sign)
    reach = st.integers(-sign * 2 ** (element_type.bits - 1), 2 ** (element_type.bits - sign) - 1)
    values = data.draw(npst.arrays(np.int64, npst.array_shapes(min_dims=0, min_side=0), elements=reach))
    unpacked = unpack(pack(values.T, element_type), element_type, values.size)
    np.testing.assert_array_equal(unpacked, values.T.reshape(-1))


@settings(deadline=None)
@given(st.lists(st.text()))
def test_round_trip_of_strings(texts: list[str]) -> None:
    packed = pack(np.array(texts, object), ElementType.string)
    assert len(packed) == packed_size(ElementType.string, len(texts)) + sum(len(text.encode()) for text in texts)
    unpacked = unpack(packed, ElementType.string, len(texts))
    assert unpacked.dtype == object
    assert unpacked.tolist() == texts


def test_strings_are_read_by_openvino_and_written_as_by_it(tmp_path: Path) -> None:
    texts = ["a", "bé", "", "a rather long string that no small buffer holds", "nul\0inside", "日本語"]
    packed = pack(np.array(texts, object), ElementType.string)
    model = model_of(packed, "string", (2, 3), offset=3)
    [(data, blob)] = serialized(model, tmp_path)
    assert (data["shape"], blob) == ("2, 3", packed)
    assert run_on_cpu(model).reshape(-1).tolist() == texts


@pytest.mark.parametrize("dtype", [object, "U", "S"])
def test_strings_of_every_numpy_dtype_are_packed(dtype: Any) -> None:
    texts = np.array([["a", "bc"], ["", "def"]], dtype)
    assert unpack(pack(texts, ElementType.string), ElementType.string, 4).tolist() == ["a", "bc", "", "def"]


@pytest.mark.parametrize("offset", [0, 1, 2, 3, 5, 8, 13])
@pytest.mark.parametrize("name", VIEWS)
def test_whole_bytes_are_viewed_at_any_offset(name: str, offset: int) -> None:
    element_type = ElementType(name)
    values = elements(element_type, 6)
    buffer = np.frombuffer(bytes(offset) + pack(values, element_type) + b"tail", np.uint8)
    unpacked = unpack(buffer[offset:], element_type, 6)
    assert np.shares_memory(unpacked, buffer)
    assert same_bits(unpacked, values)
    assert not unpacked.flags.writeable
    assert unpacked.flags.aligned == (unpacked.ctypes.data % element_type.dtype.alignment == 0)


def test_a_mapped_file_is_not_copied(tmp_path: Path) -> None:
    (tmp_path / "model.bin").write_bytes(b"x" + np.arange(4, dtype=np.float32).tobytes())
    blob = np.memmap(tmp_path / "model.bin", np.uint8, "r")
    unpacked = unpack(blob[1:], ElementType.f32, 4)
    assert type(unpacked) is np.ndarray
    assert np.shares_memory(unpacked, blob)
    assert unpacked.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("name", NAMES)
def test_unpacking_leaves_the_data_as_it_is(name: str) -> None:
    data = np.random.default_rng(4).integers(0, 256, packed_size(ElementType(name), 9), np.uint8)
    before = data.tobytes()
    unpack(data, ElementType(name), 9)
    assert data.tobytes() == before


def test_any_byte_but_zero_is_true() -> None:
    assert unpack(b"\x00\x01\x02\xff", ElementType.boolean, 4).tolist() == [False, True, True, True]
    assert pack(np.array([0, 2, -1]), ElementType.boolean) == b"\x00\x01\x01"


@pytest.mark.parametrize(
    ("name", "count", "size"), [("u3", 10, 4), ("u3", 1, 1), ("u3", 5, 2), ("u6", 5, 4), ("u6", 6, 5)]
)
def test_a_group_cut_short_is_filled_up_with_zeros(name: str, count: int, size: int) -> None:
    element_type = ElementType(name)
    assert packed_size(element_type, count, minimum=True) == size
    packed = pack(elements(element_type, count), element_type)
    cut = packed[:size] + bytes(len(packed) - size)
    assert same_bits(unpack(packed[:size], element_type, count), unpack(cut, element_type, count))


def test_sizes_do_not_overflow() -> None:
    assert packed_size(ElementType.f64, 2**64) == 2**67
    assert packed_size(ElementType.u3, 2**64) == 3 * 2**61
    with pytest.raises(PackingError, match="18446744073709551616 elements of type f32 take 73786976294838206464 bytes"):
        unpack(b"1234", ElementType.f32, 2**64)


@pytest.mark.parametrize("name", NAMES)
def test_data_that_is_too_short_is_refused(name: str) -> None:
    element_type = ElementType(name)
    size = packed_size(element_type, 9, minimum=True)
    with pytest.raises(PackingError, match=f"9 elements of type {name} take {size} bytes, not {size - 1}"):
        unpack(bytes(size - 1), element_type, 9)


def strings(*header: int, text: bytes = b"abc") -> bytes:
    return struct.pack(f"<{len(header)}i", *header) + text


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"\x02\x00", "the number of strings takes 4 bytes, not 2"),
        (strings(-2, 0, 1, 3), "the data says it holds -2 strings, not 2"),
        (strings(3, 0, 1, 2, 3), "the data says it holds 3 strings, not 2"),
        (strings(2**31 - 1, 0, 1, 3), "the data says it holds 2147483647 strings, not 2"),
        (strings(2, 0, 1, text=b""), "the offsets of 2 strings end at byte 16, the data at byte 12"),
        (strings(2, 1, 1, 3), "the first string begins at offset 1, not 0"),
        (strings(2, 0, -1, 3), "string 0 ends at offset -1, before it begins at 0"),
        (strings(2, 0, 3, 1), "string 1 ends at offset 1, before it begins at 3"),
        (strings(2, 0, 1, 4), "the last string ends at offset 4 of 3 bytes of text"),
    ],
)
def test_strings_that_are_damaged_are_refused(data: bytes, message: str) -> None:
    with pytest.raises(PackingError, match=f"^{message}$"):
        unpack(data, ElementType.string, 2)


@settings(deadline=None)
@given(st.binary(max_size=40), st.integers(0, 4))
def test_strings_from_any_bytes_are_read_or_refused(data: bytes, count: int) -> None:
    with suppress(PackingError):
        assert unpack(data, ElementType.string, count).size == count


def test_bytes_behind_the_last_string_do_not_matter() -> None:
    assert unpack(strings(2, 0, 1, 3, text=b"abc\xff\xff"), ElementType.string, 2).tolist() == ["a", "bc"]


@pytest.mark.parametrize(
    ("values", "name", "message"),
    [
        ([0, 8], "u3", "element 1 is 8; u3 holds 0 to 7"),
        ([0, -1], "u8", "element 1 is -1; u8 holds 0 to 255"),
        ([-9, 1], "i4", "element 0 is -9; i4 holds -8 to 7"),
        ([0, 2**40], "i32", "element 1 is 1099511627776; i32 holds -2147483648 to 2147483647"),
        ([1.0], "u4", "values of the NumPy dtype float64 cannot be packed as u4"),
        (["1"], "f32", "values of the NumPy dtype <U1 cannot be packed as f32"),
        ([1j], "f32", "values of the NumPy dtype complex128 cannot be packed as f32"),
        ([1], "dynamic", "a constant cannot be of element type dynamic"),
        ([1], "string", "string 0 is a int"),
        (["a", "\ud800"], "string", "string 1 cannot be written as UTF-8: surrogates not allowed"),
    ],
)
def test_values_that_do_not_fit_are_refused(values: list[Any], name: str, message: str) -> None:
    with pytest.raises(PackingError, match=f"^{message}$"):
        pack(np.array(values), ElementType(name))


def test_counts_and_types_that_are_none_are_refused() -> None:
    with pytest.raises(PackingError, match="-1 is not a number of elements"):
        packed_size(ElementType.f32, -1)
    for name in ("f32", "string"):
        with pytest.raises(PackingError):
            unpack(b"\xff\xff\xff\xff", ElementType(name), -1)
    with pytest.raises(PackingError, match="dynamic"):
        unpack(b"", ElementType.dynamic, 0)
    assert issubclass(PackingError, Error)
