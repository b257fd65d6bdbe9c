"""Kernels made of compiled jobs that run again and again, and how a job's rows are split into parts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from ir_plugin.kernels.jobs import Job
from ir_plugin.kernels.numba.runtime.jit import compiled
from ir_plugin.kernels.numba.runtime.structs import address_of, struct
from ir_plugin.kernels.numba.runtime.transposed import in_order
from ir_plugin.kernels.thread_pool import ThreadPool
from ir_plugin.tensors import Array


@compiled("i8(i8, i8, i8)")
def bound(count: int, parts: int, part: int) -> int:
    """Return the first of the `count` rows of a part; it ends where the next part begins."""
    return count * part // parts


IN_OUT = struct("data output")
"""What the arguments of every `JobKernel` have: the addresses of the data and of the output."""

STRIDES = ("stride_n", "stride_y", "stride_x", "stride_c")
"""Fields of a struct whose jobs read 4-D data as it lies: the bytes from one element to the next along each axis."""


class JobKernel:
    """A kernel whose work is jobs with one struct of arguments, whose parts the threads of a pool share.

    Data that is not in C order is copied in every run, unless the struct has `STRIDES`; so are operands of the
    epilogue.
    """

    reads_planes: ClassVar[bool] = False
    """Whether jobs that read data as it lies also read channels that are no neighbours."""
    reads_operand_rows: ClassVar[bool] = False
    """Whether the epilogue reads rows of its operand that lie apart."""

    def __init__(
        self, pool: ThreadPool, arguments: Array, jobs: Sequence[int], parts: int, position: int | None = None
    ) -> None:
        """Take a struct that extends `IN_OUT`, and the addresses of the jobs.

        `position` is the position of the operand that the epilogue reads by rows.
        """
        self._pool, self._arguments, self._position = pool, arguments, position
        self._address = address_of(arguments)
        self._reads_strides = STRIDES[0] in (arguments.dtype.names or ())
        self._set_jobs(jobs, parts)

    def _set_jobs(self, jobs: Sequence[int], parts: int) -> None:
        """Run these jobs from now on."""
        self._jobs = [Job(job, self._address, parts) for job in jobs]

    def __call__(self, data: Array, output: Array, operands: Sequence[Array] = ()) -> None:
        """Fill the output from the data and the operands of the epilogue, which are rows in C order."""
        copies = self._write_addresses(data, output, operands)
        for job in self._jobs:
            self._pool.call(job.function, job.arguments, job.parts)
        del copies

    def jobs(self, data: Array, output: Array, operands: Sequence[Array] = ()) -> list[Job] | None:
        """Return the jobs, or None where data or operands are copied in every run."""
        return None if self._write_addresses(data, output, operands) else self._jobs

    def _prepare(self, data: Array) -> None:
        """Write or allocate what the jobs need for data of this shape and layout."""

    def _write_addresses(self, data: Array, output: Array, operands: Sequence[Array]) -> list[Array]:
        """Write the addresses of arrays; return copies of some, which have to live as long as the jobs."""
        self._prepare(data)
        arguments = self._arguments
        ordered = data if self._reads_strides and self._reads_as_it_lies(data) else in_order(data)
        arguments["data"], arguments["output"] = address_of(ordered), address_of(output)
        if self._reads_strides:
            for name, stride in zip(STRIDES, ordered.strides, strict=True):
                arguments[name] = stride
        copies = [] if ordered is data else [ordered]
        if self._position is not None:
            operand = operands[self._position]
            rows = self._rows(operand)
            arguments["operand"] = address_of(rows)
            arguments["operand_step"] = rows.strides[0] if rows.ndim == 2 else 4 * arguments["width"]
            copies += [] if rows is operand else [rows]
        return copies

    def _reads_as_it_lies(self, data: Array) -> bool:
        return (self.reads_planes or data.strides[-1] == data.itemsize) and _has_whole_strides(data)

    def _rows(self, operand: Array) -> Array:
        """Return rows of neighbours: the operand, where the epilogue reads it as it lies, or a copy."""
        is_row_of_neighbours = operand.ndim == 2 and operand.strides[1] == operand.itemsize <= operand.strides[0]
        as_it_lies = self.reads_operand_rows and is_row_of_neighbours and _has_whole_strides(operand)
        return operand if as_it_lies else in_order(operand)


def _has_whole_strides(array: Array) -> bool:
    """Return whether every stride is a number of whole elements, forwards."""
    return array.flags.aligned and all(stride >= 0 and stride % array.itemsize == 0 for stride in array.strides)
