"""Unknown lengths are those of the values that they come from."""

from __future__ import annotations

import pytest

from ir_plugin.compiler.graph import Op, Value
from ir_plugin.compiler.passes.grouped_query_attention import GroupedQueryAttention
from ir_plugin.compiler.shapes.symbolic import length_of, number
from ir_plugin.operations.activation.softmax import Softmax
from ir_plugin.operations.arithmetic.binary import Add, Multiply
from ir_plugin.operations.base import Operation
from ir_plugin.operations.sequence.scaled_dot_product_attention import ScaledDotProductAttention
from ir_plugin.tensors import ElementType, TensorInfo

F32 = ElementType.f32


def value(*lengths: int) -> Value:
    """Return a parameter of f32, of which -1 is an unknown length."""
    shape = None if -1 in lengths else lengths
    return Value(F32, shape, tensor=TensorInfo(F32, lengths))


def result(operation: Operation, *inputs: Value, shape: tuple[int, ...]) -> Value:
    """Return the output of an op."""
    output = value(*shape)
    Op(operation, list(inputs), [output], []).attach()
    return output


@pytest.mark.parametrize("kind", [ScaledDotProductAttention, GroupedQueryAttention])
def test_as_many_rows_are_attended_as_queries_come(kind: type[ScaledDotProductAttention]) -> None:
    query, key = value(1, 4, -1, 8), value(1, 4, -1, 8)
    output = result(kind(causal=True), query, key, value(1, 4, -1, 6), shape=(1, 4, -1, 6))
    assert length_of(output, 2) == length_of(query, 2) != length_of(key, 2)
    assert length_of(output, 3) == number(6)


def test_a_sum_is_as_long_as_its_first_operand_of_more_than_one() -> None:
    first, second = value(-1, 8), value(-1, 8)
    assert length_of(result(Add(auto_broadcast="numpy"), first, second, shape=(-1, 8)), 0) == length_of(first, 0)
    row = value(1, 8)
    assert length_of(result(Add(auto_broadcast="numpy"), row, second, shape=(-1, 8)), 0) == length_of(second, 0)


def test_a_sum_with_what_may_be_broadcast_has_a_length_of_its_own() -> None:
    """A value that a layer makes may have length 1, unlike a parameter whose length is open."""
    other = value(-1, 8)
    made = result(Multiply(auto_broadcast="pdpd"), value(-1, 8), other, shape=(-1, 8))
    output = result(Add(auto_broadcast="numpy"), made, other, shape=(-1, 8))
    assert length_of(output, 0) not in (length_of(made, 0), length_of(other, 0))


def test_a_softmax_and_a_product_keep_the_number_of_rows() -> None:
    data = value(-1, 8)
    soft = result(Softmax(axis=1), data, shape=(-1, 8))
    scaled = result(Multiply(auto_broadcast="numpy"), value(1), soft, shape=(-1, 8))
    assert length_of(scaled, 0) == length_of(data, 0)
