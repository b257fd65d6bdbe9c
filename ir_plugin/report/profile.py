"""Time and memory of a run, layer by layer, and the fused layers."""

from __future__ import annotations

import os
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ir_plugin.compiler.plan import Plan
from ir_plugin.compiler.selection import Options
from ir_plugin.compiler.uncompiled import compiled_variants, lacks_kernels
from ir_plugin.executor import State
from ir_plugin.model import Node
from ir_plugin.openvino.api import CompiledModel, Core, Model
from ir_plugin.operations.infrastructure.const import Const
from ir_plugin.operations.infrastructure.parameter import Parameter
from ir_plugin.operations.shape.shape_of import ShapeOf
from ir_plugin.report.cost import declared_bytes, static
from ir_plugin.report.inputs import complete
from ir_plugin.report.profile_data import ProfileData, ProfiledLayer
from ir_plugin.tensors import Array


class Profile(ProfileData):
    """A profile of a model: layers in the order of execution."""

    def _repr_html_(self) -> str:
        from ir_plugin.report.profile_html import cell_of

        return cell_of(self)


class _Execution:
    """One execution of a layer as the engine reports it, without its arrays."""

    def __init__(self, node: Node, inputs: Sequence[Array | None], outputs: Sequence[Array], seconds: float) -> None:
        self.node = node
        self.seconds = seconds
        self.output_bytes = sum(array.nbytes for array in outputs)
        input_shapes = [None if array is None else array.shape for array in inputs]
        shapes = [
            static(port.partial_shape) or (input_shapes[index] if index < len(input_shapes) else None)
            for index, port in enumerate(node.inputs)
        ]
        self.macs = node.operation.multiplications(shapes, [array.shape for array in outputs]) or 0


@dataclass
class _LayerStatistics:
    """The measurements of a layer over all runs."""

    kernel: str = ""
    compiled_kernel: str = ""
    types: list[str] = field(default_factory=list)
    """The types of its steps in the plan."""
    seconds: list[float] = field(default_factory=list)
    """The time of each run, excluding the layers of its bodies."""
    calls: int = 0
    output_bytes: int = 0
    macs: int = 0
    fused: list[str] = field(default_factory=list)


def profile(
    model: CompiledModel | Model | str | os.PathLike[str],
    inputs: Any = None,
    runs: int = 5,
    seed: int = 0,
    listener: Callable[[], None] | None = None,
) -> Profile:
    """Return the time in milliseconds and the memory in bytes of every layer, medians of several runs after one more.

    `model` is a compiled model, a model, or the path of an .xml or .onnx; `inputs` are as for `CompiledModel`, by
    default random numbers from `seed`. `listener` is called after each run. Raises as `compile_model` and an inference.
    """
    compiled = model if isinstance(model, CompiledModel) else Core().compile_model(model)
    feeds = dict(enumerate(complete(compiled, inputs, seed)))
    state = compiled.engine.new_state()
    compiled.run(feeds, state)
    statistics: dict[Node, _LayerStatistics] = defaultdict(_LayerStatistics)
    whole = [_measure(compiled, feeds, state, statistics, listener or _ignore) for _ in range(runs)]
    for plan in state.plans:
        _record_steps(statistics, plan, compiled.engine.options)
    nodes = compiled.model.ordered()
    measured_layers = [_layer(node, measured, runs) for node, measured in _in_order(compiled, statistics)]
    layers = tuple(_with_absorbed(nodes, measured_layers))
    constants = sum(declared_bytes(node) for node in nodes if node.is_a(Const))
    median = float(np.median(whole)) * 1e3
    arenas = sum(plan.arena_bytes for plan in state.plans)
    return Profile(layers, runs, median, arenas, constants, _folded(nodes, layers))


def _ignore() -> None:
    """Take no notice of a run."""


def _measure(
    compiled: CompiledModel,
    feeds: Mapping[int, Array],
    state: State,
    statistics: dict[Node, _LayerStatistics],
    listener: Callable[[], None],
) -> float:
    """Return the seconds of one run, and record the layers of another."""
    start = time.perf_counter()
    compiled.run(feeds, state)
    seconds = time.perf_counter() - start
    _record(statistics, _observed(compiled, feeds, state))
    listener()
    return seconds


def _observed(compiled: CompiledModel, feeds: Mapping[int, Array], state: State) -> list[_Execution]:
    executions: list[_Execution] = []
    compiled.run(feeds, state, lambda *layer: executions.append(_Execution(*layer)))
    return executions


def _with_absorbed(nodes: Sequence[Node], layers: Sequence[ProfiledLayer]) -> Iterator[ProfiledLayer]:
    """Yield the steps with the layers that they replace: those that compute, and that only these steps read."""
    owners = {name: layer.name for layer in layers for name in (layer.name, *layer.fused)}
    absorbed: dict[str, list[str]] = defaultdict(list)
    computing = _computing(nodes)
    for node in reversed(nodes):
        readers = {owners.get(reader.node.name) for port in node.outputs for reader in port.readers}
        owner = readers.pop() if len(readers) == 1 else None
        if owner is not None and node in computing and node.name not in owners:
            owners[node.name] = owner
            absorbed[owner].insert(0, node.name)
    for layer in layers:
        yield replace(layer, fused=(*layer.fused, *absorbed[layer.name]))


def _computing(nodes: Sequence[Node]) -> set[Node]:
    """Return the layers that compute new values from the values of the inputs, not only from constants or shapes."""
    dependent: set[Node] = set()
    for node in nodes:
        sources = {port.source.node for port in node.inputs if port.source is not None}
        if node.is_a(Parameter) or (dependent & sources and not node.is_a(ShapeOf)):
            dependent.add(node)
    return {node for node in dependent if node.inputs and node.outputs and node.operation.widen}


def _folded(nodes: Iterable[Node], layers: Iterable[ProfiledLayer]) -> tuple[str, ...]:
    """Return the layers that no step computes."""
    executed = {name for layer in layers for name in (layer.name, *layer.fused)}
    ends = ("Constant", "Parameter", "Result")
    return tuple(node.name for node in nodes if node.name not in executed and node.get_type_name() not in ends)


def _record(statistics: dict[Node, _LayerStatistics], executions: Sequence[_Execution]) -> None:
    """Record the executions of one run; a layer's time excludes the layers of its bodies."""
    elapsed: dict[Node, float] = defaultdict(float)
    owners = {
        (*execution.node.path, execution.node.name): execution.node
        for execution in executions
        if execution.node.operation.subgraphs
    }
    for execution in executions:
        elapsed[execution.node] += execution.seconds
        if execution.node.path in owners:
            elapsed[owners[execution.node.path]] -= execution.seconds
        entry = statistics[execution.node]
        entry.calls += 1
        entry.output_bytes = max(entry.output_bytes, execution.output_bytes)
        entry.macs = max(entry.macs, execution.macs)
    for node, seconds in elapsed.items():
        statistics[node].seconds.append(max(seconds, 0.0))


def _record_steps(statistics: dict[Node, _LayerStatistics], plan: Plan, options: Options) -> None:
    ops = [step.op for step in plan.steps] if lacks_kernels(options) and not plan.is_plain else []
    variants, _ = compiled_variants(ops, options)
    for step in plan.steps:
        if step.node in statistics:
            entry = statistics[step.node]
            entry.kernel = step.variant or entry.kernel
            variant = variants.get(step.op, "")
            entry.compiled_kernel = "" if variant == step.variant else variant
            entry.types.append(step.op.type)
            entry.fused += [node.name for node in step.op.nodes[1:] if node.name not in entry.fused]


def _in_order(
    compiled: CompiledModel, statistics: dict[Node, _LayerStatistics]
) -> Iterable[tuple[Node, _LayerStatistics]]:
    positions = {node: position for position, node in enumerate(compiled.model.ordered())}
    tops = {node.name: position for node, position in positions.items()}
    return sorted(
        statistics.items(), key=lambda item: positions.get(item[0], tops.get("".join(item[0].path[:1]), 0) + 0.5)
    )


def _layer(node: Node, measured: _LayerStatistics, runs: int) -> ProfiledLayer:
    return ProfiledLayer(
        "/".join((*node.path, node.name)),
        measured.types[0] if len(measured.types) == 1 and measured.types[0] else node.get_type_name(),
        measured.kernel or "evaluate",
        float(np.median(measured.seconds)) * 1e3,
        measured.calls / runs,
        measured.output_bytes,
        measured.macs,
        tuple(measured.fused),
        measured.compiled_kernel,
    )
