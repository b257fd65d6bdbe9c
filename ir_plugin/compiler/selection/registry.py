"""The selectors of kernels, by the operations that they serve."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence

from ir_plugin.compiler.graph import Op
from ir_plugin.compiler.selection.kernel import KernelSelector
from ir_plugin.operations.base import OperationClass

_SELECTORS: defaultdict[str, list[KernelSelector]] = defaultdict(list)


def selects(*definitions: OperationClass, first: bool = False) -> Callable[[KernelSelector], KernelSelector]:
    """Register a selector for these operations, whatever their version.

    Where an operation has several, they are asked in the order of their registration, but for a `first` one.
    """

    def register(selector: KernelSelector) -> KernelSelector:
        for definition in definitions:
            selectors = _SELECTORS[definition.type]
            selectors.insert(0 if first else len(selectors), selector)
        return selector

    return register


def selectors_of(op: Op) -> Sequence[KernelSelector]:
    """Return the selectors of an op, in the order in which they are asked."""
    return _SELECTORS.get(op.type, ())
