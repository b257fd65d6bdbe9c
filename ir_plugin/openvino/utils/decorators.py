"""Decorators for functions that build nodes, as `openvino.utils.decorators`."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import signature
from types import UnionType
from typing import Any, Union, get_args, get_origin

from ir_plugin.errors import ArgumentTypeError
from ir_plugin.model import Node, Output
from ir_plugin.openvino.utils.types import as_node, as_nodes

__all__ = ["MultiMethod", "binary_op", "custom_preprocess_function", "nameable_op", "overloading", "unary_op"]

Builder = Callable[..., Node]


def _named(node: Node, name: str | None) -> Node:
    if name is not None:
        node.friendly_name = name
    return node


def nameable_op(node_factory_function: Builder) -> Builder:
    """Return the function, whose node takes the name that is passed as `name`."""

    @wraps(node_factory_function)
    def wrapper(*args: Any, **kwargs: Any) -> Node:
        return _named(node_factory_function(*args, **kwargs), kwargs.get("name"))

    return wrapper


def unary_op(node_factory_function: Builder) -> Builder:
    """Return the function, whose first argument may be a number or an array."""

    @wraps(node_factory_function)
    def wrapper(input_value: Any, *args: Any, **kwargs: Any) -> Node:
        name = kwargs.get("name")
        return _named(node_factory_function(as_node(input_value, name=name), *args, **kwargs), name)

    return wrapper


def binary_op(node_factory_function: Builder) -> Builder:
    """Return the function, whose first two arguments may be numbers or arrays."""

    @wraps(node_factory_function)
    def wrapper(left: Any, right: Any, *args: Any, **kwargs: Any) -> Node:
        name = kwargs.get("name")
        return _named(node_factory_function(*as_nodes(left, right, name=name), *args, **kwargs), name)

    return wrapper


def custom_preprocess_function(custom_function: Callable[[Output], Node]) -> Callable[[Output], Output]:
    """Return the function, which returns the only output of its node."""

    @wraps(custom_function)
    def wrapper(node: Output) -> Output:
        return custom_function(node).output(0)

    return wrapper


class MultiMethod:
    """A function with several implementations, chosen by the types of the arguments."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.typemap: dict[tuple[Any, ...], Callable[..., Any]] = {}

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Return the result of the first implementation that takes the arguments."""
        for types, function in self.typemap.items():
            names = list(signature(function).parameters)
            if len(args) <= len(types) and all(map(_is_of, args, types)) and set(kwargs) <= set(names[len(args) :]):
                return function(*args, **kwargs)
        kinds = ", ".join([type(value).__name__ for value in args] + list(kwargs))
        raise ArgumentTypeError(f"{self.name} has no implementation for the arguments ({kinds})")

    def register(self, types: tuple[Any, ...], function: Callable[..., Any]) -> None:
        """Add the implementation for these types."""
        if types in self.typemap:
            raise ArgumentTypeError(f"{self.name} has an implementation for these types already")
        self.typemap[types] = function


def _is_of(value: Any, expected: Any) -> bool:
    """Return whether a value is of a type, of one of a union, or of the class of a generic type."""
    origin = get_origin(expected)
    if origin in (Union, UnionType):
        return any(_is_of(value, member) for member in get_args(expected))
    kind = origin or expected
    return isinstance(value, kind) if isinstance(kind, type) else kind is Any


_methods: dict[str, MultiMethod] = {}


def overloading(*types: Any) -> Callable[[Callable[..., Any]], MultiMethod]:
    """Return a decorator that makes a function the implementation of its name for these types."""

    def register(function: Callable[..., Any]) -> MultiMethod:
        method = _methods.setdefault(function.__name__, MultiMethod(function.__name__))
        method.register(types, function)
        return method

    return register
