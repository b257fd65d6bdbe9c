"""`needs_values` says which inputs' values `infer` reads: no sample's inference reads those of another."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from ir_plugin import Core
from ir_plugin.model import Node
from ir_plugin.operations.base import Operation
from ir_plugin.operations.shape.reshape import Reshape
from ir_plugin.tensors import Bounds, TensorInfo
from ir_plugin.validation.inference import Inference
from tests.operations.test_samples import SAMPLES, variants
from tests.support.ir import build


class UndeclaredError(AssertionError):
    """A value was read that the operation's class does not declare."""


class Unreadable(TensorInfo):
    """The type and shape of a tensor whose values must not be read."""

    @property
    def bounds(self) -> Bounds | None:
        raise UndeclaredError


def _hidden(tensor: TensorInfo) -> Unreadable:
    return Unreadable(tensor.element_type, tensor.shape)


@pytest.fixture(autouse=True)
def guarded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every inference see the values of declared inputs alone."""
    infer = Inference.infer

    def guarded_infer(self: Inference, node: Node, inputs: Sequence[TensorInfo | None]) -> Sequence[TensorInfo]:
        operation: Operation = node.operation
        if operation.wants_inference or not operation.is_built_in:
            return infer(self, node, inputs)
        needed = operation.needs_values
        hidden = [item if item is None or index in needed else _hidden(item) for index, item in enumerate(inputs)]
        outputs = infer(self, node, hidden)
        return [TensorInfo(item.element_type, item.shape) if isinstance(item, Unreadable) else item for item in outputs]

    monkeypatch.setattr(Inference, "infer", guarded_infer)


def read(name: str) -> None:
    sample = SAMPLES[name]
    for shapes in variants(sample).values():
        ir = build(sample.type, sample.version, sample.inputs, sample.attributes, sample.outputs, shapes)
        Core().read_model(ir.xml, ir.weights)


@pytest.mark.parametrize("name", SAMPLES)
def test_values_that_are_read_are_declared(name: str) -> None:
    read(name)


def test_a_value_that_is_not_declared_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Reshape, "needs_values", ())
    name = next(name for name, sample in SAMPLES.items() if sample.type == "Reshape")
    with pytest.raises(UndeclaredError):
        read(name)
