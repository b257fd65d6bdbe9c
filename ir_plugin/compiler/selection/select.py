"""Selects the compiled kernel of Select, for a condition repeated along the first axes or not at all."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from ir_plugin.compiler.graph import Op
from ir_plugin.compiler.rewriter import attributes
from ir_plugin.compiler.selection.kernel import Execute, Kernel, Options, StaticKernel
from ir_plugin.compiler.selection.registry import selects
from ir_plugin.kernels import keys, policy
from ir_plugin.kernels.thread_pool import ThreadPool
from ir_plugin.operations.condition.select import Select
from ir_plugin.tensors import Array


@selects(Select)
def select_select(op: Op, options: Options) -> Kernel | None:
    """Return the compiled kernel of a Select of operands of the output's shape, one of which may be a scalar."""
    values, output = [value for value in op.inputs if value is not None], op.outputs[0]
    if len(values) != 3 or op.epilogue or output.shape is None:
        return None
    if attributes(op, Select).auto_broadcast == "pdpd" or prod(output.shape) < policy.COMPILED_MIN_ELEMENTS:
        return None
    shapes = [value.shape or () for value in values]
    single = [prod(shape) == 1 for shape in shapes[1:]]
    whole = all(alone or shape == output.shape for alone, shape in zip(single, shapes[1:], strict=True))
    repeated = _without_ones(shapes[0])
    if all(single) or not whole or not repeated or output.shape[len(output.shape) - len(repeated) :] != repeated:
        return None
    if output.dtype.itemsize not in keys.MACHINE_WORDS or any(value.dtype != output.dtype for value in values[1:]):
        return None
    choose = None if output.dtype.hasobject else options.kernels.build(keys.SELECT, output.dtype.itemsize)
    if choose is None:
        return None

    def make(pool: ThreadPool) -> Execute:
        def execute(inputs: Sequence[Array], outputs: Sequence[Array]) -> None:
            choose(inputs[0], inputs[1], inputs[2], outputs[0], pool)

        return execute

    return StaticKernel(values, make, variant="mask, numba")


def _without_ones(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return a shape without the lengths of one in front."""
    first = next((axis for axis, length in enumerate(shape) if length != 1), len(shape))
    return shape[first:]
