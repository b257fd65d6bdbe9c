"""Bodies inside bodies: what is at the limit passes everywhere, and what is deeper is refused everywhere."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import ir_plugin as ov
from ir_plugin import opset13 as ops
from ir_plugin.model import MAX_BODIES

X = np.array([1, 2], np.float32)
Build = Callable[[ov.Output, int], ov.Output]


def body(build: Build, depth: int, length: int) -> ov.Model:
    """Return a body that adds 1 to its parameter inside of `depth` further bodies."""
    parameter = ops.parameter([length], np.float32)
    inner = build(parameter.output(0), depth) if depth else ops.add(parameter, np.float32(1)).output(0)
    return ov.Model([inner], [parameter], "body")


def branches(data: ov.Output, depth: int) -> ov.Output:
    """Return an If whose branches hold further ones down to a depth."""
    node = ops.if_op(ops.less(np.float32(0), ops.reduce_sum(data, np.array([0]))).output(0))
    then, other = body(branches, depth - 1, 2), body(branches, 0, 2)
    node.set_then_body(then)
    node.set_else_body(other)
    node.set_input(data, then.get_parameters()[0], other.get_parameters()[0])
    return node.set_output(then.get_results()[0], other.get_results()[0])


def loops(data: ov.Output, depth: int) -> ov.Output:
    """Return a Loop of one iteration whose state may have any length, with another one inside it."""
    node = ops.loop(ops.constant(np.int64(1)), ops.constant(np.array(True)))
    inner = body(loops, depth - 1, -1)
    inner.add_results([ops.result(ops.constant(np.array(True)))])
    node.set_function(inner)
    node.set_special_body_ports([-1, 1])
    node.set_merged_input(inner.get_parameters()[0], data, inner.get_results()[0].input_value(0))
    return node.get_iter_value(inner.get_results()[0].input_value(0), -1)


def iterators(data: ov.Output, depth: int) -> ov.Output:
    """Return a TensorIterator that runs its body once, with another one inside it."""
    node = ops.tensor_iterator()
    inner = body(iterators, depth - 1, 2)
    node.set_function(inner)
    node.set_invariant_input(inner.get_parameters()[0], data)
    return node.get_iter_value(inner.get_results()[0].input_value(0), -1)


@pytest.mark.parametrize("build", [branches, loops, iterators])
def test_bodies_at_the_limit_pass_everywhere(build: Build, tmp_path: Path) -> None:
    x = ops.parameter([2], np.float32, name="x")
    model = ov.Model([build(x.output(0), MAX_BODIES)], [x], "nested")
    files = [tmp_path / "first.xml", tmp_path / "second.xml"]
    for file in files:
        ov.save_model(model, file)
        assert ov.validate(file).ok
        model = ov.Core().read_model(file)
        for optimize in (True, False):
            compiled = ov.Core().compile_model(model, config={"OPTIMIZE": optimize})
            assert compiled([X])[0].tolist() == [2, 3]
    assert files[0].read_bytes() == files[1].read_bytes()


@pytest.mark.parametrize("build", [branches, loops, iterators])
def test_deeper_bodies_cannot_be_built(build: Build) -> None:
    x = ops.parameter([2], np.float32, name="x")
    with pytest.raises(ov.Error, match=f"bodies are nested more than {MAX_BODIES} deep"):
        build(x.output(0), MAX_BODIES + 1)
