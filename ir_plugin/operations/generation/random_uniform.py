"""RandomUniform: numbers from an even distribution. Specification: generation/RandomUniform-8."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.generation.random_numbers import Words, fresh_seeds, mersenne_twister, philox
from ir_plugin.operations.generation.shape_inputs import require_single, shape_of
from ir_plugin.tensors import Array, ElementType, Tensor

TYPES = ("i32", "i64", "f16", "bf16", "f32", "f64")


class RandomUniform(Operation, version=8):
    """A tensor of the given `shape` with random numbers in [`minval`, `maxval`), as TensorFlow or PyTorch make them.

    Seeds determine the numbers: every inference gives the same ones. Where both seeds are 0 each gives others. With
    `alignment` pytorch only `global_seed` counts, where it is not 0. OpenVINO's CPU gives these numbers in the first
    inference and continues the sequence in those that follow; it takes f64 for f32, i64 for i32, and mostly f16 for
    f32, and so other numbers than the page's.
    """

    output_type: ElementType
    global_seed: int
    op_seed: int
    alignment: str

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.__dict__["stateful"] = not (attributes.get("global_seed") or attributes.get("op_seed"))

    def infer(self, shape: Tensor, minval: Tensor, maxval: Tensor) -> Tensor:
        """Return the output type, and the shape that the first input holds."""
        if self.output_type.name not in TYPES:
            raise ShapeError("output_type", f"output_type is {self.output_type}; it must be one of {', '.join(TYPES)}")
        found = shape_of("shape", shape)
        for name, tensor in (("minval", minval), ("maxval", maxval)):
            require_single(name, tensor)
            if tensor.element_type.merge(self.output_type) is None:
                raise ShapeError(
                    name, f"{name} has the element type {tensor.element_type}, and output_type is {self.output_type}"
                )
        low, high = minval.value, maxval.value
        if low is not None and high is not None and not low.item() < high.item():
            raise ShapeError("maxval", f"maxval is {high.item()}; it must be above minval, {low.item()}")
        return Tensor(self.output_type, found)

    def evaluate(self, shape: Array, minval: Array, maxval: Array) -> Array:
        """Return the random numbers."""
        lengths = tuple(shape.tolist())
        count = int(np.prod(shape.astype(object)))
        low, high = minval.item(), maxval.item()
        if self.output_type.is_integral_number:
            return self._whole(count, int(low), int(high)).reshape(lengths)
        unit = (self._unit_pytorch if self.alignment == "pytorch" else self._unit_tensorflow)(count)
        kind = np.float64 if self.output_type is ElementType.f64 else np.float32
        numbers: Array = unit.astype(kind) * (kind(high) - kind(low)) + kind(low)
        return numbers.reshape(lengths)

    def _words(self, count: int) -> Words:
        global_seed, op_seed = (self.global_seed, self.op_seed) if not self.stateful else fresh_seeds()
        if self.alignment == "pytorch":
            return mersenne_twister(global_seed, count)
        return philox(global_seed, op_seed, count)

    def _whole(self, count: int, low: int, high: int) -> Array:
        wide = self.alignment == "pytorch" and max(low, high) > 0xFFFFFFFF
        words = _pairs(self._words(2 * count)) if wide else self._words(count).astype(np.uint64)
        numbers: Array = words % np.uint64(high - low) + np.uint64(low % 2**64)
        return numbers.view(np.int64)

    def _unit_tensorflow(self, count: int) -> Array:
        """Return numbers in [0, 1): random bits are the mantissa of one in [1, 2)."""
        if self.output_type is ElementType.f64:
            long = _pairs(self._words(2 * count)) & np.uint64(2**52 - 1)
            return _less_one((long | np.uint64(1023 << 52)).view(np.float64))
        words = self._words(count)
        if self.output_type is ElementType.f32:
            return _less_one((words & np.uint32(2**23 - 1) | np.uint32(127 << 23)).view(np.float32))
        short = words.astype(np.uint16)
        if self.output_type is ElementType.f16:
            return _less_one((short & np.uint16(2**10 - 1) | np.uint16(15 << 10)).view(np.float16))
        return _less_one((short & np.uint16(2**7 - 1) | np.uint16(127 << 7)).view(ml_dtypes.bfloat16))

    def _unit_pytorch(self, count: int) -> Array:
        """Return numbers in [0, 1): as many random bits as the mantissa has, over 2 to their number."""
        bits = {ElementType.f64: 53, ElementType.f32: 24, ElementType.f16: 11, ElementType.bf16: 8}[self.output_type]
        words = _pairs(self._words(2 * count)) if bits == 53 else self._words(count)
        numbers: Array = (words & words.dtype.type(2**bits - 1)).astype(np.float64) * 2.0**-bits
        return numbers


def _pairs(words: Words) -> Array:
    """Return 64-bit words, each of two 32-bit ones, the upper half first."""
    paired: Array = words[::2].astype(np.uint64) << np.uint64(32) | words[1::2].astype(np.uint64)
    return paired


def _less_one(numbers: Array) -> Array:
    less: Array = numbers.astype(np.float64) - 1
    return less
