"""Changes of which output an input reads; shapes behind are those of before until the model is validated anew."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from ir_plugin.errors import InputError
from ir_plugin.model.revision import REVISION


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
    for port, source in changes:
        _connect(port, source)
    for port, source in changes:
        if _depends(source, port):
            for changed, old in before:
                _connect(changed, old)
            raise InputError(f'"{port.node.name}" cannot read "{source.node.name}", which is computed from it')


def _connect(port: Reader, source: Source | None) -> None:
    if port.source is not None:
        port.source.readers.remove(port)
    port.source = source
    if source is not None:
        source.readers.append(port)
    REVISION.advance()


def _depends(source: Source, port: Reader) -> bool:
    """Return whether an output is computed from the node of an input."""
    seen, waiting = {source.node}, [source.node]
    while waiting:
        node = waiting.pop()
        if node is port.node:
            return True
        producers = {known.source.node for known in node.inputs if known.source is not None} - seen
        seen |= producers
        waiting += producers
    return False
