"""Errors of functions that users pass to passes."""

from __future__ import annotations

from ir_plugin.errors import CallbackError


def raised_by(function: str, fault: BaseException) -> CallbackError:
    """Return the error for what a function raised, which is also of that kind."""
    error = CallbackError.of(fault)
    error.args = (f"{function} has thrown {type(fault).__name__}: {fault}",)
    return error
