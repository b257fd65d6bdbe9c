"""Selects the kernel of a convolution."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from ir_plugin.compiler.graph import Op
from ir_plugin.compiler.rewriter import attributes
from ir_plugin.compiler.selection.banded_cost import banded_pixels
from ir_plugin.compiler.selection.epilogue import SplitEpilogue, split_for_jobs
from ir_plugin.compiler.selection.in_turn import with_unfused
from ir_plugin.compiler.selection.kernel import (
    Execute,
    Kernel,
    OnViews,
    Options,
    StaticKernel,
    as_channels_last,
    is_out_of_proportion,
)
from ir_plugin.compiler.selection.registry import selects
from ir_plugin.compiler.selection.winograd_cost import NUMBA, NUMPY, NUMPY_SHARED, Costs, can_transform, winograd_size
from ir_plugin.kernels import keys, policy
from ir_plugin.kernels.derived import underived
from ir_plugin.kernels.jobs import HasJobs
from ir_plugin.kernels.numpy import convolution as forms
from ir_plugin.kernels.numpy.banded_convolution import banded
from ir_plugin.kernels.numpy.depthwise_convolution import depthwise
from ir_plugin.kernels.numpy.finite import ByFiniteness
from ir_plugin.kernels.numpy.winograd import winograd
from ir_plugin.kernels.thread_pool import ThreadPool
from ir_plugin.operations.convolution.convolution import Convolution
from ir_plugin.operations.convolution.group_convolution import GroupConvolution
from ir_plugin.operations.windows import Windows
from ir_plugin.tensors import Array


@selects(Convolution, GroupConvolution)
def select_convolution(op: Op, options: Options) -> Kernel | None:
    """Return the kernel of a convolution over one or two axes with constant weights, in f32 or f64."""
    data, output = op.inputs[0] if op.inputs else None, op.outputs[0]
    if data is None or not data.shape or not output.shape:
        return None
    forms_of = convolution_of(op, output.shape, options)
    windows = attributes(op, Convolution).windows(len(data.shape) - 2)
    geometry = None if forms_of is None else forms_of.geometry_of(windows, data.shape, output.shape)
    if forms_of is None or geometry is None:
        return None
    planar = _planar(op, geometry, options)
    if planar is not None:
        return planar
    split = forms_of.split
    name, form, uses_spin_pool = forms_of.kernel_for(geometry)

    def make(pool: ThreadPool) -> Execute:
        return with_unfused(on_channels_last(form(pool), split), split, op, options, pool)

    values = [data, *split.row_values, *split.unfused_values]
    return StaticKernel(values, make, channels_last=True, variant=name, uses_spin_pool=uses_spin_pool)


def _planar(op: Op, geometry: forms.Geometry, options: Options) -> Kernel | None:
    """Return a 1x1 convolution, with few outputs on many planar pixels, as a product of weights and planes."""
    data, filters = op.inputs[0], op.inputs[1]
    if data is None or filters is None or filters.constant is None or data.channels_last or not geometry.is_pointwise:
        return None
    if geometry.strides != (1, 1) or geometry.channels > policy.PLANAR_CONVOLUTION_MAX_OUTPUTS:
        return None
    if math.prod(geometry.data) < policy.PLANAR_CONVOLUTION_MIN_ELEMENTS:
        return None
    weights = filters.constant.reshape(geometry.channels, -1)
    values = [item.operand for item in op.epilogue if item.operand is not None]
    split = SplitEpilogue(None, unfused=list(op.epilogue), unfused_values=values)

    def product(inputs: Sequence[Array], outputs: Sequence[Array]) -> None:
        planes, target = (array.reshape(*array.shape[:2], -1) for array in (inputs[0], outputs[0]))
        np.matmul(weights, planes, out=target)

    def make(pool: ThreadPool) -> Execute:
        return with_unfused(product, split, op, options, pool)

    return StaticKernel([data, *values], make, variant="planes")


def convolution_of(op: Op, shape: tuple[int, ...], options: Options) -> Forms | None:
    """Return the forms of a convolution for outputs such as `shape`."""
    data, filters = op.inputs[0], op.inputs[1]
    if data is None or filters is None or filters.constant is None or 0 in filters.constant.shape:
        return None
    if data.element_type.name not in ("f32", "f64") or len(shape) not in (3, 4):
        return None
    weights = filters.constant[..., None, :] if len(shape) == 3 else filters.constant
    return Forms(weights, split_for_jobs(op.epilogue, shape, 1, options), options)


class Forms:
    """The forms of a convolution with weights and what follows it, of any lengths."""

    def __init__(self, weights: Array, split: SplitEpilogue, options: Options) -> None:
        self._weights, self.split, self._options = weights, split, options
        self._plain = weights[0] if weights.ndim == 5 and len(weights) == 1 else weights
        self._compiled: dict[int, Callable[[forms.Geometry], Callable[[ThreadPool], forms.Run]] | None] = {}

    def geometry_of(self, windows: Windows, data: tuple[int, ...], output: tuple[int, ...]) -> forms.Geometry | None:
        """Return the sizes for shapes of data and output, or None where there is no kernel for them."""
        geometry = geometry_of(windows, data, self._weights, output)
        return None if 0 in output or is_mostly_pads(geometry, output) else geometry

    def kernel_for(self, geometry: forms.Geometry) -> tuple[str, Callable[[ThreadPool], forms.Run], bool]:
        """Return the name of the kernel variant, a factory that takes a pool, and whether it uses the spin pool."""
        compiled = self._for_spin_pool(geometry)
        if compiled is not None:
            return compiled[0], self._for_finite(*compiled, geometry), True
        name, form = _choose(geometry, self._weights, self._options)

        def make(pool: ThreadPool) -> forms.Run:
            weights = _shaped(name, self._weights)
            return form(geometry, weights, self.split.rows, pool, self._options.weight_cache.derived)

        return name, self._for_finite(name, make, geometry), False

    def _for_finite(
        self, name: str, make: Callable[[ThreadPool], forms.Run], geometry: forms.Geometry
    ) -> Callable[[ThreadPool], forms.Run]:
        """Return a factory of the kernel; one that sums elements from outside the window runs for finite data only."""
        kind = "unfolded" if name.startswith(("winograd", "banded")) else _kind(geometry, self._weights)
        if kind != "unfolded" and not (name.endswith("numba") and self._merges_groups(kind)):
            return make

        def by_windows(other: forms.Geometry, pool: ThreadPool) -> forms.Run:
            weights, derived = _shaped(kind, self._weights), self._options.weight_cache.derived
            return _FORMS.get(kind, forms.unfolded)(other, weights, self.split.rows, pool, derived)

        kernels = self._options.kernels
        return lambda pool: ForFinite(geometry, make(pool), by_windows, kernels.build(keys.FINITE_CHECK, pool), pool)

    def _merges_groups(self, kind: str) -> bool:
        """Return whether the kernel for a spin pool multiplies data of other groups by zeros."""
        merged = self._options.kernels.find(keys.GROUPS_PER_GEMM)
        return merged is not None and kind.startswith("grouped") and merged(*self._weights.shape[:2]) > 1

    def _for_spin_pool(self, geometry: forms.Geometry) -> tuple[str, Callable[[ThreadPool], forms.Run]] | None:
        """Return name and maker of the kernel for a spin pool, or None where it has none."""
        if self._weights.dtype != "float32" or not self._options.has_spin_pool:
            return None
        size, name = self.compiled_variant(geometry)
        if size not in self._compiled:
            self._compiled[size] = self._without_lengths(size)
        make = self._compiled[size]
        return None if make is None else (name, make(geometry))

    def compiled_variant(self, geometry: forms.Geometry) -> tuple[int, str]:
        """Return the m of F(m, 3), or 0, of the kernel that a spin pool has for a geometry, and the kernel's name."""
        size, kind = 0, _kind(geometry, self._weights)
        if kind not in _GROUPED:
            size = _winograd_size(geometry, "winograd panels", self._plain, NUMBA, self._options)
        return size, f"winograd {size}, numba" if size else f"{kind}, numba"

    def _without_lengths(self, size: int) -> Callable[[forms.Geometry], Callable[[ThreadPool], forms.Run]] | None:
        """Return a factory of F(size, 3), or for 0 of the direct convolution, for any geometry."""
        kernels, stages, derived = self._options.kernels, self.split.stages, self._options.weight_cache.derived
        if size:
            return kernels.build(keys.WINOGRAD, self._plain, stages, size, derived)
        if _is_depthwise(self._weights):
            return kernels.build(keys.DEPTHWISE_CONVOLUTION, self._weights[:, 0, 0].transpose(1, 2, 0), stages)
        return kernels.build(keys.DIRECT_CONVOLUTION, self._plain, stages, derived)


class ForFinite(ByFiniteness[forms.Run]):
    """A form that is exact for finite data, and one that reads windows for other data."""

    def __init__(
        self,
        geometry: forms.Geometry,
        run: forms.Run,
        by_windows: Callable[[forms.Geometry, ThreadPool], forms.Run],
        check: HasJobs | None,
        pool: ThreadPool,
    ) -> None:
        super().__init__(run, self._run_general, check)
        self._geometry, self._run, self._by_windows, self._pool = geometry, run, by_windows, pool
        self._general: forms.Run | None = None

    def resize(self, geometry: forms.Geometry) -> None:
        """Serve other lengths, where the form does."""
        self._geometry, self._general = geometry, None
        if isinstance(self._run, forms.Resizable):
            self._run.resize(geometry)

    def _run_general(self, data: Array, output: Array, operands: Sequence[Array]) -> None:
        self._general = self._general or self._by_windows(self._geometry, self._pool)
        self._general(data, output, operands)


def is_mostly_pads(geometry: forms.Geometry, output: tuple[int, ...]) -> bool:
    """Return whether the padded data would be many times as large as data and output; evaluation has a limit for it."""
    batch, height, width, channels = geometry.data
    high, wide = (n + b + e for n, b, e in zip((height, width), geometry.begin, geometry.end, strict=True))
    return is_out_of_proportion(batch * high * wide * channels, math.prod(geometry.data), math.prod(output))


def geometry_of(windows: Windows, data: tuple[int, ...], weights: Array, output: tuple[int, ...]) -> forms.Geometry:
    """Return the sizes of a convolution; one over a single axis has height 1."""
    kernel = weights.shape[-2:] if len(data) == 4 else weights.shape[-1:]
    begin, end = windows.pads(data[2:], kernel)
    height, width = pair(data[2:], 1)
    return forms.Geometry(
        (data[0], height, width, data[1]), pair(kernel, 1), pair(windows.strides, 1), pair(windows.dilations, 1),
        pair(begin, 0), pair(end, 0), pair(output[2:], 1), weights.shape[0] if weights.ndim == 5 else 1, output[1],
    )  # fmt: skip


def pair(values: Sequence[int], default: int) -> tuple[int, int]:
    """Return the values for two axes; a single value belongs to the second, and the first gets `default`."""
    return (values[0], values[1]) if len(values) == 2 else (default, values[0])


def _is_depthwise(weights: Array) -> bool:
    return weights.ndim == 5 and weights.shape[1] == weights.shape[2] == 1


_FORMS: dict[str, forms.Form] = {
    "depthwise": depthwise,
    "grouped": forms.grouped,
    "grouped pointwise": forms.grouped_pointwise,
    "pointwise": forms.pointwise,
}
"""Forms by the kind of convolution."""
_GROUPED = frozenset(_FORMS) - {"pointwise"}


def _kind(geometry: forms.Geometry, weights: Array) -> str:
    """Return the kind of a convolution, a key of `_FORMS` or "direct"."""
    if _is_depthwise(weights):
        return "depthwise"
    if weights.ndim == 5 and weights.shape[0] > 1:
        is_product = geometry.kernel == geometry.strides == (1, 1) and not any(geometry.begin + geometry.end)
        return "grouped pointwise" if is_product else "grouped"
    return "pointwise" if geometry.is_pointwise else "direct"


def _choose(geometry: forms.Geometry, weights: Array, options: Options) -> tuple[str, forms.Form]:
    """Return NumPy's form that is fastest by the measurements in `benchmarks/results`."""
    kind = _kind(geometry, weights)
    if kind in _FORMS:
        return kind, _FORMS[kind]
    costs = NUMPY if options.threads == 1 else NUMPY_SHARED
    size = _winograd_size(geometry, "winograd filters", _shaped("winograd", weights), costs, options)
    if size:
        return f"winograd {size}", partial(winograd, size=size)
    pixels = banded_pixels(geometry)
    return (f"banded {pixels}", partial(banded, pixels=pixels)) if pixels > 1 else ("unfolded", forms.unfolded)


def _winograd_size(geometry: forms.Geometry, kind: str, weights: Array, costs: Costs, options: Options) -> int:
    """Return the m of F(m, 3), or 0; `kind` is the cache's key of the transformed weights."""
    if not can_transform(geometry):
        return 0
    packed = [size for size in costs.transform if options.weight_cache.has((kind, size), weights)]
    return winograd_size(geometry, options.winograd, costs, packed)


def exact_form(geometry: forms.Geometry, weights: Array) -> Callable[[ThreadPool], forms.Run]:
    """Return a factory of NumPy's kernel without transforms, whose sums of whole numbers are exact; it takes a pool."""
    name, form = _choose(geometry, weights, Options(winograd=0, provider="numpy"))
    return lambda pool: form(geometry, _shaped(name, weights), None, pool, underived)


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
    """Return the step function that runs a channels-last kernel and its unfused epilogue."""
    count = len(split.row_values)

    def rows(array: Array) -> Array:
        return as_channels_last(array).reshape(-1, array.shape[1])

    def views(inputs: Sequence[Array], outputs: Sequence[Array]) -> tuple[Array, Array, list[Array]]:
        data, output = (as_channels_last(array) for array in (inputs[0], outputs[0]))
        if data.ndim == 3:
            data, output = data[:, None], output[:, None]
        return data, output, [rows(array) for array in inputs[1 : 1 + count]]

    return OnViews(run, views)
