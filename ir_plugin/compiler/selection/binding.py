"""Binds operations whose evaluation runs compiled loops for any shapes, or is shared by threads."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import Any

from ir_plugin.compiler.compressed_ops import BatchedMatMulCompressed, RoutedMatMulCompressed
from ir_plugin.compiler.graph import Op
from ir_plugin.compiler.selection.fully_connected import bind_batched
from ir_plugin.compiler.selection.kernel import BoundOperation, Options
from ir_plugin.kernels import keys
from ir_plugin.kernels.registry import KernelKey
from ir_plugin.kernels.thread_pool import ThreadPool
from ir_plugin.operations.base import Operation
from ir_plugin.operations.boxes import Suppressing
from ir_plugin.operations.constant_tables import ConstantTables
from ir_plugin.operations.convolution.deformable_convolution import DeformableConvolution
from ir_plugin.operations.detection.roi_align import Aligning
from ir_plugin.tensors import Array
from ir_plugin.tensors.containers import vector_of

Loops = Callable[[ThreadPool], object]
"""Makes compiled loops whose work the threads of a pool share."""

_LOOPS: tuple[tuple[type[Operation], str, KernelKey[Loops], str], ...] = (
    (Suppressing, "suppression", keys.SUPPRESSION, "boxes, numba"),
    (Aligning, "aligner", keys.ALIGNER, "samples, numba"),
    (DeformableConvolution, "convolver", keys.CONVOLVER, "samples, numba"),
)
"""Operations, their attributes that hold the loops, the key of these, and the name that a profile shows."""


def bind_operation(op: Op, options: Options) -> BoundOperation | None:
    """Return an operation bound to compiled loops or shared by threads, or None where it has no such evaluation."""
    operation = op.operation
    if not op.type:
        return None
    if op.is_a(BatchedMatMulCompressed, RoutedMatMulCompressed):
        return bind_batched(op, options)
    if isinstance(operation, ConstantTables):
        return _bind_tables(op, operation, options)
    for base, attribute, key, variant in _LOOPS:
        if isinstance(operation, base):
            make = options.kernels.find(key)
            return None if make is None else BoundOperation(_binding(operation, attribute, make), variant)
    return None


def _bind_tables(op: Op, operation: ConstantTables, options: Options) -> BoundOperation | None:
    """Return an operation that reads tables of constants, which the plans of a model share; None without constants."""
    positions = operation.positions_of_tables(len(op.inputs))
    sources = [value.constant for value in (op.inputs[position] for position in positions) if value is not None]
    constants = [source for source in sources if source is not None]
    if not positions or len(constants) != len(positions):
        return None
    kind = ("tables", operation.type, operation.attribute_key())

    def build() -> list[Array]:
        return [vector_of([operation.build_tables(*constants)])]

    def bind(_: ThreadPool) -> Operation:
        cached: list[Array] = []

        def tables() -> Any:
            if not cached:
                cached.extend(options.weight_cache.derived(kind, constants, build))
            return cached[0][0]

        return operation.bound_to(tables)

    return BoundOperation(bind, "tables")


def _binding(operation: Operation, attribute: str, make: Loops) -> Callable[[ThreadPool], Operation]:
    def bind(pool: ThreadPool) -> Operation:
        bound = copy(operation)
        setattr(bound, attribute, make(pool))
        return bound

    return bind
