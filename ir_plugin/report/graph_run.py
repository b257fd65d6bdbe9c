"""What a run tells of each layer, for the page of a graph."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from ir_plugin.api import CompiledModel
from ir_plugin.report.comparison import strict_json
from ir_plugin.report.dump import dump
from ir_plugin.report.graph_data import Place
from ir_plugin.report.profile import profile
from ir_plugin.report.statistics import Statistics


def run_facts(compiled: CompiledModel, inputs: Any = None, seed: int = 0, runs: int = 3) -> dict[Place, dict[str, Any]]:
    """Return time, share of the whole, form, fused layers and the statistics of the last outputs, by layer."""
    facts: dict[Place, dict[str, Any]] = defaultdict(dict)
    for run in dump(compiled, inputs, None, seed).layers.runs:
        stats = [strict_json(Statistics.of(array).as_dict()) for array in run.outputs]
        facts[run.layer.path, run.layer.id]["stats"] = stats
    profiled = profile(compiled, inputs, runs, seed)
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
    return dict(facts)


def _names(compiled: CompiledModel) -> dict[Place, str]:
    found: dict[Place, str] = {}

    def add(model: Any) -> None:
        for node in model.nodes:
            found[node.path, node.id] = "/".join((*node.path, node.name))
        for _, _, subgraph in model.bodies():
            add(subgraph.body)

    add(compiled.model)
    return found
