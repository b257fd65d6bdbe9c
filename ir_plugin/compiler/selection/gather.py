"""Gather, GatherElements and GatherND by flat positions; what an index out of range means is left to the evaluation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import TypeAlias

from ir_plugin.compiler.graph import Op, Value
from ir_plugin.compiler.rewriter import attributes
from ir_plugin.compiler.selection.kernel import Execute, FallbackRequired, Kernel, Options
from ir_plugin.compiler.selection.provider import compiled_kernel, compiled_kernels
from ir_plugin.compiler.selection.spin_jobs import has_spin_pool
from ir_plugin.kernels.numpy import gather as kernels
from ir_plugin.kernels.numpy.gather import Taking
from ir_plugin.kernels.thread_pool import ThreadPool
from ir_plugin.operations.movement.gather import Gather
from ir_plugin.operations.movement.gather_elements import GatherElements
from ir_plugin.operations.movement.gather_nd import GatherND
from ir_plugin.tensors import Array

FEW_ELEMENTS = 64
"""Elements below which the plain evaluation is as fast."""

MANY_ELEMENTS = 2**12
"""Elements from which on a kernel is compiled: below, the calls around it take the time."""

MakeKernel: TypeAlias = "Callable[[ThreadPool], Taking]"


def select_gather(op: Op, options: Options) -> Kernel | None:
    """Return the kernel of Gather, GatherElements or GatherND, which reads flat positions.

    It falls back where an index is out of the range of the operation's version.
    """
    if op.type not in ("Gather", "GatherElements", "GatherND") or op.epilogue or None in op.inputs:
        return None
    values = [value for value in op.inputs if value is not None]
    output = op.outputs[0]
    sizes = [prod(value.shape or ()) for value in (*values, output)]
    if min(sizes) == 0 or sizes[-1] < FEW_ELEMENTS or not output.shape or output.dtype.hasobject:
        return None
    arguments = _arguments(op, values)
    if arguments is None:
        return None
    compiled = _compiled(op, arguments, options)

    def make(pool: ThreadPool) -> Execute:
        kernel = compiled(pool) if compiled is not None and pool.is_spin_pool else _FORMS[op.type](*arguments, pool)

        def execute(inputs: Sequence[Array], outputs: Sequence[Array]) -> None:
            if not kernel(inputs[0], inputs[1], outputs[0]):
                raise FallbackRequired

        return execute

    return Kernel(values, make, form="flat" if compiled is None else "flat, numba", uses_spin_pool=compiled is not None)


def _arguments(op: Op, values: list[Value]) -> tuple[object, ...] | None:
    """Return the arguments of the kernel for this type, or None where it does not apply."""
    data, indices = (value.shape or () for value in values[:2])
    if op.type == "GatherElements":
        return data, indices, attributes(op, GatherElements).axis % len(data), True
    if op.type == "GatherND":
        batch = attributes(op, GatherND).batch_dims
        same = data[:batch] == indices[:batch]
        return (data, indices, batch, True) if same else None
    constant = values[2].constant
    if constant is None:
        return None
    axis, batch = int(constant.reshape(-1)[0]) % len(data), attributes(op, Gather).batch_dims
    wrap = op.operation.version not in ("opset1", "opset7")
    return data, indices, axis, batch % max(len(indices), 1) if batch < 0 else batch, wrap


_FORMS: dict[str, Callable[..., Taking]] = {
    "GatherElements": kernels.gather_elements,
    "Gather": kernels.gather,
    "GatherND": kernels.gather_tuples,
}


def _compiled(op: Op, arguments: tuple[object, ...], options: Options) -> MakeKernel | None:
    """Return the function that makes the compiled kernel, or None where there is none or NumPy's is as fast."""
    data, indices = op.inputs[0], op.inputs[1]
    many = prod(op.outputs[0].shape or ()) >= MANY_ELEMENTS
    if data is None or indices is None or indices.dtype.str not in ("<i4", "<i8") or not many:
        return None
    module = compiled_kernels("gather", options) if options.uses_numba and has_spin_pool() else None
    if module is None:
        return None
    kernel = compiled_kernel(module.kernel, op.type, data.dtype.itemsize, indices.dtype.str[1:])
    if kernel is None:
        return None
    forms = {"GatherElements": module.gather_elements, "Gather": module.gather, "GatherND": module.gather_tuples}
    return lambda pool: forms[op.type](kernel, *arguments, pool)
