"""Operations that the specification defines for floats only, and OpenVINO computes for other types too."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ir_plugin import Core
from tests.operations.test_samples import run_ours
from tests.support.ir import BuiltIR
from tests.support.oracle import built, run_openvino
from tests.support.sample import In, Sample, const, param

WHOLE = np.random.default_rng(7).integers(0, 50, (1, 4, 4, 6))
CASES: dict[str, tuple[int, list[In], Any]] = {
    "AdaptiveAvgPool": (8, [const([2, 3])], {}),
    "DeformablePSROIPooling": (
        1, [param([[0, 0, 0, 3, 4]], "f32")],
        {"output_dim": 4, "spatial_scale": 1.0, "spatial_bins_x": 2, "spatial_bins_y": 2},
    ),
    "GRN": (1, [], {"bias": 1.0}),
    "LRN": (1, [const([1])], {"alpha": 1.0, "beta": 0.5, "bias": 1.0, "size": 1}),
    "MVN": (6, [const([2, 3])], {"normalize_variance": True, "eps": 1e-3, "eps_mode": "inside_sqrt"}),
    "NormalizeL2": (1, [const([1])], {"eps": 1e-3, "eps_mode": "add"}),
}  # fmt: skip


def found(name: str, type: str) -> tuple[Sample, BuiltIR]:
    """Return a case on integers, and its IR, which has the warning."""
    version, constants, attributes = CASES[name]
    sample = Sample(name, version, [param(WHOLE % 2 if type == "boolean" else WHOLE, type), *constants], attributes)
    ir = built(sample, {})
    (finding,) = Core().validate(ir.xml, ir.weights).findings
    assert (finding.code, finding.severity) == ("IR307", "warning")
    return sample, ir


def test_the_norm_of_i32_is_warned_of() -> None:
    """OpenVINO's results for it are none to compare with."""
    found("NormalizeL2", "i32")


@pytest.mark.parametrize(
    ("name", "type"),
    [
        (name, type)
        for name in CASES
        for type in ("i32", "u8", "i8", "boolean")
        if (name, type) != ("NormalizeL2", "i32")
    ],
)
def test_results_are_those_of_openvino(name: str, type: str) -> None:
    sample, ir = found(name, type)
    (expected,) = run_openvino(sample)
    for optimize in (False, True):
        (result,) = run_ours(ir, sample, optimize=optimize).values()
        np.testing.assert_array_equal(result, expected)
