"""The largest number of a type is an index or a length like any other, unless the type is i32 or i64."""

from __future__ import annotations

from typing import Any

import numpy as np
import openvino
import pytest

import ir_plugin

TYPES = [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64]
LENGTHS = ([300, 3], [-1, 3])


def shapes(library: Any, dtype: type[np.integer[Any]], length: list[int]) -> list[str]:
    """Return the shapes of layers that get the largest number of a type as a constant."""
    ops, most = library.opset13, np.iinfo(dtype).max
    x = ops.parameter(length, np.float32)
    index = ops.parameter([4], np.int64)

    def const(*values: int) -> Any:
        return ops.constant(np.array(values, dtype))

    nodes = [
        ops.slice(x, const(0), const(most), const(1)),
        ops.strided_slice(x, const(0, 0), const(most, 3), const(1, 1), [0, 0], [0, 0]),
        ops.pad(x, const(0, 1), const(most, 1), "constant", ops.constant(np.float32(0))),
    ]
    if most < 2**31:
        nodes.append(ops.one_hot(index, ops.constant(dtype(most)), np.float32(1), np.float32(0), 0))
    return [str(node.output(0).partial_shape) for node in nodes]


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("length", LENGTHS)
def test_shapes_are_those_of_openvino(dtype: type[np.integer[Any]], length: list[int]) -> None:
    assert shapes(ir_plugin, dtype, length) == shapes(openvino, dtype, length)


@pytest.mark.parametrize("dtype", TYPES[:4])
def test_a_slice_has_the_length_that_is_inferred(dtype: type[np.integer[Any]]) -> None:
    ops, most = ir_plugin.opset13, np.iinfo(dtype).max
    x = ops.parameter([70000], np.float32)
    stop = ops.constant(np.array([most], dtype))
    node = ops.slice(x, np.array([0], dtype), stop, np.array([1], dtype))
    (result,) = ir_plugin.compile_model(ir_plugin.Model([node], [x]))(np.arange(70000, dtype=np.float32)).values()
    assert list(node.output(0).shape) == [most] == list(result.shape)


def test_pads_beyond_every_length_are_an_error() -> None:
    ops = ir_plugin.opset13
    x, pads = ops.parameter([2], np.float32), ops.constant(np.array([2**64 - 1], np.uint64))
    with pytest.raises(ir_plugin.Error, match=r"pads_begin\[0\] is 18446744073709551615"):
        ops.pad(x, pads, pads, "constant", np.float32(0))
