"""Kernel selection: which kernel executes an op, and with what buffers."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from ir_plugin.compiler.graph import Op, Value
from ir_plugin.compiler.selection.attention import ATTENTIONS
from ir_plugin.compiler.selection.binding import bind_operation
from ir_plugin.compiler.selection.by_shape import select_by_shape
from ir_plugin.compiler.selection.cached_attention import select_cached_attention
from ir_plugin.compiler.selection.kernel import (
    BoundOperation,
    FallbackRequired,
    FixedArrays,
    Kernel,
    OpenKernel,
    Options,
    StaticKernel,
    ViewKernel,
)
from ir_plugin.compiler.selection.open_lengths import select_open
from ir_plugin.compiler.selection.open_recurrent import select_open_recurrent
from ir_plugin.compiler.selection.registry import selectors_of
from ir_plugin.operations.movement.concat import Concat

for _module in iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")  # which registers its selectors


def select_kernel(op: Op, options: Options) -> Kernel | None:
    """Return the kernel of an op, or None where its plain evaluation is as fast."""
    kernel = select_cached_attention(op, options) if op.is_a(*ATTENTIONS) else None
    if kernel is not None:
        return kernel
    if op.is_dynamic or any(value is not None and value.shape is None for value in op.inputs):
        kernel = select_open(op, options) or select_open_recurrent(op, options)
        return kernel or select_by_shape(op, options, _select_static)
    return _select_static(op, options)


def _select_static(op: Op, options: Options) -> Kernel | None:
    """Return the kernel of an op whose shapes are known; there is none for empty arrays."""
    if any(value.shape is not None and 0 in value.shape for value in _sized(op)):
        return None
    for selector in selectors_of(op):
        kernel = selector(op, options)
        if kernel is not None:
            return kernel
    return None


def _sized(op: Op) -> list[Value]:
    """Return the values of an op that its kernels expect elements in: a Concat's inputs may be empty."""
    return [*op.outputs, *(value for value in op.inputs if value is not None and not op.is_a(Concat))]


__all__ = [
    "BoundOperation",
    "FallbackRequired",
    "FixedArrays",
    "Kernel",
    "OpenKernel",
    "Options",
    "StaticKernel",
    "ViewKernel",
    "bind_operation",
    "select_kernel",
]
