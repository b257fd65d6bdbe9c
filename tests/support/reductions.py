"""What the samples of all reductions share: the same data, axes and faults, each held against its own function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ir_plugin.tensors import Array
from tests.support.sample import ErrorSample, Sample, const, param

SHAPES = [["?,3,1..4,5"], ["?,?,?,?"], ["..."]]
UNKNOWN = [["?,3,4", "2"], ["2,3,4", "?"], ["2,3,4", ""], ["2,3,4", "1"], ["...", "2"], ["2,3,4", "..."], ["", "1"]]
CPU = "OpenVINO's CPU cannot reduce over unknown axes, or over none"
KEEP = {"keep_dims": True}


@dataclass(frozen=True)
class Reduction:
    """One reduction: NumPy's function of data and axes, and its result without axes."""

    type: str
    version: int
    over: Callable[[Array, tuple[int, ...]], Any]
    none: Callable[[Array], Any] = np.asarray

    def oracle(self, data: Array, axes: Array) -> Any:
        """Return the reduction over the axes, which may be a scalar."""
        return self.over(data, tuple(np.atleast_1d(axes).tolist()))

    def sample(self, *arguments: Any, **options: Any) -> Sample:
        """Return a sample of this operation."""
        return Sample(self.type, self.version, *arguments, **options)

    def forms(self, data: Array) -> list[Sample]:
        """Return samples of each way to pass the axes, on data of four dimensions."""
        return [
            self.sample([param(data), const([2, 3])], oracle=self.oracle, shapes=SHAPES),
            self.sample([param(data), const([2, -1])], KEEP, shapes=SHAPES),
            self.sample([param(data), const([2, -2, 0, 2])]),
            self.sample([param(data), const(-2, "i32")], {"keep_dims": False}, oracle=self.oracle, shapes=SHAPES),
            self.sample([param(data), const([0, 1, 2, 3])], oracle=self.oracle, rtol=1e-4),
            self.sample(
                [param(data), const(np.zeros(0, np.int64))], oracle=lambda data, _axes: self.none(data), openvino=CPU
            ),
            self.sample([param(data[0]), param([1, 2])], oracle=self.oracle, openvino=CPU, shapes=UNKNOWN[:-1]),
            self.sample(
                [param(data[0]), param([0])],
                KEEP,
                oracle=lambda data, axes: self.oracle(data, axes)[None],
                openvino=CPU,
                shapes=UNKNOWN,
            ),
            self.sample([param(np.zeros((0, 3), data.dtype)), const([1])]),
            self.sample([param(data[0, 0, 0, 0]), const([0])], oracle=lambda data, _axes: self.none(data)),
            self.sample([param(data[0, 0, 0, 0]), const(-1)], oracle=lambda data, _axes: self.none(data)),
        ]

    def numbers(self, seed: int, byte_values: int = 10) -> list[Sample]:
        """Return samples of a numeric reduction: each way to pass the axes, and each kind of element type."""
        generator = np.random.default_rng(seed)
        data = generator.standard_normal((2, 3, 4, 5)).astype(np.float32)
        whole = generator.integers(-9, 10, (2, 3, 4))
        return [
            *self.forms(data),
            self.sample([param(data, "f16"), const([2, 3])], atol=0.05, rtol=1e-2),
            self.sample([param(data, "bf16"), const([2, 3])], atol=0.1, rtol=2e-2),
            self.sample([param(data, "f64"), const([2, 3])], oracle=self.oracle),
            self.sample([param(whole, "i32"), const([1])], oracle=self.oracle),
            self.sample([param(whole), const([0, 2])], oracle=self.oracle),
            self.sample(
                [param(abs(whole) % byte_values, "u8"), const([1])], oracle=self.oracle, openvino="OpenVINO saturates"
            ),
            self.sample([param(np.zeros((0, 3), np.int32)), const([1])]),
        ]

    def errors(self, type: str, wrong: str) -> list[ErrorSample]:
        """Return samples of errors, on data of `type`; data of the type `wrong` is an error, too."""
        whole, scalar = f"{type}[2,3,4]", f"{type}[]"
        rows: list[tuple[list[Any], str, str]] = [
            ([whole, const([3])], "axes", "[-3, 2]"),
            ([whole, const([[1]])], "axes", "1-D"),
            ([whole, "f32[1]"], "axes", "f32"),
            ([f"{wrong}[2,3,4]", const([1])], "data", wrong),
            ([scalar, const([1])], "axes", "scalar"),
        ]
        kept = ErrorSample(self.type, self.version, [scalar, const([0])], KEEP, part="axes", says="scalar")
        return [
            kept,
            *(ErrorSample(self.type, self.version, inputs, part=part, says=says) for inputs, part, says in rows),
        ]
