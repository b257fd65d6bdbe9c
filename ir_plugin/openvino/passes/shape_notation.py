"""The notation of shapes in patterns: `[Batch, 3, ?, Rest...]`."""

from __future__ import annotations

from ir_plugin.errors import InputError
from ir_plugin.model import Output
from ir_plugin.openvino.passes.symbols import PatternSymbolValue, Symbols
from ir_plugin.tensors import Dimension

_ELLIPSIS = "..."


class ShapeNotation:
    """A shape with lengths, names of lengths, `?`, and one `...` or `Name...` for any number of dimensions.

    `[]` is a scalar; a single `...` or `?` without brackets is a shape of unknown rank.
    """

    def __init__(self, text: str) -> None:
        bare = "".join(text.split())
        self._is_scalar = bare in ("", "[]", "()")
        self._is_unknown_rank = bare in ("?", _ELLIPSIS)
        self._items = bare.strip("[]()").split(",")
        groups = [index for index, item in enumerate(self._items) if _ELLIPSIS in item]
        if len(groups) > 1:
            raise InputError(f"Only one ellipsis is allowed in the notation of a shape, not {text!r}")
        if groups and not self._items[groups[0]].endswith(_ELLIPSIS):
            raise InputError(f"the ellipsis ends its name in the notation of a shape, not as in {text!r}")
        self._group = groups[0] if groups else None

    def fits(self, symbols: Symbols, value: Output) -> bool:
        """Return whether the shape of a value fits, with the lengths that names stand for, and add new ones."""
        dims = value.tensor_info.shape.dims
        if self._is_unknown_rank or dims is None:
            return self._is_unknown_rank and dims is None
        if self._is_scalar:
            return len(dims) == 0
        pairs = self._pairs(list(dims))
        if pairs is None:
            return False
        named: Symbols = {}
        if not all(_fits(symbols, named, name, part) for name, part in pairs):
            return False
        symbols.update(named)
        return True

    def _pairs(self, dims: list[Dimension]) -> list[tuple[str, list[Dimension]]] | None:
        """Return each item with its dimensions, or None if the rank does not fit."""
        fixed = len(self._items) - (self._group is not None)
        if len(dims) < fixed or (self._group is None and len(dims) != fixed):
            return None
        pairs = []
        position = 0
        for index, item in enumerate(self._items):
            length = len(dims) - fixed if index == self._group else 1
            pairs.append((item, dims[position : position + length]))
            position += length
        return pairs


def _fits(symbols: Symbols, named: Symbols, name: str, dims: list[Dimension]) -> bool:
    if name in ("?", _ELLIPSIS):
        return True
    if name.lstrip("-").isdigit():
        return dims[0].is_static and dims[0].lower == int(name)
    values = [_value_of(dim) for dim in dims]
    if any(value is None for value in values):
        return False
    is_group = name.endswith(_ELLIPSIS)
    name = name.removesuffix(_ELLIPSIS)
    value = PatternSymbolValue(values) if is_group else values[0]
    bound = symbols.get(name) or named.get(name)
    if bound is None and value is not None:
        named[name] = value
        return True
    if is_group is not (bound is not None and bound.is_group()):
        raise InputError(f"the name {name!r} stands for a group of dimensions and for a single one")
    return bound == value


def _value_of(dim: Dimension) -> PatternSymbolValue | None:
    """Return the length or the symbol of a dimension, None if it has neither."""
    if dim.is_static:
        return PatternSymbolValue(dim.lower)
    symbol = getattr(dim, "get_symbol", lambda: None)()
    return None if symbol is None else PatternSymbolValue(symbol)
