"""Atomic writing of a model to its two files."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from ir_plugin.model import Model
from ir_plugin.writer.files import replacing
from ir_plugin.writer.layers import GraphWriter
from ir_plugin.writer.rt_info import write_model_info
from ir_plugin.writer.text import Xml
from ir_plugin.writer.version10 import require_version10
from ir_plugin.writer.weights import WeightsWriter

VERSIONS = (10, 11)


def write_ir(model: Model, xml_path: Path, bin_path: Path, version: int = 11) -> None:
    """Write a model as IR of a version; an error leaves both files as they were."""
    if version == 10:
        require_version10(model)
    with replacing(bin_path, xml_path) as (weights, xml):
        xml.write(_document(model, weights, version))


def ir_bytes(model: Model, version: int = 11) -> tuple[bytes, bytes]:
    """Return a model as the XML and the weights of an IR."""
    if version == 10:
        require_version10(model)
    weights = BytesIO()
    xml = _document(model, weights, version)
    return xml, weights.getvalue()


def _document(model: Model, weights: BinaryIO, version: int) -> bytes:
    xml = Xml()
    xml.open("net", {"name": model.name, "version": version})
    GraphWriter(xml, WeightsWriter(weights), version).write(model)
    write_model_info(xml, model.rt_info)
    if model.weights is not None:
        model.weights.require_unchanged()
    xml.close()
    return xml.encode()
