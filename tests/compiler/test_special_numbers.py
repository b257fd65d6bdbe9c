"""Kernels of every elementwise operation give zeros, infinities, NaN and denormals what the plain evaluation does."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import openvino
import openvino.opset16 as ops
import pytest
from openvino.opset17 import erfinv

from ir_plugin import Core
from ir_plugin.operations.elementwise import Binary, Unary
from ir_plugin.operations.registry import built_in
from ir_plugin.tensors import Array
from tests.support.planned import PROVIDERS

Layer = Callable[..., Any]

SPECIAL = np.array(
    [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-40, -1e-40, 1e-45, 1.2e-38, 3e38, -3e38, 1, -1, 0.5, -2.5, 7, -90, 90, 0.7],
    np.float32,
)
ROWS, COLUMNS = len(SPECIAL), 2 * len(SPECIAL)
DATA = np.repeat(SPECIAL[:, None], COLUMNS, axis=1)[None]
OTHER = np.repeat(np.concatenate([SPECIAL, SPECIAL[::-1]])[None], ROWS, axis=0)[None]
TINY = 2e-38
"""Denormals may count as zero, and a result below the smallest normal number may be one or none."""

ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "Clamp": (-1.5, 2.0), "Elu": (0.7,), "Gelu": ("erf",), "Round": ("half_to_even",),
    "HardSigmoid": (np.float32(0.2), np.float32(0.5)), "Selu": (np.float32(1.67), np.float32(1.05)), "Swish": (),
}  # fmt: skip
"""Attributes of layers, and the further operands of those that are no `Unary`."""
FUNCTIONS = {
    "Abs": "absolute", "HSigmoid": "hsigmoid", "HSwish": "hswish", "IsInf": "is_inf", "IsNaN": "is_nan",
    "SoftPlus": "softplus", "SoftSign": "softsign",
}  # fmt: skip
"""OpenVINO's functions whose names are not those of the types in small letters, with a _ before each word."""


def _layers() -> dict[str, Layer]:
    """Return what makes a layer of each elementwise operation of floats from its operands."""
    layers: dict[str, Layer] = {
        "Gelu by tanh": partial(_layer, "Gelu", ("tanh",)),
        "PRelu": ops.prelu,
        "ErfInv": erfinv,
    }
    for definition in built_in().values():
        cls, type = definition.cls, definition.type
        if (issubclass(cls, (Unary, Binary)) and {"number", "float"} & set(cls.kinds)) or type in ARGUMENTS:
            layers.setdefault(type, partial(_layer, type, ARGUMENTS.get(type, ())))
    return layers


def _layer(type: str, arguments: tuple[Any, ...], *operands: Any) -> Any:
    snake = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in type).strip("_")
    return getattr(ops, FUNCTIONS.get(type, snake))(*operands, *arguments)


def _is_binary(type: str) -> bool:
    return type == "PRelu" or any(issubclass(item.cls, Binary) for item in built_in().values() if item.type == type)


LAYERS = _layers()


OPERANDS = [f"{kind}{order}" for kind in ("tensor", "constant", "finite constant") for order in ("", " first")]

Step = Callable[[Any, Any], Any]
"""Returns what an operation follows, from its data and ones of the data's shape."""

STEPS: dict[str, Step] = {
    "alone": lambda x, _: x,
    "chain": ops.multiply,
    "product": lambda x, ones: ops.multiply(ops.matmul(ones, _eye(COLUMNS), False, False), x),
    "convolution": lambda x, ones: ops.multiply(ops.convolution(ones, _eye(ROWS, 1), [1], [0], [0], [1]), x),
}


def _eye(size: int, *axes: int) -> Any:
    return ops.constant(np.eye(size, dtype=np.float32).reshape(size, size, *axes))


def _open(x: Any, length: Any, axis: int) -> Any:
    """Return a tensor cut to a length that only the run knows."""
    start, step, axes = (ops.constant(np.array([number])) for number in (0, 1, axis))
    return ops.slice(x, start, length, step, axes)


def _cases(type: str) -> Iterator[tuple[str, openvino.Model]]:
    """Yield models of the data, ones, another operand and a length, which give the operation's results."""
    for name, is_open, operand in itertools.product(STEPS, (False, True), _operands(type)):
        axis = 2 if name == "convolution" else 1
        inputs = [ops.parameter(list(DATA.shape), np.float32) for _ in range(3)] + [ops.parameter([1], np.int64)]
        x, ones, y = (_open(item, inputs[3], axis) if is_open else item for item in inputs[:3])
        if "constant" in operand:
            x, numbers = (y, SPECIAL[:, None]) if axis == 2 else (x, OTHER[0, :1])
            y = (
                np.where(np.isfinite(numbers) & (numbers != 0), numbers, np.float32(1e-40))
                if "finite" in operand
                else numbers
            )
        data = STEPS[name](x, ones)
        pair = (y, data) if "first" in operand else (data, y)
        result = LAYERS[type](*pair) if operand else LAYERS[type](data)
        yield f"{name}{' open' * is_open} {operand}", openvino.Model([result], inputs, "m")


def _operands(type: str) -> Sequence[str]:
    if type == "PRelu":
        return ("constant", "finite constant")
    return OPERANDS if _is_binary(type) else ("",)


def _difference(actual: Array, expected: Array, zeros_alike: bool) -> str:
    """Return the first elements that differ in kind or sign, or by more than rounding."""
    actual, expected = actual.astype(np.float64), expected.astype(np.float64)
    rounding = 2e-5 * np.abs(expected) + TINY
    differs = ~(
        (actual == expected) | (np.abs(actual - expected) <= rounding) | (np.isnan(actual) & np.isnan(expected))
    )
    exempt = np.isnan(expected) | (zeros_alike & (expected == 0))
    differs |= (np.signbit(actual) != np.signbit(expected)) & ~exempt
    return ", ".join(
        f"{DATA[index]:g} and {OTHER[index]:g} give {actual[index]:g}, not {expected[index]:g}"
        for index in list(zip(*np.nonzero(differs), strict=True))[:3]
    )


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("type", LAYERS)
def test_special_numbers(type: str, provider: str, tmp_path: Path) -> None:
    inputs, differences = [DATA, np.ones_like(DATA), OTHER, np.array([COLUMNS])], {}
    for case, model in _cases(type):
        inputs[3][0] = ROWS if "convolution" not in case else COLUMNS
        openvino.save_model(model, tmp_path / "m.xml", compress_to_fp16=False)
        plain, compiled = (
            Core().compile_model(tmp_path / "m.xml", config=config)(inputs)[0]
            for config in ({"OPTIMIZE": False}, {"PROVIDER": provider})
        )
        zeros_alike = type in ("Maximum", "Minimum") and "first" in case  # IEEE 754 leaves open which zero it is
        if difference := _difference(compiled, plain, zeros_alike):
            differences[case] = difference
    assert differences == {}
