"""The functions that compose operators for opsets that lack them, by operator."""

from __future__ import annotations

from collections.abc import Callable

Compose = Callable[..., str]
"""Takes a layer, the names of inputs, and attributes; returns the name of the output."""

_COMPOSITIONS: dict[str, tuple[int, Compose]] = {}


def before(opset: int, *ops: str) -> Callable[[Compose], Compose]:
    """Register what opsets before this one have in place of these operators."""

    def register(compose: Compose) -> Compose:
        for op in ops:
            _COMPOSITIONS[op] = opset, compose
        return compose

    return register


def composition(op: str, opset: int) -> Compose | None:
    """Return the function that composes an operator in an opset, None where the opset has it."""
    since, compose = _COMPOSITIONS.get(op, (0, None))
    return compose if opset < since else None
