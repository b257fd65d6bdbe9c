"""The functions of OpenVINO's opsets, which build nodes: `ir_plugin.opset13.relu(x)`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from typing import Any

from ir_plugin.diagnostics.absent import placeholder
from ir_plugin.diagnostics.modules import absent_names
from ir_plugin.diagnostics.suggest import did_you_mean
from ir_plugin.opsets.basic import constant, parameter, result
from ir_plugin.opsets.factory import Factory, factory
from ir_plugin.opsets.signatures import Signature, signatures

_BASIC: dict[str, Any] = {"constant": constant, "parameter": parameter, "result": result}


@cache
def signatures_of(opset: int) -> dict[str, Signature]:
    """Return the signatures of the functions of an opset that are made from one, by name."""
    return {signature.name: signature for signature in signatures() if signature.is_in(opset)}


def functions(opset: int) -> dict[str, Factory]:
    """Return the functions of an opset by name."""
    return _BASIC | {name: _function(signature) for name, signature in signatures_of(opset).items()}


def _function(signature: Signature) -> Factory:
    """Return the function of a signature, the same one for all opsets."""
    key = signature.name, signature.first
    if key not in _FUNCTIONS:
        _FUNCTIONS[key] = factory(signature)
    return _FUNCTIONS[key]


_FUNCTIONS: dict[tuple[str, int], Factory] = {}


def module(opset: int) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` of the module of an opset."""
    vars(sys.modules[f"ir_plugin.opset{opset}"])["__path__"] = []  # opset1.ops imports, as in OpenVINO

    def get(name: str) -> Any:
        if name == "ops":
            return sys.modules[f"ir_plugin.opset{opset}"]
        if name.startswith("__"):
            raise AttributeError(name)
        known = signatures_of(opset)
        if name in known:
            return _function(known[name])
        if name in _BASIC:
            return _BASIC[name]
        if name in absent_names().get(f"opset{opset}", ()):
            return placeholder(f"ir_plugin.opset{opset}", name, "no function builds it")
        help = did_you_mean(name, [*known, *_BASIC])
        raise AttributeError(f"opset{opset} has no operation {name!r}" + (f"; {help}" if help else ""))

    return get, lambda: sorted([*signatures_of(opset), *_BASIC])


__all__ = ["functions", "module"]
