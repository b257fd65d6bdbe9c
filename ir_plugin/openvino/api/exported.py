"""Compiled models as bytes: the IR and the configuration, compiled again on import."""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Iterator, Mapping
from enum import Enum
from itertools import pairwise
from typing import Any

from ir_plugin.errors import ReadError, wrong_type
from ir_plugin.model import Model
from ir_plugin.openvino.api.tensor import Tensor
from ir_plugin.operations.base import Operation
from ir_plugin.operations.plugins import load_plugins
from ir_plugin.operations.registry import Registry
from ir_plugin.schema.catalogue import standard
from ir_plugin.tensors import ElementType
from ir_plugin.validation import check_ir
from ir_plugin.writer import ir_bytes

_MAGIC = b"ir_plugin compiled model 2\n"
_SIZES, _CHECKSUM = struct.Struct("<3Q"), hashlib.sha256


def to_bytes(model: Model, config: Mapping[str, Any]) -> bytes:
    """Return a model in its original IR version, and its configuration, as bytes."""
    settings = json.dumps({name: _plain(value) for name, value in config.items()}).encode()
    parts = [settings, *ir_bytes(model, model.version)]
    content = b"".join([_SIZES.pack(*map(len, parts)), *parts])
    return _MAGIC + _CHECKSUM(content).digest() + content


def from_bytes(data: Any) -> tuple[dict[str, Any], bytes, bytes]:
    """Return the configuration, XML and weights from the bytes of `to_bytes`, or from a binary file object."""
    content = data.data.tobytes() if isinstance(data, Tensor) else data
    for method in ("getvalue", "read"):
        content = getattr(content, method)() if callable(getattr(content, method, None)) else content
    if not isinstance(content, (bytes, bytearray, memoryview)):
        raise wrong_type("model_stream", "bytes, or a binary file,", data)
    view = memoryview(content).cast("B")
    sizes_at = len(_MAGIC) + _CHECKSUM().digest_size
    start = sizes_at + _SIZES.size
    if bytes(view[: len(_MAGIC)]) != _MAGIC or len(view) < start:
        raise ReadError("these bytes are not a model written by export_model of ir_plugin")
    sizes = _SIZES.unpack(view[sizes_at:start])
    if start + sum(sizes) != len(view):
        raise ReadError(f"the exported model has {len(view)} bytes; its header says {start + sum(sizes)}")
    if _CHECKSUM(view[sizes_at:]).digest() != view[len(_MAGIC) : sizes_at]:
        raise ReadError("the exported model is damaged: its checksum differs")
    ends = [start, start + sizes[0], start + sizes[0] + sizes[1], len(view)]
    settings, xml, weights = (bytes(view[low:high]) for low, high in pairwise(ends))
    return _configuration(settings), xml, weights


def _configuration(settings: bytes) -> dict[str, Any]:
    try:
        config = json.loads(settings)
    except (ValueError, RecursionError) as fault:
        raise ReadError(f"the configuration of the exported model is not JSON: {fault}") from None
    if not isinstance(config, dict):
        raise ReadError("the configuration of the exported model is not a dictionary")
    return config


def _plain(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, Enum):
        return value.name
    if isinstance(value, ElementType):
        return value.name
    return value if isinstance(value, (str, int, float, bool, type(None))) else str(value)


def restorable(model: Model) -> tuple[bytes, tuple[type[Operation], ...]]:
    """Return a model as bytes, and the classes of its custom operations: the arguments of `restored`."""
    return to_bytes(model, {}), tuple(dict.fromkeys(cls for cls in _operations(model) if not cls.is_built_in))


def _operations(model: Model) -> Iterator[type[Operation]]:
    yield from (type(node.operation) for node in model.nodes if node.operation is not None)
    for _node, _name, subgraph in model.bodies():
        yield from _operations(subgraph.body)


def restored(data: bytes, operations: tuple[type[Operation], ...]) -> Model:
    """Return the graph of `restorable`."""
    _config, xml, weights = from_bytes(data)
    registry = Registry()
    load_plugins(registry)
    for operation in operations:
        registry.add(operation, "a pickled model", replace=True)
    report = check_ir(xml, weights, registry, standard(), strict=False)
    if report.model is None:
        raise ReadError(f"the pickled model cannot be read: {report.findings}", list(report.findings))
    return report.model
