"""Nodes show their attributes by the names, in the order and with the numbers that OpenVINO's nodes show."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
import openvino
import pytest

import ir_plugin


def openvino_opset(ops: Any, number: int) -> Any:
    """Return another opset of the library of an opset."""
    return importlib.import_module(ops.__name__.replace("opset13", f"opset{number}"))


BUILDERS: dict[str, Callable[[Any, Any], Any]] = {
    "convolution": lambda ops, x: ops.convolution(x, np.ones((1, 3, 2, 2), np.float32), [1, 1], [0, 0], [0, 0], [1, 1]),
    "backprop": lambda ops, x: ops.convolution_backprop_data(x, np.ones((3, 1, 2, 2), np.float32), [1, 1]),
    "max_pool": lambda ops, x: ops.max_pool(x, [1, 1], [1, 1], [0, 0], [0, 0], [2, 2]),
    "avg_pool": lambda ops, x: ops.avg_pool(x, [1, 1], [0, 0], [0, 0], [2, 2], True),
    "topk": lambda ops, x: ops.topk(x, 1, 1, "max", "value"),
    "mvn": lambda ops, x: ops.mvn(x, [2, 3], True, 1e-9, "inside_sqrt"),
    "gelu": lambda ops, x: ops.gelu(x, "tanh"),
    "normalize_l2": lambda ops, x: ops.normalize_l2(x, [1], 0.1, "add"),
    "random_uniform": lambda ops, _: ops.random_uniform([2], np.float32(0), np.float32(1), "f32", 1, 2),
    "roi_pooling": lambda ops, x: ops.roi_pooling(x, np.ones((1, 5), np.float32), [2, 2], 0.1, "max"),
    "broadcast": lambda ops, x: ops.broadcast(x, [2, 3, 4, 5]),
    "nms": lambda ops, _: ops.matrix_nms(np.ones((1, 2, 4), np.float32), np.ones((1, 1, 2), np.float32)),
    "prior_box": lambda ops, _: ops.prior_box(
        ops.constant([2, 2]), ops.constant([4, 4]), {"offset": 0.1, "min_size": [0.3]}
    ),
    "clamp": lambda ops, x: ops.clamp(x, 0.1, 0.3),
    "mvn_2": lambda ops, x: openvino_opset(ops, 2).mvn(x, False, True, 1e-9),
    "one_hot": lambda ops, _: ops.one_hot(ops.constant([1, 2]), 3, 1.0, 0.0, -1),
    "reorg_yolo": lambda ops, _: ops.reorg_yolo(ops.parameter([1, 4, 4, 4]), [2]),
    "interpolate": lambda ops, x: ops.interpolate(x, [8, 8], "nearest", "sizes", [0], [0, 1], axes=[2, 3]),
    "broadcast_1": lambda ops, _: openvino_opset(ops, 1).broadcast([1, 2], [2, 3], [0], "explicit"),
    "lrn": lambda ops, x: ops.lrn(x, [1], 0.1, 0.2, 0.3, 4),
}


@pytest.mark.parametrize("name", BUILDERS)
def test_attributes_are_shown_as_openvino_shows_them(name: str) -> None:
    shown = []
    for library in (openvino, ir_plugin):
        opset = library.opset13
        node = BUILDERS[name](opset, opset.parameter([1, 3, 4, 5], np.float32))
        shown.append(list(node.get_attributes().items()))
    assert shown[1] == shown[0]


def test_absent_inputs_are_the_constants_of_openvino() -> None:
    for library in (openvino, ir_plugin):
        opset = library.opset13
        data = opset.parameter([1, 3, 4], np.float32)
        assert opset.swish(data).get_input_size() == 2
        boxes, scores = opset.parameter([1, 2, 4]), opset.parameter([1, 1, 2])
        assert opset.non_max_suppression(boxes, scores).get_input_size() == 6
        assert library.opset8.non_max_suppression(boxes, scores).get_input_size() == 5


def test_a_node_with_several_outputs_ends_a_model() -> None:
    for library in (openvino, ir_plugin):
        opset = library.opset13
        data = opset.parameter([1, 4], np.float32)
        parts = opset.split(data, 1, 4)
        sizes = [len(library.Model(ends, [data], "m").outputs) for ends in (parts, [parts], parts.outputs())]
        assert sizes == [4, 1, 4]
        assert opset.result(parts).input_value(0).get_index() == 0


SIDES = ([1, 1], [1, 1])
WINDOWS: dict[str, Callable[[Any, Any, str], Any]] = {
    "convolution": lambda ops, x, pad: ops.convolution(x, ones(2, 4, 3, 3), [2, 2], *SIDES, [1, 1], pad),
    "group": lambda ops, x, pad: ops.group_convolution(x, ones(2, 2, 2, 3, 3), [2, 2], *SIDES, [1, 1], pad),
    "max_pool": lambda ops, x, pad: ops.max_pool(x, [2, 2], [1, 1], *SIDES, [3, 3], "floor", pad),
    "avg_pool": lambda ops, x, pad: ops.avg_pool(x, [2, 2], *SIDES, [3, 3], True, "floor", pad),
    "backprop": lambda ops, x, pad: ops.convolution_backprop_data(
        x, ones(4, 2, 3, 3), [2, 2], None, *SIDES, [1, 1], pad
    ),
    "backprop_to_a_shape": lambda ops, x, pad: ops.convolution_backprop_data(
        x, ones(4, 2, 3, 3), [2, 2], ops.constant([17, 17]), *SIDES, [1, 1], pad
    ),
    "group_backprop": lambda ops, x, pad: ops.group_convolution_backprop_data(
        x, ones(2, 2, 2, 3, 3), [2, 2], None, *SIDES, [1, 1], pad
    ),
}


def ones(*shape: int) -> Any:
    return np.ones(shape, np.float32)


@pytest.mark.parametrize("shape", [[1, 4, 9, 9], [-1, 4, -1, 9]], ids=["static", "dynamic"])
@pytest.mark.parametrize("auto_pad", ["same_upper", "same_lower", "valid", "explicit"])
@pytest.mark.parametrize("name", WINDOWS)
def test_pads_are_those_that_auto_pad_chooses(name: str, auto_pad: str, shape: list[int]) -> None:
    shown = []
    for library in (openvino, ir_plugin):
        opset = library.opset8
        attributes = WINDOWS[name](opset, opset.parameter(shape, np.float32), auto_pad).get_attributes()
        shown.append((attributes["pads_begin"], attributes["pads_end"]))
    assert shown[1] == shown[0]
