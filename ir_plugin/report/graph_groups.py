"""Repeated blocks of a large graph, such as the layers of a decoder, recognized by names of layers or by structure."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from ir_plugin.tensors import Array

MIN_LAYERS = 400
"""A smaller graph has no groups."""
_MIN_BLOCK = 8
_MIN_COUNT = 3
_LONGEST_PERIOD = 4000
_MIN_COVERAGE = 0.3
"""The part of the layers that blocks of equal structure have to cover."""
_NUMBERED = re.compile(r"(?:^|(?<=[./_:\s-]))\d+(?=[./:\s_-])")

Link = tuple[int, int]


@dataclass(frozen=True)
class Group:
    """A block of a graph: its label, and the positions of its layers."""

    label: str
    members: tuple[int, ...]


def groups_of(names: Sequence[str], types: Sequence[str], roles: Sequence[str], links: Sequence[Link]) -> list[Group]:
    """Return the repeated blocks of a graph whose layers stand in topological order, or none.

    Contracting each block to one layer leaves a graph without cycles. Constants and computations of shapes whose
    readers are all in a block belong to it too.
    """
    layers = [position for position, role in enumerate(roles) if role == "op"]
    if len(layers) < MIN_LAYERS:
        return []
    order = _order(len(roles), links)
    layers.sort(key=order.__getitem__)
    blocks = _convex(_by_name(names, layers), links, order)
    blocks = blocks or _convex(_by_structure(types, layers, links), links, order)
    return [Group(label, tuple(sorted(members))) for label, members in _with_sources(blocks, roles, links, order)]


def _order(count: int, links: Iterable[Link]) -> list[int]:
    """Return each layer's rank in a topological order close to the file's; layers on cycles keep the file's order."""
    readers: dict[int, list[int]] = defaultdict(list)
    waiting = [0] * count
    for source, target in links:
        readers[source].append(target)
        waiting[target] += 1
    rank, position = [-1] * count, 0
    stack = [layer for layer in reversed(range(count)) if not waiting[layer]]
    while stack:
        layer = stack.pop()
        rank[layer] = position
        position += 1
        for reader in reversed(readers[layer]):
            waiting[reader] -= 1
            if not waiting[reader]:
                stack.append(reader)
    return [position + layer if at < 0 else at for layer, at in enumerate(rank)]


def _by_name(names: Sequence[str], layers: Sequence[int]) -> dict[str, set[int]]:
    """Return blocks by label, such as `model.layers.0`, of layers with a number in their names."""
    numbered: dict[str, dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
    for layer in layers:
        number = _NUMBERED.search(names[layer])
        if number is not None:
            numbered[names[layer][: number.start()]][names[layer][: number.end()]].add(layer)
    blocks: dict[str, set[int]] = {}
    for of_prefix in numbered.values():
        large = {label: members for label, members in of_prefix.items() if len(members) >= _MIN_BLOCK}
        if len(large) >= _MIN_COUNT:
            blocks |= large
    return blocks


def _convex(blocks: Mapping[str, set[int]], links: Sequence[Link], order: Sequence[int]) -> dict[str, set[int]]:
    """Return the blocks with the layers on ways between their members, without blocks whose ways cross another."""
    layer_at = {rank: layer for layer, rank in enumerate(order)}
    sources: dict[int, list[int]] = defaultdict(list)
    for source, target in links:
        sources[order[target]].append(order[source])
    owner = {layer: label for label, members in blocks.items() for layer in members}
    closed: dict[str, set[int]] = {}
    for label, members in blocks.items():
        extra = {layer_at[rank] for rank in _between({order[layer] for layer in members}, sources)}
        if all(owner.get(layer, label) == label for layer in extra):
            owner |= dict.fromkeys(extra, label)
            closed[label] = members | extra
    cyclic = _on_cycles(closed, links)
    closed = {label: members for label, members in closed.items() if label not in cyclic}
    return closed if len(closed) >= _MIN_COUNT else {}


def _on_cycles(blocks: Mapping[str, set[int]], links: Iterable[Link]) -> set[int | str]:
    """Return the blocks that are on a cycle, or between two, of the graph in which each block is one layer."""
    owner: dict[int, str] = {layer: label for label, members in blocks.items() for layer in members}
    pairs = {(owner.get(source, source), owner.get(target, target)) for source, target in links}
    pairs = {pair for pair in pairs if pair[0] != pair[1]}
    forward = _unsorted(pairs)
    return _unsorted({(target, source) for source, target in pairs if source in forward and target in forward})


def _unsorted(pairs: Iterable[tuple[int | str, int | str]]) -> set[int | str]:
    """Return the nodes on cycles of a graph and all nodes downstream of them."""
    readers: dict[int | str, list[int | str]] = defaultdict(list)
    waiting: dict[int | str, int] = defaultdict(int)
    for source, target in pairs:
        readers[source].append(target)
        waiting[target] += 1
    ready = [node for node in readers if not waiting[node]]
    for node in ready:
        for reader in readers[node]:
            waiting[reader] -= 1
            if not waiting[reader]:
                ready.append(reader)
    return {node for node, count in waiting.items() if count > 0}


def _between(layers: set[int], sources: Mapping[int, Sequence[int]]) -> set[int]:
    """Return the other layers on ways from one of these layers to another."""
    first, last = min(layers), max(layers)
    after = set(layers)
    for at in range(first, last + 1):
        if any(source in after for source in sources.get(at, ())):
            after.add(at)
    before = set(layers)
    for at in range(last, first - 1, -1):
        if at in before:
            before.update(source for source in sources.get(at, ()) if source >= first)
    return (after & before) - layers


def _by_structure(types: Sequence[str], layers: Sequence[int], links: Sequence[Link]) -> dict[str, set[int]]:
    """Return blocks of layers whose types repeat in the topological order."""
    codes = {type: code for code, type in enumerate(dict.fromkeys(types))}
    sequence = np.array([codes[types[layer]] for layer in layers])
    start, period, count = _repetition(sequence)
    if count < _MIN_COUNT or period * count < _MIN_COVERAGE * len(layers):
        return {}
    slack = _slack(sequence, start, period, count)
    start += _cheapest_cut(layers, links, start, period, slack)
    return {
        f"block {number}": set(layers[start + number * period : start + (number + 1) * period])
        for number in range(count)
        if start + (number + 1) * period <= len(layers)
    }


def _repetition(sequence: Array) -> tuple[int, int, int]:
    """Return the start, period and count of the repetition that covers most; the shortest period among nearly equal."""
    best = (0, 0, 0)
    for period in range(_MIN_BLOCK, min(len(sequence) // _MIN_COUNT, _LONGEST_PERIOD) + 1):
        equal = sequence[:-period] == sequence[period:]
        ends = np.flatnonzero(np.concatenate(([True], ~equal, [True])))
        runs = np.diff(ends) - 1
        longest = int(runs.argmax())
        count = (int(runs[longest]) + period) // period
        block = sequence[ends[longest] : ends[longest] + period]
        if count >= _MIN_COUNT and count * period > 1.05 * best[1] * best[2] and not _is_uniform(block):
            best = (int(ends[longest]), period, count)
    return best


def _is_uniform(block: Array) -> bool:
    """Return whether a block repeats a part that is too short to be a block."""
    return any(np.array_equal(block[:-period], block[period:]) for period in range(1, _MIN_BLOCK))


def _slack(sequence: Array, start: int, period: int, count: int) -> int:
    """Return how far the start can move so that as many blocks repeat."""
    end = start + period * count
    slack = 0
    while end + slack < len(sequence) and sequence[end + slack] == sequence[end + slack - period]:
        slack += 1
    return min(slack, period - 1)


def _cheapest_cut(layers: Sequence[int], links: Sequence[Link], start: int, period: int, slack: int) -> int:
    """Return the shift of the start, at most `slack`, at which the fewest links lead into a block."""
    position = {layer: at for at, layer in enumerate(layers)}
    change = [0] * (len(layers) + 2)
    for source, target in links:
        if source in position and target in position and position[source] < position[target]:
            change[position[source] + 1] += 1
            change[position[target] + 1] -= 1
    crossing = list(accumulate(change))
    return min(range(slack + 1), key=lambda shift: sum(crossing[start + shift : len(layers) : period]))


def _with_sources(
    blocks: Mapping[str, set[int]], roles: Sequence[str], links: Sequence[Link], order: Sequence[int]
) -> Iterable[tuple[str, set[int]]]:
    """Return the blocks with the constants and computations of shapes that only they read."""
    owner = {layer: label for label, members in blocks.items() for layer in members}
    readers: dict[int, list[int]] = defaultdict(list)
    for source, target in links:
        readers[source].append(target)
    for layer in sorted((at for at, role in enumerate(roles) if role != "op"), key=lambda at: -order[at]):
        labels = {owner.get(reader, "") for reader in readers[layer]}
        if len(labels) == 1 and "" not in labels:
            owner[layer] = labels.pop()
    members: dict[str, set[int]] = {label: set() for label in blocks}
    for layer, label in owner.items():
        members[label].add(layer)
    return members.items()
