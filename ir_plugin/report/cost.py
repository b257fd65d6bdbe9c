"""The cost of layers: multiply-accumulates, memory, and the OpenVINO release that they need."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from math import prod

from ir_plugin.model import Node, Output
from ir_plugin.operations.base import Lengths
from ir_plugin.operations.infrastructure.const import Const
from ir_plugin.operations.infrastructure.result import Result
from ir_plugin.operations.opsets import RELEASES, opset_number
from ir_plugin.tensors import PartialShape

_IR11_OPSET = 8
"""The release that introduced this opset is the first to read IR version 11."""


def declared_macs(node: Node) -> int:
    """Return the multiply-accumulates for the shapes before a run, with `assumed` lengths for unknown ones.

    They are 0 for a layer of an unknown type, or one that lacks ports.
    """
    if node.operation is None:
        return 0
    inputs, outputs = ([assumed(port.partial_shape) for port in ports] for ports in (node.inputs, node.outputs))
    with suppress(LookupError):
        return node.operation.multiplications(inputs, outputs) or 0
    return 0


def static(shape: PartialShape) -> Lengths:
    """Return the lengths of a static shape, or None for a dynamic one."""
    return shape.lengths() if shape.is_static else None


def assumed(shape: PartialShape) -> Lengths:
    """Return the lengths of a shape, unknown ones at their lower bound but at least 1; None for an unknown rank."""
    if shape.dims is None:
        return None
    return tuple(dim.lower if dim.is_static else max(dim.lower, 1) for dim in shape.dims)


def declared_bytes(node: Node) -> int:
    """Return the bytes of a layer's outputs for the shapes before a run, with `assumed` lengths."""
    total = 0
    for port in node.outputs:
        lengths = assumed(port.partial_shape)
        if lengths is not None and port.element_type.is_static:
            total += -(-prod(lengths) * port.element_type.bits // 8)
    return total


def peak_bytes(nodes: Sequence[Node]) -> int:
    """Return the peak memory of the outputs, constants excluded, when the layers run in this order."""
    computed = [node for node in nodes if not node.is_a(Const, Result)]
    last = {port: step for step, node in enumerate(nodes) for port in _sources(node)}
    freed: dict[int, list[Node]] = defaultdict(list)
    for node in computed:
        freed[max((last.get(port, -1) for port in node.outputs), default=-1)].append(node)
    live, peak, counted = 0, 0, set(computed)
    for step, node in enumerate(nodes):
        live += declared_bytes(node) if node in counted else 0
        peak = max(peak, live)
        live -= sum(declared_bytes(freeable) for freeable in freed[step])
    return peak


def _sources(node: Node) -> list[Output]:
    return [port.source for port in node.inputs if port.source is not None]


def minimum_opset(node: Node) -> int:
    """Return the opset that introduced a layer's definition; 0 for extensions."""
    version = node.operation.version if node.operation is not None else node.version
    return opset_number(version) or 0


def release_of(opset: int) -> str:
    """Return the first OpenVINO release that reads an opset, according to its documentation."""
    return RELEASES.get(opset, f"newer than {RELEASES[max(RELEASES)]}") if opset else ""


def minimum_release(opset: int, ir_version: int) -> str:
    """Return the first OpenVINO release that reads an IR of this version with this opset."""
    needed = max(opset, _IR11_OPSET if ir_version > 10 else 1)
    return release_of(needed)
