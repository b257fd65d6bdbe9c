"""Entry point of the reader."""

from __future__ import annotations

from lxml import etree

from ir_plugin.diagnostics import Findings, Span
from ir_plugin.diagnostics.suggest import did_you_mean
from ir_plugin.errors import ReadError
from ir_plugin.model import Model
from ir_plugin.operations.registry import Registry
from ir_plugin.reader.coverage import report_weights
from ir_plugin.reader.document import Document, Source, read_bytes, refused, written
from ir_plugin.reader.graph import read_graph
from ir_plugin.reader.numbers import whole_number
from ir_plugin.reader.reading import Reading
from ir_plugin.reader.rt_info import read_model_info
from ir_plugin.reader.tensor_names import make_names_unique, share_result_names
from ir_plugin.reader.texts import report_texts
from ir_plugin.reader.weights import WeightsSource, open_weights
from ir_plugin.schema import Catalogue
from ir_plugin.schema.values import shown

VERSIONS = (10, 11)
_PARTS = ("layers", "edges", "rt_info", "meta_data", "quantization_parameters", "pre-process", "statistics")


def read_ir(
    source: Source,
    weights: WeightsSource,
    registry: Registry,
    catalogue: Catalogue,
    findings: Findings,
    *,
    strict: bool = True,
) -> Model:
    """Return the model of an IR, and add a finding for each of its faults to `findings`.

    `source` is the path, bytes or binary file object of the XML, and `weights` that of the `.bin`; for None the `.bin`
    beside the XML is read. Raises `ReadError` if the file cannot be read.
    """
    data, file = read_bytes(source)
    document = Document(data, file)
    _strip_default_namespaces(document)
    version = _version(document)
    reading = Reading(document, open_weights(weights, file), registry, catalogue, findings, strict)
    if strict:
        _report_unexpected(reading, document.root)
    model = read_graph(reading, document.root, str(document.root.get("name", "")))
    report_weights(reading)
    if strict:
        _report_missing_precisions(reading)
    model.version = version
    model.weights = reading.weights
    model.rt_info = read_model_info(document.root)
    share_result_names(model)
    make_names_unique(reading, model)
    if version == 10:
        _name_tensors_as_layers(model)
    for result in model.results:
        producer = result.inputs[0].source if result.inputs else None
        if producer is not None and result.outputs and not result.outputs[0].names:
            result.outputs[0].copy_names(producer)
    return model


def _report_unexpected(reading: Reading, root: etree._Element) -> None:
    report_texts(reading, root)
    for child in root:
        if child.tag not in _PARTS:
            name = written(child)
            near = did_you_mean(name, _PARTS)
            if near and root.find("layers") is not None and root.find("edges") is not None:
                near = ""
            message = f"<{name}> is not part of <net>; OpenVINO ignores it"
            reading.report("IR107", message, child, help=near)


def _report_missing_precisions(reading: Reading) -> None:
    """Report all output ports without a precision in one finding."""
    for port, layer in reading.without_precision[:1]:
        remaining = len(reading.without_precision) - 1
        because = f"{remaining} more output port{'' if remaining == 1 else 's'} likewise" if remaining else ""
        message = "the output port has no precision; OpenVINO refuses the file"
        help = 'write precision="…"; `ir-plugin check --fix` writes what is inferred'
        reading.report("IR103", message, port, layer=layer, because=because, help=help, severity="warning")


def _strip_default_namespaces(document: Document) -> None:
    """Strip default namespaces from the elements' names, as OpenVINO does."""
    if not document.may_have_namespaces:
        return
    for element in document.root.iter():
        if element.prefix is None and str(element.tag).startswith("{"):
            element.tag = str(element.tag).rpartition("}")[2]
    etree.cleanup_namespaces(document.root)


def _version(document: Document) -> int:
    root, file = document.root, document.file
    if root.tag != "net":
        span = document.span(root)
        name = written(root)
        help = "write <net> without a prefix" if name.endswith(":net") else did_you_mean(name, ["net"])
        raise refused("IR005", f"the root element is <{name}>; that of an OpenVINO IR is <net>", file, span, help)
    version = whole_number(str(root.get("version", "")))
    if version in VERSIONS:
        return version
    span = document.span(root, "version")
    if root.get("version") is None:
        raise refused("IR006", "<net> has no version", file, span, 'write version="11"')
    if version is None:
        message = f"the IR version {shown(str(root.get('version')))} is not a number"
        raise refused("IR006", message, file, span, 'write version="11"')
    raise _unsupported(version, file, span)


def _unsupported(version: int, file: str, span: Span) -> ReadError:
    message = f"IR version {version} is not supported; this library reads versions 10 and 11"
    if version > VERSIONS[-1]:
        help = "the file was written by a newer OpenVINO; update ir_plugin, or write the model with an older OpenVINO"
    elif 2 <= version <= 7:
        writer = "OpenVINO 2020.4 or older" if version == 7 else "OpenVINO of 2019 or older"
        help = f"it was written by {writer}; no current tool reads it: convert the source model again"
    else:
        help = "no OpenVINO wrote this version; convert the source model again"
    return refused("IR006", message, file, span, help)


def _name_tensors_as_layers(model: Model) -> None:
    """Name the input and output tensors of a version 10 model after their layers, as OpenVINO does."""
    for node in model.parameters:
        for port in node.outputs:
            port.names |= {node.name}
    for result in model.results:
        source = result.inputs[0].source if result.inputs else None
        if source is not None and len(source.node.outputs) == 1:
            source.names |= {source.node.name}
