"""Copies to other memory orders: the kernel on its own, and operations that move channels, in both layouts."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from openvino import opset8 as ops

from ir_plugin.kernels.numpy.movement import copied, move
from tests.compiler.test_pooling import channels_last
from tests.support.planned import hold, variants


@pytest.mark.parametrize(
    "shape", [(2, 3, 40), (3, 40, 50), (70, 64, 20), (1, 1, 1), (5, 1, 300), (300, 200, 3), (17,), ()]
)
def test_every_order_of_memory(shape: tuple[int, ...]) -> None:
    data = np.arange(np.prod(shape, dtype=int), dtype=np.int32).reshape(shape)
    for first in permutations(range(len(shape))):
        for second in permutations(range(len(shape))):
            source = np.array(data.transpose(first), order="C").transpose(np.argsort(first))
            target = np.zeros_like(data.transpose(second), order="C").transpose(np.argsort(second))
            move(source, target)
            np.testing.assert_array_equal(target, data)
            np.testing.assert_array_equal(copied(source), data)


def test_arrays_without_order() -> None:
    wide = np.arange(4 * 400 * 6).reshape(4, 400, 6)
    source, target = wide[::-1, ::2, 1:4], np.zeros((4, 200, 6), int)[:, ::-1, ::2]
    move(source, target)
    np.testing.assert_array_equal(target, source)
    repeated = np.broadcast_to(np.arange(3)[:, None], (3, 500))
    target = np.zeros((500, 3), int).T
    move(repeated, target)
    np.testing.assert_array_equal(target, repeated)


def shuffled(x: Any, groups: int) -> Any:
    batch, channels, height, width = x.shape
    apart = ops.reshape(x, ops.constant([batch, groups, channels // groups, height, width]), False)
    turned = ops.transpose(apart, ops.constant([0, 2, 1, 3, 4]))
    return ops.reshape(turned, ops.constant([batch, channels, height, width]), False)


MOVED = {
    "shuffle by reshapes": lambda x: shuffled(x, 3),
    "shuffle in many groups": lambda x: shuffled(x, 12),
    "channels": lambda x: ops.shuffle_channels(x, 1, 3),
    "lines": lambda x: ops.shuffle_channels(x, -2, 2),
    "depth, blocks first": lambda x: ops.depth_to_space(x, "blocks_first", 2),
    "depth, depth first": lambda x: ops.depth_to_space(x, "depth_first", 3),
    "space, blocks first": lambda x: ops.space_to_depth(x, "blocks_first", 2),
    "space, depth first": lambda x: ops.space_to_depth(x, "depth_first", 2),
}


def windows(x: Any, size: int, joined: tuple[int, ...]) -> Any:
    """Return the image cut into windows of `size` lines and pixels, with axes in the order `joined`."""
    batch, channels, height, width = x.shape
    apart = ops.reshape(x, ops.constant([batch, channels, height // size, size, width // size, size]), False)
    return ops.transpose(apart, ops.constant(list(joined)))


@pytest.mark.parametrize(
    ("cut", "back"), [((0, 2, 4, 3, 5, 1), (0, 5, 1, 3, 2, 4)), ((0, 3, 5, 2, 4, 1), (0, 5, 3, 1, 4, 2))]
)
def test_windows_are_cut_and_joined(cut: tuple[int, ...], back: tuple[int, ...], tmp_path: Path) -> None:
    x = ops.parameter([2, 20, 14, 21], np.float32, name="x")
    parts = ops.relu(ops.reshape(windows(channels_last(x), 7, cut), ops.constant([0, -1, 49, 20]), True))
    shape = np.array([2, 20, 2, 7, 3, 7])[list(cut)]
    turned = ops.transpose(ops.reshape(parts, ops.constant(shape), False), ops.constant(list(back)))
    joined = ops.reshape(turned, ops.constant([2, 20, 14, 21]), False)
    hold(channels_last(ops.relu(joined)), [x], tmp_path)
    hold(ops.reduce_max(joined, ops.constant([1]), False), [x], tmp_path)


@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize("name", MOVED)
def test_channels_that_move(name: str, last: bool, tmp_path: Path) -> None:
    x = ops.parameter([2, 36, 4, 6], np.float32, name="x")
    result = MOVED[name](channels_last(x) if last else ops.abs(x))
    hold(ops.relu(result), [x], tmp_path)
    kind = "Reshape" if name.startswith("shuffle") else result.get_type_name()
    assert variants(tmp_path)[kind] == "copy"


@pytest.mark.parametrize("name", ["depth_to_space", "space_to_depth"])
@pytest.mark.parametrize("mode", ["blocks_first", "depth_first"])
@pytest.mark.parametrize("shape", [[1, 8, 6], [2, 8, 4, 2, 6]])
def test_one_and_three_axes(name: str, mode: str, shape: list[int], tmp_path: Path) -> None:
    x = ops.parameter(shape, np.float32, name="x")
    hold(getattr(ops, name)(x, mode, 2), [x], tmp_path)
