"""Lookup of a port by index, tensor name, layer name, or port."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any, SupportsIndex, TypeVar

import numpy as np

from ir_plugin.diagnostics.suggest import did_you_mean
from ir_plugin.errors import ArgumentTypeError, InputError, PositionError, require, shown, wrong_type
from ir_plugin.model import Node, Output

PortType = TypeVar("PortType", bound=Output)


def names_of(port: Output) -> list[str]:
    """Return the names of a port: its tensor names, and its layer's name."""
    names = sorted(port.names)
    return names if port.node.name in names else [*names, port.node.name]


def position_of_either(inputs: Sequence[Output], outputs: Sequence[Output], key: str | Output) -> tuple[str, int]:
    """Return "input" or "output", and the position of the port for a name or a port."""
    if not isinstance(key, (str, Output)):
        raise wrong_type("name", "the name of a tensor, or a port,", key)
    try:
        return "input", position_of(inputs, key, "input")
    except InputError as no_input:
        try:
            return "output", position_of(outputs, key, "output")
        except InputError as no_output:
            raise InputError(f"{no_input}; {no_output}") from None


def position_of(ports: Sequence[Output], key: Any, kind: str) -> int:
    """Return the position of the port for a key; None is the key of the only port."""
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
    if isinstance(key, (int, SupportsIndex)) and not isinstance(key, np.ndarray):
        position = index(key)
        if position < 0:
            raise ArgumentTypeError(f"the model has no {kind} {shown(position)}; it has {_listed(ports)}")
        if position >= len(ports):
            raise PositionError(f"the model has no {kind} {shown(position)}; it has {_listed(ports)}")
        return position
    raise wrong_type("key", f"the index, a name or the port of an {kind}", key)


def single_key(key: Any, index: int | None, tensor_name: str | None) -> Any:
    """Return the only key of a port among OpenVINO's alternative arguments, or None."""
    if tensor_name is not None:
        require(tensor_name, str, "a tensor name", "tensor_name")
    keys = [candidate for candidate in (key, index, tensor_name) if candidate is not None]
    if len(keys) > 1:
        raise ArgumentTypeError("a port is named by its index or its tensor name, not by both")
    return keys[0] if keys else None


def find_port(ports: Sequence[PortType], key: Any, kind: str) -> PortType:
    """Return the port for a key; None is the key of the only port."""
    return ports[position_of(ports, key, kind)]


def _by_name(ports: Sequence[Output], name: str, kind: str) -> int:
    sources = [port.result_source for port in ports]
    source_names = [set() if source is None else source.names for source in sources]
    for names in ([port.names for port in ports], source_names, [{port.node.name} for port in ports]):
        for position, aliases in enumerate(names):
            if name in aliases:
                return position
    candidates = [alias for port in ports for alias in names_of(port)]
    suggestion = did_you_mean(name, candidates)
    raise InputError(
        f"the model has no {kind} {name!r}; it has {_listed(ports)}" + (f"; {suggestion}" if suggestion else "")
    )


def _by_port(ports: Sequence[Output], port: Output, kind: str) -> int:
    for position, candidate in enumerate(ports):
        source = candidate.node.inputs[0].source if candidate.node.inputs else None
        if _is_same(port, candidate) or (source is not None and _is_same(port, source)):
            return position
    raise InputError(f'"{port.node.name}" is not an {kind} of the model; it has {_listed(ports)}')


def _is_same(port: Output, candidate: Output) -> bool:
    """Return whether two ports are the same, possibly of a model and its compiled copy."""
    if port is candidate:
        return True
    mine, theirs = port.node, candidate.node
    return (mine.id, mine.name, mine.type, port.index) == (theirs.id, theirs.name, theirs.type, candidate.index)


def _listed(ports: Sequence[Output]) -> str:
    named = [f"{position}: {' or '.join(map(repr, names_of(port)))}" for position, port in enumerate(ports)]
    return ", ".join(named) if named else "none"
