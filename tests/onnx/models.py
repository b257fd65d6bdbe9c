"""Small ONNX models for tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnx
from onnx import helper

from ir_plugin.frontends.onnx.types import numpy_of
from ir_plugin.tensors import ElementType

Port = tuple[int, Sequence[int | str | None] | None]


def model(
    nodes: Sequence[Any],
    inputs: Mapping[str, Port],
    outputs: Sequence[str],
    opset: int = 23,
    initializers: Mapping[str, Any] | None = None,
    domains: Mapping[str, int] | None = None,
) -> Any:
    """Return a `ModelProto` of nodes; inputs are pairs of `TensorProto` type and shape, outputs are untyped."""
    tensors = [onnx.numpy_helper.from_array(np.asarray(value), name) for name, value in (initializers or {}).items()]
    graph = helper.make_graph(
        list(nodes),
        "graph",
        [helper.make_tensor_value_info(name, *port) for name, port in inputs.items()],
        [helper.make_empty_tensor_value_info(name) for name in outputs],
        tensors,
    )
    imports = [helper.make_opsetid("", opset)]
    imports += [helper.make_opsetid(domain, version) for domain, version in (domains or {}).items()]
    return helper.make_model(graph, opset_imports=imports, ir_version=10)


def numbers(element_type: ElementType, shape: tuple[int, ...]) -> Any:
    """Return different small values of a type in the dtype of the package onnx."""
    count = int(np.prod(shape))
    if element_type is ElementType.string:
        return np.array([f"text {i}" for i in range(count)], object).reshape(shape)
    limit = {"i2": 2, "u2": 4, "i4": 8, "u4": 16, "f4e2m1": 4, "boolean": 2}.get(element_type.name, 100)
    values: Any = np.arange(count) % limit
    if element_type.name == "f8e8m0":
        values = 2.0 ** (values % 8)
    return values.astype(np.float64).astype(numpy_of(element_type)).reshape(shape)
