"""What compiled functions use of numba, without the import of numba: it is built when the compiler first reads it.

A process that finds all its kernels in the cache imports their modules, but no compiler.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import import_module
from inspect import Parameter, Signature
from types import ModuleType
from typing import Any, TypeVar

_OPERAND = re.compile(r"(?<=[(\s])\w+")
Function = TypeVar("Function", bound=Callable[..., Any])


class LazyModule:
    """A module that is imported when its first attribute is read."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._module: ModuleType | None = None

    def __getattr__(self, attribute: str) -> Any:
        if self._module is None:
            self._module = import_module(self._name)
        return getattr(self._module, attribute)


class Deferred:
    """A global of compiled functions that stands for a function of numba until the compiler asks for its type."""

    def __init__(self, build: Callable[[], Any]) -> None:
        self._build = build
        self._type: Any = None

    @property
    def numba_type(self) -> Any:
        """Numba's type of the function, by which compiled functions call it."""
        if self._type is None:
            value, registry = self._build(), import_module("numba.core.registry")
            context = registry.cpu_target.typing_context
            context.refresh()
            self._type = context.resolve_value_type(value)
        return self._type


def inline_llvm(signature: str) -> Callable[[Callable[..., Any]], Any]:
    """Return a decorator that turns an LLVM emitter into a compiled function of a type such as "void(i8, f4)".

    The emitter takes an LLVM builder and the operands, and returns the result.
    """

    def decorate(function: Callable[..., Any]) -> Any:
        def typed(_context: Any, *_operands: Any) -> Any:
            def generate(context: Any, builder: Any, _signature: Any, operands: Any) -> Any:
                result = function(builder, *operands)
                return context.get_dummy_value() if result is None else result

            operand_types, result_type = import_module("numba.core.sigutils").normalize_signature(signature)
            return result_type(*operand_types), generate

        typed.__name__, typed.__doc__ = function.__name__, function.__doc__
        names = ["context", *(f"operand_{number}" for number, _ in enumerate(_OPERAND.findall(signature)))]
        vars(typed)["__signature__"] = Signature([Parameter(name, Parameter.POSITIONAL_OR_KEYWORD) for name in names])
        return intrinsic(typed)

    return decorate


def intrinsic(function: Callable[..., Any], *, prefer_literal: bool = False) -> Any:
    """Return a function for compiled code from one that emits its instructions; callers omit its first argument."""
    return Deferred(lambda: import_module("numba.extending").intrinsic(prefer_literal=prefer_literal)(function))


_pending: list[Callable[[Any], object]] = []
"""What numba has to know of functions that compiled functions may call, and does not know yet."""


def register_jitable(function: Function) -> Function:
    """Return a Python function that compiled functions may call."""
    _pending.append(lambda extending: extending.register_jitable(function))
    return function


def specialized(function: Function) -> Function:
    """Return a Python function that is compiled for each of its arguments that are constant integers."""

    def register(extending: Any) -> None:
        extending.overload(function, strict=False, prefer_literal=True)(lambda *_arguments: function)

    _pending.append(register)
    return function


def register_pending() -> None:
    """Let numba know the functions that compiled functions may call, before it compiles."""
    extending: Any = import_module("numba.extending") if _pending else None
    while _pending:
        _pending.pop()(extending)
