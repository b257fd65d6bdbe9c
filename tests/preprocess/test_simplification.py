"""What a build simplifies: the same nodes remain as with OpenVINO, and compute the same."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.preprocess.recipes import OURS, THEIRS, Recipe, assert_same

Build = Callable[[Any, Any], Any]
SHAPE = [1, 3, 4, 4]
WEIGHTS = np.arange(6, dtype=np.float32).reshape(2, 3, 1, 1)
DEPTHWISE = np.arange(1, 4, dtype=np.float32).reshape(3, 1, 1, 1, 1)


def convolution(before: Callable[[Any, Any], Any] | None = None, *, half: bool = False) -> Build:
    def build(ops: Any, x: Any) -> Any:
        weights = ops.convert(ops.constant(WEIGHTS.astype(np.float16)), "f32") if half else ops.constant(WEIGHTS)
        data = x if before is None else before(ops, x)
        return ops.convolution(data, weights, [1, 1], [0, 0], [0, 0], [1, 1], name="C")

    return build


def depthwise(ops: Any, x: Any) -> Any:
    return ops.group_convolution(x, ops.constant(DEPTHWISE), [1, 1], [0, 0], [0, 0], [1, 1])


def two_convolutions(ops: Any, x: Any) -> Any:
    return ops.add(convolution()(ops, x), convolution()(ops, x))


def convolution_and_more(ops: Any, x: Any) -> Any:
    return ops.add(convolution()(ops, x), ops.reduce_sum(x, ops.constant([1]), keep_dims=True))


def folded(ops: Any, x: Any) -> Any:
    """Return a node behind constants that can be computed, decompressed weights, and a bias of an output's shape."""
    total = ops.add(
        ops.constant(np.array([1, 2, 3], np.float32)), ops.constant(np.array([1, 2, 3], np.float32)), name="K"
    )
    divided = ops.divide(ops.transpose(x, ops.constant([0, 2, 3, 1])), total)
    half = ops.convert(ops.constant(np.array([1, 2, 3], np.float16)), "f32")
    integers = ops.multiply(ops.convert(ops.constant(np.array([1, 2, 3], np.int8)), "f32"), ops.constant(np.float32(2)))
    data = ops.constant(np.array([1, 2, 3], np.float32))
    rank = ops.shape_of(ops.shape_of(divided))
    ones = ops.broadcast(ops.constant(np.array([1], np.int64)), ops.subtract(rank, ops.constant([1])))
    bias = ops.reshape(data, ops.concat([ones, ops.shape_of(data)], 0), False)
    return ops.add(ops.add(ops.add(divided, half), integers), bias)


def swapped(ops: Any, x: Any) -> Any:
    return ops.convert(ops.transpose(ops.convert(x, "u8"), ops.constant([0, 2, 3, 1])), "f32")


def shifted(ops: Any, x: Any) -> Any:
    return ops.subtract(x, ops.constant(np.array([1, 2, 3], np.float32).reshape(1, 3, 1, 1)))


def equal(ops: Any, x: Any) -> Any:
    """Return a node of which several sources compute the same, and others nearly."""
    chains = [ops.abs(ops.add(ops.relu(x), ops.constant(np.array([1, 2, 3, 4], np.float32)))) for _ in range(2)]
    clamped = [ops.clamp(x, 0, above) for above in (1, 1, 2)]
    parts = [ops.split(x, ops.constant(2), 2).output(index) for index in (0, 1)]
    joined = ops.concat([*chains, *clamped, ops.concat(parts, 2)], 1)
    return ops.add(joined, ops.add(ops.abs(joined), ops.abs(joined)))


NETWORKS: dict[str, Build] = {
    "equal": equal,
    "convolution": convolution(),
    "f16": convolution(half=True),
    "relu": convolution(lambda ops, x: ops.relu(x)),
    "clamp": convolution(lambda ops, x: ops.clamp(x, 0, 100)),
    "pad": convolution(lambda ops, x: ops.pad(x, [0, 0, 1, 1], [0, 0, 1, 1], "constant", ops.constant(np.float32(0)))),
    "subtract": convolution(shifted),
    "subtract a number": convolution(lambda ops, x: ops.subtract(x, ops.constant(np.float32(2)))),
    "multiply": convolution(
        lambda ops, x: ops.multiply(x, ops.constant(np.array([2, 3, 4], np.float32).reshape(3, 1, 1)))
    ),
    "multiply all": convolution(lambda ops, x: ops.multiply(x, ops.constant(np.full(SHAPE, 2, np.float32)))),
    "reshape": convolution(lambda ops, x: ops.reshape(x, ops.constant(SHAPE), False)),
    "depthwise": depthwise,
    "depthwise, convolution": convolution(depthwise),
    "two convolutions": two_convolutions,
    "convolution and more": convolution_and_more,
    "folded": folded,
    "swapped": swapped,
}

IMAGE = [("input.tensor", "set_layout", "NCHW")]
RECIPES: dict[str, Recipe] = {
    "mean": [("input.preprocess", "mean", 1.0)],
    "scale": [("input.preprocess", "scale", 2.0)],
    "scales": [*IMAGE, ("input.preprocess", "mean", [1.0, 2.0, 3.0]), ("input.preprocess", "scale", [2.0, 4.0, 8.0])],
    "reversed": [*IMAGE, ("input.preprocess", "reverse_channels")],
    "reversed, scales": [
        *IMAGE,
        ("input.preprocess", "reverse_channels"),
        ("input.preprocess", "mean", [1.0, 2.0, 3.0]),
        ("input.preprocess", "scale", [2.0, 4.0, 8.0]),
    ],
    "bytes": [
        ("input.tensor", "set_element_type", "Type.u8"),
        ("input.preprocess", "convert_element_type", "Type.f32"),
        ("input.preprocess", "mean", 3.0),
        ("input.preprocess", "scale", 2.0),
    ],
    "bytes, transposed": [
        ("input.tensor", "set_element_type", "Type.u8"),
        ("input.tensor", "set_layout", "NHWC"),
        ("input.preprocess", "convert_layout", "NCHW"),
        ("input.preprocess", "convert_element_type", "Type.f32"),
        ("input.preprocess", "reverse_channels"),
        ("input.preprocess", "mean", [1.0, 2.0, 3.0]),
        ("input.preprocess", "scale", [2.0, 4.0, 8.0]),
    ],
}


@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize("network", NETWORKS)
def test_is_simplified_alike(network: str, recipe: str, tmp_path: Path) -> None:
    assert_same(NETWORKS[network], SHAPE, "", RECIPES[recipe], tmp_path)


@pytest.mark.parametrize("version", ["10", "11"])
@pytest.mark.parametrize(
    "recipe",
    [
        [("output.postprocess", "convert_element_type", "Type.f16")],
        [("output.model", "set_layout", "NCHW"), ("output.tensor", "set_layout", "NHWC")],
        [("input.preprocess", "mean", 1.0)],
    ],
)
def test_layers_of_both_versions_are_named_alike(version: str, recipe: Recipe, tmp_path: Path) -> None:
    path = tmp_path / "model.xml"
    THEIRS.ov.serialize(THEIRS.network("relu", SHAPE), str(path))
    text = path.read_text().replace('version="11"', f'version="{version}"', 1)
    path.write_text(text.replace(' output_names="r"', "") if version == "10" else text)
    named = []
    for library in (THEIRS, OURS):
        model = library.described(library.ov.Core().read_model(str(path)), recipe).build()
        nodes = [node for node in model.get_ordered_ops() if node.get_type_name() != "Result"]
        names = [(node.get_type_name(), node.get_friendly_name().split("_")[0]) for node in nodes]
        named.append((names, [sorted(port.names) for node in nodes for port in node.outputs()]))
    assert named[1] == named[0]


def test_an_error_leaves_the_model_as_it_was() -> None:
    model = OURS.network("relu", SHAPE)
    before = [(node, node.name, node.inputs(), [sorted(port.names) for port in node.outputs()]) for node in model.nodes]
    processor = OURS.preprocess.PrePostProcessor(model)
    processor.input().preprocess().mean(1.0)
    processor.output().postprocess().custom(lambda port: port.no_such_attribute)
    with pytest.raises(RuntimeError) as caught:
        processor.build()
    assert isinstance(caught.value, AttributeError)
    after = [(node, node.name, node.inputs(), [sorted(port.names) for port in node.outputs()]) for node in model.nodes]
    assert after == before
    (relu,) = (node for node in model.get_ops() if node.get_type_name() == "Relu")
    assert model.input().get_target_inputs() == set(relu.inputs())
