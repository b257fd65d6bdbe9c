"""What a run tells of each layer, for the page of a graph."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np

from ir_plugin.api import CompiledModel
from ir_plugin.model import Model
from ir_plugin.operations.memory import memory_for
from ir_plugin.report.comparison import strict_json
from ir_plugin.report.graph_data import Place
from ir_plugin.report.inputs import complete
from ir_plugin.report.preview import preview
from ir_plugin.report.profile import profile
from ir_plugin.report.statistics import Statistics
from ir_plugin.tensors import Array

Facts = dict[Place, dict[str, Any]]

_LARGEST = 5


def run_facts(
    compiled: CompiledModel,
    inputs: Any = None,
    seed: int = 0,
    runs: int = 3,
    listener: Callable[[], None] | None = None,
) -> Facts:
    """Return time, share of the whole, form, fused layers and the values of the last outputs, by layer.

    Layers that no step computes are `folded`.
    """
    arrays = complete(compiled, inputs, seed)
    facts: Facts = defaultdict(dict)
    _add_values(facts, compiled, arrays)
    profiled = profile(compiled, arrays, runs, seed, listener)
    total = sum(layer.milliseconds for layer in profiled.layers) or 1.0
    places = {name: place for place, name in _names(compiled).items()}
    for layer in profiled.layers:
        if layer.name in places:
            facts[places[layer.name]] |= {
                "ms": round(layer.milliseconds, 4),
                "share": round(layer.milliseconds / total, 5),
                "form": layer.form,
                "fused": list(layer.fused),
                "calls": layer.calls,
            }
            for name in layer.fused:
                facts[places[name]]["into"] = layer.name
    for name in profiled.folded:
        if name in places:
            facts[places[name]]["folded"] = True
    return dict(facts)


def _add_values(facts: Facts, compiled: CompiledModel, arrays: list[Array]) -> None:
    """Add what the values of parameters, layers and results are like."""
    for port, array in zip(compiled.inputs, arrays, strict=True):
        with memory_for(port.node):
            facts[port.node.path, port.node.id]["stats"] = [_values(array)]
    for run in compiled.intermediates(arrays).runs:
        with memory_for(run.layer):
            facts[run.layer.path, run.layer.id]["stats"] = [_values(array) for array in run.outputs]
    for result in compiled.model.results:
        source = result.inputs[0].source
        known = {} if source is None else facts.get((source.node.path, source.node.id), {})
        if source is not None and "stats" in known:
            facts[result.path, result.id]["stats"] = [known["stats"][source.index]]


def _values(array: Array) -> dict[str, Any]:
    found: dict[str, Any] = strict_json(Statistics.of(array).as_dict())
    shown = preview(array)
    if shown is not None:
        found["preview"] = shown
    if array.ndim in (1, 2) and array.shape[-1] > 1 and array.dtype.kind not in "OUSb" and array.size:
        row = array.reshape(-1, array.shape[-1])[0].astype(np.float64)
        best = np.argsort(-row, kind="stable")[:_LARGEST]
        found["largest"] = strict_json([[int(place), float(row[place])] for place in best])
    return found


def _names(compiled: CompiledModel) -> dict[Place, str]:
    found: dict[Place, str] = {}

    def add(model: Model) -> None:
        for node in model.nodes:
            found[node.path, node.id] = "/".join((*node.path, node.name))
        for _, _, subgraph in model.bodies():
            add(subgraph.body)

    add(compiled.model)
    return found
