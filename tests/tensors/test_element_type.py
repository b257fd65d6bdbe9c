"""Element types, tensors of them, and arrays of ml_dtypes."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import ir_plugin as ov
from ir_plugin.tensors import ElementType, as_held

DTYPES = {
    "uint2": "u2", "uint4": "u4", "int4": "i4", "float4_e2m1fn": "f4e2m1", "float8_e4m3fn": "f8e4m3",
    "float8_e5m2": "f8e5m2", "float8_e8m0fnu": "f8e8m0", "bfloat16": "bf16",
    "float8_e4m3fnuz": "f8e4m3fnuz", "float8_e5m2fnuz": "f8e5m2fnuz",
}  # fmt: skip


@pytest.mark.parametrize(("name", "type"), DTYPES.items())
@pytest.mark.parametrize("shape", [(), (3,), (3, 5), (0, 2)])
def test_tensors_of_small_types(name: str, type: str, shape: tuple[int, ...]) -> None:
    array = np.resize(np.array([1, 2, 1]), shape).astype(getattr(ml_dtypes, name))
    tensor = ov.Tensor(array)
    assert ov.Type(array.dtype) is tensor.element_type is ElementType(type)
    assert tensor.shape == shape
    np.testing.assert_array_equal(tensor.values.astype(np.float64), array.astype(np.float64))
    room = ov.Tensor(tensor.element_type, shape)
    room.copy_from(array)
    np.testing.assert_array_equal(room.data, tensor.data)
    tensor.data[...] = 0
    np.testing.assert_array_equal(array.astype(np.float64), np.resize(np.array([1, 2, 1]), shape))


@pytest.mark.parametrize("name", ["uint2", "uint4", "int4", "float4_e2m1fn"])
def test_packed_elements_share_no_memory(name: str) -> None:
    with pytest.raises(ov.InputError, match="are packed"):
        ov.Tensor(np.zeros(2, getattr(ml_dtypes, name)), shared_memory=True)


def test_negative_int2() -> None:
    array = np.array([-2, -1, 0, 1, 1]).astype(ml_dtypes.int2)
    assert ov.Tensor(array).values.tolist() == [-2, -1, 0, 1, 1]
    assert ov.Tensor(array).element_type is ElementType("i2")


def test_negative_int4() -> None:
    array = np.array([-8, -1, 7]).astype(ml_dtypes.int4)
    assert ov.Tensor(array).values.tolist() == [-8, -1, 7]
    assert as_held(array).dtype == np.int8
    plain = np.arange(3)
    assert as_held(plain) is plain


@pytest.mark.parametrize("name", ["float8_e4m3", "float6_e2m3fn", "float8_e3m4"])
def test_dtypes_that_openvino_has_no_type_for(name: str) -> None:
    with pytest.raises(ov.InputError, match="no element type for the NumPy dtype"):
        ov.Tensor(np.zeros(1, getattr(ml_dtypes, name)))


@pytest.mark.parametrize("items", [[None], [1, "a"], [{}]])
def test_what_is_no_text(items: list[Any]) -> None:
    with pytest.raises(ov.InputError, match="made of texts"):
        ov.Tensor(np.array(items, object))


def test_what_is_no_unicode() -> None:
    with pytest.raises(ov.PackingError, match="not UTF-8 text"):
        ov.Tensor(np.array(["\ud800"], object))


def test_bytes_that_are_no_utf8_are_kept() -> None:
    tensor = ov.Tensor(np.array([b"\xff\xfe", b"ok"]))
    assert tensor.bytes_data.tolist() == [b"\xff\xfe", b"ok"]
    assert tensor.str_data.tolist() == ["\ufffd\ufffd", "ok"]


@pytest.mark.parametrize(
    ("layout", "ndim", "fits"),
    [
        ("NCHW", 4, True), ("NCHW", 3, False), ("N...", 1, True), ("N...", 5, True), ("N...C", 1, False),
        ("...", 0, True), ("", 3, True), ("NC", None, True), ("**SCALAR**", 0, True), ("**SCALAR**", 1, False),
    ],
)  # fmt: skip
def test_layouts_fit_shapes(layout: str, ndim: int | None, fits: bool) -> None:
    assert ov.Layout(layout).fits(ndim) is fits


@pytest.mark.parametrize("kind", [ov.Shape, ov.Strides, ov.Coordinate, ov.AxisVector])
def test_numbers_of_a_vector_can_be_assigned(kind: Any) -> None:
    vector = kind([1, 2])
    vector[0] = 3
    assert vector == [3, 2]
    with pytest.raises(IndexError, match="has no position 2"):
        vector[2]
    with pytest.raises(TypeError, match="unhashable"):
        hash(vector)


def test_a_shape_that_is_returned_is_a_copy() -> None:
    tensor = ov.Tensor(np.zeros((2, 3)))
    tensor.shape[0] = 7
    assert tensor.shape == [2, 3]
