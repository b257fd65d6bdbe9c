"""Every function of every opset builds what OpenVINO's builds: type, version, element types, shapes."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import cache
from itertools import takewhile
from typing import Any

import numpy as np
import openvino
import pytest
from openvino.exceptions import UserInputError

import ir_plugin
from ir_plugin.opsets.nodes import definition_of
from ir_plugin.opsets.signatures import Signature, signatures
from tests.support.collect import samples
from tests.support.sample import In, Sample

MAX_SAMPLES = 6
OTHERWISE = {"assign", "read_value", "string_tensor_pack", "string_tensor_unpack", "roi_pooling", "rnn_cell"}
"""Functions that no sample fits; `test_graphs.py` builds them."""


@cache
def samples_of(type: str, version: str) -> tuple[Sample, ...]:
    introduced = definition_of(type, version).version
    same_type = [item for _, item in samples() if item.type.lower() == type.lower()]
    return tuple(item for item in same_type if f"opset{item.version}" == introduced)


def arguments(signature: Signature, sample: Sample) -> dict[str, Any] | None:
    """Return the arguments of a sample by name, inputs as they stand there; None where they do not fit."""
    known, inputs = dict(sample.attributes), list(sample.inputs)
    values: dict[str, Any] = {}
    for parameter in signature.parameters:
        if parameter.kind == "attributes":
            values[parameter.name], known = {name: as_python(signature, known[name]) for name in known}, {}
        elif parameter.kind == "attribute":
            written = next((name for name in known if name.replace("-", "_") == parameter.target), None)
            if written is not None:
                value = as_python(signature, known.pop(written))
                values[parameter.name] = [value] if parameter.name == "activations" and value == "tanh" else value
        elif parameter.kind == "nodes":
            values[parameter.name], inputs = inputs, []
        elif parameter.kind == "input" and inputs:
            values[parameter.name] = inputs.pop(0)
    return None if inputs or known else values


def as_python(signature: Signature, value: Any) -> Any:
    """Return an attribute as OpenVINO's function wants it: samples may have the text of an IR."""
    if signature.name == "reorg_yolo":
        return [value]
    if signature.name == "proposal" and isinstance(value, int) and not isinstance(value, bool):
        return np.uint32(value)
    if not isinstance(value, str) or "," not in value:
        return value
    items = [item.strip() for item in value.split(",")]
    return [int(item) for item in items] if all(item.lstrip("-").isdigit() for item in items) else items


def called(opset: Any, signature: Signature, values: dict[str, Any]) -> tuple[Any, list[Any]]:
    """Return the node that a library's function builds of these values, and the parameters it reads."""
    parameters: list[Any] = []

    basic = importlib.import_module(opset.__name__.replace("opset17", "opset16"))

    def built(item: Any) -> Any:
        if isinstance(item, list) and item and isinstance(item[0], In):
            return [built(each) for each in item]
        if not isinstance(item, In):
            return item
        type = getattr(openvino.Type if opset.__name__.startswith("openvino") else ir_plugin.Type, item.type.name)
        if item.constant:
            return basic.constant(item.value, type)
        parameters.append(basic.parameter(list(item.value.shape), type))
        return parameters[-1]

    leading = list(takewhile(lambda parameter: parameter.name in values, signature.parameters))
    rest = {key: built(value) for key, value in values.items() if key not in {known.name for known in leading}}
    node = getattr(opset, signature.name)(*[built(values[known.name]) for known in leading], **rest)
    return node, parameters


def described(node: Any) -> tuple[Any, ...]:
    outputs = [
        (port.get_element_type().to_string(), str(port.get_partial_shape()).replace(" ", "")) for port in node.outputs()
    ]
    info = node.get_type_info()
    version = {("LogicalXor", "opset2"): "opset1"}.get((info.name, info.version_id), info.version_id)
    return info.name, version, outputs


def outcome(opset: Any, signature: Signature, values: dict[str, Any]) -> tuple[Any, ...]:
    """Return what a library builds, or that it refuses."""
    try:
        return described(called(opset, signature, values)[0])
    except (RuntimeError, TypeError, ValueError, AttributeError, UserInputError):
        return ("refused",)


@pytest.mark.parametrize("signature", signatures(), ids=lambda known: f"{known.name}-{known.first}")
def test_builds_what_openvino_builds(signature: Signature) -> None:
    theirs = importlib.import_module(f"openvino.opset{signature.first}")
    ours = importlib.import_module(f"ir_plugin.opset{signature.first}")
    checked = 0
    for sample in samples_of(signature.type, signature.version):
        values = arguments(signature, sample)
        if values is None or checked == MAX_SAMPLES:
            continue
        expected = outcome(theirs, signature, values)
        if expected == ("refused",):
            continue
        assert outcome(ours, signature, values) == expected, values
        checked += 1
    assert checked or signature.name in OTHERWISE


MISTYPED: dict[str, Callable[[Any], Any]] = {
    "scatter_nd_update": lambda ops: ops.scatter_nd_update(np.array([1, 2]), np.array([[0.5]]), np.array([4])),
    "gather": lambda ops: ops.gather(np.ones((2, 3), np.float32), np.array([0.5]), np.array(0)),
    "relu": lambda ops: ops.relu(ops.parameter([2], bool)),
    "exp": lambda ops: ops.exp(ops.parameter([2], bool)),
    "bitwise_not": lambda ops: ops.bitwise_not(ops.parameter([2], np.float32)),
    "reduce_sum": lambda ops: ops.reduce_sum(ops.parameter([1, 2], bool), 0),
    "reduce_logical_or": lambda ops: ops.reduce_logical_or(ops.parameter([1, 2], np.float32), 0),
    "transpose": lambda ops: ops.transpose(ops.parameter([1, 2]), np.array([0.0, 1.0])),
    "one_hot": lambda ops: ops.one_hot(ops.parameter([2], np.float32), 3, 1.0, 0.0, -1),
    "sqrt": lambda ops: ops.sqrt(ops.parameter([2], np.int32)),
    "softmax": lambda ops: ops.softmax(ops.parameter([2], np.int32), 0),
    "logical_not": lambda ops: ops.logical_not(ops.parameter([2], np.float32)),
    "group_normalization": lambda ops: ops.group_normalization(
        ops.parameter([1, 2, 3], np.int32), [1, 1], [0, 0], 2, 1e-5
    ),
}


def verdict(library: str, name: str) -> str:
    try:
        MISTYPED[name](importlib.import_module(f"{library}.opset15"))
    except RuntimeError:
        return "refused"
    return "built"


@pytest.mark.parametrize("name", MISTYPED)
def test_element_types_are_refused_as_openvino_refuses_them(name: str) -> None:
    assert verdict("ir_plugin", name) == verdict("openvino", name)


def test_aliases_are_the_same_function() -> None:
    for library in (openvino, ir_plugin):
        ops = importlib.import_module(f"{library.__name__}.opset13")
        names = [getattr(ops, name).__name__ for name in ("abs", "ceil", "cumsum", "relu")]
        assert names == ["absolute", "ceiling", "cum_sum", "relu"]
