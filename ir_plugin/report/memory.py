"""The memory of this process."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

_STATUS = Path("/proc/self/status")


def peak_memory() -> float | None:
    """Return the most memory that this process has used so far in MiB, or None where the system does not tell it.

    Linux says it for the process itself; elsewhere the maximum may include the process that it was forked from.
    """
    if _STATUS.exists():
        for line in _STATUS.read_text("utf-8").splitlines():
            if line.startswith("VmHWM"):
                return int(line.split()[1]) / 2**10
    try:
        resource: Any = import_module("resource")
    except ImportError:
        return None
    return float(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss) / (2**20 if sys.platform == "darwin" else 2**10)
