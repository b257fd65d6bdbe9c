"""Writing a model to its two files, so that they are either whole or as they were."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from ir_plugin.errors import Error
from ir_plugin.model import Model
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
    with _replacing(bin_path) as weights, _replacing(xml_path) as xml:
        xml.write(_document(model, weights, version))


def _document(model: Model, weights: BinaryIO, version: int) -> bytes:
    xml = Xml()
    xml.open("net", {"name": model.name, "version": version})
    GraphWriter(xml, WeightsWriter(weights), version).write(model)
    write_model_info(xml, model.rt_info)
    xml.close()
    return xml.encode()


@contextmanager
def _replacing(path: Path) -> Iterator[BinaryIO]:
    """Give a file that takes the place of `path` when all went well."""
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    except OSError as fault:
        raise Error(f"{path} cannot be written: {fault.strerror or fault}") from None
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(path)
    except OSError as fault:
        raise Error(f"{path} cannot be written: {fault.strerror or fault}") from None
    finally:
        with suppress(OSError):
            temporary.unlink()


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
