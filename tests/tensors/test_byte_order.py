"""Files are little-endian on every machine, and arrays of any byte order give the same bytes.

`python3 dev.py platforms s390x` runs these tests on a big-endian machine.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import numpy as np
import pytest

import ir_plugin as ov
from ir_plugin import opset13 as op
from ir_plugin.operations.infrastructure.const import Const
from ir_plugin.serving import datatypes
from ir_plugin.tensors import ElementType
from ir_plugin.tensors.byte_order import from_little_endian, to_little_endian
from ir_plugin.tensors.compressed import decode
from ir_plugin.tensors.packing import pack, unpack

BYTES = {
    "f32": (1.5, "0000c03f"), "f64": (1.5, "000000000000f83f"), "f16": (1.5, "003e"), "bf16": (1.5, "c03f"),
    "i16": (-2, "feff"), "i32": (0x01020304, "04030201"), "i64": (-2, "feffffffffffffff"), "u16": (258, "0201"),
    "u32": (0x01020304, "04030201"), "u64": (258, "0201000000000000"), "u8": (7, "07"),
}  # fmt: skip
"""A value of each element type, and the bytes of a `.bin` file that hold it."""


@pytest.mark.parametrize("name", BYTES)
def test_a_file_holds_the_least_byte_first(name: str) -> None:
    value, code = BYTES[name]
    element_type, data = ElementType(name), bytes.fromhex(code)
    assert pack([value], element_type) == data
    assert unpack(data, element_type, 1).tolist() == [value]
    assert unpack(data, element_type, 1).dtype == element_type.dtype


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("name", [name for name in BYTES if name != "bf16"])
def test_the_order_of_an_array_does_not_matter(name: str, order: Literal["<", ">"]) -> None:
    value, code = BYTES[name]
    array = np.array([value], ElementType(name).dtype.newbyteorder(order))
    assert to_little_endian(array).tobytes() == bytes.fromhex(code)
    assert pack(array, ElementType(name)) == bytes.fromhex(code)
    assert Const.of(array, ElementType(name)).packed().tobytes() == bytes.fromhex(code)


def test_bytes_of_a_file_are_not_copied_here() -> None:
    raw = np.frombuffer(bytes.fromhex("0000c03f"), np.uint8)
    elements = from_little_endian(raw, np.dtype(np.float32))
    assert elements.dtype.isnative
    assert np.shares_memory(raw, elements) == (np.array(1, "u4").tobytes()[0] == 1)


@pytest.mark.parametrize("name", ["f16", "bf16"])
def test_compressed_weights_decode(name: str) -> None:
    target = np.empty(1, np.float32)
    decode(np.frombuffer(bytes.fromhex(BYTES[name][1]), np.uint8), ElementType(name), target)
    assert target.tolist() == [1.5]


@pytest.mark.parametrize("name", list(BYTES))
def test_a_server_takes_and_gives_the_least_byte_first(name: str) -> None:
    value, code = BYTES[name]
    element_type, data = ov.Type(name), bytes.fromhex(code)
    array = datatypes.from_bytes("x", memoryview(data), element_type, [1])
    assert array.tolist() == [value]
    assert datatypes.to_bytes(array, element_type) == data


@pytest.mark.parametrize("name", ["f32", "i64", "f16"])
def test_a_model_is_written_and_read(name: str, tmp_path: Path) -> None:
    value, code = BYTES[name]
    constant = op.constant(np.array([value], ElementType(name).dtype.newbyteorder(">")))
    ov.save_model(ov.Model([constant], []), tmp_path / "model.xml", compress_to_fp16=False)
    assert (tmp_path / "model.bin").read_bytes() == bytes.fromhex(code)
    assert ov.compile_model(tmp_path / "model.xml")([])[0].tolist() == [value]
