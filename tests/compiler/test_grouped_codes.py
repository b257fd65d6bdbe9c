"""NumPy's products of few rows with integers in groups, against products of f64."""

from __future__ import annotations

import numpy as np
import pytest

from ir_plugin.kernels.numpy import grouped_codes
from ir_plugin.tensors.compressed import CompressedTensor
from ir_plugin.tensors.element_type import ElementType
from ir_plugin.tensors.packing import pack

RNG = np.random.default_rng(0)
WIDTH, DEPTH = 37, 64
RANGES = {"i8": (-128, 127), "u8": (0, 255), "i4": (-8, 7), "u4": (0, 15), "i2": (-2, 1), "u2": (0, 3)}


def tensor(name: str, groups: int, zeros: str) -> tuple[CompressedTensor, np.ndarray]:
    """Return a compressed matrix, and its values in f64."""
    least, greatest = RANGES[name]
    codes = RNG.integers(least, greatest + 1, (WIDTH, groups, DEPTH // groups))
    scale = RNG.random((WIDTH, groups, 1), dtype=np.float32)
    zero_point = {
        "none": None,
        "one": np.full((1, 1, 1), greatest // 2, np.float32),
        "groups": RNG.integers(least, greatest + 1, (WIDTH, groups, 1)).astype(np.float32),
        "fractions": RNG.random((WIDTH, groups, 1), dtype=np.float32),
    }[zeros]
    element_type = getattr(ElementType, name)
    packed = np.frombuffer(pack(codes.astype(element_type.dtype), element_type), np.uint8)
    values = (codes - (0 if zero_point is None else zero_point.astype(float))) * scale
    compressed = CompressedTensor(packed, element_type, codes.shape, (WIDTH, DEPTH), scale, zero_point, key=1)
    return compressed, values.reshape(WIDTH, DEPTH)


@pytest.mark.parametrize("zeros", ["none", "one", "groups", "fractions"])
@pytest.mark.parametrize("groups", [1, 4])
@pytest.mark.parametrize("name", RANGES)
def test_few_rows(name: str, groups: int, zeros: str) -> None:
    weights, values = tensor(name, groups, zeros)
    assert grouped_codes.is_grouped(weights, transposed=True)
    data = RNG.standard_normal((3, DEPTH)).astype(np.float32)
    output = np.empty((3, WIDTH), np.float32)
    grouped_codes.product(weights, transposed=True)(data, output, ())
    np.testing.assert_allclose(output, data @ values.T, rtol=1e-5, atol=1e-5 * abs(values).max() * DEPTH)


@pytest.mark.parametrize("number", [np.inf, np.nan, 3e38])
@pytest.mark.filterwarnings("ignore:overflow")
@pytest.mark.filterwarnings("ignore:invalid value")
def test_numbers_without_bounds_are_multiplied_by_values(number: float) -> None:
    weights, values = tensor("u8", 4, "groups")
    data = np.zeros((1, DEPTH), np.float32)
    data[0, 5] = number
    output = np.empty((1, WIDTH), np.float32)
    grouped_codes.product(weights, transposed=True)(data, output, ())
    np.testing.assert_allclose(output, data @ values.astype(np.float32).T, rtol=1e-5)
