"""The functions of OpenVINO's opsets, which build nodes: `ir_plugin.opset13.relu(x)`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from ir_plugin.diagnostics.absent import placeholder
from ir_plugin.diagnostics.modules import absent_names
from ir_plugin.diagnostics.suggest import did_you_mean
from ir_plugin.model.bodies import if_op, loop, tensor_iterator
from ir_plugin.model.kinds import assign
from ir_plugin.opsets.basic import constant, parameter, read_value, result
from ir_plugin.opsets.factory import Factory, factory
from ir_plugin.opsets.signatures import Signature, signatures

_BASIC: dict[str, Any] = {"constant": constant, "parameter": parameter, "result": result}

_SINCE: dict[str, tuple[int, Any]] = {
    "tensor_iterator": (1, tensor_iterator),
    "loop": (5, loop),
    "if_op": (8, if_op),
    "assign": (6, assign),
    "read_value": (6, read_value),
}
"""Functions and classes with special signatures, and the opset that introduced each."""


@lru_cache(maxsize=1024)
def signatures_of(opset: int) -> dict[str, Signature]:
    """Return the signatures of the functions of an opset that are made from one, by name."""
    return {signature.name: signature for signature in signatures() if signature.is_in(opset)}


def _others(opset: int) -> dict[str, Any]:
    """Return the functions of an opset that are written out, by name."""
    return _BASIC | {name: build for name, (first, build) in _SINCE.items() if opset >= first}


def functions(opset: int) -> dict[str, Any]:
    """Return the functions of an opset by name."""
    return _others(opset) | {name: _function(signature) for name, signature in signatures_of(opset).items()}


def _function(signature: Signature) -> Factory:
    """Return the function of a signature, shared by all opsets; an alias has the function of the name it stands for."""
    aliased = _ALIASES.get(signature.name)
    if aliased is not None:
        signature = signatures_of(max(signature.first, 1))[aliased]
    key = signature.name, signature.first
    if key not in _FUNCTIONS:
        _FUNCTIONS[key] = factory(signature)
    return _FUNCTIONS[key]


_ALIASES = {"abs": "absolute", "ceil": "ceiling", "cumsum": "cum_sum"}
"""Functions that are others under a second name."""

_FUNCTIONS: dict[tuple[str, int], Factory] = {}


def module(opset: int) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` of the module of an opset."""
    vars(sys.modules[f"ir_plugin.opsets.opset{opset}"])["__path__"] = []  # opset1.ops imports, as in OpenVINO

    def get(name: str) -> Any:
        if name == "ops":
            return sys.modules[f"ir_plugin.opsets.opset{opset}"]
        if name.startswith("__"):
            raise AttributeError(name)
        signatures = signatures_of(opset)
        if name in signatures:
            return _function(signatures[name])
        if name in _others(opset):
            return _others(opset)[name]
        if name in absent_names().get(f"opset{opset}", ()):
            return placeholder(f"ir_plugin.opset{opset}", name, "no function builds it")
        help = did_you_mean(name, [*signatures, *_others(opset)])
        raise AttributeError(f"opset{opset} has no operation {name!r}" + (f"; {help}" if help else ""))

    return get, lambda: sorted(functions(opset))


__all__ = ["functions", "module"]
