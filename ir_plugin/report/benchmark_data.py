"""Latency and throughput as data."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from ir_plugin.report.benchmark_start import Start
from ir_plugin.report.benchmark_tokens import Tokens


@dataclass(frozen=True)
class ShapeLatency:
    """The times of one of several shapes, in milliseconds."""

    shape: str
    count: int
    first: float
    """The first inference with the shape, before those that are counted."""
    median: float


@dataclass(frozen=True)
class BenchmarkData:
    """The measurements of a benchmark; times are in milliseconds."""

    requests: int
    count: int
    duration: float
    first: float
    """The first inference, which is not counted."""
    median: float
    average: float
    min: float
    max: float
    throughput: float
    """Frames a second: inferences times the batch."""
    batch: int = 1
    memory: float | None = None
    """The peak of this process in MiB, or None where the system does not tell it."""
    shapes: tuple[ShapeLatency, ...] = ()
    """The measurements by shape, where the shapes vary from run to run."""
    tokens: Tokens | None = None
    starts: tuple[Start, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the measurements as plain data."""
        return {**asdict(self), "starts": [start.to_dict() for start in self.starts]}
