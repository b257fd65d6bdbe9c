"""Writing a model to its two files, so that they are either whole or as they were."""

from __future__ import annotations

import secrets
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
    with _replacing(bin_path, xml_path) as (weights, xml):
        xml.write(_document(model, weights, version))


def _document(model: Model, weights: BinaryIO, version: int) -> bytes:
    xml = Xml()
    xml.open("net", {"name": model.name, "version": version})
    GraphWriter(xml, WeightsWriter(weights), version).write(model)
    write_model_info(xml, model.rt_info)
    xml.close()
    return xml.encode()


@contextmanager
def _replacing(*paths: Path) -> Iterator[list[BinaryIO]]:
    """Give files that take the places of `paths`, one after the other, when all of them are whole."""
    temporary = [path.with_name(f".{path.name}.{secrets.token_hex(4)}") for path in paths]
    files: list[BinaryIO] = []
    try:
        for path in temporary:
            files.append(path.open("xb"))  # noqa: PERF401 (one that is open is closed when the next cannot be opened)
        yield files
        for file in files:
            file.close()
        for made, path in zip(temporary, paths, strict=True):
            made.replace(path)
    except OSError as fault:
        raise Error(f"{fault.filename or paths[-1]} cannot be written: {fault.strerror or fault}") from None
    finally:
        for file in files:
            with suppress(OSError):
                file.close()
        for made in temporary:
            with suppress(OSError):
                made.unlink()
