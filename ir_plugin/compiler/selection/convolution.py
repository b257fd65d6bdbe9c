"""Selects the kernel of a convolution."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache, partial

import numpy as np

from ir_plugin.compiler.graph import Op
from ir_plugin.compiler.rewriter import attributes
from ir_plugin.compiler.selection.in_turn import with_unfused
from ir_plugin.compiler.selection.kernel import (
    Execute,
    Kernel,
    OnViews,
    Options,
    SplitEpilogue,
    is_out_of_proportion,
    split_for_jobs,
)
from ir_plugin.compiler.selection.winograd_cost import NUMBA, NUMPY, winograd_size
from ir_plugin.kernels.numpy import convolution as forms
from ir_plugin.kernels.numpy.finite import ByFiniteness
from ir_plugin.kernels.numpy.winograd import winograd
from ir_plugin.kernels.thread_pool import ThreadPool
from ir_plugin.operations.convolution.convolution import Convolution
from ir_plugin.tensors import Array


def select_convolution(op: Op, options: Options) -> Kernel | None:
    """Return the kernel of a convolution over one or two axes with constant weights, in f32 or f64."""
    if op.type not in ("Convolution", "GroupConvolution"):
        return None
    data, filters = op.inputs[0], op.inputs[1]
    output = op.outputs[0]
    if data is None or filters is None or filters.constant is None or data.shape is None or output.shape is None:
        return None
    if data.element_type.name not in ("f32", "f64") or len(data.shape) not in (3, 4):
        return None
    if 0 in (*output.shape, *filters.constant.shape):
        return None
    weights = filters.constant[..., None, :] if len(data.shape) == 3 else filters.constant
    geometry = geometry_of(op, data.shape, weights, output.shape)
    if is_mostly_pads(geometry, output.shape):
        return None
    split = split_for_jobs(op.epilogue, output.shape, 1, options)
    name, form, uses_spin_pool = form_of(geometry, weights, split, options)

    def make(pool: ThreadPool) -> Execute:
        return with_unfused(on_channels_last(form(pool), split), split, op, options, pool)

    values = [data, *split.row_values, *split.unfused_values]
    return Kernel(values, make, channels_last=True, variant=name, uses_spin_pool=uses_spin_pool)


def form_of(
    geometry: forms.Geometry, weights: Array, split: SplitEpilogue, options: Options
) -> tuple[str, Callable[[ThreadPool], forms.Run], bool]:
    """Return the name of the kernel variant, what binds it to a pool, and whether it uses the spin pool."""
    name, form = _choose(geometry, weights, options)
    compiled = _for_spin_pool(name, geometry, weights, split, options)
    if compiled is not None:
        return compiled[0], _for_finite(*compiled, geometry, weights, split, options), True

    def make(pool: ThreadPool) -> forms.Run:
        return form(geometry, _shaped(name, weights), split.rows, pool)

    return name, _for_finite(name, make, geometry, weights, split, options), False


def _for_finite(
    name: str,
    make: Callable[[ThreadPool], forms.Run],
    geometry: forms.Geometry,
    weights: Array,
    split: SplitEpilogue,
    options: Options,
) -> Callable[[ThreadPool], forms.Run]:
    """Return what makes a form; one of Winograd, which sums more elements than a window has, for finite data only."""
    if not name.startswith("winograd"):
        return make

    def guarded(pool: ThreadPool) -> forms.Run:
        @cache
        def unfolded() -> forms.Run:
            return forms.unfolded(geometry, _shaped(name, weights), split.rows, pool)

        def run(data: Array, output: Array, operands: Sequence[Array]) -> None:
            unfolded()(data, output, operands)

        return ByFiniteness(make(pool), run, options.kernels.finite_check(pool))

    return guarded


def is_mostly_pads(geometry: forms.Geometry, output: tuple[int, ...]) -> bool:
    """Return whether the padded data would be many times as large as data and output; evaluation has a limit for it."""
    batch, height, width, channels = geometry.data
    high, wide = (n + b + e for n, b, e in zip((height, width), geometry.begin, geometry.end, strict=True))
    return is_out_of_proportion(batch * high * wide * channels, math.prod(geometry.data), math.prod(output))


def geometry_of(op: Op, data: tuple[int, ...], weights: Array, output: tuple[int, ...]) -> forms.Geometry:
    """Return the sizes of a convolution; one over a single axis has height 1."""
    windows = attributes(op, Convolution).windows(len(data) - 2)
    kernel = weights.shape[-2:] if len(data) == 4 else weights.shape[-1:]
    begin, end = windows.pads(data[2:], kernel)
    height, width = pair(data[2:], 1)
    return forms.Geometry(
        (data[0], height, width, data[1]), pair(kernel, 1), pair(windows.strides, 1), pair(windows.dilations, 1),
        pair(begin, 0), pair(end, 0), pair(output[2:], 1), weights.shape[0] if weights.ndim == 5 else 1, output[1],
    )  # fmt: skip


def pair(values: Sequence[int], default: int) -> tuple[int, int]:
    """Return what is said of two axes; of one axis alone it is that of the second."""
    return (values[0], values[1]) if len(values) == 2 else (default, values[0])


def _choose(geometry: forms.Geometry, weights: Array, options: Options) -> tuple[str, forms.Form]:
    """Return the form that is fastest by the measurements in `benchmarks/README.md`."""
    if weights.ndim == 5 and weights.shape[1] == weights.shape[2] == 1:
        return "depthwise", forms.depthwise
    if weights.ndim == 5 and weights.shape[0] > 1 and geometry.kernel == (1, 1) and geometry.strides == (1, 1):
        return (
            ("grouped pointwise", forms.grouped_pointwise)
            if not any(geometry.begin + geometry.end)
            else ("grouped", forms.grouped)
        )
    if weights.ndim == 5 and weights.shape[0] > 1:
        return "grouped", forms.grouped
    if geometry.is_pointwise:
        return "pointwise", forms.pointwise
    size = winograd_size(geometry, options.winograd, NUMPY)
    return (f"winograd {size}", partial(winograd, size=size)) if size else ("unfolded", forms.unfolded)


def exact_form(geometry: forms.Geometry, weights: Array) -> Callable[[ThreadPool], forms.Run]:
    """Return what binds NumPy's form without transforms, whose sums of whole numbers are exact, to a pool."""
    name, form = _choose(geometry, weights, Options(winograd=0, provider="numpy"))
    return lambda pool: form(geometry, _shaped(name, weights), None, pool)


def _for_spin_pool(
    name: str, geometry: forms.Geometry, weights: Array, split: SplitEpilogue, options: Options
) -> tuple[str, Callable[[ThreadPool], forms.Run]] | None:
    """Return the name and the maker of the kernel for a spin pool in place of NumPy's, or None where it has none."""
    if weights.dtype != "float32" or name == "depthwise":
        return None
    plain = weights[0] if weights.ndim == 5 and len(weights) == 1 else weights
    size = 0 if name.startswith("grouped") else winograd_size(geometry, options.winograd, NUMBA)
    if size:
        winograd_run = options.kernels.winograd(geometry, plain, split.stages, size, options.weight_cache.derived)
        return None if winograd_run is None else (f"winograd {size}, numba", winograd_run)
    kind = "direct" if name == "unfolded" or name.startswith("winograd") else name
    run = options.kernels.direct_convolution(geometry, plain, split.stages, options.weight_cache.derived)
    return None if run is None else (f"{kind}, numba", run)


def _shaped(name: str, weights: Array) -> Array:
    if name == "grouped":
        return weights
    if name == "grouped pointwise":
        return weights[..., 0, 0]
    if name == "depthwise":
        return weights[:, 0, 0]
    plain = weights[0] if weights.ndim == 5 else weights
    return plain[:, :, 0, 0] if name == "pointwise" else plain


def on_channels_last(run: forms.Run, split: SplitEpilogue) -> Execute:
    """Return what calls a form on memory with channels last."""
    count = len(split.row_values)

    def rows(array: Array) -> Array:
        return np.moveaxis(array, 1, -1).reshape(-1, array.shape[1])

    def views(inputs: Sequence[Array], outputs: Sequence[Array]) -> tuple[Array, Array, list[Array]]:
        data, output = (np.moveaxis(array, 1, -1) for array in (inputs[0], outputs[0]))
        if data.ndim == 3:
            data, output = data[:, None], output[:, None]
        return data, output, [rows(array) for array in inputs[1 : 1 + count]]

    return OnViews(run, views)
