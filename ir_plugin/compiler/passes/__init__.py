"""Passes over a graph, one a file, whose name is the key of DISABLED_PASSES."""

from __future__ import annotations

from collections.abc import Callable, Container
from contextlib import AbstractContextManager
from contextvars import ContextVar
from importlib import import_module
from pkgutil import iter_modules
from typing import TypeAlias

from ir_plugin.compiler.graph import Graph
from ir_plugin.compiler.pass_order import Pass, ordered_passes
from ir_plugin.compiler.progress import check_interruption
from ir_plugin.compiler.rewriter import PatternPass
from ir_plugin.tensors.scoped import scoped

for _module in iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")  # which registers its pass

PASSES: dict[str, Pass] = ordered_passes()
"""Passes by name, in the order in which they run."""


def summary(name: str) -> str:
    """Return the first line of what a pass says of itself."""
    return (PASSES[name].__doc__ or "").partition("\n")[0]


PassObserver: TypeAlias = Callable[[str, Graph], None]
"""Called with the name of a pass and the graph that it leaves; first with no name and the graph that passes get."""

_observer: ContextVar[PassObserver | None] = ContextVar("pass_observer", default=None)


def pass_observer(observer: PassObserver) -> AbstractContextManager[None]:
    """Call the observer after each pass of the plans that this thread makes within the `with`."""
    return scoped(_observer, observer)


def run_passes(graph: Graph, disabled: Container[str]) -> None:
    """Run the passes that are not disabled, in their order, and that may change one of the graph's operations."""
    observer = _observer.get()
    if observer is not None:
        observer("", graph)
    types = {op.type for op in graph.ops}
    for name, function in PASSES.items():
        if name in disabled:
            continue
        check_interruption()
        if not isinstance(function, PatternPass) or function.may_rewrite(types):
            function(graph)
            types = {op.type for op in graph.ops}
        if observer is not None:
            observer(name, graph)


__all__ = ["PASSES", "Pass", "PassObserver", "pass_observer", "run_passes", "summary"]
