"""Entry point of the reader."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ir_plugin.diagnostics import Findings, Span
from ir_plugin.diagnostics.limits import DEFAULT_LIMITS, Limits
from ir_plugin.diagnostics.suggest import did_you_mean
from ir_plugin.errors import ReadError
from ir_plugin.model import Model, Node
from ir_plugin.operations.registry import Registry
from ir_plugin.reader.bare_layers import BareLayer, bare_layers
from ir_plugin.reader.coverage import report_weights
from ir_plugin.reader.document import Document, Source, read_bytes, refused, written
from ir_plugin.reader.foreign import other_root
from ir_plugin.reader.graph import read_graph
from ir_plugin.reader.layer_cache import CachedLayer
from ir_plugin.reader.numbers import whole_number
from ir_plugin.reader.reading import Reading
from ir_plugin.reader.rt_info import read_model_info
from ir_plugin.reader.tensor_names import name_tensors
from ir_plugin.reader.texts import report_unexpected_parts
from ir_plugin.reader.weights import WeightsSource, open_weights
from ir_plugin.schema import Catalogue
from ir_plugin.schema.values import shown

VERSIONS = (10, 11)


class Read(NamedTuple):
    """A model, the document that it was read from, and what the cache holds of its layers."""

    model: Model
    document: Document
    cached: dict[Node, CachedLayer]
    bare_layers: Sequence[BareLayer] | None = None
    """The layers of a file that has no net."""


def read_ir(
    source: Source,
    weights: WeightsSource,
    registry: Registry,
    catalogue: Catalogue,
    findings: Findings,
    *,
    strict: bool = True,
    takes_layers: bool = False,
    limits: Limits = DEFAULT_LIMITS,
) -> Read:
    """Return the model of an IR, and add a finding for each fault to `findings`.

    `source` is the path, bytes or binary file object of the XML, and `weights` of the `.bin`; for None the `.bin`
    beside the XML is read. With `takes_layers` a file of layers without a net is read as if each stood in one.
    Raises `ReadError` if the file cannot be read.
    """
    data, file = read_bytes(source, limits.bytes)
    bare = bare_layers(data, file, registry, catalogue) if takes_layers else None
    document = Document(data, file) if bare is None else bare.document
    version = _require_ir(document)
    _require_layers(document, limits.layers)
    weights_file = open_weights(weights, document.file)
    reading = Reading(document, weights_file, registry, catalogue, findings, strict)
    model = _read_model(reading)
    model.version, model.weights = version, None if weights_file.is_missing else weights_file
    model.rt_info = read_model_info(document.root)
    name_tensors(reading, model)
    return Read(model, document, reading.cached, None if bare is None else bare.layers)


def _read_model(reading: Reading) -> Model:
    """Return the graph of a document, and report all its faults."""
    root = reading.document.root
    if reading.strict:
        report_unexpected_parts(reading, root)
    model = read_graph(reading, root, str(root.get("name", "")))
    report_weights(reading)
    if reading.strict and reading.document.rewriting is None:
        _report_missing_precisions(reading)
    return model


def _report_missing_precisions(reading: Reading) -> None:
    """Report all output ports without a precision in one finding."""
    for port, layer in reading.without_precision[:1]:
        remaining = len(reading.without_precision) - 1
        because = f"{remaining} more output port{'' if remaining == 1 else 's'} likewise" if remaining else ""
        message = "the output port has no precision; OpenVINO refuses the file"
        help = 'write precision="…"; `ir-plugin check --fix` writes what is inferred'
        reading.report("IR103", message, port, layer=layer, because=because, help=help, severity="warning")


def _require_layers(document: Document, limit: int) -> None:
    if len(document.layers) > limit:
        message = f"the file has {len(document.layers)} layers; the limit is {limit}"
        help = "raise --limit-layers if the model is really so large"
        raise refused("IR004", message, document.file, document.span(document.layers[limit]), help)


def _require_ir(document: Document) -> int:
    """Return the version of an IR; raises `ReadError` for a document of another kind."""
    root, file = document.root, document.file
    if root.tag != "net":
        span = document.span(root)
        name = written(root)
        help = "write <net> without a prefix" if name.endswith(":net") else did_you_mean(name, ["net"])
        help = help or other_root(name)
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
