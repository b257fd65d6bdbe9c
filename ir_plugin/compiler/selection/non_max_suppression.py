"""Operations that choose boxes which do not overlap much: their own evaluation, with compiled loops for the choice."""

from __future__ import annotations

from copy import copy

from ir_plugin.compiler.graph import Call
from ir_plugin.compiler.selection.kernel import Options, Tuned
from ir_plugin.compiler.selection.provider import compiled_kernels
from ir_plugin.kernels.thread_pool import Team
from ir_plugin.operations.base import Operation
from ir_plugin.operations.boxes import Suppressing


def tune_suppression(call: Call, options: Options) -> Tuned | None:
    """Return an operation that chooses boxes with compiled loops, where numba is used."""
    operation = call.operation
    if not isinstance(operation, Suppressing) or not call.type:
        return None
    module = compiled_kernels("non_max_suppression", options)
    if module is None:
        return None

    def bind(team: Team) -> Operation:
        mine = copy(operation)
        vars(mine)["suppression"] = module.CompiledSuppression(team)
        return mine

    return Tuned(bind, form="boxes, numba")
