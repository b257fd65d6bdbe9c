"""Random graphs of many operations: OpenVINO reads them, infers the same shapes, and computes the same numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import ir_plugin as ov
from ir_plugin import opset13 as ops
from ir_plugin.errors import Error
from tests.opsets.steps import STEPS, of_images, rank
from tests.opsets.test_graphs import agree

RNG = np.random.default_rng(7)
ROWS = RNG.uniform(-1, 1, (2, 4, 3)).astype(np.float32)
IMAGES = RNG.uniform(-1, 1, (1, 4, 6, 6)).astype(np.float32)
LARGEST = 4000
"""The number of elements that a node has at most: two layers in a row may multiply it."""


def is_small(node: Any) -> bool:
    shape = node.output(0).partial_shape
    return rank(node) in range(1, 6) and shape.get_min_shape() is not None and np.prod(shape.get_min_shape()) < LARGEST


def grown(node: Any, data: st.DataObject, images: bool) -> Any:
    """Return a chain of random layers behind a node; layers that do not fit it are left out."""
    for _ in range(data.draw(st.integers(1, 7))):
        steps = [*STEPS, of_images] if images and rank(node) == 4 else STEPS
        try:
            behind = data.draw(st.sampled_from(steps))(node, data.draw)
        except Error:
            continue
        node = behind if is_small(behind) else node
    return node


@settings(derandomize=True, suppress_health_check=list(HealthCheck), deadline=None)
@given(st.data())
def test_random_graphs_of_rows(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    shape = data.draw(st.sampled_from(["[2,4,3]", "[?,4,3]", "[2,?,?]", "[1..4,4,3]"]))
    x = ops.parameter(ov.PartialShape(shape), np.float32, name="x")
    first, second = grown(x, data, False), grown(x, data, False)
    model = ov.Model([ops.result(first), ops.result(ops.abs(second))], [x])
    agree(model, [ROWS], tmp_path_factory.mktemp("rows"))


@settings(derandomize=True, suppress_health_check=list(HealthCheck), deadline=None)
@given(st.data())
def test_random_graphs_of_images(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    shape = data.draw(st.sampled_from([[1, 4, 6, 6], [-1, 4, 6, 6], [1, 4, -1, -1]]))
    x = ops.parameter(ov.PartialShape(shape), np.float32, name="x")
    model = ov.Model([ops.result(grown(of_images(x, data.draw), data, True))], [x])
    agree(model, [IMAGES], tmp_path_factory.mktemp("images"))
