"""Builds models with OpenVINO, and compares our results with OpenVINO's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import openvino as ov
import openvino.opset13 as op
import pytest

from ir_plugin import Core, Error
from ir_plugin.tensors import Array

Built = tuple[Any, list[Array]]


def iota(*shape: int) -> Array:
    return np.arange(int(np.prod(shape)), dtype=np.float32).reshape(shape)


def shape_of(array: Array, shape: str | None) -> Any:
    return ov.PartialShape(list(array.shape) if shape is None else shape)


@dataclass
class Graph:
    """The parameters of a model with their values."""

    parameters: list[Any] = field(default_factory=list)
    feeds: list[Array] = field(default_factory=list)

    def parameter(self, value: Any, shape: str | None = None) -> Any:
        array = np.asarray(value)
        node = op.parameter(shape_of(array, shape), array.dtype, name=f"p{len(self.feeds)}")
        self.parameters.append(node)
        self.feeds.append(array)
        return node

    def model(self, *outputs: Any) -> Built:
        return ov.Model([op.result(output) for output in outputs], self.parameters), self.feeds


def check(built: Built, tmp_path: Path, shapes: bool = True, values: bool = True) -> list[Array]:
    """Compare our shapes and values with OpenVINO's, and return our values."""
    model, feeds = built
    file = tmp_path / "model.xml"
    ov.serialize(model, file)
    ours = Core().read_model(file, validate=shapes)
    theirs = ov.Core().read_model(file)
    if shapes:
        assert texts(ours) == texts(theirs)
    results = list(Core().compile_model(ours)(feeds).to_tuple())
    for plain, result in zip(Core().compile_model(ours, {"OPTIMIZE": False})(feeds).to_tuple(), results, strict=True):
        np.testing.assert_allclose(plain, result, rtol=1e-6, atol=1e-6)
    for output, result in zip(ours.outputs, results, strict=True):
        assert output.partial_shape.contains(result.shape)
        assert output.element_type.dtype == result.dtype
    if values:
        config = {"INFERENCE_PRECISION_HINT": "f32"}
        expected = ov.Core().compile_model(theirs, "CPU", config)(feeds)
        for index, result in enumerate(results):
            np.testing.assert_allclose(result, expected[index], rtol=1e-5, atol=1e-6)
    return results


def texts(model: Any) -> list[str]:
    return [f"{port.get_element_type().to_string()}{port.get_partial_shape()}" for port in model.outputs]


def equal(arrays: Sequence[Array], *expected: Any) -> None:
    for array, right in zip(arrays, expected, strict=True):
        np.testing.assert_array_equal(array, np.asarray(right, array.dtype))


def refusals(built: Built, tmp_path: Path) -> list[str]:
    file = tmp_path / "model.xml"
    ov.serialize(built[0], file)
    return [finding.message for finding in Core().validate(file).findings.errors]


def failure(built: Built, tmp_path: Path, **config: Any) -> str:
    file = tmp_path / "model.xml"
    ov.serialize(built[0], file)
    compiled = Core().compile_model(file, config)
    with pytest.raises(Error) as caught:
        compiled(built[1])
    return str(caught.value)
