"""Profiling: the time of each layer."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from enum import Enum
from typing import ClassVar, TypeAlias

from ir_plugin.model import Model, Node


class Status(Enum):
    """Whether a layer was executed."""

    NOT_RUN = 0
    OPTIMIZED_OUT = 1
    EXECUTED = 2


ProfilingStatus: TypeAlias = Status


@dataclass(frozen=True)
class ProfilingInfo:
    """A layer of the last inference, with the total time of its executions."""

    node_name: str
    node_type: str
    exec_type: str = "numpy"
    status: ProfilingStatus = ProfilingStatus.NOT_RUN
    real_time: timedelta = timedelta()
    cpu_time: timedelta = timedelta()

    Status: ClassVar[type[ProfilingStatus]] = ProfilingStatus
    NOT_RUN: ClassVar[ProfilingStatus] = ProfilingStatus.NOT_RUN
    OPTIMIZED_OUT: ClassVar[ProfilingStatus] = ProfilingStatus.OPTIMIZED_OUT
    EXECUTED: ClassVar[ProfilingStatus] = ProfilingStatus.EXECUTED

    def __repr__(self) -> str:
        return "<ProfilingInfo>"


def profile(model: Model, seconds: dict[Node, float]) -> list[ProfilingInfo]:
    """Return an entry for each layer of the model in execution order, then for the timed layers of bodies."""
    nodes = dict.fromkeys([*model.ordered(), *seconds])
    return [_entry(node, seconds) for node in nodes]


def _entry(node: Node, seconds: dict[Node, float]) -> ProfilingInfo:
    name = "/".join((*node.path, node.name))
    element_type = node.outputs[0].element_type.name if node.outputs else "undef"
    exec_type = f"numpy_{element_type}"
    if node not in seconds:
        status = (
            ProfilingStatus.NOT_RUN
            if node.get_type_name() in ("Parameter", "Result")
            else ProfilingStatus.OPTIMIZED_OUT
        )
        return ProfilingInfo(name, node.get_type_name(), exec_type, status if seconds else ProfilingStatus.NOT_RUN)
    time = timedelta(seconds=seconds[node])
    return ProfilingInfo(name, node.get_type_name(), exec_type, ProfilingStatus.EXECUTED, time, time)
