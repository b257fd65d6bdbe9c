"""Asking for an operation by its class, whatever its version."""

from __future__ import annotations

from ir_plugin.operations.activation.softmax import Softmax, Softmax1
from ir_plugin.operations.arithmetic.binary import Add
from ir_plugin.operations.base import Operation
from ir_plugin.operations.convolution.convolution import Convolution
from ir_plugin.operations.convolution.group_convolution import GroupConvolution
from ir_plugin.operations.table import OperationTable


class Relu(Operation, version="extension"):
    """An extension with the type of a built-in operation."""

    is_built_in = False


def test_an_operation_is_its_definition_in_any_version() -> None:
    assert Softmax1(axis=1).is_a(Softmax)
    assert Softmax(axis=1).is_a(Add, Softmax1)
    assert not Softmax(axis=1).is_a(Add)
    assert not Softmax(axis=1).is_a()


def test_a_subclass_with_a_type_of_its_own_is_another_operation() -> None:
    assert issubclass(GroupConvolution, Convolution)
    assert not GroupConvolution().is_a(Convolution)


def test_an_extension_is_no_built_in_operation() -> None:
    assert not Relu().is_a(Relu)
    assert OperationTable({Relu: 1}).get(Relu()) is None


def test_a_table_has_one_entry_for_all_versions() -> None:
    table = OperationTable({Softmax: "rows", Add: "elements"})
    assert table.get(Softmax1(axis=0)) == "rows"
    assert table.get(Convolution()) is None
