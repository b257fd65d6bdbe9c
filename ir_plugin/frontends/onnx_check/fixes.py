"""Corrections of a `ModelProto` that have one right answer; each returns what it changed, if anything."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from ir_plugin.errors import Error
from ir_plugin.frontends.onnx.external import ExternalData
from ir_plugin.frontends.onnx.node_order import producers_of, sorted_nodes
from ir_plugin.frontends.onnx.types import element_type_of, number_of, type_proto
from ir_plugin.tensors import PartialShape, TensorInfo
from ir_plugin.tensors.packing import packed_size


def sort_nodes(graph: Any) -> str:
    """Sort the nodes of a graph, so that each follows the nodes that it reads."""
    order, cycle = sorted_nodes(graph.node, producers_of(graph.node))
    if cycle or order == sorted(order):
        return ""
    positions = iter(np.argsort(order).tolist())
    graph.node.sort(key=lambda _: next(positions))
    return f"the nodes of {graph.name!r} are in topological order"


def remove(field: Any, items: Sequence[Any], what: str) -> str:
    """Remove messages from a repeated field."""
    positions = [position for position, item in enumerate(field) if any(item is removed for removed in items)]
    for position in reversed(positions):
        del field[position]
    return f"{what} is deleted" if positions else ""


def copies_of(items: Iterable[Any]) -> list[Any]:
    """Return the messages that equal the first one, none where another one differs."""
    first, *others = items
    return others if all(item == first for item in others) else []


def rename_nodes(graph: Any, name: str) -> str:
    """Give every node of a graph that repeats a name another one."""
    taken = {node.name for node in graph.node}
    repeated = [node for node in graph.node if node.name == name][1:]
    for node in repeated:
        node.name = next(free for free in _numbered(name) if free not in taken)
        taken.add(node.name)
    return f'"{name}" → {", ".join(node.name for node in repeated)}' if repeated else ""


def _numbered(name: str) -> Iterator[str]:
    number = 0
    while True:
        number += 1
        yield f"{name}_{number}"


def correct_type(value: Any, info: TensorInfo) -> str:
    """Give a value the computed element type and shape where the declared ones contradict them or are absent."""
    before = type_text(value.type)
    kind = value.type.WhichOneof("value")
    if not info.element_type.is_static:
        return ""
    if kind != "tensor_type":
        if kind is None:
            value.type.CopyFrom(type_proto(info))
    elif number_of(info.element_type):
        value.type.tensor_type.elem_type = number_of(info.element_type)
        _correct_shape(value.type.tensor_type, PartialShape(info.shape))
    after = type_text(value.type)
    return f'"{value.name}" {before} → {after}' if after != before else ""


def _correct_shape(tensor: Any, shape: PartialShape) -> None:
    """Write the lengths that contradict the declared ones; names of open lengths stay."""
    if shape.dims is None:
        return
    if not tensor.HasField("shape") or len(tensor.shape.dim) != len(shape.dims):
        tensor.shape.Clear()
        tensor.shape.SetInParent()
        for _ in shape.dims:
            tensor.shape.dim.add()
    for declared, dim in zip(tensor.shape.dim, shape, strict=True):
        kind = declared.WhichOneof("value")
        if dim.is_static and kind != "dim_param":
            declared.dim_value = dim.get_length()
        elif kind == "dim_value" and not dim.compatible(declared.dim_value):
            declared.ClearField("dim_value")


def leave_out_negative_lengths(value: Any) -> str:
    """Leave out the negative lengths of a value, which are not known."""
    before = type_text(value.type)
    for dim in value.type.tensor_type.shape.dim:
        if dim.WhichOneof("value") == "dim_value" and dim.dim_value < 0:
            dim.ClearField("dim_value")
    after = type_text(value.type)
    return f'"{value.name}" {before} → {after}' if after != before else ""


def type_text(proto: Any) -> str:
    """Return the type and shape of a `TypeProto` as text: `f32[2,n,?]`."""
    kind = proto.WhichOneof("value")
    if kind is None:
        return "without a type"
    if kind != "tensor_type":
        return str(kind.removesuffix("_type"))
    tensor = proto.tensor_type
    try:
        name = element_type_of(tensor.elem_type).name
    except Error:
        name = f"type {tensor.elem_type}"
    if not tensor.HasField("shape"):
        return f"{name} of any rank"
    dims = [str(getattr(dim, dim.WhichOneof("value") or "", "?")) for dim in tensor.shape.dim]
    return f"{name}[{','.join(dims)}]"


def relocate(tensor: Any, files: ExternalData) -> str:
    """Correct the location of external data whose file lies in the folder of the model, or in a folder in it."""
    entry = next((entry for entry in tensor.external_data if entry.key == "location"), None)
    if entry is None or files.folder is None:
        return ""
    before = entry.value
    name = before.replace("\\", "/").rpartition("/")[2]
    locations = [location for location in _locations(files.folder, name) if _holds(tensor, entry, location, files)]
    entry.value = locations[0] if len(locations) == 1 else before
    return f'"{tensor.name}" in {before!r} → {entry.value!r}' if entry.value != before else ""


def _locations(folder: Path, name: str) -> list[str]:
    """Return where a file is, relative to a folder: in it, else in one of its folders."""
    if not name or name in (".", ".."):
        return []
    if os.path.isfile(folder / name):
        return [name]
    inner = sorted(entry.name for entry in os.scandir(folder) if entry.is_dir(follow_symlinks=False))
    return [f"{entry}/{name}" for entry in inner if os.path.isfile(folder / entry / name)]


def _holds(tensor: Any, entry: Any, location: str, files: ExternalData) -> bool:
    """Return whether a file may be read and has the bytes of a tensor."""
    before, entry.value = entry.value, location
    try:
        size = files.part(tensor)[2]
        return size >= packed_size(element_type_of(tensor.data_type), prod(tensor.dims))
    except Error:
        return False
    finally:
        entry.value = before
