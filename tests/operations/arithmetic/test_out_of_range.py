"""Results that integers cannot hold: as both implementations of OpenVINO give them, or those of its reference."""

from __future__ import annotations

import numpy as np
import pytest

from tests.fuzz.operation_cases import Case
from tests.fuzz.operation_engines import by_cpu, by_reference, by_us, feeds, read
from tests.support.sample import Sample, param

OUTSIDE = {
    "Acos": [2, 3, -2],
    "Acosh": [0, -1, -5],
    "Asin": [2, -2],
    "Exp": [100],
    "Log": [0, -1],
    "Sqrt": [-4, -1],
    "Atanh": [-1, -2],
}
VERSIONS = {"Acosh": 4, "Atanh": 4}


def case(type: str, element_type: str, values: list[int]) -> Case:
    return Case(Sample(type, VERSIONS.get(type, 1), [param(values, element_type)]), {}, "")


@pytest.mark.parametrize("type", OUTSIDE)
def test_i32_is_what_both_implementations_give(type: str) -> None:
    layer = case(type, "i32", OUTSIDE[type])
    ir = layer.build()
    model, inputs = read(ir), feeds(layer, ir)
    expected = by_reference(model, inputs).arrays[0].tolist()
    assert by_cpu(model, inputs).arrays[0].tolist() == expected
    for config in ("plain", "numpy"):
        assert by_us(layer, ir, config).arrays[0].tolist() == expected


@pytest.mark.parametrize("type", [*OUTSIDE, "Tan"])
@pytest.mark.parametrize("element_type", ["i64", "u32"])
def test_other_types_are_what_the_reference_gives(type: str, element_type: str) -> None:
    values = [value for value in OUTSIDE.get(type, [2]) if value >= 0 or element_type == "i64"] or [0]
    layer = case(type, element_type, values)
    ir = layer.build()
    expected = by_reference(read(ir), feeds(layer, ir)).arrays[0].tolist()
    assert by_us(layer, ir, "plain").arrays[0].tolist() == expected


@pytest.mark.parametrize("element_type", ["i8", "u8", "i16"])
def test_smaller_types_refuse_them(element_type: str) -> None:
    layer = case("Acos", element_type, [2])
    outcome = by_us(layer, layer.build(), "plain")
    assert outcome.kind == "refused"
    assert "cannot hold" in outcome.message


def test_whole_numbers_computed_as_floats_are_defined() -> None:
    """0 / 0 is the lowest number of the type."""
    for element_type, lowest in (("i32", -(2**31)), ("i64", -(2**63)), ("u8", 0)):
        layer = Case(
            Sample("NormalizeL2", 1, [param([[0, 0]], element_type), param([1])], {"eps": 0.0, "eps_mode": "add"}),
            {},
            "",
        )
        with np.errstate(all="raise"):
            assert by_us(layer, layer.build(), "plain").arrays[0].tolist() == [[lowest, lowest]]
