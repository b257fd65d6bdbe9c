"""A Loop whose first condition is a constant false, as OpenVINO writes it: `check` says what the run gives."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import openvino
import openvino.opset13 as ops
import pytest

import ir_plugin as ov


def written(path: Path, joins: bool) -> None:
    """Write a Loop of a state [1,2]; its last value, which Relu reads, and with `joins` all values, are results."""
    x, state = ops.parameter([1, 2], np.float32), ops.parameter([1, 2], np.float32)
    total = ops.add(state, ops.constant(np.float32(1)))
    body = openvino.Model([ops.result(ops.constant(np.array(True))), ops.result(total)], [state], "body")
    loop = ops.loop(ops.constant(np.int64(3)), ops.constant(np.array(False)))
    loop.set_function(body)
    loop.set_special_body_ports([-1, 0])
    loop.set_merged_input(state, x.output(0), total.output(0))
    outputs = [ops.relu(loop.get_iter_value(total.output(0), -1)).output(0)]
    if joins:
        outputs.append(loop.get_concatenated_slices(total.output(0), 0, 1, 1, -1, 0))
    openvino.save_model(openvino.Model(outputs, [x], "loop"), path, compress_to_fp16=False)


@pytest.mark.parametrize("joins", [False, True])
def test_check_and_run_agree(joins: bool, tmp_path: Path) -> None:
    path = tmp_path / "loop.xml"
    written(path, joins)
    findings = ov.Core().validate(path).findings.sorted()
    shapes = {"[0,2]": "[1,2]", **({"[0]": "[0,2]"} if joins else {})}
    assert [finding.code for finding in findings] == ["IR307"] * len(shapes)
    for finding, (declared, inferred) in zip(findings, shapes.items(), strict=True):
        assert finding.message.endswith(f"is declared {declared}, as OpenVINO writes it; it is {inferred}")
    data = np.array([[1, 2]], np.float32)
    for optimize in (True, False):
        compiled = ov.Core().compile_model(path, "CPU", {"OPTIMIZE": optimize})
        outputs = list(compiled([data]).values())
        assert outputs[0].tolist() == data.tolist()
        assert [str(list(array.shape)).replace(" ", "") for array in outputs] == list(shapes.values())
