"""Warnings of deprecated functions and properties of classes, as `openvino.package_utils` has them."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import wraps
from typing import Any

__all__ = ["classproperty", "deprecated", "deprecatedclassproperty", "deprecation_warning"]


def deprecation_warning(function_name: str, version: str = "", message: str = "", stacklevel: int = 2) -> None:
    """Warn that a function is deprecated, when it will be removed, and what to use instead."""
    removal = f" and will be removed in version {version}" if version else ""
    ending = f". {message}" if message else ""
    warnings.warn(f"{function_name} is deprecated{removal}{ending}", DeprecationWarning, stacklevel + 1)


def deprecated(name: Any = None, version: str = "", message: str = "", stacklevel: int = 2) -> Callable[..., Any]:
    """Return a decorator of functions that warn when they are called."""

    def decorator(wrapped: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(wrapped)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            deprecation_warning(wrapped.__name__ if name is None else name, version, message, stacklevel)
            return wrapped(*args, **kwargs)

        return wrapper

    return decorator


class _ClassProperty:
    """A property of a class, which its objects have too."""

    def __init__(self, getter: classmethod[Any, Any, Any] | staticmethod[Any, Any]) -> None:
        self.getter = getter

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self.getter.__get__(instance, type(instance) if owner is None else owner)()


def classproperty(func: Any) -> _ClassProperty:
    """Return a read-only property of the class, computed by a function that takes the class."""
    return _ClassProperty(func if isinstance(func, (classmethod, staticmethod)) else classmethod(func))


def deprecatedclassproperty(
    name: Any = None, version: str = "", message: str = "", stacklevel: int = 2
) -> Callable[[Any], _ClassProperty]:
    """Return a decorator for properties of classes that warn when they are read."""

    def decorator(wrapped: Any) -> _ClassProperty:
        function = wrapped.__func__ if isinstance(wrapped, (classmethod, staticmethod)) else wrapped
        kind = staticmethod if isinstance(wrapped, staticmethod) else classmethod
        return classproperty(kind(deprecated(name, version, message, stacklevel + 1)(function)))

    return decorator
