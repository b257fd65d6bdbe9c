"""Predicates of pattern nodes: conditions on the values that they match."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ir_plugin.errors import ArgumentTypeError, Error, InputError, require
from ir_plugin.model import Output
from ir_plugin.openvino.passes.faults import raised_by
from ir_plugin.openvino.passes.shape_notation import ShapeNotation
from ir_plugin.openvino.passes.symbols import Symbols
from ir_plugin.tensors import Dimension, ElementType


class Predicate:
    """A condition on an output: a function of it, or of the named lengths so far and the output."""

    def __init__(self, predicate: Callable[..., Any] | None = None) -> None:
        if predicate is not None and not callable(predicate):
            raise ArgumentTypeError(f"argument 'predicate': a function is needed, not {type(predicate).__name__}")
        self._function = predicate
        self._takes_symbols = predicate is not None and _count_parameters(predicate) == 2

    def holds(self, symbols: Symbols, value: Output) -> bool:
        """Return whether the condition holds for a value."""
        if self._function is None:
            return True
        try:
            return bool(self._function(symbols, value) if self._takes_symbols else self._function(value))
        except Error:
            raise
        except Exception as fault:
            raise raised_by("the predicate", fault) from fault


def _count_parameters(function: Callable[..., Any]) -> int:
    """Return how many positional arguments a function needs, 1 if that is unknown."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return 1
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return sum(parameter.kind in kinds and parameter.default is parameter.empty for parameter in parameters)


def _require_count(value: object, name: str) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ArgumentTypeError(f"{name}: a nonnegative integer is needed, not {value!r}")


def consumers_count(n: int) -> Predicate:
    """Return the predicate that a number of inputs read the value."""
    _require_count(n, "consumers_count")
    return Predicate(lambda value: len(value.readers) == n)


def has_static_dim(pos: int) -> Predicate:
    """Return the predicate that one dimension is known."""
    _require_count(pos, "has_static_dim")
    return has_static_dims([pos])


def has_static_dims(dims: Sequence[int]) -> Predicate:
    """Return the predicate that several dimensions are known."""
    require(dims, (list, tuple), "a list of positions", "dims")
    for pos in dims:
        _require_count(pos, "has_static_dims")

    def holds(value: Output) -> bool:
        lengths = value.tensor_info.shape.dims
        return lengths is not None and all(pos < len(lengths) and lengths[pos].is_static for pos in dims)

    return Predicate(holds)


def has_static_shape() -> Predicate:
    """Return the predicate that all dimensions are known."""
    return Predicate(lambda value: value.tensor_info.shape.is_static)


def has_static_rank() -> Predicate:
    """Return the predicate that the number of dimensions is known."""
    return Predicate(lambda value: value.tensor_info.shape.dims is not None)


def rank_equals(rank: Dimension | int) -> Predicate:
    """Return the predicate that the number of dimensions is this one, or is unknown if this one is."""
    expected = _rank(rank)
    return Predicate(lambda value: bool(_rank_of(value) == expected))


def rank_more_than(rank: Dimension | int) -> Predicate:
    """Return the predicate that there are more dimensions than this."""
    expected = _rank(rank)
    if expected.is_dynamic:
        raise ArgumentTypeError("rank_more_than: a known rank is needed")
    return Predicate(lambda value: _rank_of(value).is_static and _rank_of(value).lower > expected.lower)


def _rank(rank: Any) -> Dimension:
    require(rank, (Dimension, int), "a Dimension", "rank")
    return rank if isinstance(rank, Dimension) else Dimension(rank)


def _rank_of(value: Output) -> Dimension:
    dims = value.tensor_info.shape.dims
    return Dimension() if dims is None else Dimension(len(dims))


def type_matches(element_type: ElementType) -> Predicate:
    """Return the predicate that the element type is this one."""
    require(element_type, ElementType, "a Type", "element_type")
    return Predicate(lambda value: value.element_type == element_type)


def type_matches_any(element_types: Sequence[ElementType]) -> Predicate:
    """Return the predicate that the element type is one of these."""
    require(element_types, (list, tuple), "a list of Types", "element_types")
    for element_type in element_types:
        require(element_type, ElementType, "a list of Types", "element_types")
    expected = list(element_types)
    return Predicate(lambda value: value.element_type in expected)


def shape_matches(notation: str) -> Predicate:
    """Return the predicate that the shape fits a notation such as `"[Batch, 3, H, W]"` or `"[Batches..., ?, 4]"`.

    A name stands for a length, the same one wherever it occurs in the pattern; `Matcher.get_symbols` returns it.
    """
    require(notation, str, "a text", "notation")
    return Predicate(ShapeNotation(notation).fits)


def attrs_match(attributes: Mapping[str, Any]) -> Predicate:
    """Return the predicate that the attributes of the node have these values, as `get_attributes` returns them."""
    require(attributes, Mapping, "a dictionary of attributes", "attributes")
    expected = dict(attributes)

    def holds(value: Output) -> bool:
        if not expected:
            raise InputError("attrs_match: the dictionary of attributes is empty")
        actual = value.node.get_attributes()
        return all(name in actual and _is_same(actual[name], item) for name, item in expected.items())

    return Predicate(holds)


def _is_same(actual: Any, expected: Any) -> bool:
    """Return whether two values are equal and of one kind."""
    if isinstance(actual, (list, tuple)):
        return isinstance(expected, (list, tuple)) and list(actual) == list(expected)
    return type(actual) is type(expected) and bool(actual == expected)
