"""Prepared kernels for calls: which call gets which form, and with what buffers."""

from __future__ import annotations

from ir_plugin.plan.prepare import compiled
from ir_plugin.plan.prepare.concat import prepare_concat
from ir_plugin.plan.prepare.convolution import prepare_convolution
from ir_plugin.plan.prepare.elementwise import prepare_elementwise
from ir_plugin.plan.prepare.gather import prepare_gather
from ir_plugin.plan.prepare.matmul import prepare_matmul
from ir_plugin.plan.prepare.normalization import prepare_lrn, prepare_mvn, prepare_softmax
from ir_plugin.plan.prepare.pooling import prepare_pool
from ir_plugin.plan.prepare.prepared import Declined, Options, Prepared, Preparer
from ir_plugin.plan.prepare.reduction import prepare_mean
from ir_plugin.plan.prepare.resize import prepare_nearest
from ir_plugin.plan.prepare.views import prepare_view
from ir_plugin.plan.program import Call

PREPARERS: tuple[Preparer, ...] = (
    prepare_convolution,
    prepare_matmul,
    prepare_pool,
    prepare_concat,
    prepare_view,
    prepare_softmax,
    prepare_mvn,
    prepare_lrn,
    prepare_mean,
    prepare_gather,
    prepare_nearest,
    prepare_elementwise,
)
"""Asked in this order; the first that knows a form for a call wins."""

COMPILED: tuple[Preparer, ...] = (compiled.prepare_depthwise,)
"""Asked before these where numba is installed and not switched off."""


def prepare(call: Call, options: Options) -> Prepared | None:
    """Return a prepared form of a call, or None where its plain evaluation is as good as any."""
    if call.is_dynamic or any(value is not None and value.shape is None for value in call.inputs):
        return None
    first = COMPILED if options.uses_numba else ()
    for preparer in (*first, *PREPARERS):
        found = preparer(call, options)
        if found is not None:
            return found
    return None


__all__ = ["Declined", "Options", "Prepared", "prepare"]
