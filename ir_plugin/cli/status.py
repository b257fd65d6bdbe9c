"""Exit statuses, the same for every verb."""

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
"""The code of a file that is missing or unreadable, or changes while it is in use."""

_OF_THE_MODEL = (ReadError, ValidationError, EvaluationError, UnsupportedError, ShapeError, PackingError)


def status_of(fault: Error) -> int:
    """Return the exit status of an error: 1 for a wrong model, 2 for wrong arguments or environment."""
    if isinstance(fault, OutOfMemoryError) or any(finding.code == UNREADABLE for finding in fault.findings):
        return UNUSABLE
    return WRONG if isinstance(fault, _OF_THE_MODEL) else UNUSABLE
