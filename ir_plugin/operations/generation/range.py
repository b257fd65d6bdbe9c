"""Range: evenly spaced numbers. Specification: generation/Range-4, Range-1."""

from __future__ import annotations

import math

import numpy as np

from ir_plugin.errors import ShapeError
from ir_plugin.operations import ranges
from ir_plugin.operations.base import Operation
from ir_plugin.operations.checks import merge_types, require_type
from ir_plugin.operations.ranges import KnownInputs, Ranges
from ir_plugin.operations.shapes import require_rank
from ir_plugin.tensors import Array, ElementType, TensorInfo

Number = int | float


class Range(Operation, version=4):
    """The numbers `start`, `start + step`, … below `stop` (above it for a negative step), as `output_type`.

    There are `max(ceil((stop - start) / step), 0)`. For an integer output the inputs are cut towards zero first. Whole
    numbers are exact; others are computed in f64.

    Differs from the page: a step that is cut to 0 gives no numbers.
    Example: From 0.0 to 3.0 by 0.5 in i64 there is nothing; a step of 0 is an error.

    OpenVINO's CPU differs: inputs that are not constants are computed in f32, and not cut.
    Example: From 0.0 to 3.0 by 0.5 in i64 gives [0, 0, 1, 2, 2, 2] for Parameters; its reference gives nothing.
    """

    needs_values = (0, 1, 2)

    output_type: ElementType

    def infer(self, start: TensorInfo, stop: TensorInfo, step: TensorInfo) -> TensorInfo:
        """Return the output type and how many numbers there are, where the inputs are known."""
        if not (self.output_type.is_floating or self.output_type.is_integer):
            raise ShapeError("output_type", f"output_type is {self.output_type.name}; it must be a numeric type")
        return _inferred(self.output_type, start, stop, step)

    def input_ranges(self, _: KnownInputs) -> Ranges:
        """Return the range of the step."""
        return {2: ranges.Range(1, 4)}

    def evaluate(self, start: Array, stop: Array, step: Array) -> Array:
        """Return the numbers."""
        kind = self.output_types[0] if self.output_types else self.output_type
        first, end, distance = (_number(array, kind) for array in (start, stop, step))
        count = _count(first, end, distance)
        if isinstance(first, int) and isinstance(distance, int) and kind.is_integer:
            steps = np.arange(count, dtype=np.uint64) * np.uint64(distance % 2**64)
            numbers: Array = steps + np.uint64(first % 2**64)
            return numbers.astype(kind.dtype)
        return np.arange(count, dtype=np.float64) * float(distance) + float(first)


class Range1(Range, version=1):
    """As Range-4, but inputs and output have one type."""

    needs_values = (0, 1, 2)

    output_type = ElementType.dynamic

    def infer(self, start: TensorInfo, stop: TensorInfo, step: TensorInfo) -> TensorInfo:
        """Return the common type and how many numbers there are, where the inputs are known."""
        return _inferred(merge_types(start, stop, step), start, stop, step)


def _inferred(kind: ElementType, *inputs: TensorInfo) -> TensorInfo:
    names = ("start", "stop", "step")
    for name, tensor in zip(names, inputs, strict=True):
        require_type(name, tensor, "number")
        require_rank(name, tensor.shape, 0)
        if tensor.value is not None and not math.isfinite(tensor.value.astype(np.float64).item()):
            raise ShapeError(name, f"{name} is {tensor.value.item()}; it must be a finite number")
    numbers = [None if tensor.value is None else _number(tensor.value, kind) for tensor in inputs]
    if inputs[2].value is not None and not inputs[2].value:
        raise ShapeError("step", f"step is {inputs[2].value}; it must not be 0")
    start, stop, step = numbers
    if start is None or stop is None or step is None:
        return TensorInfo(kind, [-1])
    return TensorInfo(kind, [_count(start, stop, step)])


def _number(array: Array, kind: ElementType) -> Number:
    value: Number = array.item() if array.dtype.kind in "iuf" else float(array.item())
    return int(value) if kind.is_integer else value


def _count(start: Number, stop: Number, step: Number) -> int:
    if step == 0:
        return 0
    if isinstance(start, int) and isinstance(stop, int) and isinstance(step, int):
        return max(-((start - stop) // step), 0)
    quotient = (stop - start) / step
    return max(math.ceil(quotient) if math.isfinite(quotient) else _exact_count(start, stop, step), 0)


def _exact_count(start: Number, stop: Number, step: Number) -> int:
    """Return the number of numbers where f64 overflows."""
    from fractions import Fraction

    return math.ceil((Fraction(stop) - Fraction(start)) / Fraction(step))
