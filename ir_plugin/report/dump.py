"""Every layer's outputs, with statistics of their values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from ir_plugin.executor import LayerRun
from ir_plugin.openvino.api import CompiledModel
from ir_plugin.openvino.api.intermediates import Intermediates, Recorder
from ir_plugin.operations.memory import memory_for
from ir_plugin.report.inputs import by_layer, complete
from ir_plugin.report.statistics import Statistics
from ir_plugin.tensors import Array


@dataclass(frozen=True)
class DumpedOutput:
    """One output of one execution of a layer."""

    name: str
    type: str
    statistics: Statistics

    def as_dict(self) -> dict[str, Any]:
        """Return the output's statistics as plain data."""
        return {"layer": self.name, "operation": self.type, **self.statistics.as_dict()}


@dataclass(frozen=True)
class Dump:
    """The recorded arrays of a run, and the layers that turn finite inputs into NaNs or infinities."""

    inputs: dict[str, Array]
    layers: Intermediates
    outputs: tuple[DumpedOutput, ...]
    spoilers: tuple[str, ...]
    spoiled_inputs: tuple[tuple[str, int, int], ...] = ()
    """The inputs that hold NaNs or infinities: name, and the count of each."""

    @property
    def arrays(self) -> dict[str, Array]:
        """All arrays by name, inputs first."""
        return {**self.inputs, **self.layers}


def dump(compiled: CompiledModel, inputs: Any = None, layers: Iterable[str] | None = None, seed: int = 0) -> Dump:
    """Return the outputs of the layers that match one of the globs `layers`, or of all layers for None.

    Missing inputs are random.
    """
    arrays = complete(compiled, inputs, seed)
    recorder = Recorder(compiled.model, layers)
    intermediates = compiled.intermediates(arrays)
    for run in intermediates.runs:
        recorder(run)
    recorded = Intermediates(recorder.runs, intermediates.results)
    outputs = tuple(_dumped(run, index) for run in recorder.runs for index in range(len(run.outputs)))
    spoilers = tuple(run.name for run in intermediates.runs if _spoils(run))
    inputs = by_layer(compiled.inputs, arrays)
    return Dump(inputs, recorded, outputs, spoilers, tuple(_spoiled(inputs)))


def _spoiled(inputs: dict[str, Array]) -> Iterator[tuple[str, int, int]]:
    for name, array in inputs.items():
        statistics = Statistics.of(array)
        if not statistics.is_finite:
            yield name, statistics.nan, statistics.inf


def _dumped(run: LayerRun, index: int) -> DumpedOutput:
    name = run.name if len(run.outputs) == 1 else f"{run.name}:{index}"
    type = run.layer.outputs[index].element_type
    with memory_for(run.layer):
        return DumpedOutput(name, run.layer.get_type_name(), Statistics.of(run.outputs[index], type))


def _spoils(run: LayerRun) -> bool:
    """Return whether a layer turns finite inputs into a NaN or an infinity."""
    with memory_for(run.layer):
        if all(Statistics.of(array).is_finite for array in run.outputs):
            return False
        return all(array is None or Statistics.of(array).is_finite for array in run.inputs)
