"""Exit statuses, which mean the same for every verb."""

from __future__ import annotations

from ir_plugin.errors import (
    Error,
    EvaluationError,
    OutOfMemoryError,
    PackingError,
    ReadError,
    ShapeError,
    UnsupportedError,
    ValidationError,
)

DONE, WRONG, UNUSABLE, INTERRUPTED = 0, 1, 2, 130

UNREADABLE = "IR001"
"""The code of a file that is missing, that may not be read, or that changes while it is in use."""

_OF_THE_MODEL = (ReadError, ValidationError, EvaluationError, UnsupportedError, ShapeError, PackingError)


def status_of(fault: Error) -> int:
    """Return the exit status for an error: whether the model is wrong, or the call or the environment."""
    if isinstance(fault, OutOfMemoryError) or any(finding.code == UNREADABLE for finding in fault.findings):
        return UNUSABLE
    return WRONG if isinstance(fault, _OF_THE_MODEL) else UNUSABLE
