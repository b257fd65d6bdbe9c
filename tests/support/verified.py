"""Passes that verify the graph they leave, so that one that breaks it fails by name."""

from __future__ import annotations

from functools import wraps

from ir_plugin.compiler.graph import Graph, GraphError
from ir_plugin.compiler.passes import PASSES, Pass


def verified(name: str, function: Pass) -> Pass:
    """Return the pass followed by a verification of the graph."""

    @wraps(function)
    def run(graph: Graph) -> None:
        function(graph)
        try:
            graph.verify()
        except GraphError as fault:
            raise AssertionError(f"the pass {name}: {fault}") from None

    return run


def verify_after_every_pass() -> None:
    """Verify the graph after every pass from now on."""
    for name, function in PASSES.items():
        PASSES[name] = verified(name, function)
