"""RandomUniform: numbers from an even distribution. Specification: generation/RandomUniform-8."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations.base import Operation
from ir_plugin.operations.generation.random_numbers import MersenneTwister, Philox, Words, fresh_seeds
from ir_plugin.operations.generation.shape_inputs import require_single, shape_of
from ir_plugin.operations.traits import ValueInputs
from ir_plugin.tensors import Array, ElementType, TensorInfo
from ir_plugin.tensors.small_types import decode

CHUNK = 2**20
"""Numbers that are generated at once; a multiple of four."""
TYPES = ("i32", "i64", "f16", "bf16", "f32", "f64")


class RandomUniform(Operation, version=8):
    """A tensor of `shape` with random numbers in [`minval`, `maxval`), as TensorFlow or PyTorch generate them.

    Seeds determine the numbers: every inference generates the same ones, or new ones if both seeds are 0. With
    `alignment` pytorch only `global_seed` determines them.

    OpenVINO's CPU differs: with `alignment` tensorflow later inferences generate other numbers, and its reference yet
    others. Example: three numbers of the seeds 1 and 2 begin with 0.406; in the second inference the CPU's begin with
    0.168, the reference's with 0.432.

    OpenVINO's CPU differs: f64 is computed as f32, i64 as i32, and mostly f16 as f32.
    Example: the seeds 1 and 2 give 0.251 of f64; the CPU gives 0.406, as for f32.
    """

    traits = (ValueInputs((0,)),)
    needs_values = (0, 1, 2)
    output_type: ElementType
    global_seed: int
    op_seed: int
    alignment: str

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.stateful = not (attributes.get("global_seed") or attributes.get("op_seed"))

    def infer(self, shape: TensorInfo, minval: TensorInfo, maxval: TensorInfo) -> TensorInfo:
        """Return the output type, and the shape that the first input holds."""
        if self.output_type.name not in TYPES:
            raise ShapeError(
                "output_type", f"output_type is {self.output_type.name}; it must be one of {', '.join(TYPES)}"
            )
        output_shape = shape_of("shape", shape)
        for name, tensor in (("minval", minval), ("maxval", maxval)):
            require_single(name, tensor)
            if tensor.element_type.merge(self.output_type) is None:
                raise ShapeError(
                    name,
                    f"{name} has the element type {tensor.element_type.name}, "
                    f"and output_type is {self.output_type.name}",
                )
        low, high = minval.value, maxval.value
        if low is not None and high is not None and not low.item() < high.item():
            raise ShapeError("maxval", f"maxval is {high.item()}; it must be above minval, {low.item()}")
        return TensorInfo(self.output_type, output_shape)

    def evaluate(self, shape: Array, minval: Array, maxval: Array) -> Array:
        """Return the random numbers."""
        lengths = tuple(shape.tolist())
        result = np.empty(math.prod(lengths), self.output_type.dtype)
        words = self._words()
        for start in range(0, result.size, CHUNK):
            part = result[start : start + CHUNK]
            part[:] = self._numbers(words, part.size, minval.item(), maxval.item())
        return result.reshape(lengths)

    def _words(self) -> Philox | MersenneTwister:
        global_seed, op_seed = (self.global_seed, self.op_seed) if not self.stateful else fresh_seeds()
        return MersenneTwister.of_seed(global_seed) if self._pytorch else Philox(global_seed, op_seed)

    @property
    def _pytorch(self) -> bool:
        return self.alignment == "pytorch"

    def _numbers(self, words: Philox | MersenneTwister, count: int, low: float, high: float) -> Array:
        if self.output_type.is_integer:
            return self._whole(words, count, int(low), int(high))
        unit = (self._unit_pytorch if self._pytorch else self._unit_tensorflow)(words, count)
        kind = np.float64 if self.output_type is ElementType.f64 else np.float32
        numbers: Array = unit.astype(kind) * (kind(high) - kind(low)) + kind(low)
        return numbers

    def _whole(self, words: Philox | MersenneTwister, count: int, low: int, high: int) -> Array:
        wide = self._pytorch and max(low, high) > 0xFFFFFFFF
        drawn = _pairs(words.take(2 * count)) if wide else words.take(count).astype(np.uint64)
        numbers: Array = drawn % np.uint64(high - low) + np.uint64(low % 2**64)
        return numbers.view(np.int64)

    def _unit_tensorflow(self, words: Philox | MersenneTwister, count: int) -> Array:
        """Return numbers in [0, 1): random bits are the mantissa of a number in [1, 2), less 1."""
        if self.output_type is ElementType.f64:
            long = _pairs(words.take(2 * count)) & np.uint64(2**52 - 1)
            return _less_one((long | np.uint64(1023 << 52)).view(np.float64))
        drawn = words.take(count)
        if self.output_type is ElementType.f32:
            return _less_one((drawn & np.uint32(2**23 - 1) | np.uint32(127 << 23)).view(np.float32))
        short = drawn.astype(np.uint16)
        if self.output_type is ElementType.f16:
            return _less_one((short & np.uint16(2**10 - 1) | np.uint16(15 << 10)).view(np.float16))
        return _less_one(decode(short & np.uint16(2**7 - 1) | np.uint16(127 << 7), "bf16"))

    def _unit_pytorch(self, words: Philox | MersenneTwister, count: int) -> Array:
        """Return numbers in [0, 1): n random bits over 2ⁿ, for a mantissa of n bits."""
        bits = {ElementType.f64: 53, ElementType.f32: 24, ElementType.f16: 11, ElementType.bf16: 8}[self.output_type]
        drawn = _pairs(words.take(2 * count)) if bits == 53 else words.take(count)
        numbers: Array = (drawn & drawn.dtype.type(2**bits - 1)).astype(np.float64) * 2.0**-bits
        return numbers


def _pairs(words: Words) -> Array:
    """Return 64-bit words, each of two 32-bit ones, the upper half first."""
    paired: Array = words[::2].astype(np.uint64) << np.uint64(32) | words[1::2].astype(np.uint64)
    return paired


def _less_one(numbers: Array) -> Array:
    less: Array = numbers.astype(np.float64) - 1
    return less
