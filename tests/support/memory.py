"""Peaks of memory of a process: those that Linux counts from the start of its program, not of its parent."""

from __future__ import annotations

from pathlib import Path

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
