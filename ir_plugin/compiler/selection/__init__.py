"""Kernel selection: which kernel executes an op, and with what buffers."""

from __future__ import annotations

from ir_plugin.compiler.graph import Op, Value
from ir_plugin.compiler.selection.attention import select_attention
from ir_plugin.compiler.selection.binding import bind_operation
from ir_plugin.compiler.selection.by_shape import select_by_shape
from ir_plugin.compiler.selection.cached_attention import select_cached_attention
from ir_plugin.compiler.selection.concat import select_concat
from ir_plugin.compiler.selection.convolution import select_convolution
from ir_plugin.compiler.selection.convolution_3d import select_convolution_3d
from ir_plugin.compiler.selection.elementwise import select_elementwise
from ir_plugin.compiler.selection.fake_quantize import select_fake_quantize
from ir_plugin.compiler.selection.fully_connected import select_fully_connected
from ir_plugin.compiler.selection.gather import select_gather
from ir_plugin.compiler.selection.grid_sample import select_grid_sample
from ir_plugin.compiler.selection.integer_convolution import select_integer_convolution
from ir_plugin.compiler.selection.interpolate import select_interpolate
from ir_plugin.compiler.selection.kernel import BoundOperation, FallbackRequired, Kernel, KernelSelector, Options
from ir_plugin.compiler.selection.matmul import select_matmul
from ir_plugin.compiler.selection.movement import select_movement
from ir_plugin.compiler.selection.normalization import (
    select_group_normalization,
    select_lrn,
    select_mvn,
    select_softmax,
)
from ir_plugin.compiler.selection.open_lengths import select_open
from ir_plugin.compiler.selection.open_recurrent import select_open_recurrent
from ir_plugin.compiler.selection.padding import select_pad
from ir_plugin.compiler.selection.pooling import select_pool
from ir_plugin.compiler.selection.quantized import (
    select_mean_of_levels,
    select_quantized_chain,
    select_quantized_convolution,
    select_quantized_matmul,
)
from ir_plugin.compiler.selection.recurrent import select_recurrent
from ir_plugin.compiler.selection.reduction import select_mean
from ir_plugin.compiler.selection.scatter import select_scatter, select_slice_scatter
from ir_plugin.compiler.selection.select import select_select
from ir_plugin.compiler.selection.small_operations import select_small_operation
from ir_plugin.compiler.selection.transposed_convolution import select_transposed_convolution
from ir_plugin.compiler.selection.views import select_view
from ir_plugin.operations.movement.concat import Concat

SELECTORS: tuple[KernelSelector, ...] = (
    select_quantized_convolution,
    select_quantized_matmul,
    select_quantized_chain,
    select_mean_of_levels,
    select_convolution,
    select_convolution_3d,
    select_integer_convolution,
    select_transposed_convolution,
    select_matmul,
    select_fully_connected,
    select_attention,
    select_pool,
    select_concat,
    select_view,
    select_movement,
    select_softmax,
    select_mvn,
    select_lrn,
    select_group_normalization,
    select_mean,
    select_recurrent,
    select_gather,
    select_scatter,
    select_slice_scatter,
    select_interpolate,
    select_grid_sample,
    select_select,
    select_pad,
    select_fake_quantize,
    select_elementwise,
    select_small_operation,
)
"""Selectors in the order in which they are asked; the first that returns a kernel wins."""


def select_kernel(op: Op, options: Options) -> Kernel | None:
    """Return the kernel of an op, or None where its plain evaluation is as fast."""
    kernel = select_cached_attention(op, options)
    if kernel is not None:
        return kernel
    kernel = select_open(op, options) or select_open_recurrent(op, options)
    if kernel is not None:
        return kernel
    if op.is_dynamic or any(value is not None and value.shape is None for value in op.inputs):
        return select_by_shape(op, options, _select_static)
    return _select_static(op, options)


def _select_static(op: Op, options: Options) -> Kernel | None:
    """Return the kernel of an op whose shapes are known; there is none for empty arrays."""
    if any(value.shape is not None and 0 in value.shape for value in _sized(op)):
        return None
    for select in SELECTORS:
        kernel = select(op, options)
        if kernel is not None:
            return kernel
    return None


def _sized(op: Op) -> list[Value]:
    """Return the values of an op that its kernels expect elements in: a Concat's inputs may be empty."""
    return [*op.outputs, *(value for value in op.inputs if value is not None and not op.is_a(Concat))]


__all__ = ["BoundOperation", "FallbackRequired", "Kernel", "Options", "bind_operation", "select_kernel"]
