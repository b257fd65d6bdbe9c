"""Selected kernels: operands, factories for one request, and output layouts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import compress
from typing import Any, TypeAlias, TypeVar, cast

import numpy as np

from ir_plugin.compiler.graph import Op, Value
from ir_plugin.compiler.weight_cache import WeightCache
from ir_plugin.kernels import keys
from ir_plugin.kernels.jobs import Job, all_jobs, jobs_of
from ir_plugin.kernels.numba.provider import NUMBA, READY
from ir_plugin.kernels.numpy.epilogue import Rows
from ir_plugin.kernels.numpy.movement import move
from ir_plugin.kernels.numpy.rows import RowKernel
from ir_plugin.kernels.registry import NUMPY, Provider
from ir_plugin.kernels.thread_pool import ThreadPool
from ir_plugin.operations.base import Operation
from ir_plugin.tensors import Array

Execute: TypeAlias = "Callable[[Sequence[Array], Sequence[Array]], None]"
"""Fills the outputs from the inputs; it has private buffers, so one thread uses it at a time.

What is derived from `FixedArrays` can be kept.
"""


class FixedArrays(tuple[Array, ...]):
    """The inputs or outputs of a step, where they are the same arrays in every run."""

    __slots__ = ()


Allocate: TypeAlias = "Callable[[tuple[int, ...]], Array]"
"""Allocates the output of an op in a shape, unless it exceeds the memory limit."""

OpenExecute: TypeAlias = "Callable[[Sequence[Array], Allocate], Array | tuple[Array, ...]]"
"""Returns the output, or all outputs, for inputs of any lengths, in arrays that it allocates."""

View: TypeAlias = "Callable[[Array], tuple[Array, ...]]"
"""Returns outputs that are views of an input."""

Views = TypeVar("Views")

ViewsOf: TypeAlias = "Callable[[Sequence[Array], Sequence[Array]], tuple[Array, Array, list[Array]]]"
"""Returns data, output and operands as rows, for the inputs and outputs of a step."""


MakeMover: TypeAlias = "Callable[[Array, Array], Callable[[], None]]"
"""Makes the copy of one array to another, both of which keep their memory."""

DirectEvaluation: TypeAlias = "Callable[..., Any]"
"""Returns the only output for the inputs of an op; raises `FallbackRequired` or any error where it is unsure."""

NEGLIGIBLE_ELEMENTS = 2**20
"""Elements of an output that are allocated without a closer look at the memory limit."""


class FallbackRequired(Exception):  # noqa: N818 - it is not an error: the plain evaluation does this run
    """Raised by a kernel that cannot run on rare values of its inputs; it may have written part of the output."""


PROVIDERS = {"numpy": NUMPY, "numba": NUMBA, "auto": READY}
"""The providers by the property PROVIDER: NumPy's kernels, compiled ones, and compiled ones that are ready."""


@dataclass(frozen=True)
class Options:
    """What the configuration allows."""

    winograd: int = 4
    """The largest m of F(m, 3) that a convolution may use: 4, 2, or 0 for none."""
    provider: str = "auto"
    """Whose kernels are used: one of `PROVIDERS`."""
    threads: int = 1
    """The number of threads that share a kernel, also BLAS' threads."""
    dynamic_group: int = 0
    """Neighbours that have one scale where products with compressed weights quantize data to i8; 0 for none."""
    weight_cache: WeightCache = field(default_factory=WeightCache, compare=False)
    """What the plans of one model share."""

    @property
    def kernels(self) -> Provider:
        """The provider that is asked for kernels before NumPy's; it imports their modules when it is first asked."""
        return PROVIDERS[self.provider]

    @property
    def has_spin_pool(self) -> bool:
        """Whether compiled jobs can be run."""
        return self.kernels.find(keys.SPIN_POOL) is not None


@dataclass
class Kernel:
    """A selected kernel: the values that it reads, and what a profile shows of it."""

    inputs: list[Value]
    variant: str = field(default="kernel", kw_only=True)
    """The name that a profile shows."""
    uses_spin_pool: bool = field(default=False, kw_only=True)
    """Whether its pool is a spin pool, whose workers spin while an inference runs."""


@dataclass
class ViewKernel(Kernel):
    """A kernel that computes nothing: the outputs are views of the only input, and no memory is planned for them."""

    view: View


@dataclass
class StaticKernel(Kernel):
    """A kernel for known shapes, which fills memory that the plan assigns."""

    make: Callable[[ThreadPool], Execute]
    """Makes the function for one request."""
    channels_last: bool = field(default=False, kw_only=True)
    """Whether the output's second axis is last in memory."""
    in_place: int | None = field(default=None, kw_only=True)
    """The input of which the output may take the memory."""
    pieces: tuple[int, ...] = field(default=(), kw_only=True)
    """Where each input lies in the output, in bytes, if the kernel only copies them there."""
    written: int = field(default=1, kw_only=True)
    """How many of the op's outputs it fills, the first ones; nothing may read the others."""


@dataclass
class OpenKernel(Kernel):
    """A kernel for any shapes, which allocates its outputs in each run."""

    make: Callable[[ThreadPool], OpenExecute]
    """Makes the function for one request."""


@dataclass
class BoundOperation:
    """An operation whose evaluation has parts that a request's threads share, or that are compiled."""

    bind: Callable[[ThreadPool], Operation]
    """Returns the operation for the threads of one request."""
    variant: str
    """The name that a profile shows."""
    uses_spin_pool: bool = False
    """Whether its pool is to be a spin pool, as for `Kernel`."""


KernelSelector: TypeAlias = "Callable[[Op, Options], Kernel | None]"


def mover(options: Options, source: Array, target: Array, pool: ThreadPool) -> Callable[[], None]:
    """Return the copy of one array to another in another order; both keep their memory."""
    return options.kernels.build(keys.TRANSPOSE, source, target, pool) or partial(move, source, target)


def movers(options: Options, pool: ThreadPool) -> MakeMover:
    """Return a factory of functions that copy one array to another."""
    return lambda source, target: mover(options, source, target, pool)


def cached_views(views: Callable[[Sequence[Array], Sequence[Array]], Views]) -> Callable[[Any, Any], Views]:
    """Return the function so that it is called once for inputs and outputs that are the same in every run.

    What it had to copy, as strides allowed no view, is copied in every run.
    """
    last: list[Any] = [None, None]

    def find(inputs: Sequence[Array], outputs: Sequence[Array]) -> Views:
        if last[0] is inputs:
            return cast("Views", last[1])
        arrays = views(inputs, outputs)
        are_fixed = isinstance(inputs, FixedArrays) and isinstance(outputs, FixedArrays)
        if are_fixed and are_views(arrays, (*inputs, *outputs)):
            last[:] = inputs, arrays
        return arrays

    return find


def as_channels_last(array: Array) -> Array:
    """Return a view with the second axis last; `numpy.moveaxis` takes ten times as long."""
    view: Array = array.transpose(0, *range(2, array.ndim), 1)
    return view


def as_channels_second(array: Array) -> Array:
    """Return a view with the last axis second."""
    view: Array = array.transpose(0, array.ndim - 1, *range(1, array.ndim - 1))
    return view


COPIED_BYTES = 2**20
"""The most bytes of data that a step copies to private memory, which no other step uses."""


class _Copied:
    """Copies that a step reads instead of its inputs: the inputs, the functions that copy them, and the views."""

    originals: Sequence[Array] | None = None
    movers: Sequence[Callable[[], None]]
    arrays: tuple[Array, Array, list[Array]]


def _in_order(array: Array) -> Array:
    """Return new memory for an array, in C order."""
    return np.empty(array.shape, array.dtype)


def _channels_last(array: Array) -> Array:
    """Return new memory for an array, with the second axis last."""
    if array.ndim < 3:
        return _in_order(array)
    return as_channels_second(np.empty((array.shape[0], *array.shape[2:], array.shape[1]), array.dtype))


def without_operands(kernel: Callable[[Array, Array], None]) -> RowKernel:
    """Return a kernel of data and output as one that also gets the operands of an epilogue, of which there are none."""
    return lambda data, output, _operands: kernel(data, output)


class OnViews:
    """A kernel of rows on views of the inputs and outputs of a step: data, output, and operands of the epilogue."""

    def __init__(self, kernel: RowKernel, views: ViewsOf, make_mover: MakeMover | None = None) -> None:
        """Take the kernel, the function that returns its views, and a factory of copies for data that has no view."""
        self._kernel, self._views, self._find = kernel, views, cached_views(views)
        self._make_mover, self._copied = make_mover, None if make_mover is None else _Copied()

    def __call__(self, inputs: Sequence[Array], outputs: Sequence[Array]) -> None:
        """Fill the output from the inputs."""
        copied = self._copied
        if copied is not None and copied.originals is inputs:
            for mover in copied.movers:
                mover()
            self._kernel(*copied.arrays)
        else:
            self._kernel(*self._find(inputs, outputs))

    def jobs(self, inputs: Sequence[Array], outputs: Sequence[Array]) -> list[Job] | None:
        """Return the jobs for arrays that are the same in every run, or None where other work is part of a run."""
        arrays = self._find(inputs, outputs)
        is_whole = are_views(arrays, (*inputs, *outputs))
        jobs = jobs_of(self._kernel, *arrays) if is_whole else None
        return jobs if jobs is not None else self._jobs_of_copy(inputs, outputs)

    def _jobs_of_copy(self, inputs: Sequence[Array], outputs: Sequence[Array]) -> list[Job] | None:
        """Return the jobs that copy data and operands to private memory, followed by the kernel's jobs.

        It is None for many bytes, or where the kernel has no jobs for any layout of the copies.
        """
        make_mover, copied = self._make_mover, self._copied
        if make_mover is None or copied is None:
            return None
        data, _, operands = self._find(inputs, outputs)
        pairs = list(zip([data, *operands], inputs, strict=False))
        is_copied = [not (view.flags.c_contiguous and are_views(view, (array,))) for view, array in pairs]
        sources = list(compress(inputs, is_copied))
        if sum(array.nbytes for array in sources) > COPIED_BYTES:
            return None
        for allocate in (_in_order, _channels_last):
            stand_ins = [allocate(array) if copy else array for (_, array), copy in zip(pairs, is_copied, strict=True)]
            arrays = self._views(stand_ins, outputs)
            movers = [make_mover(*pair) for pair in zip(sources, compress(stand_ins, is_copied), strict=True)]
            jobs = all_jobs([*((mover, ()) for mover in movers), (self._kernel, arrays)])
            if jobs is not None and are_views(arrays, (*stand_ins, *outputs)):
                copied.originals, copied.arrays, copied.movers = inputs, arrays, movers
                return jobs
        return None


class OnArrays:
    """A kernel that is made for the arrays of a step, once where they are the same in every run."""

    def __init__(
        self,
        make: Callable[[Sequence[Array], Sequence[Array]], Callable[[], None] | None],
        otherwise: Execute | None = None,
    ) -> None:
        """Take a factory of the kernel for inputs and outputs.

        `otherwise` executes the step where that returns None, or where the arrays are others in every run.
        """
        self._find, self._otherwise = cached_views(make), otherwise

    def __call__(self, inputs: Sequence[Array], outputs: Sequence[Array]) -> None:
        """Fill the output from the inputs."""
        kernel = self._find(inputs, outputs) if self._otherwise is None or isinstance(inputs, FixedArrays) else None
        if kernel is not None:
            kernel()
        elif self._otherwise is not None:
            self._otherwise(inputs, outputs)

    def jobs(self, inputs: Sequence[Array], outputs: Sequence[Array]) -> list[Job] | None:
        """Return the jobs for arrays that are the same in every run, or None where other work is part of a run."""
        return jobs_of(self._find(inputs, outputs))


class Followed:
    """A kernel of rows followed by an epilogue: a compiled chain, NumPy's functions on rows, or none."""

    def __init__(self, kernel: Callable[..., None], chain: RowKernel | None, rows: Rows | None) -> None:
        """Take a kernel of data and output, and one of what follows."""
        self._kernel, self._chain, self._rows = kernel, chain, rows

    def __call__(self, data: Array, output: Array, operands: Sequence[Array]) -> None:
        """Fill the output from the data and the operands of the epilogue."""
        self._kernel(data, output)
        block = output.reshape(-1, output.shape[-1])
        if self._chain is not None:
            self._chain(block, block, operands)
        elif self._rows is not None:
            self._rows(block, 0, operands)

    def jobs(self, data: Array, output: Array, operands: Sequence[Array]) -> list[Job] | None:
        """Return the jobs, or None where NumPy applies the epilogue."""
        block = output.reshape(-1, output.shape[-1])
        if self._chain is not None:
            return all_jobs([(self._kernel, [data, output]), (self._chain, [block, block, operands])])
        return None if self._rows is not None else jobs_of(self._kernel, data, output)


def are_views(value: object, sources: Sequence[Array]) -> bool:
    """Return whether all arrays in tuples and lists are parts of these."""
    if isinstance(value, np.ndarray):
        return any(np.may_share_memory(value, source) for source in sources)
    return not isinstance(value, (tuple, list)) or all(are_views(item, sources) for item in value)


_TIMES, _SMALL = 16, 2**20


def is_out_of_proportion(elements: int, data: int, output: int) -> bool:
    """Return whether what a form would hold is many times data and output; the plain evaluation has a limit for it."""
    return elements > _TIMES * (data + output) + _SMALL
