"""Functions that write operations as ONNX nodes, by the operation's class."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from ir_plugin.operations.base import OperationClass
from ir_plugin.operations.table import OperationTable

if TYPE_CHECKING:
    from ir_plugin.frontends.onnx_writer.layer import Layer

Write: TypeAlias = "Callable[[Layer], str | Sequence[str]]"


class Writer(NamedTuple):
    """A function that writes a layer as ONNX nodes and returns the names of its outputs."""

    write: Write
    widens: bool
    """Whether floats of 16 bits and fewer are computed in f32 and rounded once."""


_WRITERS: dict[OperationClass, Writer] = {}


def writes(*definitions: OperationClass, widens: bool = False) -> Callable[[Write], Write]:
    """Register a function as the writer of these operations, whatever their version."""

    def register(write: Write) -> Write:
        for definition in definitions:
            if any(definition_before.type == definition.type for definition_before in _WRITERS):
                raise ValueError(f"{definition.type} has two writers")
            _WRITERS[definition] = Writer(write, widens)
        return write

    return register


@cache
def writers() -> OperationTable[Writer]:
    """Return the writers of all families."""
    for info in pkgutil.iter_modules([str(Path(__file__).parent)]):
        importlib.import_module(f"{__package__}.{info.name}")
    return OperationTable(_WRITERS)
