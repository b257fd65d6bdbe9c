"""Runs of a model in which quantizers are undone: their outputs are the numbers before."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from ir_plugin.executor import Frame, Interpreter
from ir_plugin.executor.interpreter import Computed
from ir_plugin.model import Model, Node, Output
from ir_plugin.operations.base import Operation, trait_of
from ir_plugin.operations.context import Context
from ir_plugin.operations.infrastructure.const import Const
from ir_plugin.operations.infrastructure.parameter import Parameter
from ir_plugin.operations.traits import Selects
from ir_plugin.report.quantizers import Quantizer
from ir_plugin.tensors import Array

Originals: TypeAlias = Mapping[Output, Array]
"""The stored weights before quantization, by the output of their quantizer."""

Watcher: TypeAlias = "Callable[[Quantizer, Array, Array], None]"
"""Receives a quantizer, its numbers before, and its quantized numbers."""


@dataclass
class Undoing(Interpreter):
    """An interpreter that replaces the outputs of quantizers, and computes only what differs from its first run."""

    quantizers: Sequence[Quantizer] = ()
    originals: Originals = field(default_factory=dict)
    observed: Sequence[Output] = ()
    watcher: Watcher | None = None
    undone: frozenset[Output] = frozenset()
    """The outputs of the quantizers that the current run undoes."""
    _first: dict[Node, tuple[list[Array | None], tuple[Array, ...]]] | None = field(default=None, init=False)
    _values: dict[Output, Array] = field(default_factory=dict, init=False)
    _sources: dict[Output, Array] = field(default_factory=dict, init=False)
    _entries: dict[Node, list[Quantizer]] = field(init=False)
    _ends: dict[Node, list[Quantizer]] = field(init=False)
    _inside: set[Output] = field(init=False)

    def __post_init__(self) -> None:
        self._entries, self._ends = defaultdict(list), defaultdict(list)
        for quantizer in self.quantizers:
            self._ends[quantizer.output.node].append(quantizer)
            if quantizer.entry is not None:
                self._entries[quantizer.entry.node].append(quantizer)
        self._inside = {quantizer.output for quantizer in self.quantizers if quantizer.path}

    def values(self, arrays: Sequence[Array], undone: Iterable[Output] = ()) -> list[Array | None]:
        """Return the observed outputs of a run that undoes the quantizers with these outputs."""
        self.undone, self._values, self._sources = frozenset(undone), {}, {}
        remembers = self._first is None
        if remembers:
            self._remembered: dict[Node, tuple[list[Array | None], tuple[Array, ...]]] = {}
        self._values.update(zip((node.outputs[0] for node in self.model.parameters), arrays, strict=True))
        self.run(arrays, {})
        if remembers:
            self._first = self._remembered
        return [self._values.get(port) for port in self.observed]

    def computed(
        self,
        node: Node,
        operation: Operation,
        inputs: Sequence[Array | None],
        context: Context,
        frames: tuple[Frame, ...],
    ) -> Computed:
        """Return the outputs of a layer, reused from the first run if its inputs are the same."""
        for quantizer in self._entries.get(node, ()):
            source = inputs[quantizer.entry.index] if quantizer.entry is not None else None
            if source is not None:
                self._sources[quantizer.output] = source
        outputs, seconds = self._first_outputs(node, inputs, frames), 0.0
        if outputs is None:
            outputs, seconds = yield from super().computed(node, operation, inputs, context, frames)
            if self._first is None and not frames and not operation.stateful:
                self._remembered[node] = list(inputs), outputs
        outputs = self._undo(node, outputs)
        self._values.update((port, array) for port, array in zip(node.outputs, outputs, strict=True) if not frames)
        return outputs, seconds

    def _first_outputs(
        self, node: Node, inputs: Sequence[Array | None], frames: tuple[Frame, ...]
    ) -> tuple[Array, ...] | None:
        """Return a layer's outputs of the first run, or None if its inputs are others."""
        if self._first is None or frames or node not in self._first:
            return None
        if node.operation.subgraphs and self.undone & self._inside:
            return None
        before, outputs = self._first[node]
        same = all(mine is theirs for mine, theirs in zip(inputs, before, strict=True))
        return outputs if same else None

    def _undo(self, node: Node, outputs: tuple[Array, ...]) -> tuple[Array, ...]:
        for quantizer in self._ends.get(node, ()):
            index, port = quantizer.output.index, quantizer.output
            source = self._sources.get(port) if quantizer.entry is not None else self.originals.get(port)
            if source is None or source.shape != outputs[index].shape:
                continue
            if self.watcher is not None:
                self.watcher(quantizer, source, outputs[index])
            if port in self.undone:
                with np.errstate(all="ignore"):
                    replaced = source.astype(outputs[index].dtype, copy=False)
                outputs = (*outputs[:index], replaced, *outputs[index + 1 :])
        return outputs


def observed_outputs(model: Model) -> list[Output]:
    """Return the real outputs of a model, and of its other outputs the nearest real numbers that they depend on."""
    selected: dict[Output, None] = {}
    seen: set[Output] = set()
    stack = [node.inputs[0].source for node in reversed(model.results)]
    while stack:
        port = stack.pop()
        if port is None or port in seen:
            continue
        seen.add(port)
        if port.element_type.is_real and trait_of(port.node.operation, Selects) is None:
            selected[port] = None
        elif not port.node.is_a(Const):
            stack += [reader.source for reader in reversed(port.node.inputs)]
    return [port for port in selected if not port.node.is_a(Const, Parameter)]
