"""The order of the passes: each says beside its code which one it follows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import TypeAlias, TypeVar

from ir_plugin.compiler.graph import Graph
from ir_plugin.compiler.rewriter import Pattern, PatternPass

Pass: TypeAlias = "Callable[[Graph], None]"

_Part = TypeVar("_Part", bound="type[Pattern] | Pass")

_PARTS: defaultdict[str, list[type[Pattern] | Pass]] = defaultdict(list)
"""The patterns of each pass in the order of their registration, or its one function."""

_FOLLOWERS: defaultdict[str, set[str]] = defaultdict(set)


def follows(name: str = "") -> Callable[[_Part], _Part]:
    """Register a pattern or a function as the pass of its module, which runs directly after another; without, first.

    The patterns of one module are one pass.
    """

    def register(part: _Part) -> _Part:
        module = part.__module__.rpartition(".")[2]
        _PARTS[module].append(part)
        _FOLLOWERS[name].add(module)
        return part

    return register


def ordered_passes() -> dict[str, Pass]:
    """Return the registered passes by name, in the order in which they run."""
    return {name: _pass_of(_PARTS[name]) for name in _chain("")[1:]}


def _chain(name: str) -> list[str]:
    """Return a pass and all that run after it: of several that follow one, the last has most passes after it."""
    chains = sorted((_chain(follower) for follower in _FOLLOWERS[name]), key=lambda chain: (len(chain), chain))
    return [name, *(follower for chain in chains for follower in chain)]


def _pass_of(parts: list[type[Pattern] | Pass]) -> Pass:
    functions = [part for part in parts if not isinstance(part, type)]
    return functions[0] if functions else PatternPass(*(part for part in parts if isinstance(part, type)))
