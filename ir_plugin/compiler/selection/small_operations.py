"""Selects compiled jobs for small ops on booleans, i32 and i64, such as those that make masks and indices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

import numpy as np

from ir_plugin.compiler.graph import Op
from ir_plugin.compiler.selection.kernel import Execute, Kernel, OnArrays, Options, StaticKernel
from ir_plugin.compiler.selection.registry import selects
from ir_plugin.kernels import keys, policy
from ir_plugin.kernels.thread_pool import ThreadPool
from ir_plugin.operations.arithmetic.binary import Add, Multiply, Subtract
from ir_plugin.operations.base import compute
from ir_plugin.operations.bitwise.binary import BitwiseAnd, BitwiseOr, BitwiseXor
from ir_plugin.operations.bitwise.unary import BitwiseNot
from ir_plugin.operations.comparison.binary import Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual
from ir_plugin.operations.elementwise import Binary
from ir_plugin.operations.logical.binary import LogicalAnd, LogicalOr, LogicalXor
from ir_plugin.operations.logical.unary import LogicalNot
from ir_plugin.operations.type.convert import Convert
from ir_plugin.tensors import Array

_ARITHMETIC = (Add, Subtract, Multiply)
_COMPARISONS = (Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual)
_LOGIC = (LogicalAnd, LogicalOr, LogicalXor, LogicalNot, BitwiseAnd, BitwiseOr, BitwiseXor, BitwiseNot)
_INTEGERS = frozenset(["boolean", "i32", "i64"])


@selects(Convert, *_LOGIC, *_COMPARISONS, *_ARITHMETIC)
def select_small_operation(op: Op, options: Options) -> Kernel | None:
    """Return the job of an operation of few booleans or integers, which costs a table less than Python a step."""
    output, values = op.outputs[0], [value for value in op.inputs if value is not None]
    if op.epilogue or not options.has_spin_pool or not output.shape:
        return None
    if not 0 < prod(output.shape) <= policy.SMALL_OPERATION_MAX_ELEMENTS:
        return None
    if not {value.element_type.name for value in (*values, output)} <= _INTEGERS or not _has_types(op):
        return None
    if isinstance(op.operation, Binary) and op.operation.auto_broadcast == "pdpd":
        return None

    def make(pool: ThreadPool) -> Execute:
        def kernel(inputs: Sequence[Array], outputs: Sequence[Array]) -> Callable[[], None] | None:
            return options.kernels.build(keys.SMALL_OPERATION, op.operation, inputs, outputs[0], pool)

        def evaluate(inputs: Sequence[Array], outputs: Sequence[Array]) -> None:
            np.copyto(outputs[0], compute(op.operation, inputs)[0])

        return OnArrays(kernel, evaluate)

    return StaticKernel(values, make, variant="small, numba", uses_spin_pool=True)


def _has_types(op: Op) -> bool:
    """Return whether a logical op has boolean operands, and an arithmetic op operands of one other type."""
    types = {value.element_type.name for value in op.operands()}
    if op.is_a(*_ARITHMETIC):
        return len(types) == 1 and "boolean" not in types
    return not op.is_a(*_LOGIC) or types == {"boolean"}
