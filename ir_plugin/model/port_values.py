"""Bounds and symbols of the values of a tensor, which a script sets and reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ir_plugin.errors import InputError, require, wrong_type
from ir_plugin.tensors import Bounds, PartialShape, Symbol, TensorInfo
from ir_plugin.tensors.packing import to_type


class PortValues:
    """The bounds and symbols of the values that were set for one output."""

    __slots__ = ("lower", "symbols", "upper")

    def __init__(self) -> None:
        self.lower: Any = None
        self.upper: Any = None
        self.symbols: list[Symbol] = []


def require_fitting(tensor: Any, shape: PartialShape, argument: str) -> None:
    """Raise unless a value is a tensor of a shape."""
    if not hasattr(tensor, "element_type") or not hasattr(tensor, "values"):
        raise wrong_type(argument, "a Tensor", tensor)
    if not shape.compatible(PartialShape(tensor.shape)):
        raise InputError(f"argument {argument!r}: the tensor has the shape {tensor.shape}, the output {shape}")


def require_symbols(symbols: Any) -> None:
    """Raise unless a value is a list of symbols."""
    require(symbols, (list, tuple), "a list of Symbols", "value_symbol")
    for symbol in symbols:
        require(symbol, Symbol, "a Symbol", "value_symbol")


def bounded(tensor: TensorInfo, values: PortValues) -> TensorInfo:
    """Return a tensor with the bounds that were set, once both are."""
    if values.lower is None or values.upper is None:
        return tensor
    bounds = Bounds(*(to_type(bound.values, tensor.element_type) for bound in (values.lower, values.upper)))
    return TensorInfo(tensor.element_type, tensor.shape, bounds=bounds)


class ValueAccess:
    """The methods of the tensor of an output that set and return bounds and symbols of its values."""

    __slots__ = ()

    _port: Any

    def _values(self) -> PortValues:
        if self._port.values is None:
            self._port.values = PortValues()
        values: PortValues = self._port.values
        return values

    def get_lower_value(self) -> Any:
        """Return the tensor of the smallest values that was set, or None."""
        return self._port.values and self._port.values.lower

    def get_upper_value(self) -> Any:
        """Return the tensor of the largest values that was set, or None."""
        return self._port.values and self._port.values.upper

    def get_value_symbol(self) -> list[Symbol]:
        """Return the symbols of the values that were set."""
        return list(self._port.values.symbols) if self._port.values else []

    def set_lower_value(self, value: Any) -> None:
        """Set the smallest values; once both bounds are set, nodes built downstream are inferred from them."""
        require_fitting(value, self._port.tensor_info.shape, "value")
        self._values().lower = value
        self._port.tensor_info = bounded(self._port.tensor_info, self._values())

    def set_upper_value(self, value: Any) -> None:
        """Set the largest values; once both bounds are set, nodes built downstream are inferred from them."""
        require_fitting(value, self._port.tensor_info.shape, "value")
        self._values().upper = value
        self._port.tensor_info = bounded(self._port.tensor_info, self._values())

    def set_value_symbol(self, value_symbol: Sequence[Symbol]) -> None:
        """Set the symbols of the values."""
        require_symbols(value_symbol)
        self._values().symbols = list(value_symbol)
