"""The exceptions of ir_plugin: every one is an `Error`, and every `Error` is a `RuntimeError`."""

from __future__ import annotations

from operator import index
from typing import TYPE_CHECKING, Any, SupportsIndex

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ir_plugin.diagnostics.finding import Finding


class Error(RuntimeError):
    """Anything that ir_plugin refuses or cannot do; `findings` holds what is known as data."""

    def __init__(self, message: str = "", findings: Sequence[Finding] = ()) -> None:
        super().__init__(message)
        self.findings = tuple(findings)

    def __str__(self) -> str:
        return str(self.args[0])


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

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.part, self.message, self.help), vars(self)


class EvaluationError(Error):
    """A layer that cannot be computed with the values it was given."""


class LimitError(EvaluationError):
    """A layer that would take more memory or more iterations than the run allows."""


class OutOfMemoryError(LimitError, MemoryError):
    """A layer, or a plan, for which the system has no memory left."""


class InputError(Error):
    """Inputs or arguments of a call that do not fit the model."""


class ArgumentTypeError(InputError, TypeError):
    """An argument of a type that the call does not take."""


class ArgumentValueError(InputError, ValueError):
    """An argument of the right type whose value the call does not take."""


class PositionError(InputError, IndexError):
    """A position that is beyond the end."""


class NameNotFoundError(InputError, KeyError):
    """A key that names nothing."""


class MissingFileError(InputError, FileNotFoundError):
    """A file that is not there."""


class RequestBusyError(Error):
    """Raised for a request that is running; `wait` for it first."""


class CallbackError(Error):
    """A callback of an infer request that raised; what it raised is the `__cause__`."""

    @staticmethod
    def of(fault: BaseException) -> CallbackError:
        """Return the error for what a callback raised, which is also of its kind: a TypeError, KeyError, ..."""
        kinds = [kind for kind in _KINDS if isinstance(fault, kind)]
        error = type("CallbackError", (CallbackError, *kinds), {}) if kinds else CallbackError
        wrapper: CallbackError = error(f"the callback raised {type(fault).__name__}: {fault}")
        return wrapper


_KINDS = (TypeError, ValueError, KeyError, IndexError, AttributeError, ArithmeticError, AssertionError)


class UnsupportedError(Error):
    """A layer, type or feature that this library does not know."""


class AbsentError(UnsupportedError, AttributeError):
    """A name that OpenVINO has and this library does not; the message says what to use instead."""


def require(value: object, kinds: type | tuple[type, ...], expected: str, argument: str) -> None:
    """Raise unless the named argument is of one of these types; `expected` is what the call needs, such as `a name`."""
    if not isinstance(value, kinds):
        raise wrong_type(argument, expected, value)


def wrong_type(argument: str, expected: str, value: object) -> ArgumentTypeError:
    """Return the error for an argument of a type that the call does not take; it names the argument."""
    return ArgumentTypeError(f"argument {argument!r}: {expected} is needed, not {type(value).__name__}")


def is_index(value: object, count: int) -> bool:
    """Return whether an argument is a whole number from 0 to below `count`."""
    try:
        return isinstance(value, (int, SupportsIndex)) and 0 <= index(value) < count
    except TypeError:
        return False


def shown(value: object) -> str:
    """Return a value for a message; of a number of more than 512 bits only its size, as Python writes no long ones."""
    if isinstance(value, int) and value.bit_length() > _MAX_BITS:
        return f"a number of {value.bit_length()} bits"
    return repr(value)


_MAX_BITS = 512
