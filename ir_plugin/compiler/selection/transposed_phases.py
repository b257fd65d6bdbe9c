"""Transposed convolutions that stride along pixels only, as jobs of a convolution whose channels are phases."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from ir_plugin.compiler.selection.convolution import ForFinite
from ir_plugin.compiler.selection.epilogue import SplitEpilogue
from ir_plugin.compiler.selection.kernel import Options
from ir_plugin.kernels import keys
from ir_plugin.kernels.jobs import Job, jobs_of
from ir_plugin.kernels.numpy.convolution import Geometry, Resizable
from ir_plugin.kernels.numpy.epilogue import EpilogueStage
from ir_plugin.kernels.numpy.transposed_convolution import Run, Spread, packed_phase
from ir_plugin.kernels.thread_pool import ThreadPool
from ir_plugin.tensors import Array


class PhasesAsChannels:
    """What a transposed convolution of f32 and its epilogue are as a convolution, for data of any lengths."""

    def __init__(self, spread: Spread, weights: Array, split: SplitEpilogue, options: Options) -> None:
        """Take sizes for some lengths of the data, and weights [1, C, O, kh, kw]."""
        self._y, self._x = spread.phases
        self._options, count = options, spread.strides[1]
        self._channels = count * spread.channels
        shape = (self._y.reach, self._x.reach, weights.shape[1], self._channels)

        def make() -> list[Array]:
            matrix = packed_phase(weights, self._y, self._x, 0)[0]
            return [np.ascontiguousarray(matrix.reshape(shape).transpose(3, 2, 0, 1))]

        (filters,) = options.weight_cache.derived(("phases", spread.strides, spread.begin), [weights], make)
        stages = [_repeated(stage, spread.channels, count) for stage in split.stages]
        derived = options.weight_cache.derived
        self._bind = options.kernels.build(keys.DIRECT_CONVOLUTION, filters, stages, derived)

    def geometry(self, spread: Spread) -> Geometry:
        """Return the sizes of the convolution."""
        counts, axes = (spread.output[0], spread.counts[1]), (self._y, self._x)
        begin = (-self._y.first, -self._x.first)
        lengths = zip(counts, axes, spread.data[1:3], begin, strict=True)
        end = [max(count - 1 + axis.reach - before - length, 0) for count, axis, length, before in lengths]
        return Geometry(
            spread.data, (self._y.reach, self._x.reach), (1, 1), (1, 1), begin, (end[0], end[1]), counts, 1,
            self._channels,
        )  # fmt: skip

    def make(self, evaluated: Run) -> Callable[[Geometry], Callable[[ThreadPool], Run]] | None:
        """Return a factory of the kernel for a geometry, or None without jobs; `evaluated` runs on non-finite data."""
        bind, channels, kernels = self._bind, self._channels, self._options.kernels
        if bind is None:
            return None
        convolution = bind

        def make(geometry: Geometry) -> Callable[[ThreadPool], Run]:
            def bound(pool: ThreadPool) -> Run:
                run, check = _Interleaved(convolution(geometry)(pool), channels), kernels.build(keys.FINITE_CHECK, pool)
                return ForFinite(geometry, run, lambda _geometry, _pool: evaluated, check, pool)

            return bound

        return make


def has_phases_as_channels(spread: Spread) -> bool:
    """Return whether a pixel's phases are contiguous in the output, and no window begins after the first pixel."""
    whole = spread.output[1] == spread.counts[1] * spread.strides[1]
    return whole and spread.groups == spread.strides[0] == 1 and all(axis.first <= 0 for axis in spread.phases)


def _repeated(stage: EpilogueStage, channels: int, count: int) -> EpilogueStage:
    """Return a stage whose operand of `channels` elements is repeated for `count` phases."""
    operand = stage.operand
    if not isinstance(operand, np.ndarray) or operand.size != channels:
        return stage
    return replace(stage, operand=np.tile(operand.reshape(-1), count))


class _Interleaved:
    """A convolution whose channels are the phases of pixels."""

    def __init__(self, run: Run, channels: int) -> None:
        self._run, self._channels = run, channels

    def __call__(self, data: Array, output: Array, operands: Sequence[Array]) -> None:
        """Fill the output [N, H, W, O] from the data and the epilogue's operands as rows."""
        self._run(data, *_views(output, operands, self._channels))

    def jobs(self, data: Array, output: Array, operands: Sequence[Array]) -> list[Job] | None:
        """Return the jobs of the convolution, or None where operands are copied in every run."""
        if not all(array.flags.c_contiguous for array in operands):
            return None
        return jobs_of(self._run, data, *_views(output, operands, self._channels))

    def resize(self, geometry: Geometry) -> None:
        """Serve other lengths."""
        if isinstance(self._run, Resizable):
            self._run.resize(geometry)


def _views(output: Array, operands: Sequence[Array], channels: int) -> tuple[Array, list[Array]]:
    """View the output and operands as pixels of `channels` channels."""
    target = output.reshape(*output.shape[:2], -1, channels)
    return target, [array.reshape(-1, channels) for array in operands]
