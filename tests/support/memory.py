"""Peaks of memory of a process, which Linux counts from the start of its program, and arrays that objects keep."""

from __future__ import annotations

import gc
import sys
from pathlib import Path
from types import ModuleType

import numpy as np

STATUS = """
def status(key):
    line = next(line for line in open("/proc/self/status") if line.startswith(key))
    return int(line.split()[1]) * 1024
"""
"""The function for scripts: a child's `ru_maxrss` begins with its parent's peak, `status("VmHWM")` does not."""


def status(key: str) -> int:
    """Return a size of this process, such as VmRSS or the peak VmHWM, in bytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith(key)).split()[1]) * 1024


def reset_peak() -> None:
    """Let the peak of this process begin at its memory of now."""
    Path("/proc/self/clear_refs").write_text("5")


def arrays_of(*roots: object) -> int:
    """Return how many arrays objects keep, directly or by others; what modules have counts for none."""
    modules = [vars(module) for module in list(sys.modules.values()) if issubclass(type(module), ModuleType)]
    seen: dict[int, object] = {id(item): item for item in (sys.modules, *modules)}
    waiting, count = list(roots), 0
    while waiting:
        item = waiting.pop()
        if id(item) in seen or issubclass(type(item), (type, ModuleType)):
            continue
        seen[id(item)] = item
        count += issubclass(type(item), np.ndarray)
        waiting += gc.get_referents(item)
    return count
