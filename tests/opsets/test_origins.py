"""Findings and errors name the line of Python that built a node, and the line of the file that a node was read from."""

from __future__ import annotations

import inspect
import pickle
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ir_plugin as ov
from ir_plugin import opset13 as ops
from tests.support.changed import DIGITS
from tests.support.work import counted_lines

HERE = str(Path(__file__))


def here() -> int:
    """Return the line of the caller."""
    frame = inspect.currentframe()
    assert frame is not None
    assert frame.f_back is not None
    return frame.f_back.f_lineno


def misfit() -> tuple[ov.Model, int]:
    """Return a model whose matrices do not fit after a change of a Parameter, and the line of the product."""
    x, y = ops.parameter([2, 3], np.float32, name="x"), ops.parameter([3, 4], np.float32, name="y")
    product, line = ops.matmul(x, y, False, False), here()
    model = ov.Model([ops.relu(product)], [x, y], "built")
    y.set_partial_shape(ov.PartialShape([5, 4]))
    return model, line


def test_a_finding_names_the_call_that_builds_the_node() -> None:
    model, line = misfit()
    report = ov.validate(model)
    assert [finding.code for finding in report.findings] == ["IR301"]
    span = report.findings[0].span
    assert (span.file, span.line) == (HERE, line)
    assert span.text[span.column - 1 :][: span.width] in ("ops.matmul(x, y, False, False)", span.text)
    assert f"{HERE}:{line}" in str(report)
    assert "ops.matmul" in str(report)
    assert pickle.loads(pickle.dumps(report)).findings[0] == report.findings[0]


def test_a_finding_of_a_cycle_names_its_edges() -> None:
    x = ops.parameter([2], np.float32, name="x")
    total = ops.add(x, x, name="total")
    last, line = ops.relu(total, name="last"), here()
    inside = ov.Model([last, ops.constant(True)], [x], "inside")
    loop = ops.loop(ops.constant(np.int32(3)), ops.constant(True))
    loop.set_function(inside)
    loop.set_special_body_ports([-1, 1])
    outer = ops.parameter([2], np.float32, name="outer")
    loop.set_invariant_input(x, outer.output(0))
    model = ov.Model([loop.get_iter_value(inside.results[0].output(0), -1)], [outer], "outside")
    assert ov.validate(model).ok
    total.inputs[1].source = last.outputs[0]
    for checked in (inside, model):
        (finding,) = ov.validate(checked).findings
        assert (finding.code, finding.span.line) == ("IR208", line)
        assert finding.message == 'the layers "last" -> "total" -> "last" form a cycle'
        assert finding.because.startswith('the edges are "last":0 -> "total":1, "total":0 -> "last":0;')


def test_validate_leaves_the_model_as_it_is() -> None:
    model, _ = misfit()
    before = [(port, port.tensor_info) for node in model.nodes for port in node.outputs]
    ov.validate(model)
    assert all(port.tensor_info is known for port, known in before)
    assert ov.validate(model).model is model


CHANGES: dict[str, Callable[[ov.Model], object]] = {
    "compile": ov.compile_model,
    "reshape": lambda model: model.reshape({"x": [2, 3]}),
    "validate": ov.Model.validate_nodes_and_infer_types,
}


@pytest.mark.parametrize("action", CHANGES)
def test_errors_name_the_line(action: str) -> None:
    model, line = misfit()
    with pytest.raises(ov.ValidationError, match=re.escape(f"built at {HERE}:{line}")):
        CHANGES[action](model)


def test_an_error_of_a_run_names_the_line() -> None:
    indices = ops.parameter([1], np.int64, name="i")
    scattered, line = ops.scatter_update(np.zeros(4, np.float32), indices, np.ones(1, np.float32), np.int64(0)), here()
    compiled = ov.compile_model(ov.Model([scattered], [indices]), config={"OPTIMIZE": False})
    with pytest.raises(ov.Error) as caught:
        compiled([np.array([7])])
    assert [(finding.span.file, finding.span.line) for finding in caught.value.findings] == [(HERE, line)]


def test_operators_and_results_have_the_line_of_the_user() -> None:
    x = ops.parameter([2], np.float32)
    total, line = x + np.float32(1), here()
    model, end = ov.Model([total], [x]), here()
    assert total.span().line == line
    assert total.input_value(1).node.span().line == line
    assert (model.results[0].span().file, model.results[0].span().line) == (HERE, end)


def test_a_rewired_node_keeps_its_line() -> None:
    x = ops.parameter([2], np.float32)
    first, line = ops.relu(x), here()
    model = ov.Model([first], [x])
    first.input(0).replace_source_output(ops.tanh(x).output(0))
    model.validate_nodes_and_infer_types()
    assert first.span().line == line
    assert {node.span().file for node in model.clone().nodes} == {HERE}


def test_nodes_of_a_file_keep_their_lines() -> None:
    model = ov.Core().read_model(DIGITS)
    node = next(node for node in model.nodes if node.get_type_name() == "Relu")
    before = node.span()
    node.input(0).replace_source_output(ops.tanh(node.input_value(0)).output(0))
    assert before.file.endswith(".xml")
    assert node.span() == before
    assert "built at" not in str(node.ref())
    assert ov.validate(model).ok


def test_code_without_a_file_has_a_line_without_text() -> None:
    names: dict[str, Any] = {"ops": ops}
    exec("x = ops.parameter([2])\n\ny = ops.relu(x)", names)
    span = names["y"].span()
    assert (span.file, span.line, span.text) == ("<string>", 3, "")


def test_the_work_of_building_grows_as_the_lines_of_a_script_do() -> None:
    x = y = ops.parameter([2, 3], np.float32)
    ops.add(ops.relu(x), x)
    lines = []
    for length in (250, 1000):
        text = "\n".join(["y = x"] + ["y = ops.relu(y)", "y = ops.add(y, x)"] * length)
        names: dict[str, Any] = {"ops": ops, "x": x, "y": y}
        with counted_lines() as count:
            exec(compile(text, "script.py", "exec"), names)
        lines.append(count())
        assert names["y"].span().line == 2 * length + 1
    assert lines[1] < 5 * lines[0]
