"""Files mapped into memory, whose pages go back to the system once arrays in them are copied elsewhere."""

from __future__ import annotations

import mmap
import weakref

import numpy as np
from numpy.lib.array_utils import byte_bounds

from ir_plugin.tensors.element_type import Array

SMALLEST = 1 << 20
"""The fewest bytes that are worth a call of the system."""
_MAPPED: weakref.WeakSet[mmap.mmap] = weakref.WeakSet()


def map_file(descriptor: int, size: int) -> mmap.mmap:
    """Return a file mapped for reading."""
    mapping = mmap.mmap(descriptor, size, access=mmap.ACCESS_READ)
    _MAPPED.add(mapping)
    return mapping


def release_pages(array: Array) -> None:
    """Let the system take the pages of an array in a file that `map_file` mapped; a later read loads them again."""
    mapping = _mapping_of(array) if array.nbytes >= SMALLEST else None
    if mapping is None or not hasattr(mmap, "MADV_DONTNEED"):
        return
    base = np.frombuffer(mapping, np.uint8).__array_interface__["data"][0]
    low, high = (int(bound) - base for bound in byte_bounds(array))
    begin, end = -(-low // mmap.PAGESIZE) * mmap.PAGESIZE, high // mmap.PAGESIZE * mmap.PAGESIZE
    if end > begin:
        mapping.madvise(mmap.MADV_DONTNEED, begin, end - begin)


def is_mapped(array: Array) -> bool:
    """Return whether an array is a view of a file that `map_file` mapped."""
    return _mapping_of(array) is not None


def _mapping_of(array: Array) -> mmap.mmap | None:
    """Return the file that an array is a view of, None for any other memory."""
    owner: object = array
    while owner is not None and not isinstance(owner, mmap.mmap):
        owner = owner.obj if isinstance(owner, memoryview) else getattr(owner, "base", None)
    return owner if isinstance(owner, mmap.mmap) and owner in _MAPPED else None
