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
from ir_plugin.opsets.signatures import signatures

_BASIC: dict[str, Any] = {"constant": constant, "parameter": parameter, "result": result}


@cache
def functions(opset: int) -> dict[str, Factory]:
    """Return the functions of an opset by name."""
    return _BASIC | {known.name: factory(known) for known in signatures() if known.is_in(opset)}


def module(opset: int) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` of the module of an opset."""
    vars(sys.modules[f"ir_plugin.opset{opset}"])["__path__"] = []  # opset1.ops imports, as in OpenVINO

    def get(name: str) -> Any:
        if name == "ops":
            return sys.modules[f"ir_plugin.opset{opset}"]
        if name.startswith("__"):
            raise AttributeError(name)
        known = functions(opset)
        if name in absent_names().get(f"opset{opset}", ()):
            return placeholder(f"ir_plugin.opset{opset}", name, "no function builds it")
        if name not in known:
            help = did_you_mean(name, known)
            raise AttributeError(f"opset{opset} has no operation {name!r}" + (f"; {help}" if help else ""))
        return known[name]

    return get, lambda: sorted(functions(opset))


__all__ = ["functions", "module"]
