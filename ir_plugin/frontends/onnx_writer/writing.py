"""ONNX files: the protobuf of a written model, its initializers inside it or in a file beside it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from ir_plugin.errors import InputError
from ir_plugin.frontends.onnx.faults import require_onnx
from ir_plugin.frontends.onnx.types import number_of
from ir_plugin.frontends.onnx_writer.metadata import info_metadata
from ir_plugin.frontends.onnx_writer.model import ModelWriter
from ir_plugin.model import Model
from ir_plugin.operations.infrastructure.const import Const
from ir_plugin.tensors import ElementType
from ir_plugin.tensors.packing import pack, packed_size
from ir_plugin.tensors.strings import to_bytes
from ir_plugin.writer.files import replacing

DEFAULT_OPSET = 21
OLDEST_OPSET = 11
MOST_INSIDE = 2**31 - 2**24
"""Bytes of weights that a file of protobuf, which has less than 2 GiB, can hold beside its graph."""
LEAST_OUTSIDE = 1024
"""Bytes of the smallest tensor that is written into the file of external data."""
_ALIGNMENT = 4096


def write_onnx(model: Model, path: Path, opset: int = DEFAULT_OPSET, external_data: bool | None = None) -> None:
    """Write a model as ONNX, its weights beside it where `external_data` says so or 2 GiB do not hold them.

    An error leaves the files as they were.
    """
    writer = written(model, opset)
    size = sum(_size(element_type, shape) for _, element_type, shape, _ in writer.document.initializers)
    outside = size > MOST_INSIDE if external_data is None else external_data
    data_path = path.with_name(f"{path.name}.data")
    with ExitStack() as stack:
        files = stack.enter_context(replacing(*((data_path, path) if outside else (path,))))
        proto = proto_of(writer, files[0] if outside else None, data_path.name)
        if model.weights is not None:
            model.weights.require_unchanged()
        files[-1].write(proto.SerializeToString())


def onnx_bytes(model: Model, opset: int = DEFAULT_OPSET) -> bytes:
    """Return a model as the bytes of an ONNX file with its weights inside."""
    content: bytes = proto_of(written(model, opset), None, "").SerializeToString()
    return content


def written(model: Model, opset: int) -> ModelWriter:
    """Return a model as nodes and initializers of ONNX; raises with all layers that cannot be written."""
    onnx = require_onnx()
    newest = onnx.defs.onnx_opset_version()
    if not OLDEST_OPSET <= opset <= newest:
        raise InputError(f"opset {opset} cannot be written; the package onnx has {OLDEST_OPSET} to {newest}")
    writer = ModelWriter(model, opset)
    writer.write()
    return writer


def proto_of(writer: ModelWriter, file: BinaryIO | None, location: str) -> Any:
    """Return the `ModelProto` of a written model; large initializers go to a file where there is one."""
    from onnx import ModelProto, helper

    from ir_plugin.version import __version__

    proto = ModelProto(producer_name="ir_plugin", producer_version=__version__)
    opsets = [helper.make_opsetid(domain, version) for domain, version in writer.document.domains.items()]
    proto.opset_import.extend(opsets)
    proto.ir_version = helper.find_min_ir_version_for(opsets)
    graph = proto.graph
    graph.name = writer.model.name or "model"
    graph.input.extend(writer.inputs)
    graph.output.extend(writer.outputs)
    graph.node.extend(writer.root.graph.nodes)
    graph.value_info.extend(writer.inner_values())
    for entry in writer.document.initializers:
        _fill(graph.initializer.add(), *entry, file=file, location=location)
    for key, value in (*info_metadata(writer.model.rt_info), *writer.metadata()):
        proto.metadata_props.add(key=key, value=value)
    return proto


def _fill(
    tensor: Any,
    name: str,
    element_type: ElementType,
    shape: tuple[int, ...],
    source: Any,
    *,
    file: BinaryIO | None,
    location: str,
) -> None:
    """Fill a `TensorProto`; its bytes go to the file if there is one and they are not few."""
    tensor.name = name
    tensor.data_type = number_of(element_type)
    tensor.dims.extend(shape)
    if element_type is ElementType.string:
        array = source.evaluate() if isinstance(source, Const) else source
        tensor.string_data.extend(text if isinstance(text, bytes) else to_bytes(text) for text in array.reshape(-1))
        return
    size = _size(element_type, shape)
    if file is None or size < LEAST_OUTSIDE:
        tensor.raw_data = b"".join(_blocks(element_type, source))
        return
    file.write(b"\0" * (-file.tell() % _ALIGNMENT))
    tensor.data_location = 1
    for key, value in (("location", location), ("offset", file.tell()), ("length", size)):
        tensor.external_data.add(key=key, value=str(value))
    for block in _blocks(element_type, source):
        file.write(block)


def _blocks(element_type: ElementType, source: Any) -> Iterator[Any]:
    """Yield the bytes of an initializer; a mapped Const is not copied."""
    if not isinstance(source, Const):
        yield pack(source, element_type)
    elif source.element_type is element_type:
        yield from (block.data for block in source.blocks())
    else:
        yield pack(source.evaluate(), element_type)


def _size(element_type: ElementType, shape: tuple[int, ...]) -> int:
    return 0 if element_type is ElementType.string else packed_size(element_type, int(np.prod(shape, dtype=object)))


def require_onnx_path(path: object) -> Path:
    """Return the path of a file to write, which ends in `.onnx`."""
    if not isinstance(path, (str, os.PathLike)):
        raise InputError(f"a path is needed, not {type(path).__name__}")
    target = Path(os.fspath(path))
    if target.suffix != ".onnx":
        raise InputError(f"the path {str(target)!r} does not end in .onnx")
    return target
