"""What a plan would run if the kernels that it lacks were compiled, and the note that says so."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass

from ir_plugin.compiler.graph import Op
from ir_plugin.compiler.selection import Options, bind_operation, select_kernel
from ir_plugin.compiler.weight_cache import WeightCache
from ir_plugin.kernels.numba.provider import READY, ListingProvider
from ir_plugin.kernels.registry import NUMPY, Provider

SECONDS_PER_KERNEL = 0.85
"""The mean processor time that numba takes for one: `ir-plugin warm --list`, after `warm --all` on a processor of 2020
that other programs used too, sums up 272 s for 319 kernels."""

_LOG = logging.getLogger("ir_plugin")
_noted: list[int] = []
"""The number of the note, once it was given."""


@dataclass(frozen=True)
class _ListingOptions(Options):
    """Options by which an op gets the kernel that it would have if all were compiled."""

    listing: Provider = NUMPY

    @property
    def kernels(self) -> Provider:
        return self.listing


def compiled_variants(ops: Iterable[Op], options: Options) -> tuple[dict[Op, str], int]:
    """Return the kernel variant of each op if all kernels were compiled, and how many functions of these are not."""
    listing = ListingProvider()
    dry = _ListingOptions(**{**vars(options), "weight_cache": WeightCache(), "listing": listing})
    executors = {op: select_kernel(op, dry) or bind_operation(op, dry) for op in ops}
    variants = {op: "" if executor is None else executor.variant for op, executor in executors.items()}
    return variants, len(listing.uncompiled)


def lacks_kernels(options: Options) -> bool:
    """Return whether these options, in this process, may leave work to NumPy's kernels that compiled ones could do."""
    return options.kernels is READY and READY.lacks_kernels


def note_uncompiled(ops: Iterable[Op], options: Options) -> None:
    """Say once in a process how many kernels of a plan are not compiled, and what compiles them."""
    if _noted or not lacks_kernels(options):
        return
    count = compiled_variants(ops, options)[1]
    if count and not _noted:
        _noted.append(count)
        _LOG.warning(
            "%d kernels of this model are not compiled, and NumPy's do their work; `ir-plugin warm MODEL` compiles "
            "them in about %.0f s, and `ir-plugin warm --all` those of every model",
            count, SECONDS_PER_KERNEL * count,
        )  # fmt: skip
