"""Convolutions whose lengths only a run decides: what no length changes is prepared once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from ir_plugin.compiler.graph import EpilogueOp, Op, Value
from ir_plugin.compiler.rewriter import attributes
from ir_plugin.compiler.selection.convolution import convolution_of, is_mostly_pads, on_channels_last, pair
from ir_plugin.compiler.selection.epilogue import SplitEpilogue, apply_unfused
from ir_plugin.compiler.selection.kernel import Allocate, Execute, Options
from ir_plugin.compiler.shapes.symbolic import rank_of, static_length
from ir_plugin.kernels.numpy.convolution import Geometry, Resizable, Run
from ir_plugin.kernels.thread_pool import ThreadPool
from ir_plugin.operations.convolution.convolution import Convolution
from ir_plugin.operations.convolution.group_convolution import GroupConvolution
from ir_plugin.operations.windows import Windows
from ir_plugin.tensors import Array

Shape: TypeAlias = "tuple[int, ...]"


class KernelForShape(NamedTuple):
    """A kernel of an op for the shape of its data, and the shape of its output."""

    execute: Execute
    shape: Shape
    is_resized: bool
    """Whether the same kernel is resized for other shapes, so that this one serves until then."""


KernelFor: TypeAlias = "Callable[[Geometry], tuple[str, Callable[[ThreadPool], Run], bool]]"
"""Returns the name of a variant, a factory that takes a pool, and whether it uses the spin pool."""
ForData: TypeAlias = "Callable[[Shape, Allocate], KernelForShape | None]"
"""Returns the kernel for the shape of the data, or None where there is none."""


def open_convolution(op: Op, options: Options, pool: ThreadPool) -> ForData | None:
    """Return a function that finds a convolution's kernel for a shape of the data, or None for other ops.

    Operands of its epilogue have the shape of the output, or are constant. It returns None for shapes without a kernel,
    and for those that inference has to refuse.
    """
    open_geometry = _OpenGeometry.of(op) if op.is_a(Convolution, GroupConvolution) else None
    if open_geometry is None:
        return None
    like = (1, open_geometry.outputs, *(1,) * len(open_geometry.kernel))
    op = Op(op.operation, op.inputs, op.outputs, op.nodes, open_epilogue(op, like))
    forms_of = convolution_of(op, like, options)
    if forms_of is None or not has_open_operands(forms_of.split, like):
        return None
    bound = ResizedKernels(
        forms_of.kernel_for, lambda geometry: forms_of.compiled_variant(geometry)[1], forms_of.split, pool
    )

    def select(shape: Shape, allocate: Allocate) -> KernelForShape | None:
        sizes = open_geometry.at(shape)
        if sizes is None or is_mostly_pads(*sizes):
            return None
        geometry, output = sizes
        allocate(output)  # refuses what exceeds the memory limit, before tables for it are computed
        return bound.kernel(geometry, output)

    return select


class _OpenGeometry:
    """The sizes of a convolution: those that its weights decide, and the others by the shape of its data."""

    def __init__(self, windows: Windows, kernel: Shape, groups: int, inputs: int, outputs: int) -> None:
        """Take the windows and their lengths, groups, and the channels of data and output."""
        self.kernel, self.outputs = kernel, outputs
        self._windows, self._groups, self._inputs = windows, groups, inputs
        self._fixed = (pair(kernel, 1), pair(windows.strides, 1), pair(windows.dilations, 1))
        self._reaches = [(size - 1) * step + 1 for size, step in zip(kernel, windows.dilations, strict=True)]

    @classmethod
    def of(cls, op: Op) -> _OpenGeometry | None:
        """Return the sizes for constant weights; None where rank or channels are not known, or do not fit them."""
        data, filters = (*op.inputs, None, None)[:2]
        if data is None or filters is None or filters.constant is None:
            return None
        rank, weights, grouped = rank_of(data) or 0, filters.constant, op.is_a(GroupConvolution)
        groups = len(weights) if grouped else 1
        inputs, outputs = groups * weights.shape[1 + grouped], groups * weights.shape[grouped]
        if static_length(data, 1) != inputs or weights.ndim != rank + grouped:
            return None
        windows = attributes(op, Convolution).windows(rank - 2)
        return cls(windows, weights.shape[2 + grouped :], groups, inputs, outputs)

    def at(self, shape: Shape) -> tuple[Geometry, Shape] | None:
        """Return the sizes for the shape of the data, and the shape of the output; None for an empty one."""
        begin, end = self._windows.pads(shape[2:], self.kernel)
        rows = zip(shape[2:], begin, end, self._reaches, self._windows.strides, strict=True)
        lengths = [(length + before + after - reach) // step + 1 for length, before, after, reach, step in rows]
        if min(lengths) < 1 or shape[0] < 1:
            return None
        data, pads = (shape[0], *pair(shape[2:], 1), self._inputs), (pair(begin, 0), pair(end, 0))
        geometry = Geometry(data, *self._fixed, *pads, pair(lengths, 1), self._groups, self.outputs)
        return geometry, (shape[0], self.outputs, *lengths)


class ResizedKernels:
    """The kernels of one request; kernels with jobs exist once a variant and are resized for each geometry."""

    def __init__(
        self, kernel_for: KernelFor, variant_of: Callable[[Geometry], str], split: SplitEpilogue, pool: ThreadPool
    ) -> None:
        """Take a factory of kernels, and the function that names the variant with jobs for a geometry."""
        self._kernel_for, self._variant_of, self._split, self._pool = kernel_for, variant_of, split, pool
        self._bound: dict[str, tuple[Resizable, Execute]] = {}

    def kernel(self, geometry: Geometry, shape: Shape) -> KernelForShape:
        """Return the kernel for a geometry."""
        bound = self._bound.get(self._variant_of(geometry))
        if bound is not None:
            run, execute = bound
            run.resize(geometry)
            return KernelForShape(execute, shape, True)
        name, form, _ = self._kernel_for(geometry)
        kernel = form(self._pool)
        execute = _with_unfused(on_channels_last(kernel, self._split), self._split)
        if name.endswith("numba") and isinstance(kernel, Resizable):
            self._bound[name] = kernel, execute
            return KernelForShape(execute, shape, True)
        return KernelForShape(execute, shape, False)


def has_open_operands(split: SplitEpilogue, like: Shape) -> bool:
    """Return whether the constants of ops on the whole output are the same at all its positions."""
    constants = [value.constant for value in split.unfused_values if value.constant is not None]
    return all(array.ndim <= len(like) and np.broadcast_shapes(array.shape, like) == like for array in constants)


def _with_unfused(execute: Execute, split: SplitEpilogue) -> Execute:
    """Return a kernel and the ops that it leaves, on the whole output; their operands are the last inputs."""
    if not split.unfused:
        return execute
    constants = [value.constant for value in split.unfused_values]

    def run(inputs: Sequence[Array], outputs: Sequence[Array]) -> None:
        execute(inputs, outputs)
        arrays = iter(inputs[1 + len(split.row_values) :])
        operands = [next(arrays) if constant is None else constant for constant in constants]
        apply_unfused(split.unfused, outputs[0], operands)

    return run


def open_epilogue(op: Op, shape: Shape) -> list[EpilogueOp]:
    """Return the epilogue of an op with operands of this shape, unless they are constant."""
    return [
        item
        if item.operand is None or item.operand.constant is not None
        else EpilogueOp(item.operation, Value(item.operand.element_type, shape), item.operand_first)
        for item in op.epilogue
    ]
