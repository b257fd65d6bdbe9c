"""A compiled job with its arguments, given to a crew again and again."""

from __future__ import annotations

from collections.abc import Sequence

from ir_plugin.kernels.numba.gemm import products as job
from ir_plugin.kernels.numba.runtime.spin_pool import SpinPool, address_of
from ir_plugin.kernels.numpy.movement import in_order
from ir_plugin.tensors import Array


class JobArguments:
    """Arguments of jobs on data, an output, and the rows of an operand of the stages, where they have one.

    Data and operands that do not lie in C order are copied in every run; the addresses of others are looked up once.
    """

    def __init__(
        self,
        spin_pool: SpinPool,
        numbers: Array,
        position: int | None = None,
        places: tuple[int, int] = (job.DATA, job.OUTPUT),
        steps: int | None = None,
    ) -> None:
        """`places` are those of the addresses among the numbers; an operand's, if there is one, is OPERAND.

        From `steps` on, if it is given, strides of the data are noted: the jobs read them as they lie.
        """
        self._steps = steps
        self._spin_pool, self._numbers, self._position, self._places = spin_pool, numbers, position, places
        self._address = address_of(numbers)
        self._last: tuple[Array | None, Array | None] = (None, None)

    def run(self, jobs: Sequence[int], parts: int, data: Array, output: Array, operands: Sequence[Array]) -> None:
        """Do the jobs, one after the other."""
        held: list[Array] = []
        if self._last[0] is not data or self._last[1] is not output:
            held = self._note(data, output, operands)
        for job_ in jobs:
            self._spin_pool.call(job_, self._address, parts)
        del held

    def _note(self, data: Array, output: Array, operands: Sequence[Array]) -> list[Array]:
        """Note the addresses of arrays; return copies that have to live as long as the jobs."""
        given = [data] if self._position is None else [data, operands[self._position]]
        as_it_lies = self._steps is not None and _is_readable(data)
        plain = [data if as_it_lies else in_order(data), *(in_order(array) for array in given[1:])]
        self._numbers[list(self._places)] = address_of(plain[0]), address_of(output)
        if self._steps is not None:
            self._numbers[self._steps : self._steps + data.ndim] = plain[0].strides
        if len(plain) > 1:
            self._numbers[job.OPERAND] = address_of(plain[1])
        same = all(one is other for one, other in zip(given, plain, strict=True))
        self._last = (data, output) if same else (None, None)
        return plain


def _is_readable(array: Array) -> bool:
    """Return whether every step between elements is a number of whole ones, forwards."""
    return array.flags.aligned and all(step >= 0 and step % array.itemsize == 0 for step in array.strides)
