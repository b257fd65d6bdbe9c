"""The memory limit of evaluations, against which working arrays are checked before they are allocated."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from math import prod

from ir_plugin.diagnostics import Finding
from ir_plugin.errors import LimitError, OutOfMemoryError
from ir_plugin.model import Node
from ir_plugin.operations.context import DEFAULT_MEMORY_LIMIT
from ir_plugin.tensors.scoped import scoped

_limit: ContextVar[int | None] = ContextVar("memory_limit", default=None)


def limited(limit: int) -> AbstractContextManager[None]:
    """Limit arrays to `limit` bytes inside the context; a lower outer limit stays in force."""
    outer = _limit.get()
    return scoped(_limit, limit if outer is None else min(limit, outer))


def require(what: str, shape: Sequence[int], itemsize: int) -> None:
    """Raise `LimitError` if an array of this shape exceeds the limit."""
    size, outer = prod(map(int, shape)) * itemsize, _limit.get()
    limit = DEFAULT_MEMORY_LIMIT if outer is None else outer
    if size > limit:
        shown = ",".join(map(str, shape))
        raise LimitError(f"{what} [{shown}] takes {size} bytes; the memory limit is {limit}")


@contextmanager
def memory_for(node: Node) -> Iterator[None]:
    """Convert a `MemoryError` of a layer to an `OutOfMemoryError` that names the layer."""
    try:
        yield
    except MemoryError as fault:
        raise out_of_memory(fault, node) from None


@contextmanager
def memory_to(do: str) -> Iterator[None]:
    """Convert a `MemoryError` of work that belongs to no single layer to an `OutOfMemoryError`."""
    try:
        yield
    except MemoryError as fault:
        raise out_of_memory(fault, do=do) from None


def out_of_memory(fault: MemoryError, node: Node | None = None, do: str = "run the model") -> OutOfMemoryError:
    """Return the error of a layer, or of the work `do`, without memory; an `OutOfMemoryError` is returned unchanged."""
    if isinstance(fault, OutOfMemoryError):
        return fault
    reason = f": {fault}" if str(fault) else ""
    if node is None:
        message = f"there is not enough memory to {do}{reason}"
        return OutOfMemoryError(message, [Finding.of("IR702", message)])
    message = f"there is not enough memory for it{reason}"
    finding = Finding.of("IR702", message, span=node.span(), layer=node.ref())
    return OutOfMemoryError(f"layer {node.ref()}: {message}", [finding])
