"""Time and memory of a run, layer by layer, and what was fused into what."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from ir_plugin.api import CompiledModel
from ir_plugin.compiler.plan import Plan
from ir_plugin.model import Node
from ir_plugin.report.cost import declared_bytes, macs, static
from ir_plugin.report.inputs import complete
from ir_plugin.runtime import State
from ir_plugin.tensors import Array, ElementType, TensorInfo


@dataclass(frozen=True)
class ProfiledLayer:
    """One layer, or several that are run as one step; times are medians of the runs."""

    name: str
    type: str
    form: str
    """How it is computed: the name of a prepared form, or `evaluate`."""
    milliseconds: float
    """Without what the layers of its bodies took."""
    calls: float
    """Executions in one run; more than one in a loop."""
    output_bytes: int
    macs: int
    fused: tuple[str, ...] = ()
    """The layers that are computed within this step, by name."""

    @property
    def gflops(self) -> float:
        """Billions of floating-point operations a second, two for each multiply-accumulate."""
        return 2e-6 * self.macs / self.milliseconds if self.milliseconds else 0.0


@dataclass(frozen=True)
class Profile:
    """A profile of a model: layers in the order of execution."""

    layers: tuple[ProfiledLayer, ...]
    runs: int
    milliseconds: float
    """The median of whole runs without the profiler."""
    arena_bytes: int
    constant_bytes: int
    folded: tuple[str, ...]
    """Layers that were computed or removed when the model was compiled."""

    def by_type(self) -> dict[str, tuple[int, float, int]]:
        """Return the number of steps, the milliseconds and the multiply-accumulates by type, the slowest first."""
        found: dict[str, list[ProfiledLayer]] = defaultdict(list)
        for layer in self.layers:
            found[layer.type].append(layer)
        rows = {
            type: (len(layers), sum(layer.milliseconds for layer in layers), sum(layer.macs for layer in layers))
            for type, layers in found.items()
        }
        return dict(sorted(rows.items(), key=lambda item: -item[1][1]))

    def to_dict(self) -> dict[str, Any]:
        """Return the profile as plain data."""
        types = [
            {"type": type, "steps": steps, "milliseconds": took, "macs": count}
            for type, (steps, took, count) in self.by_type().items()
        ]
        return {**asdict(self), "types": types}


class _Told:
    """What the engine tells of one execution of a layer, without its arrays."""

    def __init__(self, node: Node, inputs: Sequence[Array | None], outputs: Sequence[Array], seconds: float) -> None:
        self.node = node
        self.seconds = seconds
        self.output_bytes = sum(array.nbytes for array in outputs)
        given = [None if array is None else array.shape for array in inputs]
        shapes = [
            static(port.partial_shape) or (given[index] if index < len(given) else None)
            for index, port in enumerate(node.inputs)
        ]
        self.macs = macs(node, shapes, [array.shape for array in outputs]) or 0


@dataclass
class _Seen:
    """What was seen of one layer in all runs."""

    form: str = ""
    seconds: list[float] = field(default_factory=list)
    """By run, without what the layers of its bodies took."""
    calls: int = 0
    output_bytes: int = 0
    macs: int = 0
    fused: list[str] = field(default_factory=list)


def profile(
    compiled: CompiledModel,
    inputs: Any = None,
    runs: int = 5,
    seed: int = 0,
    listener: Callable[[], None] | None = None,
) -> Profile:
    """Run a model several times, after one run to warm up, and return where the time goes."""
    arrays = complete(compiled, inputs, seed)
    given = dict(enumerate(arrays))
    compiled.run(given, compiled.engine.new_state())
    state = compiled.engine.new_state()
    seen: dict[Node, _Seen] = defaultdict(_Seen)
    whole: list[float] = []
    for _ in range(runs):
        start = time.perf_counter()
        compiled.run(given, state)
        whole.append(time.perf_counter() - start)
        _note(seen, _observed(compiled, given, state))
        if listener is not None:
            listener()
    plan = compiled.engine.plan(compiled.model, _tensors(compiled, arrays))
    _note_steps(seen, plan)
    layers = tuple(_layer(node, known, runs) for node, known in _in_order(compiled, seen))
    nodes = compiled.model.ordered()
    constants = sum(declared_bytes(node) for node in nodes if node.get_type_name() == "Constant")
    median = float(np.median(whole)) * 1e3
    return Profile(layers, runs, median, plan.arena_bytes, constants, _folded(nodes, layers))


def _observed(compiled: CompiledModel, given: Mapping[int, Array], state: State) -> list[_Told]:
    told: list[_Told] = []
    compiled.run(given, state, lambda *layer: told.append(_Told(*layer)))
    return told


def _folded(nodes: Iterable[Node], layers: Iterable[ProfiledLayer]) -> tuple[str, ...]:
    """Return the layers that no step computes."""
    run = {name for layer in layers for name in (layer.name, *layer.fused)}
    ends = ("Constant", "Parameter", "Result")
    return tuple(node.name for node in nodes if node.name not in run and node.get_type_name() not in ends)


def _tensors(compiled: CompiledModel, arrays: Sequence[Array]) -> list[TensorInfo]:
    ports = compiled.model.inputs
    kept = compiled.arrays_for(dict(enumerate(arrays)))
    types = [port.element_type for port in ports]
    return [
        TensorInfo(type if type.is_static else ElementType.from_dtype(array.dtype), array.shape)
        for type, array in zip(types, kept, strict=True)
    ]


def _note(seen: dict[Node, _Seen], told: Sequence[_Told]) -> None:
    """Add what was told of one run; what a body took is not counted for the layer that has the body."""
    took: dict[Node, float] = defaultdict(float)
    owners = {(*layer.node.path, layer.node.name): layer.node for layer in told if layer.node.operation.subgraphs}
    for layer in told:
        took[layer.node] += layer.seconds
        if layer.node.path in owners:
            took[owners[layer.node.path]] -= layer.seconds
        known = seen[layer.node]
        known.calls += 1
        known.output_bytes = max(known.output_bytes, layer.output_bytes)
        known.macs = max(known.macs, layer.macs)
    for node, seconds in took.items():
        seen[node].seconds.append(max(seconds, 0.0))


def _note_steps(seen: dict[Node, _Seen], plan: Plan) -> None:
    for step in plan.steps:
        if step.node in seen:
            known = seen[step.node]
            known.form = step.variant or known.form
            known.fused += [node.name for node in step.op.nodes[1:] if node.name not in known.fused]


def _in_order(compiled: CompiledModel, seen: dict[Node, _Seen]) -> Iterable[tuple[Node, _Seen]]:
    places = {node: place for place, node in enumerate(compiled.model.ordered())}
    tops = {node.name: place for node, place in places.items()}
    return sorted(seen.items(), key=lambda item: places.get(item[0], tops.get("".join(item[0].path[:1]), 0) + 0.5))


def _layer(node: Node, known: _Seen, runs: int) -> ProfiledLayer:
    return ProfiledLayer(
        "/".join((*node.path, node.name)),
        node.get_type_name(),
        known.form or "evaluate",
        float(np.median(known.seconds)) * 1e3,
        known.calls / runs,
        known.output_bytes,
        known.macs,
        tuple(known.fused),
    )
