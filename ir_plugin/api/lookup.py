"""Finding a port by index, tensor name, layer name, or the port itself."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any, SupportsIndex, TypeVar

import numpy as np

from ir_plugin.diagnostics.suggest import did_you_mean
from ir_plugin.errors import InputError
from ir_plugin.model import Node, Output

PortType = TypeVar("PortType", bound=Output)


def names_of(port: Output) -> list[str]:
    """Return the names by which a port is known: its tensor names, and its layer's name."""
    names = sorted(port.names)
    return names if port.node.name in names else [*names, port.node.name]


def position_of(ports: Sequence[Output], key: Any, kind: str) -> int:
    """Return the position of the port that `key` names; None names the only one."""
    if key is None:
        if len(ports) != 1:
            raise InputError(f"the model has {len(ports)} {kind}s; name one of {_listed(ports)}")
        return 0
    if isinstance(key, str):
        return _by_name(ports, key, kind)
    if isinstance(key, Node):
        key = key.outputs[0] if key.outputs else key
    if isinstance(key, Output):
        return _by_port(ports, key, kind)
    if isinstance(key, SupportsIndex) and not isinstance(key, np.ndarray):
        position = index(key)
        if not -len(ports) <= position < len(ports):
            raise InputError(f"the model has no {kind} {position}; it has {_listed(ports)}")
        return position % len(ports)
    raise InputError(f"an {kind} is named by an index, a name or a port, not by {type(key).__name__}")


def find_port(ports: Sequence[PortType], key: Any, kind: str) -> PortType:
    """Return the port that `key` names; None names the only one."""
    return ports[position_of(ports, key, kind)]


def _by_name(ports: Sequence[Output], name: str, kind: str) -> int:
    for names in ([port.names for port in ports], [{port.node.name} for port in ports]):
        for position, known in enumerate(names):
            if name in known:
                return position
    known_names = [known for port in ports for known in names_of(port)]
    suggestion = did_you_mean(name, known_names)
    raise InputError(
        f"the model has no {kind} {name!r}; it has {_listed(ports)}" + (f"; {suggestion}" if suggestion else "")
    )


def _by_port(ports: Sequence[Output], port: Output, kind: str) -> int:
    for position, known in enumerate(ports):
        source = known.node.inputs[0].source if known.node.inputs else None
        if _is_same(port, known) or (source is not None and _is_same(port, source)):
            return position
    raise InputError(f'"{port.node.name}" is no {kind} of the model; it has {_listed(ports)}')


def _is_same(port: Output, known: Output) -> bool:
    """Return whether both are one port, perhaps of a model and of its compiled copy."""
    if port is known:
        return True
    mine, theirs = port.node, known.node
    return (mine.id, mine.name, mine.type, port.index) == (theirs.id, theirs.name, theirs.type, known.index)


def _listed(ports: Sequence[Output]) -> str:
    shown = [f"{position}: {' or '.join(map(repr, names_of(port)))}" for position, port in enumerate(ports)]
    return ", ".join(shown) if shown else "none"
