"""Time and memory of a run as data, layer by layer."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class ProfiledLayer:
    """A step of the plan: a layer and those fused with it; times are medians of the runs."""

    name: str
    type: str
    """The type of the op that the plan executes, such as ScaledDotProductAttention for a fused attention."""
    kernel: str
    """The kernel variant, or `evaluate`."""
    milliseconds: float
    """The time, excluding the layers of its bodies."""
    calls: float
    """Executions per run; more than 1 in a loop."""
    output_bytes: int
    macs: int
    fused: tuple[str, ...] = ()
    """The names of the layers fused into this step."""
    compiled_kernel: str = ""
    """The kernel variant that would run if all kernels were compiled; empty where it runs, and where none would."""

    @property
    def gflops(self) -> float:
        """Billions of floating-point operations per second, two for each multiply-accumulate."""
        return 2e-6 * self.macs / self.milliseconds if self.milliseconds else 0.0


@dataclass(frozen=True)
class ProfileData:
    """A profile of a model: layers in the order of execution."""

    layers: tuple[ProfiledLayer, ...]
    runs: int
    milliseconds: float
    """The median time of whole runs without the profiler."""
    arena_bytes: int
    constant_bytes: int
    folded: tuple[str, ...]
    """Layers that were computed or removed when the model was compiled."""

    def by_type(self) -> dict[str, tuple[int, float, int]]:
        """Return the number of steps, the milliseconds and the multiply-accumulates by type, the slowest first."""
        layers_of: dict[str, list[ProfiledLayer]] = defaultdict(list)
        for layer in self.layers:
            layers_of[layer.type].append(layer)
        rows = {
            type: (len(layers), sum(layer.milliseconds for layer in layers), sum(layer.macs for layer in layers))
            for type, layers in layers_of.items()
        }
        return dict(sorted(rows.items(), key=lambda item: -item[1][1]))

    def to_dict(self) -> dict[str, Any]:
        """Return the profile as plain data."""
        types = [
            {"type": type, "steps": steps, "milliseconds": milliseconds, "macs": count}
            for type, (steps, milliseconds, count) in self.by_type().items()
        ]
        return {**asdict(self), "types": types}
