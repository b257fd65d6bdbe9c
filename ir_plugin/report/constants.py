"""Comparison of a model's constants with the reference's, before any layer is compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property

import numpy as np

from ir_plugin.model import Model, Node, Output
from ir_plugin.report.agreement import OutputInstance
from ir_plugin.report.comparison_data import ComparedConstant
from ir_plugin.report.measures import Tolerance, measure
from ir_plugin.report.originals import constant_value, stored_constant
from ir_plugin.report.store import Named
from ir_plugin.tensors import Array, ElementType
from ir_plugin.tensors.packing import to_type

Find = Callable[[OutputInstance], "Array | None"]


class Constants:
    """Compares stored constants with the reference's of the same name, or else with those that round to them."""

    def __init__(self, model: Model, find: Find, values: Named) -> None:
        self._find = find
        self._values = values
        self._differing: dict[Output, ComparedConstant | None] = {}
        self._counterparts: dict[Output, Array] = {}
        for port in _stored_outputs(model):
            self.compare(OutputInstance((), port))

    @property
    def differing(self) -> tuple[ComparedConstant, ...]:
        """The constants that differ from the reference's."""
        return tuple(constant for constant in self._differing.values() if constant is not None)

    @property
    def count(self) -> int:
        """The number of constants that the reference has too."""
        return len(self._counterparts)

    def counterpart(self, port: Output) -> Array | None:
        """Return the reference's value of a constant that was compared."""
        return self._counterparts.get(port)

    def compare(self, output: OutputInstance) -> ComparedConstant | None:
        """Return a stored constant if it differs from the reference's, else None; other outputs are None too."""
        port = output.port
        if port not in self._differing:
            node = stored_constant(port)
            self._differing[port] = None if node is None else self._compared(output, node)
        return self._differing[port]

    def _compared(self, output: OutputInstance, node: Node) -> ComparedConstant | None:
        theirs, mine = self._find(output), constant_value(output.port)
        if mine is None or mine.dtype.kind in "OUS":
            return None
        stored = node.outputs[0].element_type
        if theirs is None:
            theirs = self._rounding_to(mine, stored)
        if theirs is None or theirs.size != mine.size or theirs.dtype.kind in "OUS":
            return None
        theirs = self._counterparts[output.port] = theirs.reshape(mine.shape)
        if np.array_equal(mine, theirs):
            return None
        measures = measure(mine, theirs, Tolerance(0, 0))
        rounded_to = stored.name if _is_rounded(mine, theirs, stored) else ""
        return ComparedConstant(output.port.node.name, measures.max_abs, rounded_to) if measures.over else None

    def _rounding_to(self, mine: Array, stored: ElementType) -> Array | None:
        """Return the first value of the reference that differs from a constant only by the rounding of its type."""
        candidates = (self._values[name] for name in self._by_size.get(mine.size, ()))
        return next((theirs for theirs in candidates if _is_rounded(mine, theirs.reshape(mine.shape), stored)), None)

    @cached_property
    def _by_size(self) -> dict[int, list[str]]:
        names: dict[int, list[str]] = {}
        for name, array in self._values.items():
            if array.dtype.kind == "f" and array.dtype.itemsize > 2:
                names.setdefault(array.size, []).append(name)
        return names


def _stored_outputs(model: Model) -> Iterator[Output]:
    """Yield the outputs of stored constants that layers read: after the last Convert or Reshape of a constant."""
    for node in model.ordered():
        for port in node.outputs:
            readers = [reader.node for reader in port.readers if reader.node.outputs]
            if stored_constant(port) is not None and any(stored_constant(node.outputs[0]) is None for node in readers):
                yield port


def _is_rounded(mine: Array, theirs: Array, stored: ElementType) -> bool:
    """Return whether a constant is the reference's, rounded to the floating type that it is stored in."""
    if not stored.is_floating or stored.bitwidth > 16 or theirs.dtype.kind != "f":
        return False
    with np.errstate(all="ignore"):
        rounded = to_type(theirs, stored).astype(np.float64)
    return np.array_equal(mine.astype(np.float64), rounded, equal_nan=True)
