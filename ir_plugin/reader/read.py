"""Entry point of the reader."""

from __future__ import annotations

from lxml import etree

from ir_plugin.diagnostics import Findings, Span
from ir_plugin.diagnostics.suggest import did_you_mean
from ir_plugin.errors import ReadError
from ir_plugin.model import Model, Node
from ir_plugin.operations.registry import Registry
from ir_plugin.reader.coverage import report_weights
from ir_plugin.reader.document import Document, Source, read_bytes, refused, written
from ir_plugin.reader.graph import read_graph
from ir_plugin.reader.numbers import whole_number
from ir_plugin.reader.reading import Reading
from ir_plugin.reader.regular import regular_text
from ir_plugin.reader.regular_reader import Read, RegularReading, read_regular
from ir_plugin.reader.rt_info import read_model_info
from ir_plugin.reader.templates import LayerTemplate
from ir_plugin.reader.tensor_names import name_tensors
from ir_plugin.reader.texts import report_unexpected_parts
from ir_plugin.reader.weights import WeightsSource, open_weights
from ir_plugin.schema import Catalogue
from ir_plugin.schema.values import shown

VERSIONS = (10, 11)


def read_ir(
    source: Source,
    weights: WeightsSource,
    registry: Registry,
    catalogue: Catalogue,
    findings: Findings,
    *,
    strict: bool = True,
) -> tuple[Model, dict[Node, LayerTemplate]]:
    """Return the model of an IR and the templates of its layers, and add a finding for each fault to `findings`.

    `source` is the path, bytes or binary file object of the XML, and `weights` of the `.bin`; for None the `.bin`
    beside the XML is read. Raises `ReadError` if the file cannot be read.
    """
    data, file = read_bytes(source)
    document, text = Document(data, file), regular_text(data)
    if text is None:
        _require_ir(document)
    weights_file = open_weights(weights, file)
    regular = RegularReading(document, weights_file, registry, catalogue, Findings(), strict)
    read = None if text is None else read_regular(regular, text)
    if read is None:
        model = _read_document(Reading(document, weights_file, registry, catalogue, findings, strict))
        read = Read(model, {}, document.root)
    model = read.model
    model.weights = weights_file
    model.rt_info = read_model_info(read.root)
    _name_results(model)
    return model, read.templates


def _name_results(model: Model) -> None:
    """Give unnamed Results the tensor names of the outputs that they read."""
    for result in model.results:
        producer = result.inputs[0].source if result.inputs else None
        if producer is not None and result.outputs and not result.outputs[0].names:
            result.outputs[0].copy_names(producer)


def _read_document(reading: Reading) -> Model:
    """Return the model of a document of any form, and report all its faults."""
    root, version = reading.document.root, _require_ir(reading.document)
    if reading.strict:
        report_unexpected_parts(reading, root)
    model = read_graph(reading, root, str(root.get("name", "")))
    report_weights(reading)
    if reading.strict:
        _report_missing_precisions(reading)
    model.version = version
    name_tensors(reading, model)
    return model


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


def _require_ir(document: Document) -> int:
    """Return the version of an IR; raises `ReadError` for a document of another kind."""
    _strip_default_namespaces(document)
    root, file = document.root, document.file
    if root.tag != "net":
        span = document.span(root)
        name = written(root)
        help = "write <net> without a prefix" if name.endswith(":net") else did_you_mean(name, ["net"])
        raise refused("IR005", f"the root element is <{name}>; an OpenVINO IR has <net>", file, span, help)
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
