"""Reconnect inputs to other outputs; shapes downstream stay as they were until the model is validated again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

from ir_plugin.errors import InputError
from ir_plugin.model.edge_changes import EDGE_CHANGES

_MAX_UPSTREAM_NODES = 32
"""The number of producers of a replaced node that are known to be harmless, about."""


class Reader(Protocol):
    """An input: its node, and the output that it reads."""

    node: Any
    source: Any


class Source(Protocol):
    """An output: its node, and the inputs that read it."""

    node: Any
    readers: Any


def rewire(changes: Sequence[tuple[Reader, Source]]) -> None:
    """Make inputs read other outputs, all or none of them; raises where a cycle would come of it."""
    before = [(port, port.source) for port, _ in changes]
    harmless = _harmless(changes)
    for port, source in changes:
        _connect(port, source)
    for port, source in changes:
        if _depends(source, port, harmless):
            for changed, old in before:
                _connect(changed, old)
            raise InputError(f'"{port.node.name}" cannot read "{source.node.name}", which is computed from it')


def _harmless(changes: Sequence[tuple[Reader, Source]]) -> set[Any]:
    """Return nodes from which no change can lead to a cycle, where one node takes the place of another.

    They are the replaced node and the nearest of those that it is computed from: what reads it is none of them.
    """
    replaced = {port.source.node for port, _ in changes if port.source is not None}
    is_open = any(port.source is None for port, _ in changes)
    if is_open or len(replaced) != 1 or len({source.node for _, source in changes}) != 1:
        return set()
    seen: list[Any] = list(replaced)
    for node in seen:
        if len(seen) > _MAX_UPSTREAM_NODES:
            break
        seen += [port.source.node for port in node.inputs if port.source is not None and port.source.node not in seen]
    return set(seen)


def _connect(port: Reader, source: Source | None) -> None:
    is_listed = not port.node.is_detached
    if is_listed:
        unlist(port)
    port.source = source
    if source is not None:
        attach(source.node)
        if is_listed:
            source.readers.append(port)
    EDGE_CHANGES.advance()


def unlist(port: Reader) -> None:
    """Remove an input from the readers of the output that it reads, if it is listed there."""
    if port.source is not None and port in port.source.readers:
        port.source.readers.remove(port)


def detach(node: Any) -> None:
    """Remove a node that nothing reads from the readers of its inputs, and so upstream; the node can be used again.

    Results, and nodes without outputs or inputs, stay.
    """
    waiting = [node]
    while waiting:
        node = waiting.pop()
        is_end = node.type in ("Result", "Assign") or not node.outputs or not node.inputs
        if is_end or node.is_detached or any(port.readers for port in node.outputs):
            continue
        node.is_detached = True
        for port in node.inputs:
            unlist(port)
            if port.source is not None:
                waiting.append(port.source.node)


def attach(node: Any) -> None:
    """List a detached node among the readers of its inputs again, and so upstream."""
    waiting = [node] if node.is_detached else []
    while waiting:
        node = waiting.pop()
        node.is_detached = False
        for port in node.inputs:
            if port.source is not None:
                port.source.readers.append(port)
                if port.source.node.is_detached:
                    waiting.append(port.source.node)


def _depends(source: Source, port: Reader, harmless: set[Any]) -> bool:
    """Return whether an output is computed from the node of an input; paths through `harmless` nodes do not count.

    The walks from both ends take turns: the shorter one decides.
    """
    if source.node in harmless:
        return False
    upstream, downstream = _walk(source.node, _producers, harmless), _walk(port.node, _consumers, harmless)
    return any(above is port.node or below is source.node for above, below in zip(upstream, downstream, strict=False))


def _walk(start: Any, neighbors: Callable[[Any], set[Any]], harmless: set[Any]) -> Iterator[Any]:
    """Yield a node and what is reached from it, each once, but no `harmless` node."""
    seen, waiting = {start, *harmless}, [start]
    while waiting:
        node = waiting.pop()
        yield node
        reached = neighbors(node) - seen
        seen |= reached
        waiting += reached


def _producers(node: Any) -> set[Any]:
    return {port.source.node for port in node.inputs if port.source is not None}


def _consumers(node: Any) -> set[Any]:
    return {reader.node for port in node.outputs for reader in port.readers}
