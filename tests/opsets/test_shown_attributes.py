"""Nodes show their attributes by the names, in the order and with the numbers that OpenVINO's nodes show."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import openvino
import pytest

import ir_plugin

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
