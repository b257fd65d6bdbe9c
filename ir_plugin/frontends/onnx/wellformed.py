"""What protobuf lets through and no model may have: names that are no text, and impossible opset versions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ir_plugin.frontends.onnx.faults import OnnxReadError
from ir_plugin.frontends.onnx.registry import ALIASES

_NEWEST = 2**31 - 1
_IR_VERSION_WITH_OPSETS = 3


def opsets_of(imports: Iterable[Any]) -> dict[str, int]:
    """Return the opset versions by domain; raises for a version that no opset can have."""
    versions = {}
    for entry in imports:
        require_texts("the domain of an opset", [entry.domain])
        if not 1 <= entry.version <= _NEWEST:
            raise OnnxReadError(
                f"the model imports version {entry.version} of the opset of the domain {entry.domain!r}"
            )
        domain = ALIASES.get(entry.domain, entry.domain)
        if domain == entry.domain or domain not in versions:
            versions[domain] = int(entry.version)
    return versions


def opsets_of_model(proto: Any) -> dict[str, int]:
    """Return the opset versions of a model by domain; those before IR version 3 import none, and have opset 1."""
    versions = opsets_of(proto.opset_import)
    if not versions and proto.ir_version >= _IR_VERSION_WITH_OPSETS:
        raise OnnxReadError("the model imports no opset, which tells what its operators mean")
    return versions or {"": 1}


def require_texts(what: str, texts: Iterable[Any]) -> None:
    """Raise for a text of the file that is not UTF-8, which protobuf returns as bytes."""
    for text in texts:
        if not isinstance(text, str):
            raise OnnxReadError(f"{what} is {text!r}, which is not UTF-8")


def require_node(proto: Any) -> None:
    """Raise unless the texts of a node are UTF-8."""
    require_texts("the operator of a node", [proto.op_type])
    require_texts(f"the domain, the name, an input or an output of a node ({proto.op_type})", [
        proto.domain, proto.name, getattr(proto, "overload", ""), *proto.input, *proto.output
    ])  # fmt: skip
    for attribute in proto.attribute:
        require_texts(
            f"the name of an attribute of a node ({proto.op_type})", [attribute.name, attribute.ref_attr_name]
        )


def require_graph(graph: Any) -> None:
    """Raise unless the names of a graph, of its ends and of its initializers are UTF-8."""
    require_texts("the name of a graph", [graph.name])
    for values in (graph.input, graph.output, graph.initializer, (item.values for item in graph.sparse_initializer)):
        require_texts(f"a name in the graph {graph.name!r}", [value.name for value in values])
    for tensor in graph.initializer:
        for entry in tensor.external_data:
            require_texts(f"the external data of {tensor.name!r}", [entry.key, entry.value])
