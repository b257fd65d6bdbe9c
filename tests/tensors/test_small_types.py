"""Our conversions of floats that NumPy lacks, against those of ml_dtypes."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from ir_plugin.tensors import small_types
from ir_plugin.tensors.small_types import decode, encode

FLOATS = {
    "bf16": ml_dtypes.bfloat16, "f8e4m3": ml_dtypes.float8_e4m3fn, "f8e5m2": ml_dtypes.float8_e5m2,
    "f8e8m0": ml_dtypes.float8_e8m0fnu, "f4e2m1": ml_dtypes.float4_e2m1fn,
    "f8e4m3fnuz": ml_dtypes.float8_e4m3fnuz, "f8e5m2fnuz": ml_dtypes.float8_e5m2fnuz,
}  # fmt: skip


def bits_type(name: str) -> type[np.unsignedinteger]:
    return np.uint16 if name == "bf16" else np.uint8


def judged(values: np.ndarray, name: str) -> np.ndarray:
    with np.errstate(all="ignore"):
        return values.astype(FLOATS[name]).view(bits_type(name))


@pytest.mark.parametrize("name", FLOATS)
def test_every_code_stands_for_the_number_of_ml_dtypes(name: str) -> None:
    codes = np.arange(1 << {"bf16": 16, "f4e2m1": 4}.get(name, 8), dtype=bits_type(name))
    expected = codes.view(FLOATS[name]).astype(np.float32)
    numbers = decode(codes, name)
    np.testing.assert_array_equal(numbers, expected)
    is_number = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(numbers)[is_number], np.signbit(expected)[is_number])


@pytest.mark.parametrize("name", FLOATS)
def test_numbers_round_as_in_ml_dtypes(name: str) -> None:
    rng = np.random.default_rng(1)
    upper = np.arange(1 << 16, dtype=np.uint32) << np.uint32(16)
    low = np.array([0, 1, 0x7FFF, 0x8000, 0x8001, 0xFFFF], np.uint32)
    near = (upper[:, None] | low).reshape(-1)
    drawn = rng.integers(0, 1 << 32, 500_000, dtype=np.uint32)
    values = np.concatenate([near, drawn]).view(np.float32)
    np.testing.assert_array_equal(encode(values, name), judged(values, name))


@pytest.mark.parametrize("name", FLOATS)
@pytest.mark.parametrize("dtype", [np.float64, np.float16, np.int64, np.int8, np.uint8, np.bool_])
def test_other_types_round_as_in_ml_dtypes(name: str, dtype: type[np.generic]) -> None:
    whole = np.concatenate([np.arange(-600, 600), 2 ** np.arange(40), 2 ** np.arange(40) + 1, -(2 ** np.arange(40))])
    with np.errstate(all="ignore"):
        values = whole.astype(dtype)
        if values.dtype.kind == "f":
            values = np.concatenate([values, values / 3, values + dtype(1e-9), [dtype(np.nan), dtype(np.inf)]])
    np.testing.assert_array_equal(encode(values, name), judged(values, name))


@pytest.mark.parametrize("name", FLOATS)
def test_shapes_and_strides_stay(name: str) -> None:
    values = np.arange(24, dtype=np.float32).reshape(2, 3, 4).transpose(2, 0, 1)
    for array in (values, values[:, :0], np.asarray(np.float32(3))):
        assert encode(array, name).shape == decode(encode(array, name), name).shape == array.shape


def test_each_type_has_a_dtype_where_ml_dtypes_is_installed() -> None:
    assert {small_types.DTYPES[name]: None for name in FLOATS} == {np.dtype(type): None for type in FLOATS.values()}
    assert not small_types.BITS
