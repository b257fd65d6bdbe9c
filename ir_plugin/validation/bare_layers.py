"""Findings of layers without a net, and the net to run one of them."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count

from ir_plugin.diagnostics import Finding, Findings, Span
from ir_plugin.model import Model, Node
from ir_plugin.reader.bare_layers import BareLayer, neighbours
from ir_plugin.reader.read import Read
from ir_plugin.tensors import ElementType, TensorInfo
from ir_plugin.validation.inference import Inference

_OF_THE_REST = ("IR209", "IR212", "IR401")
"""Codes of what a layer needs elsewhere: a reader, a partner of its variable, the weights."""
_FIRST_FREE_ID = 1000
_MAX_INPUTS = 16


def findings_of_layers(findings: Iterable[Finding], read: Read) -> Findings:
    """Return the findings that concern layers themselves, and a note with the net to run the first."""
    return Findings([_note(read), *(finding for finding in findings if finding.code not in _OF_THE_REST)])


def _note(read: Read) -> Finding:
    layers = read.bare_layers or ()
    plural = "" if len(layers) == 1 else "s"
    message = f"the file holds {len(layers)} layer{plural} without a net, checked with inputs as the ports say"
    span = read.document.span(read.document.layers[0]) if layers else Span(read.document.file)
    return Finding.of("IR007", message, span=span, help=_help(read.model, layers[0]) if layers else "")


def _help(model: Model, layer: BareLayer) -> str:
    """Return the net to run a layer, with numbers for inputs of unknown type."""
    node = next((node for node in model.nodes if node.id == layer.id), None)
    types = {} if node is None else _types(model, node)
    ends, edges = neighbours([layer], count(_FIRST_FREE_ID), types)
    attributes = f'id="{layer.id}" name="{layer.name}" version="{layer.version}"'
    return (
        f"to run it, write {attributes} in the layer, the precision of each output port, and around it "
        f'<net name="bare" version="11"><layers>{ends}…the layer…</layers><edges>{edges}</edges></net>'
    )


def _types(model: Model, node: Node) -> dict[tuple[str, str], str]:
    """Return f32 or i64 for the inputs of a layer without a precision: what the operation takes."""
    types: dict[tuple[str, str], str] = {}
    for port in node.inputs[:_MAX_INPUTS]:
        if port.source is None or port.declared.element_type is not None:
            continue
        producer = port.source.node
        shape = producer.outputs[0].tensor_info.shape
        takes = (name for name in ("f32", "i64") if _takes(model, node, producer, TensorInfo(ElementType(name), shape)))
        types[node.id, str(port.port_id)] = next(takes, "f32")
    return types


def _takes(model: Model, node: Node, parameter: Node, tensor: TensorInfo) -> bool:
    """Return whether a layer can be inferred where a Parameter gives a tensor."""
    faulty: set[Node] = set()
    Inference(lambda each, _fault: faulty.add(each), lenient=False).run(model, {parameter: tensor})
    return node not in faulty
