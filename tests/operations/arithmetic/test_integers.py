"""Arithmetic of whole numbers of every type, against Python's own, wrapped."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ir_plugin.operations.base import compute
from ir_plugin.operations.registry import built_in
from ir_plugin.tensors import Array, ElementType, TensorInfo

CLASSES = {definition.type: definition.cls for definition in built_in().values()}
NAMES = ["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"]


def truncated(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


BINARY: dict[str, Callable[[int, int], int]] = {
    "Add": lambda a, b: a + b,
    "Subtract": lambda a, b: a - b,
    "Multiply": lambda a, b: a * b,
    "SquaredDifference": lambda a, b: (a - b) ** 2,
    "Divide": lambda a, b: a // b,
    "Mod": lambda a, b: a - b * truncated(a, b),
    "FloorMod": lambda a, b: a % b,
    "Maximum": max,
    "Minimum": min,
}


def operands(name: str) -> tuple[Array, Array]:
    info = np.iinfo(ElementType(name).dtype)
    generator = np.random.default_rng(0)
    a, b = generator.integers(info.min, info.max, (2, 400), info.dtype, endpoint=True)
    b[:200] = generator.integers(1, 7, 200).astype(info.dtype)
    a[:3] = [info.min, info.max, 0]
    if info.min < 0:
        b[10:20] = -1
        a[10] = info.min
    b[b == 0] = 1
    return a, b


def wrapped(values: list[int], dtype: Any) -> list[int]:
    info = np.iinfo(dtype)
    return [(value - int(info.min)) % 2**info.bits + int(info.min) for value in values]


def run(type: str, *arrays: Array, **attributes: object) -> list[int]:
    settings = {"auto_broadcast": "numpy", "auto_broadcast_axis": -1, "m_pythondiv": True, **attributes}
    operation = CLASSES[type](**settings)
    inferred = operation.infer(*[TensorInfo.of(array) for array in arrays])
    assert isinstance(inferred, TensorInfo)
    types = tuple(ElementType.from_dtype(array.dtype) for array in arrays)
    (result,) = compute(operation.specialize(types, (inferred.element_type,)), arrays)
    assert result.dtype == arrays[0].dtype
    return [int(value) for value in result]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("type", BINARY)
def test_results_are_python_s_wrapped(type: str, name: str) -> None:
    a, b = operands(name)
    expected = [BINARY[type](x, y) for x, y in zip(a.tolist(), b.tolist(), strict=True)]
    assert run(type, a, b) == wrapped(expected, a.dtype)


@pytest.mark.parametrize("name", NAMES)
def test_quotients_towards_zero(name: str) -> None:
    a, b = operands(name)
    expected = [truncated(x, y) for x, y in zip(a.tolist(), b.tolist(), strict=True)]
    assert run("Divide", a, b, m_pythondiv=False) == wrapped(expected, a.dtype)


@pytest.mark.parametrize("name", NAMES)
def test_powers_and_roots(name: str) -> None:
    a, b = operands(name)
    exponent = (b % 8).astype(b.dtype)
    expected = [x**y for x, y in zip(a.tolist(), exponent.tolist(), strict=True)]
    assert run("Power", a, exponent) == wrapped(expected, a.dtype)
    squares = np.maximum(a, 0)
    roots = [math.isqrt(value) for value in squares.tolist()]
    nearest = [root + (value - root * root > root) for root, value in zip(roots, squares.tolist(), strict=True)]
    assert run("Sqrt", squares) == nearest
