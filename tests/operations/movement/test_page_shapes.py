"""Layers of the pages that are too large to run: their inferred shapes equal the declared ones."""

from __future__ import annotations

import numpy as np
import pytest

from ir_plugin.operations.base import Operation
from ir_plugin.operations.movement.gather import Gather, Gather1, Gather7
from ir_plugin.operations.movement.gather_elements import GatherElements
from ir_plugin.operations.movement.gather_nd import GatherND, GatherND5
from ir_plugin.operations.movement.gather_tree import GatherTree
from ir_plugin.operations.movement.scatter_elements_update import ScatterElementsUpdate, ScatterElementsUpdate3
from ir_plugin.operations.movement.scatter_nd_update import ScatterNDUpdate, ScatterNDUpdate4
from ir_plugin.operations.movement.scatter_update import ScatterUpdate
from ir_plugin.tensors import ElementType, TensorInfo


def data(*shape: int) -> TensorInfo:
    return TensorInfo(ElementType.f32, shape)


def indices(*shape: int) -> TensorInfo:
    return TensorInfo(ElementType.i64, shape)


def axis(value: int) -> TensorInfo:
    return TensorInfo.of(np.array(value))


LARGE = (1000, 256, 10, 15)
SMALL = data(1000, 256, 7, 7), indices(125, 20, 7, 6), data(125, 20, 7, 6), axis(0)

PAGES: list[tuple[Operation, tuple[TensorInfo, ...], str]] = [
    (Gather1(), (data(6, 12, 10, 24), indices(15, 4, 20, 28), axis(1)), "[6,15,4,20,28,10,24]"),
    (Gather7(batch_dims=1), (data(2, 64, 128), indices(2, 32, 21), axis(1)), "[2,32,21,128]"),
    (Gather(batch_dims=1), (data(2, 64, 128), indices(2, 32, 21), axis(1)), "[2,32,21,128]"),
    (GatherElements(axis=1), (data(3, 7, 5), indices(3, 10, 5)), "[3,10,5]"),
    (GatherND5(batch_dims=0), (data(*LARGE), indices(25, 125, 3)), "[25,125,15]"),
    (GatherND5(batch_dims=2), (data(30, 2, 100, 35), indices(30, 2, 3, 1)), "[60,3,35]"),
    (GatherND(batch_dims=0), (data(*LARGE), indices(25, 125, 3)), "[25,125,15]"),
    (GatherND(batch_dims=2), (data(30, 2, 100, 35), indices(30, 2, 3, 1)), "[30,2,3,35]"),
    (GatherND(batch_dims=3), (data(1, 64, 64, 320), indices(1, 64, 64, 1, 1)), "[1,64,64,1]"),
    (GatherTree(), (data(100, 1, 10), data(100, 1, 10), data(1), data()), "[100,1,10]"),
    (ScatterUpdate(), (data(*LARGE), indices(125, 20), data(1000, 125, 20, 10, 15), axis(1)), "[1000,256,10,15]"),
    (ScatterElementsUpdate3(), SMALL, "[1000,256,7,7]"),
    (ScatterElementsUpdate(reduction="none", use_init_val=True), SMALL, "[1000,256,7,7]"),
    (ScatterNDUpdate4(), (data(*LARGE), indices(25, 125, 3), data(25, 125, 15)), "[1000,256,10,15]"),
    (ScatterNDUpdate(reduction="none"), (data(*LARGE), indices(25, 125, 3), data(25, 125, 15)), "[1000,256,10,15]"),
]


@pytest.mark.parametrize(("operation", "inputs", "expected"), PAGES, ids=lambda value: type(value).__name__)
def test_infers_what_the_page_declares(operation: Operation, inputs: tuple[TensorInfo, ...], expected: str) -> None:
    inferred = operation.infer(*inputs)
    assert isinstance(inferred, TensorInfo)
    assert str(inferred.shape) == expected
