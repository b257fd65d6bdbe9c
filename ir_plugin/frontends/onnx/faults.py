"""The errors of the ONNX front end, which name the ONNX node, its operator and what is at fault."""

from __future__ import annotations

from typing import Any

from ir_plugin.diagnostics import Finding
from ir_plugin.errors import Error, LimitError, ReadError, UnsupportedError, ValidationError


def require_onnx() -> Any:
    """Return the module `onnx`, or raise with the command that installs it."""
    try:
        import onnx
    except ImportError as fault:
        raise UnsupportedError(
            f"ONNX models are read with the package onnx, which cannot be imported ({fault}); pip install onnx"
        ) from None
    return onnx


class OnnxReadError(ReadError):
    """An ONNX model that cannot be translated; the message names the node, its operator and its attribute or input."""


class OnnxUnsupportedError(UnsupportedError, OnnxReadError):
    """An ONNX operator, type or feature that this library does not know."""


class OnnxLimitError(OnnxUnsupportedError, LimitError):
    """An ONNX model that is too large once its functions are expanded."""


def refused(code: str, message: str, help: str = "") -> OnnxReadError:
    """Return the error for a fault with a code."""
    return OnnxReadError(message + (f"; {help}" if help else ""), [Finding.of(code, message, help=help)])


def located(where: str, fault: BaseException) -> Error:
    """Return the error for a fault inside a node; one that names its node already is returned unchanged."""
    if isinstance(fault, OnnxLimitError):
        return fault
    if isinstance(fault, OnnxReadError) and getattr(fault, "is_located", False):
        return fault
    reason = _reason(fault)
    kind = OnnxUnsupportedError if isinstance(fault, UnsupportedError) else OnnxReadError
    error = kind(f"{where}: {reason}", getattr(fault, "findings", ()))
    error.is_located = True  # type: ignore[attr-defined]
    return error


def _reason(fault: BaseException) -> str:
    """Return the message of a fault, without the layer that a translator built and the line that built it."""
    if isinstance(fault, ValidationError) and fault.findings:
        return fault.findings[0].message
    return str(fault) if isinstance(fault, Error) else f"it cannot be translated: {str(fault) or type(fault).__name__}"
