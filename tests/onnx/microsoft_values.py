"""Random inputs of operators of com.microsoft."""

from __future__ import annotations

from typing import Any

import numpy as np

RNG = np.random.default_rng(7)
Case = tuple[str, dict[str, Any], int, tuple[str, ...], dict[str, Any]]
"""The operator, its inputs, the number of outputs, the names of constants, and attributes."""


def f32(*shape: int) -> Any:
    return RNG.standard_normal(shape).astype(np.float32)


def positive(*shape: int) -> Any:
    return (RNG.random(shape) * 0.05 + 0.01).astype(np.float32)


def whole(dtype: Any, *shape: int) -> Any:
    limits = np.iinfo(dtype)
    return RNG.integers(limits.min, limits.max, shape, endpoint=True).astype(dtype)


def case(
    type: str, values: dict[str, Any], outputs: int = 1, constants: tuple[str, ...] = (), **attributes: Any
) -> Case:
    return type, values, outputs, constants, attributes
