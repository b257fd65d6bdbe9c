"""Ports by position, removals and names: the same values and types of exceptions as in OpenVINO."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

LIBRARIES = ("openvino", "ir_plugin")
ONES = np.ones((1, 3), np.float32)
ERRORS = (RuntimeError, TypeError, LookupError, OSError)
POSITIONS = (-3, -2, -1, 0, 1, 2)


class Net:
    """A model of two inputs and two outputs, built by one of the libraries."""

    def __init__(self, library: str) -> None:
        self.ov: Any = importlib.import_module(library)
        self.ops: Any = importlib.import_module(f"{library}.opset13")
        self.x, self.y = (self.ops.parameter([1, 3], np.float32, name=name) for name in ("x", "y"))
        self.total = self.ops.add(self.x, self.y, name="total")
        self.results = [self.ops.result(self.ops.relu(self.total), name="r"), self.ops.result(self.total, name="t")]
        self.model = self.ov.Model(self.results, [self.x, self.y], "net")
        self.compiled = self.ov.compile_model(self.model, "CPU")
        self.request = self.compiled.create_infer_request()


def _name(port: Any) -> str:
    return str(port.get_node().get_friendly_name())


BY_POSITION: dict[str, Callable[[Net, int], Any]] = {
    "model.input": lambda net, index: _name(net.model.input(index)),
    "model.output": lambda net, index: _name(net.model.output(index)),
    "node.input": lambda net, index: net.total.input(index).get_index(),
    "node.output": lambda net, index: net.total.output(index).get_index(),
    "node.input_value": lambda net, index: _name(net.total.input_value(index)),
    "node.get_input_shape": lambda net, index: list(net.total.get_input_shape(index)),
    "compiled.input": lambda net, index: _name(net.compiled.input(index)),
    "compiled.output": lambda net, index: _name(net.compiled.output(index)),
    "request.get_input_tensor": lambda net, index: list(
        net.compiled.create_infer_request().get_input_tensor(index).shape
    ),
    "results": lambda net, index: net.compiled([np.ones((1, 3), np.float32), np.ones((1, 3), np.float32)])[
        index
    ].tolist(),
}


def _removed(net: Net, remove: Callable[[Any], Any]) -> Any:
    remove(net)
    return [_name(port) for port in (*net.model.inputs, *net.model.outputs)]


OTHERS: dict[str, Callable[[Net], Any]] = {
    "remove a result": lambda net: _removed(net, lambda net: net.model.remove_result(net.results[1])),
    "remove another result": lambda net: _removed(net, lambda net: net.model.remove_result(net.ops.result(net.total))),
    "remove another input": lambda net: _removed(
        net, lambda net: net.model.remove_parameter(net.ops.parameter([1], np.float32))
    ),
    "remove what is no sink": lambda net: _removed(net, lambda net: net.model.remove_sink(net.total)),
    "remove a number": lambda net: net.model.remove_result(0),
    "a model of None": lambda net: net.ov.Model(None, [net.x]),
    "names of models": lambda net: (
        len({net.ov.Model(net.results, [net.x, net.y], "net").get_name() for _ in range(3)}),
        net.model.get_name()[:5],
        net.model.get_friendly_name(),
    ),
    "a missing file": lambda net: net.ov.tensor_from_file("there/is/no/such.bin"),
}


def outcome(action: Callable[..., Any], *arguments: Any) -> Any:
    """Return what an action returns, or the exception that it raises."""
    try:
        return action(*arguments)
    except ERRORS as fault:
        return fault


def hold(mine: Any, theirs: Any) -> None:
    """Hold an outcome against OpenVINO's: equal, or an exception that its handlers catch."""
    if isinstance(theirs, Exception):
        assert isinstance(mine, type(theirs)), mine
    else:
        assert mine == theirs


@pytest.mark.parametrize("position", POSITIONS)
@pytest.mark.parametrize("kind", BY_POSITION)
def test_positions(kind: str, position: int) -> None:
    theirs, mine = (outcome(BY_POSITION[kind], Net(library), position) for library in LIBRARIES)
    hold(mine, theirs)


@pytest.mark.parametrize("kind", OTHERS)
def test_removals_and_names(kind: str) -> None:
    theirs, mine = (outcome(OTHERS[kind], Net(library)) for library in LIBRARIES)
    hold(mine, theirs)


def test_the_bytes_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "a.bin").write_bytes(b"abc")
    for path in (tmp_path / "a.bin", str(tmp_path / "a.bin")):
        theirs, mine = (importlib.import_module(library).tensor_from_file(path).data.tolist() for library in LIBRARIES)
        assert mine == theirs


@pytest.mark.parametrize("library", LIBRARIES)
def test_an_output_is_another_key_than_its_node(library: str) -> None:
    ops: Any = importlib.import_module(f"{library}.opset13")
    split = ops.split(ops.parameter([2]), 0, 2)
    first, second = split.outputs()
    assert hash(first) == hash(split.output(0))
    assert len({hash(split), hash(first), hash(second)}) == 3
