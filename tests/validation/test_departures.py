"""What OpenVINO takes against the specification is a warning, and runs; `validate=False` takes any element type."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ir_plugin import Core, ValidationError
from ir_plugin.diagnostics import Finding
from tests.support.ir import BuiltIR, build
from tests.support.sample import const, param

BINARY = {
    "strides": [1, 1], "dilations": [1, 1], "pads_begin": [0, 0], "pads_end": [0, 0], "mode": "xnor-popcount",
    "pad_value": 0.0,
}  # fmt: skip
PROPOSAL = {
    "base_size": 16, "pre_nms_topn": 4, "post_nms_topn": 2, "nms_thresh": 0.5, "feat_stride": 8, "min_size": 1,
    "ratio": [1.0], "scale": [1.0],
}  # fmt: skip
POOLING = {"output_dim": 1, "spatial_scale": 1.0}
BOX = np.array([[0, 0, 0, 1, 1]])


def layer(type: str, version: int, inputs: list[Any], attributes: Any, outputs: int = 1) -> BuiltIR:
    return build(type, version, inputs, attributes, outputs)


def floats(*shape: int) -> Any:
    return param(np.ones(shape, np.float32))


CASES = {
    "MVN, repeated axes": (
        layer("MVN", 6, [floats(2, 3), const([1, 1])],
              {"eps": 0.1, "eps_mode": "inside_sqrt", "normalize_variance": True}),
        "axes [1, 1] names an axis twice",
    ),
    "Unsqueeze, repeated axes": (
        layer("Unsqueeze", 1, [floats(2, 3), const([0, 0])], {}), "axes [0, 0] names an axis twice",
    ),
    "Reverse, repeated axes": (
        layer("Reverse", 1, [floats(2, 3), const([0, 0, 0])], {"mode": "index"}), "axis [0, 0, 0] names an axis twice",
    ),
    "Interpolate, repeated axes": (
        layer("Interpolate", 11, [floats(1, 1, 2, 2), const([3, 4]), const([2, 2])],
              {"mode": "nearest", "shape_calculation_mode": "sizes"}),
        "axes [2, 2] names an axis twice",
    ),
    "FakeQuantize, levels": (
        layer("FakeQuantize", 1, [floats(3), *[const(number) for number in (0.0, 1.0, 0.0, 1.0)]], {"levels": -1}),
        "levels is -1",
    ),
    "PriorBox, image_size": (
        layer("PriorBox", 8, [const([1, 1]), param([30, 50, 1])], {"offset": 0.5, "min_size": [5.0]}),
        "image_size has the shape [3]",
    ),
    "CumSum of booleans": (
        layer("CumSum", 3, [param([True, False]), const(0)], {}), "data has the element type boolean",
    ),
    "BinaryConvolution, f32 kernel": (
        layer("BinaryConvolution", 1, [floats(1, 2, 3, 3), param(np.ones((1, 2, 3, 3), np.float32))], BINARY),
        "kernel has the element type f32",
    ),
    "CTCGreedyDecoder, i32": (
        layer("CTCGreedyDecoder", 1, [param(np.ones((2, 1, 3)), "i32"), floats(2, 1)], {}),
        "data has the element type i32",
    ),
    "DeformablePSROIPooling, i32": (
        layer("DeformablePSROIPooling", 1, [param(np.ones((1, 1, 3, 3)), "i32"), param(BOX, "f32")], POOLING),
        "data has the element type i32",
    ),
    "Proposal, channels": (
        layer("Proposal", 4, [floats(1, 4, 2, 2), floats(1, 8, 2, 2), param([16, 16, 1], "f32")], PROPOSAL, 2),
        "class_probs [1,4,2,2] has 4 channels",
    ),
    "Proposal, framework": (
        layer(
            "Proposal", 4, [floats(1, 2, 2, 2), floats(1, 4, 2, 2), param([16, 16, 1], "f32")],
            PROPOSAL | {"framework": "caffe"}, 2,
        ),
        "'caffe' is not one of",
    ),
    "DeformablePSROIPooling, mode": (
        layer("DeformablePSROIPooling", 1, [floats(1, 1, 3, 3), param(BOX, "f32")], POOLING | {"mode": "average"}),
        "'average' is not one of",
    ),
    "an unknown attribute": (
        layer("ReLU", 1, [floats(2)], {"colour": "red"}), 'the operation has no attribute "colour"',
    ),
    "an attribute of a later version": (
        layer("Gather", 1, [floats(2), const([0]), const(0)], {"batch_dims": 0}),
        'the operation has no attribute "batch_dims"',
    ),
}  # fmt: skip


def findings_of(ir: BuiltIR) -> list[Finding]:
    return list(Core().validate(ir.xml, ir.weights).findings)


@pytest.mark.parametrize("name", CASES)
def test_a_warning_says_so_and_the_layer_runs(name: str) -> None:
    ir, says = CASES[name]
    findings = findings_of(ir)
    assert findings
    assert {finding.severity for finding in findings} == {"warning"}
    assert says in findings[0].message
    for validate in (True, False):
        model = Core().read_model(ir.xml, ir.weights, validate=validate)
        compiled = Core().compile_model(model)
        compiled([np.zeros(port.shape, port.element_type.dtype) for port in compiled.inputs])


def test_an_attribute_near_to_one_that_is_missing_is_an_error() -> None:
    ir = layer("BinaryConvolution", 1, [floats(1, 8, 3, 3), const(np.ones((1, 8, 3, 3)), "u1")], BINARY)
    xml = ir.xml.replace(b"pads_begin=", b"pad_begin=")
    (finding,) = Core().validate(xml, ir.weights).findings
    assert (finding.code, finding.severity, finding.help) == ("IR101", "error", 'did you mean "pads_begin"?')


def test_without_validation_any_element_type_is_read_and_run() -> None:
    data, indices = np.array([10, 20, 30], np.float32), np.array([2, 0], np.float32)
    ir = layer("Gather", 1, [param(data), param(indices), const(0)], {})
    with pytest.raises(ValidationError):
        Core().read_model(ir.xml, ir.weights)
    for optimize in (False, True):
        model = Core().read_model(ir.xml, ir.weights, validate=False)
        assert Core().compile_model(model, {"OPTIMIZE": optimize})([data, indices])[0].tolist() == [30, 10]
