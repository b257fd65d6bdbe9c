"""How large a model becomes when its functions are expanded, counted before any of them is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from ir_plugin.frontends.onnx.faults import OnnxLimitError, refused
from ir_plugin.frontends.onnx.walking import all_nodes

MAX_EXPANDED = 200_000
"""The most nodes of functions and bodies, counted each time that they are expanded."""

Key = tuple[str, str, str]


def key_of(node: Any) -> Key:
    """Return the domain, name and overload by which a node calls a function."""
    return node.domain, node.op_type, getattr(node, "overload", "")


def functions_of(proto: Any) -> dict[Key, Any]:
    """Return the functions of a model by their keys."""
    return {(entry.domain, entry.name, entry.overload): entry for entry in proto.functions}


def repeated_functions(proto: Any) -> list[Key]:
    """Return the keys that more than one function of a model has."""
    counts = Counter((entry.domain, entry.name, entry.overload) for entry in proto.functions)
    return [key for key, count in counts.items() if count > 1]


def require_unique(proto: Any) -> None:
    """Raise if two functions of a model have the same name."""
    for domain, name, _ in repeated_functions(proto):
        raise refused("ON201", f"the function {name} of the domain {domain!r} is there twice")


def too_large() -> OnnxLimitError:
    """Return the error for a model with too many nodes."""
    return OnnxLimitError(f"functions and bodies have more than {MAX_EXPANDED:,} nodes when expanded")


def require_expandable(graph: Any, functions: Mapping[Key, Any]) -> None:
    """Raise if the functions that a graph calls have too many nodes together; calls in a cycle count once."""
    if not functions:
        return
    calls = {key: [called for node in all_nodes(function.node) if (called := key_of(node)) in functions]
             for key, function in functions.items()}  # fmt: skip
    sizes: dict[Key, int] = {}
    for start in calls:
        waiting = [start]
        while waiting:
            key = waiting[-1]
            if key not in sizes:
                sizes[key] = 0
                waiting += [called for called in calls[key] if called not in sizes]
                continue
            waiting.pop()
            if not sizes[key]:
                sizes[key] = len(functions[key].node) + sum(sizes[called] for called in calls[key])
    if sum(sizes.get(key_of(node), 0) for node in all_nodes(graph.node)) > MAX_EXPANDED:
        raise too_large()
