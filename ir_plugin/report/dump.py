"""Every layer's outputs, with what their values are like."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from ir_plugin.api import CompiledModel
from ir_plugin.api.intermediates import Intermediates, Recorder
from ir_plugin.operations.memory import memory_for
from ir_plugin.report.inputs import by_layer, complete
from ir_plugin.report.statistics import Statistics
from ir_plugin.runtime import LayerRun
from ir_plugin.tensors import Array


@dataclass(frozen=True)
class DumpedOutput:
    """One output of one execution of a layer."""

    name: str
    type: str
    statistics: Statistics

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        known = self.statistics.as_dict()
        return {"layer": self.name, "operation": self.type, **known}


@dataclass(frozen=True)
class Dump:
    """What was kept of a run, and which layers made NaNs or infinities of finite inputs."""

    inputs: dict[str, Array]
    layers: Intermediates
    outputs: tuple[DumpedOutput, ...]
    spoilers: tuple[str, ...]
    spoiled_inputs: tuple[tuple[str, int, int], ...] = ()
    """Inputs that hold a NaN or an infinity already: names, and how many of each."""

    @property
    def arrays(self) -> dict[str, Array]:
        """All arrays by name, inputs first."""
        return {**self.inputs, **self.layers}


def dump(compiled: CompiledModel, inputs: Any = None, layers: Iterable[str] | None = None, seed: int = 0) -> Dump:
    """Run layer by layer, and return the outputs of the layers that match one of the globs `layers` (None: of all).

    Inputs that are not given are random.
    """
    arrays = complete(compiled, inputs, seed)
    chosen = Recorder(compiled.model, layers)
    everything = compiled.intermediates(arrays)
    for run in everything.runs:
        chosen(run)
    kept = Intermediates(chosen.runs, everything.results)
    outputs = tuple(_dumped(run, index) for run in chosen.runs for index in range(len(run.outputs)))
    spoilers = tuple(run.name for run in everything.runs if _spoils(run))
    inputs = by_layer(compiled.inputs, arrays)
    return Dump(inputs, kept, outputs, spoilers, tuple(_spoiled(inputs)))


def _spoiled(inputs: dict[str, Array]) -> Iterator[tuple[str, int, int]]:
    for name, array in inputs.items():
        known = Statistics.of(array)
        if not known.is_finite:
            yield name, known.nan, known.inf


def _dumped(run: LayerRun, index: int) -> DumpedOutput:
    name = run.name if len(run.outputs) == 1 else f"{run.name}:{index}"
    with memory_for(run.layer):
        return DumpedOutput(name, run.layer.get_type_name(), Statistics.of(run.outputs[index]))


def _spoils(run: LayerRun) -> bool:
    """Return whether a layer makes a NaN or an infinity of inputs that have none."""
    with memory_for(run.layer):
        if all(Statistics.of(array).is_finite for array in run.outputs):
            return False
        return all(array is None or Statistics.of(array).is_finite for array in run.inputs)
