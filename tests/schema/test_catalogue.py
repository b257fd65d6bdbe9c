"""Attributes and ports from the XSD files, with and without the operations' classes."""

from __future__ import annotations

import pytest

from ir_plugin.operations import opsets
from ir_plugin.operations.base import Operation
from ir_plugin.operations.registry import Registry
from ir_plugin.schema import Catalogue
from ir_plugin.tensors import TensorInfo


@pytest.mark.parametrize("opset", range(1, opsets.NEWEST_OPSET + 1))
def test_interfaces_are_read_without_classes(opset: int) -> None:
    registry, catalogue, version = Registry(), Catalogue(), f"opset{opset}"
    for type in registry.types():
        definition = registry.resolve(type, version)
        expected = None if definition is None else catalogue.interface(definition)
        assert catalogue.interface_of(type, version, registry) == expected, type


def test_an_extension_takes_the_place_of_a_built_in_operation() -> None:
    class Relu(Operation, version=1):
        """A rectifier with a limit."""

        limit: float

        def infer(self, data: TensorInfo) -> TensorInfo:
            """Return the type and the shape of the data."""
            return data

    registry = Registry()
    registry.add(Relu, "a test")
    interface = Catalogue().interface_of("ReLU", "opset8", registry)
    assert interface is not None
    assert "limit" in interface.attributes
