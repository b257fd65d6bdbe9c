"""Descriptions of preprocessing as data, which OpenVINO and ir_plugin both apply."""

from __future__ import annotations

import importlib
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

Recipe = list[tuple[Any, ...]]
"""Calls of a PrePostProcessor: what is described (`input.tensor`, `output.postprocess` …), a method and arguments."""

Network = str | Callable[[Any, Any], Any]

PRECISION = {"INFERENCE_PRECISION_HINT": "f32"}
UNKNOWN_LENGTH = 6


@dataclass
class Library:
    """OpenVINO or ir_plugin."""

    name: str

    def __post_init__(self) -> None:
        self.ov: Any = importlib.import_module(self.name)
        self.preprocess: Any = importlib.import_module(f"{self.name}.preprocess")
        self.opset: Any = importlib.import_module(f"{self.name}.opset13")

    def value(self, value: Any) -> Any:
        """Return an argument: `Type.f32`, `ColorFormat.RGB` and such as members of the library."""
        if not isinstance(value, str) or "." not in value or value.startswith("["):
            return value
        owner, _, member = value.partition(".")
        if owner == "Layout":
            return self.ov.Layout(member)
        return getattr(self.ov.Type if owner == "Type" else getattr(self.preprocess, owner), member)

    def network(self, kind: Network, shape: list[int], layout: str = "") -> Any:
        """Return a model of one input `a` and one output `r`: a named one, or that of a function."""
        ops = self.opset
        parameter = ops.parameter(shape, np.float32, name="A")
        if layout:
            parameter.set_layout(self.ov.Layout(layout))
        body = getattr(self, f"_{kind}")(ops, parameter, shape) if isinstance(kind, str) else kind(ops, parameter)
        parameter.output(0).set_names({"a"})
        body.output(0).set_names({"r"})
        return self.ov.Model([body], [parameter], "model")

    def _relu(self, ops: Any, x: Any, shape: list[int]) -> Any:
        del shape
        return ops.relu(x, name="R")

    def _convolution(self, ops: Any, x: Any, shape: list[int]) -> Any:
        weights = np.linspace(-1, 1, 2 * shape[1]).reshape(2, shape[1], 1, 1).astype(np.float32)
        return ops.convolution(x, ops.constant(weights), [1, 1], [0, 0], [0, 0], [1, 1], name="C")

    def _chain(self, ops: Any, x: Any, shape: list[int]) -> Any:
        del shape
        return ops.add(ops.relu(x), ops.abs(x), name="S")

    def described(self, model: Any, recipe: Recipe) -> Any:
        """Return the PrePostProcessor of a model with a recipe."""
        processor = self.preprocess.PrePostProcessor(model)
        for path, method, *arguments in recipe:
            port, part = path.split(".")
            target = getattr(getattr(processor, port)(), part)()
            getattr(target, method)(*map(self.value, arguments))
        return processor


THEIRS, OURS = Library("openvino"), Library("ir_plugin")


def text_of(processor: Any) -> str:
    """Return the description, without what only OpenVINO says of the place of an error."""
    return re.sub(r"Error occurred: (?:.|\n)*", "Error occurred", str(processor))


def ports_of(model: Any) -> list[tuple[Any, ...]]:
    """Return names, type, shape and layout of all inputs and outputs."""
    ports = [*model.inputs, *model.outputs]
    return [
        (sorted(port.names), repr(port.element_type), str(port.partial_shape), str(port.node.get_layout()))
        for port in ports
    ]


def kinds_of(model: Any) -> list[str]:
    """Return the types of the nodes, sorted."""
    return sorted(f"{node.get_type_name()}-{node.get_type_info().version_id}" for node in model.get_ordered_ops())


def arrays_for(model: Any, seed: int = 0) -> list[Any]:
    """Return random images for the inputs of OpenVINO's model."""
    generator = np.random.default_rng(seed)
    arrays = []
    for position, port in enumerate(model.inputs):
        unknown = UNKNOWN_LENGTH // (2 if position else 1)  # planes of colors have half the height and width
        shape = [dim.get_length() if dim.is_static else unknown for dim in port.partial_shape]
        dtype = port.element_type.to_dtype()
        above = 128 if dtype == np.int8 else 256
        arrays.append(generator.integers(0, above, shape).astype(dtype))
    return arrays


def built(library: Library, model: Any, recipe: Recipe) -> tuple[str, Any]:
    """Return the description and the built model, or None where the library refuses the recipe."""
    try:
        processor = library.described(model, recipe)
    except RuntimeError:
        return "refused", None
    text = text_of(processor)
    try:
        return text, processor.build()
    except RuntimeError:
        return text, None


def outputs_of(library: Library, model: Any, arrays: list[Any]) -> list[Any]:
    """Return the outputs for arrays, in f32 on the CPU."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compiled = library.ov.Core().compile_model(model, "CPU", PRECISION)
        return [np.array(array) for array in compiled(arrays).values()]


def assert_same(
    kind: Network, shape: list[int], layout: str, recipe: Recipe, folder: Path, tolerance: float = 1e-4
) -> None:
    """Check that both libraries describe, build and compute the same, and OpenVINO what ir_plugin saves."""
    texts, models = zip(
        *(built(library, library.network(kind, shape, layout), recipe) for library in (THEIRS, OURS)), strict=True
    )
    assert texts[1] == texts[0]
    theirs, ours = models
    assert (ours is None) == (theirs is None), (texts, recipe)
    if theirs is None:
        return
    assert ports_of(ours) == ports_of(theirs)
    assert kinds_of(ours) == kinds_of(theirs)
    arrays = arrays_for(theirs)
    try:
        expected = outputs_of(THEIRS, theirs, arrays)
    except RuntimeError:  # lengths that were unknown do not fit the model
        return
    _assert_close(outputs_of(OURS, ours, arrays), expected, tolerance)
    OURS.ov.serialize(ours, str(folder / "ours.xml"))
    again = THEIRS.ov.Core().read_model(str(folder / "ours.xml"))
    assert ports_of(again) == ports_of(theirs)
    _assert_close(outputs_of(THEIRS, again, arrays), expected, tolerance)


def _assert_close(actual: list[Any], expected: list[Any], tolerance: float) -> None:
    for ours, theirs in zip(actual, expected, strict=True):
        assert ours.dtype == theirs.dtype
        assert ours.shape == theirs.shape
        least = 1 if theirs.dtype.kind in "iu" else tolerance * 100  # a float just below a whole number is cut
        np.testing.assert_allclose(ours.astype("f8"), theirs.astype("f8"), rtol=tolerance, atol=least)
