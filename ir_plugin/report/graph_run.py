"""Facts of a run for each layer, for the page of a graph."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np

from ir_plugin.model import Model
from ir_plugin.openvino.api import CompiledModel
from ir_plugin.operations.memory import memory_for
from ir_plugin.report.graph_data import LayerKey
from ir_plugin.report.inputs import complete
from ir_plugin.report.preview import preview
from ir_plugin.report.profile import profile
from ir_plugin.report.profile_data import ProfiledLayer
from ir_plugin.report.statistics import Statistics
from ir_plugin.report.strict_json import strict_json
from ir_plugin.tensors import Array, ElementType

Facts = dict[LayerKey, dict[str, Any]]

_LARGEST = 5


def run_facts(
    compiled: CompiledModel,
    inputs: Any = None,
    seed: int = 0,
    runs: int = 3,
    listener: Callable[[], None] | None = None,
) -> Facts:
    """Return time, share of the whole, kernel, fused layers and statistics of the last outputs, by layer.

    Layers that no step computes are `folded`.
    """
    arrays = complete(compiled, inputs, seed)
    facts: Facts = defaultdict(dict)
    _add_values(facts, compiled, arrays)
    profiled = profile(compiled, arrays, runs, seed, listener)
    total = sum(layer.milliseconds for layer in profiled.layers) or 1.0
    keys = {name: key for key, name in _names(compiled).items()}
    for layer in profiled.layers:
        if layer.name in keys:
            facts[keys[layer.name]] |= _times(layer, total)
            for name in layer.fused:
                facts[keys[name]]["into"] = layer.name
    for name in profiled.folded:
        if name in keys:
            facts[keys[name]]["folded"] = True
    return dict(facts)


def _times(layer: ProfiledLayer, total: float) -> dict[str, Any]:
    return {
        "ms": round(layer.milliseconds, 4),
        "share": round(layer.milliseconds / total, 5),
        "kernel": layer.kernel,
        "fused": list(layer.fused),
        "calls": layer.calls,
    }


def _add_values(facts: Facts, compiled: CompiledModel, arrays: list[Array]) -> None:
    """Add statistics and pictures of the values of parameters, layers and results."""
    for port, array in zip(compiled.inputs, arrays, strict=True):
        with memory_for(port.node):
            facts[port.node.path, port.node.id]["stats"] = [_value_facts(array, port.element_type)]
    for run in compiled.intermediates(arrays).runs:
        with memory_for(run.layer):
            values = zip(run.outputs, run.layer.outputs, strict=True)
            stats = [_value_facts(array, port.element_type) for array, port in values]
            facts[run.layer.path, run.layer.id]["stats"] = stats
    for result in compiled.model.results:
        source = result.inputs[0].source
        source_facts = {} if source is None else facts.get((source.node.path, source.node.id), {})
        if source is not None and "stats" in source_facts:
            facts[result.path, result.id]["stats"] = [source_facts["stats"][source.index]]


def _value_facts(array: Array, element_type: ElementType) -> dict[str, Any]:
    facts: dict[str, Any] = strict_json(Statistics.of(array, element_type).as_dict())
    picture = preview(array)
    if picture is not None:
        facts["preview"] = picture
    if array.ndim in (1, 2) and array.shape[-1] > 1 and array.dtype.kind not in "OUSb" and array.size:
        row = array.reshape(-1, array.shape[-1])[0].astype(np.float64)
        positions = np.argsort(-row, kind="stable")[:_LARGEST]
        facts["largest"] = strict_json([[int(position), float(row[position])] for position in positions])
    return facts


def _names(compiled: CompiledModel) -> dict[LayerKey, str]:
    names: dict[LayerKey, str] = {}

    def add(model: Model) -> None:
        for node in model.nodes:
            names[node.path, node.id] = "/".join((*node.path, node.name))
        for _, _, subgraph in model.bodies():
            add(subgraph.body)

    add(compiled.model)
    return names
