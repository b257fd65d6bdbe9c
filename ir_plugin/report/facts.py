"""Facts of a model and its cost, without running it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from ir_plugin.model import Model as Graph
from ir_plugin.model import Node, Output
from ir_plugin.openvino.api import Model
from ir_plugin.openvino.api.lookup import names_of
from ir_plugin.operations.infrastructure.const import Const
from ir_plugin.report.compression import compression, compression_summary
from ir_plugin.report.cost import declared_bytes, declared_macs, minimum_opset, minimum_release, peak_bytes, release_of

_UNITS = ((1e12, "T"), (1e9, "G"), (1e6, "M"))


def facts(model: Model) -> dict[str, Any]:
    """Return inputs, outputs, operations, parameters, cost and the runtime that a model needs, as plain data.

    Unknown lengths count as their lower bound, but at least 1. Layers of bodies count once.
    """
    nodes, everything = model.get_ordered_ops(), list(_all(model))
    constants = [node for node in everything if node.is_a(Const)]
    sizes = [port.partial_shape.size.lower for node in constants for port in node.outputs]
    macs = sum(map(declared_macs, everything))
    opset = max(map(minimum_opset, everything), default=0)
    return {
        "name": model.name,
        "version": model.version,
        "layers": len(nodes),
        "parameters": sum(sizes),
        "weight_bytes": sum(node.operation.size for node in constants),
        "compression": compression(everything),
        "minimum_opset": opset,
        "minimum_runtime": minimum_release(opset, model.version),
        "macs": macs,
        "flops": 2 * macs,
        "peak_bytes": peak_bytes(nodes),
        "is_dynamic": model.is_dynamic(),
        "inputs": [_port(port) for port in model.inputs],
        "outputs": [_port(port) for port in model.outputs],
        "operations": _counts(nodes),
        "per_layer": [_layer(node) for node in everything if not node.is_a(Const)],
    }


def facts_summary(document: dict[str, Any]) -> list[tuple[str, str]]:
    """Return labels and lines of text for the size, cost and requirements among the facts."""
    factor, prefix = next((unit for unit in _UNITS if document["flops"] >= unit[0]), _UNITS[-1])
    dynamic = "; with unknown lengths of 1" if document["is_dynamic"] else ""
    release = document["minimum_runtime"]
    return [
        ("parameters", f"{document['parameters']:,} in {document['weight_bytes']:,} bytes"),
        *compression_summary(document["compression"]),
        (
            "cost",
            f"{document['flops'] / factor:,.2f} {prefix}FLOP ({document['macs'] / factor:,.2f} {prefix}MAC){dynamic}",
        ),
        ("memory", f"{document['peak_bytes']:,} bytes for values at a time, besides the parameters"),
        (
            "needs",
            f"OpenVINO {release}{' or newer' if release[:1].isdigit() else ''}, opset{document['minimum_opset']}",
        ),
    ]


def _all(model: Graph) -> Iterator[Node]:
    nodes = model.ordered()
    yield from nodes
    for node in nodes:
        for subgraph in node.operation.subgraphs.values():
            yield from _all(subgraph.body)


def _counts(nodes: Iterable[Node]) -> dict[str, int]:
    counts = Counter(versioned(node) for node in nodes)
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def versioned(node: Node) -> str:
    """Return the type and version of a layer: `MatMul-1`."""
    return f"{node.get_type_name()}-{node.operation.version.removeprefix('opset')}"


def _layer(node: Node) -> dict[str, Any]:
    opset = minimum_opset(node)
    return {
        "name": "/".join((*node.path, node.name)),
        "operation": versioned(node),
        "macs": declared_macs(node),
        "output_bytes": declared_bytes(node),
        "minimum_opset": opset,
        "minimum_runtime": release_of(opset),
    }


def _port(port: Output) -> dict[str, str]:
    return {"name": ", ".join(names_of(port)), "type": port.element_type.name, "shape": str(port.partial_shape)}
