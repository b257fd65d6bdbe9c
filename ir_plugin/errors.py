"""The exceptions of ir_plugin: every one is an `Error`, and every `Error` is a `RuntimeError`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ir_plugin.diagnostics.finding import Finding


class Error(RuntimeError):
    """Anything that ir_plugin refuses or cannot do; `findings` holds what is known as data."""

    def __init__(self, message: str, findings: Sequence[Finding] = ()) -> None:
        super().__init__(message)
        self.findings = tuple(findings)


class ReadError(Error):
    """A file that is not an OpenVINO IR, or not one that can be read."""


class PackingError(Error):
    """Bytes of a constant that do not hold what its type and shape promise, or values that its type cannot hold."""


class ValidationError(Error):
    """An IR with at least one finding of severity error; `findings` holds all of them."""


class ShapeError(Error):
    """Shapes, types or attributes of one layer that do not fit together.

    `part` names the attribute or the input that is at fault (empty for the layer as a whole) and
    `help` says what would mend it.
    """

    def __init__(self, part: str, message: str, help: str = "") -> None:
        super().__init__(message)
        self.part = part
        self.message = message
        self.help = help


class EvaluationError(Error):
    """A layer that cannot be computed with the values it was given."""


class LimitError(EvaluationError):
    """A layer that would take more memory or more iterations than the run allows."""


class InputError(Error):
    """Inputs or arguments of a call that do not fit the model."""


class UnsupportedError(Error):
    """A layer, type or feature that this library does not know."""


class AbsentError(UnsupportedError, AttributeError):
    """A name that OpenVINO has and this library does not; the message says what to use instead."""
