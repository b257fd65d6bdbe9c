"""Conversion from every element type to every other."""

from __future__ import annotations

import numpy as np
import pytest

from ir_plugin.operations.type.conversion import converted
from ir_plugin.tensors import ElementType

TYPES = [element_type for element_type in ElementType.all if element_type.name not in ("dynamic", "string")]
VALUES = np.array([0, 1, 1.5, 3, -2, 6, -7], np.float32)


@np.errstate(all="ignore")
@pytest.mark.parametrize("source", TYPES, ids=str)
def test_every_type_becomes_every_other(source: ElementType) -> None:
    array = converted(VALUES, source)
    assert array.dtype == source.dtype
    for target in TYPES:
        result = converted(array, target)
        assert (result.dtype, result.shape) == (target.dtype, array.shape)
        assert converted(array[:0], target).shape == (0,)
        assert converted(array[1:2].reshape(()), target).shape == ()
        strided = np.broadcast_to(array, (2, array.size))[:, ::2]
        np.testing.assert_array_equal(converted(strided, target)[0].astype(np.float64), result[::2].astype(np.float64))


@pytest.mark.parametrize("target", [element_type for element_type in TYPES if element_type.is_integer], ids=str)
def test_whole_numbers_wrap(target: ElementType) -> None:
    array = np.array([-(2**63), -(2**31) - 1, -129, -1, 0, 1, 127, 255, 2**31, 2**63 - 1])
    low = -(2 ** (target.bits - 1)) if target.has_sign else 0
    expected = [(value - low) % 2**target.bits + low for value in array.tolist()]
    assert [int(value) for value in converted(array, target)] == expected
