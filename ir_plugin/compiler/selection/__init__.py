"""Prepared kernels for calls: which call gets which form, and with what buffers."""

from __future__ import annotations

from ir_plugin.compiler.graph import Call
from ir_plugin.compiler.selection import numba_kernels as compiled
from ir_plugin.compiler.selection.attention import prepare_attention
from ir_plugin.compiler.selection.cached_attention import prepare_grouped
from ir_plugin.compiler.selection.concat import prepare_concat
from ir_plugin.compiler.selection.convolution import prepare_convolution
from ir_plugin.compiler.selection.convolution_3d import prepare_volumes
from ir_plugin.compiler.selection.elementwise import prepare_elementwise
from ir_plugin.compiler.selection.fake_quantize import prepare_fake_quantize
from ir_plugin.compiler.selection.gather import prepare_gather
from ir_plugin.compiler.selection.grid_sample import prepare_grid_sample
from ir_plugin.compiler.selection.interpolate import prepare_interpolate
from ir_plugin.compiler.selection.kernel import Declined, Options, Prepared, Preparer, Tuned
from ir_plugin.compiler.selection.matmul import prepare_matmul
from ir_plugin.compiler.selection.movement import prepare_movement
from ir_plugin.compiler.selection.non_max_suppression import tune_suppression
from ir_plugin.compiler.selection.normalization import prepare_lrn, prepare_mvn, prepare_softmax
from ir_plugin.compiler.selection.padding import prepare_pad
from ir_plugin.compiler.selection.pooling import prepare_pool
from ir_plugin.compiler.selection.recurrent import prepare_recurrent
from ir_plugin.compiler.selection.reduction import prepare_mean
from ir_plugin.compiler.selection.scatter import prepare_scatter
from ir_plugin.compiler.selection.select import prepare_select
from ir_plugin.compiler.selection.spin_jobs import crew_of
from ir_plugin.compiler.selection.transposed_convolution import prepare_backprop
from ir_plugin.compiler.selection.views import prepare_view

PREPARERS: tuple[Preparer, ...] = (
    prepare_convolution,
    prepare_volumes,
    prepare_backprop,
    prepare_matmul,
    prepare_attention,
    prepare_pool,
    prepare_concat,
    prepare_view,
    prepare_movement,
    prepare_softmax,
    prepare_mvn,
    prepare_lrn,
    prepare_mean,
    prepare_recurrent,
    prepare_gather,
    prepare_scatter,
    prepare_interpolate,
    prepare_grid_sample,
    prepare_select,
    prepare_pad,
    prepare_fake_quantize,
    prepare_elementwise,
)
"""Asked in this order; the first that knows a form for a call wins."""

COMPILED: tuple[Preparer, ...] = (compiled.prepare_depthwise,)
"""Asked before these where numba is installed and not switched off."""


def prepare(call: Call, options: Options) -> Prepared | None:
    """Return a prepared form of a call, or None where its plain evaluation is as good as any."""
    found = prepare_grouped(call, options)
    if found is not None:
        return found
    if call.is_dynamic or any(value is not None and value.shape is None for value in call.inputs):
        return None
    first = COMPILED if options.uses_numba else ()
    for preparer in (*first, *PREPARERS):
        found = preparer(call, options)
        if found is not None:
            return found
    return None


__all__ = ["Declined", "Options", "Prepared", "Tuned", "crew_of", "prepare", "tune_suppression"]
