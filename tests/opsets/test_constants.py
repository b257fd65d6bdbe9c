"""Constants show their memory, numbers and texts as OpenVINO's do, and take the same forms of values."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np
import openvino
import pytest

import ir_plugin

VALUES = np.array([[0, 1, 2, 3], [1, 0, 1, 1]], np.float32)
TYPES = [
    "boolean", "bf16", "f16", "f32", "f64", "i4", "i8", "i16", "i32", "i64", "u1", "u2", "u3", "u4", "u6", "u8", "u16",
    "u32", "u64", "nf4", "f8e4m3", "f8e5m2", "f8e8m0", "f4e2m1",
]  # fmt: skip
KINDS = (TypeError, ValueError, IndexError, AttributeError)


def shown(constant: Any) -> tuple[Any, ...]:
    data = constant.data
    entries = (repr(constant.get_element_type()), list(constant.shape), data.dtype, data.shape, data.tolist())
    return *entries, data.flags.writeable, constant.get_byte_size()


def outcome(call: Any) -> Any:
    try:
        return call()
    except Exception as fault:  # noqa: BLE001 (the kinds are compared)
        return [kind for kind in KINDS if isinstance(fault, kind)][:1]


def facts(library: Any, type_name: str) -> list[Any]:
    """Return what constants of a type, built of arrays, lists and numbers, show."""
    opset, kind = library.opset13, getattr(library.Type, type_name)
    sources = (VALUES, VALUES.astype(np.int32), VALUES.tolist(), 2, 1.5, np.int64(3), True)
    seen: list[Any] = [shown(opset.constant(source, kind)) for source in sources]
    constant = opset.constant(VALUES, kind)
    seen.append(outcome(lambda: constant.get_vector().tolist()))
    seen.append(constant.get_value_strings())
    for dtype in (np.float32, np.int64):
        converted = constant.get_data(dtype=dtype)
        seen += [converted.dtype, converted.tolist(), constant.get_data(copy=True).flags.writeable]
    seen.append(outcome(lambda: list(constant.strides)))
    return [*seen, outcome(lambda: list(constant.get_strides())), repr(constant.tensor_view), constant.get_attributes()]


@pytest.mark.parametrize("type_name", TYPES)
def test_a_constant_of_each_type_shows_what_openvino_shows(type_name: str) -> None:
    assert facts(ir_plugin, type_name) == facts(openvino, type_name)


@pytest.mark.parametrize("dtype", [int, float, bool, np.int8, np.dtype("f2")])
def test_python_types_have_openvinos_width(dtype: Any) -> None:
    for value in ([1, 2], 2.7, np.array([1.5, -2.5])):
        both = [shown(library.opset13.constant(value, dtype)) for library in (openvino, ir_plugin)]
        assert both[0] == both[1]
    theirs, ours = (repr(library.opset13.parameter([1], dtype, name="p")) for library in (openvino, ir_plugin))
    assert ours == theirs


def test_memory_is_shared_where_it_is_asked_for() -> None:
    array = np.ones((2, 3), np.float32)
    shared = ir_plugin.opset13.constant(array, shared_memory=True)
    copied = ir_plugin.opset13.constant(array)
    tensor = ir_plugin.Tensor(array, shared_memory=True)
    array[0, 0] = 5
    assert np.shares_memory(shared.data, array)
    assert shared.data[0, 0] == 5
    assert copied.data[0, 0] == 1
    assert np.shares_memory(ir_plugin.opset13.constant(tensor).data, array)
    assert not np.shares_memory(ir_plugin.opset13.constant(tensor, shared_memory=False).data, array)


def test_converted_values_are_not_shared(caplog: pytest.LogCaptureFixture) -> None:
    array = np.ones(3, np.float32)
    with caplog.at_level(logging.WARNING):
        constant = ir_plugin.opset13.constant(array, ir_plugin.Type.i32, shared_memory=True)
    assert not np.shares_memory(constant.data, array)
    assert "not shared" in caplog.text


def test_what_cannot_be_shared_raises() -> None:
    array = np.ones((2, 3), np.float32)
    fixed = array.copy()
    fixed.flags.writeable = False
    for source in (np.asfortranarray(array), fixed):
        with pytest.raises(ir_plugin.Error, match="shared"):
            ir_plugin.opset13.constant(source, shared_memory=True)


def test_texts_and_numbers_do_not_mix() -> None:
    for value, dtype in ((["a"], np.float32), ([1], str)):
        with pytest.raises(ir_plugin.ArgumentTypeError, match="cannot be converted"):
            ir_plugin.opset13.constant(value, dtype)


def test_a_constant_of_a_call_is_named_after_its_reader() -> None:
    for library in (openvino, ir_plugin):
        opset = library.opset13
        node = opset.add(opset.parameter([2]), np.ones(2, np.float32), name="sum")
        assert node.input_value(1).get_node().get_friendly_name().startswith("sum/Constant_")


def test_a_type_prints_alike_everywhere() -> None:
    for name in TYPES:
        theirs, ours = getattr(openvino.Type, name), getattr(ir_plugin.Type, name)
        assert (f"{ours}", str(ours), repr(ours)) == (f"{theirs}", str(theirs), repr(theirs))
