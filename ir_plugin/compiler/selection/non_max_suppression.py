"""Operations that choose boxes which do not overlap much: their own evaluation, with compiled loops for the choice."""

from __future__ import annotations

from copy import copy

from ir_plugin.compiler.graph import Op
from ir_plugin.compiler.selection.kernel import BoundOperation, Options
from ir_plugin.kernels.thread_pool import ThreadPool
from ir_plugin.operations.base import Operation
from ir_plugin.operations.boxes import Suppressing


def bind_suppression(op: Op, options: Options) -> BoundOperation | None:
    """Return the operation bound to compiled loops that choose the boxes, where numba is used."""
    operation = op.operation
    if not isinstance(operation, Suppressing) or not op.type:
        return None
    make = options.kernels.suppression
    if make is None:
        return None

    def bind(pool: ThreadPool) -> Operation:
        bound = copy(operation)
        bound.suppression = make(pool)
        return bound

    return BoundOperation(bind, variant="boxes, numba")
