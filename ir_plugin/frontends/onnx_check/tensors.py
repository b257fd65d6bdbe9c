"""Tensors of a model: as many values as their shape says, and external data that lie where they must."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from math import prod
from typing import Any

from ir_plugin.errors import Error, LimitError
from ir_plugin.frontends.onnx.constants import array_of, dense_of
from ir_plugin.frontends.onnx.external import ExternalData
from ir_plugin.frontends.onnx.types import element_type_of
from ir_plugin.frontends.onnx_check.collector import Collector, Location
from ir_plugin.frontends.onnx_check.fixes import relocate
from ir_plugin.tensors import ElementType
from ir_plugin.tensors.packing import packed_size

_HELP = {
    "ON401": "put the file beside the model",
    "ON402": "copy the file into the model's folder, and write its name there",
    "ON403": "copy the file again, or correct offset and length",
    "ON404": "export the tensor again; its shape and its values do not fit together",
}
_MISPLACED = ("ON401", "ON402")


def check_tensors(collector: Collector, files: ExternalData, graph: Any, location: Location) -> None:
    """Report the tensors of a graph and of its nodes that cannot be read."""
    for node, tensor in _tensors(graph):
        code, message = fault_of(tensor, files)
        if code:
            part = "" if node is None else f'tensor "{tensor.name}"' if tensor.name else "attribute value"
            fix = partial(relocate, tensor, files) if code in _MISPLACED else None
            collector.add(code, message, location, node, part, fix=fix, help=_HELP[code])
    for sparse in graph.sparse_initializer:
        code, message = _sparse_fault(sparse, files)
        if code:
            collector.add(code, message, location, help="export the tensor again")


def _tensors(graph: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the tensors of a graph with the node whose attribute they are, or None."""
    yield from ((None, tensor) for tensor in graph.initializer)
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.HasField("t"):
                yield node, attribute.t
            yield from ((node, tensor) for tensor in attribute.tensors)


def fault_of(tensor: Any, files: ExternalData) -> tuple[str, str]:
    """Return the code and the message of what is wrong with a tensor, or two empty texts."""
    try:
        element_type = element_type_of(tensor.data_type)
        if any(length < 0 for length in tensor.dims):
            return "ON404", f'the tensor "{tensor.name}" has the shape {list(tensor.dims)}'
        if tensor.data_location == 1:
            return _external_fault(tensor, files, element_type)
        if tensor.HasField("raw_data") and element_type is not ElementType.string:
            return _raw_fault(tensor, element_type)
        array_of(tensor)
    except Error as fault:
        code = fault.findings[0].code if fault.findings else "ON404"
        return code if code in _HELP else "ON401", str(fault)
    return "", ""


def _sparse_fault(sparse: Any, files: ExternalData) -> tuple[str, str]:
    try:
        dense_of(sparse, files)
    except Error as fault:
        return "ON005" if isinstance(fault, LimitError) else "ON404", str(fault)
    return "", ""


def _raw_fault(tensor: Any, element_type: ElementType) -> tuple[str, str]:
    needed, size = packed_size(element_type, prod(tensor.dims)), len(tensor.raw_data)
    if size == needed:
        return "", ""
    shape = f"{element_type.name}{list(tensor.dims)}"
    return "ON404", f'the tensor "{tensor.name}" ({shape}) needs {needed:,} bytes, and has {size:,}'


def _external_fault(tensor: Any, files: ExternalData, element_type: ElementType) -> tuple[str, str]:
    _, _, size = files.part(tensor)
    needed = packed_size(element_type, prod(tensor.dims))
    if size >= needed:
        return "", ""
    return "ON403", f'the tensor "{tensor.name}" needs {needed:,} bytes; its external data have {size:,}'
