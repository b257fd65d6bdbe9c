"""Numbers that are no numbers: what is found says what is wrong with them, and agrees with what OpenVINO refuses."""

from __future__ import annotations

from typing import Any

import numpy as np
import openvino
import pytest

from ir_plugin import Core
from tests.hostile.bases import conv
from tests.support.ir import BuiltIR, build
from tests.support.sample import const, param

X = param(np.ones((2, 3), np.float32))
IMAGE = param(np.ones((1, 1, 4, 4), np.float32))
BOX = param(np.zeros((1, 5), np.float32))


_VERSIONS = {"ROIPooling": 2, "BatchNormInference": 5}


def findings_of(ir: BuiltIR) -> list[tuple[str, str]]:
    return [(finding.code, finding.message) for finding in Core().validate(ir.xml, ir.weights).findings]


def is_refused(ir: BuiltIR) -> bool:
    """Return whether OpenVINO refuses to read it."""
    try:
        openvino.Core().read_model(ir.xml, openvino.Tensor(np.frombuffer(ir.weights or b"\0", np.uint8)))
    except RuntimeError:
        return True
    return False


@pytest.mark.parametrize("text", ["nan", "inf", "-inf"])
def test_infinities_and_nan_are_written_in_small_letters(text: str) -> None:
    ir = build("Elu", 1, [X], {"alpha": text}, 1)
    assert not is_refused(ir)
    assert findings_of(ir) == []


@pytest.mark.parametrize("text", ["NaN", "NAN", "Inf", "INF", "infinity", "Infinity", "-nan", "+inf", "-Inf", "+nan"])
def test_other_spellings_of_them_are_refused(text: str) -> None:
    ir = build("Elu", 1, [X], {"alpha": text}, 1)
    assert is_refused(ir)
    word = text.lstrip("+-").lower()[:3]
    sign = "-" if text.startswith("-") and word == "inf" else ""
    message = f"attribute \"alpha\": '{text}' is not a number that OpenVINO reads; it is written {sign}{word}"
    assert findings_of(ir) == [("IR102", message)]


@pytest.mark.parametrize(
    ("type", "inputs", "attributes", "message"),
    [
        ("Clamp", [X], {"min": "0", "max": "nan"}, "max is nan; it must be a number"),
        ("Clamp", [X], {"min": "nan", "max": "1"}, "min is nan; it must be a number"),
        ("ROIPooling", [IMAGE, BOX], {"pooled_h": 2, "pooled_w": 2, "spatial_scale": "nan", "method": "max"},
         "spatial_scale is nan; it must be positive and finite"),
        ("ROIPooling", [IMAGE, BOX], {"pooled_h": 2, "pooled_w": 2, "spatial_scale": "inf", "method": "max"},
         "spatial_scale is inf; it must be positive and finite"),
        ("BatchNormInference", [IMAGE, *[const(np.ones(1, np.float32))] * 4], {"epsilon": "nan"},
         "epsilon is nan; it must be at least 0"),
    ],
)  # fmt: skip
def test_attributes_that_are_nan(type: str, inputs: list[Any], attributes: dict[str, Any], message: str) -> None:
    ir = build(type, _VERSIONS.get(type, 1), inputs, attributes, 1)
    assert is_refused(ir)
    assert findings_of(ir) == [("IR301", message)]


def test_a_pattern_whose_product_is_beyond_64_bits_is_named_as_such() -> None:
    ir = build("Reshape", 1, [X, const(np.array([2**62, 4]))], {"special_zero": True}, 1)
    assert findings_of(ir) == [
        ("IR301", "data [2,3] has 6 elements, the pattern [4611686018427387904,4] has 18446744073709551616")
    ]


@pytest.mark.parametrize("text", ["1180591620717411303424", "-1180591620717411303424"])
def test_a_whole_number_of_70_bits_is_outside(text: str) -> None:
    attributes = {"output_type": "f32", "global_seed": 0, "op_seed": text}
    ir = build("RandomUniform", 8, [const(np.array([2, 3])), const(0.0), const(1.0)], attributes, 1)
    assert [message for _, message in findings_of(ir)] == [
        f"attribute \"op_seed\": '{text}' is outside [-9223372036854775808, 9223372036854775807]"
    ]


def test_messages_end_without_a_line_break() -> None:
    text = conv().xml.replace('<?xml version="1.0"?>', '<?xml version="1.0" encoding="cp037"?>').encode("cp037")
    findings = Core().validate(text, conv().weights).findings
    assert [finding.message for finding in findings] == [
        "the XML is not well-formed: the file is in EBCDIC, an encoding that is not read"
    ]


@pytest.mark.parametrize("layout", ["[N,C", "N,C", "NCHW]", "[N,C,?X]"])
def test_a_layout_that_openvino_refuses(layout: str) -> None:
    info = f'<rt_info><attribute name="layout" version="0" layout="{layout}"/></rt_info>'
    xml = conv().xml.replace('names="x">', f'names="x">{info}', 1).encode()
    ir = BuiltIR(xml, conv().weights, ())
    refused = is_refused(ir)
    assert [code for code, _ in findings_of(ir)] == (["IR102"] if refused else [])
