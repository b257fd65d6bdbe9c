"""Random layers of every operation: every plan computes what the plain evaluation does, and that is what OpenVINO does.

A layer is a sample of the operation with other attributes, shapes, element types or values. Where OpenVINO's CPU and
its reference implementation agree, so do we, except for what `DEPARTURES` names. `HYPOTHESIS_PROFILE=fuzz` tries more.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import settings

from tests.fuzz.operation_cases import Case, random_case, samples_by_definition
from tests.fuzz.operation_engines import CONFIGS, agree, by_us
from tests.fuzz.operation_worker import AGREE
from tests.fuzz.workers import differences

DEFINITIONS = sorted(samples_by_definition())
CASES = 40 if settings().max_examples >= 1000 else 2
JUDGED = CASES if CASES > 2 else 1
"""The cases of each definition that OpenVINO computes too, which takes ten times as long as ours."""

DEPARTURES = {
    "FakeConvert-13": "infinities times a scale of 0",
    "GridSample-9": "places that are not finite",
    "HSwish-4": "products beyond the range of f32 on the way",
    "Interpolate-4": "halves of whole numbers, which the CPU rounds now this way and now that",
    "MVN-6": "OpenVINO normalizes over no axes in its own way",
    "Range-4": "i64 numbers beyond 2^53, which OpenVINO counts in f64",
    "ReduceMax-1": "whether NaN is passed over hangs on its place",
    "ReduceMin-1": "whether NaN is passed over hangs on its place",
    "TopK-11": "where NaN is sorted",
}
"""Definitions of which some cases differ from what OpenVINO's CPU and its reference share, and why."""

PDPD = frozenset(["Greater-1", "GreaterEqual-1"])
"""Definitions whose operands OpenVINO's reference exchanges under pdpd; its CPU broadcasts as numpy does."""

PLANS_DIFFER = {
    "BatchNormInference-1": "small floats are rounded once more where the scale is folded",
    "Dropout-extension": "random numbers are others in every run where there is no seed",
}
"""Definitions whose plans differ from the plain evaluation, and where."""


LEAST = {"Gelu-2": 1.2e-6, "Gelu-7": 1.2e-6}
"""Definitions whose compiled kernels approximate a function, and the largest error; results may all be smaller."""


@pytest.mark.parametrize("definition", [name for name in DEFINITIONS if name not in PLANS_DIFFER])
def test_plans_compute_what_the_plain_evaluation_does(definition: str) -> None:
    for seed in range(CASES):
        case = random_case(definition, seed)
        ir = case.build()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            plain = by_us(case, ir, "plain")
            for config in CONFIGS:
                planned = by_us(case, ir, config)
                assert planned.kind == plain.kind, (seed, config, planned.message, plain.message)
                assert plain.kind != "ok" or agree(planned, plain, LEAST.get(definition, 0)) or _overflows(case), (
                    seed,
                    config,
                )


def _overflows(case: Case) -> bool:
    """Return whether some sums may overflow or not, by the order of their terms."""
    arrays = [item.value for item in case.sample.inputs if item is not None and item.type.is_real]
    return any(
        bool((np.abs(np.nan_to_num(array.astype(np.float64), posinf=0, neginf=0)) > 1e30).any()) for array in arrays
    )


@pytest.mark.parametrize("part", range(8))
def test_computes_what_both_implementations_of_openvino_do(part: int) -> None:
    of_openvino = [name for name in DEFINITIONS[part::8] if name not in DEPARTURES and not name.endswith("-extension")]
    chosen = [(name, seed) for name in of_openvino for seed in range(JUDGED)]
    names = [f"{name}:{seed}" for name, seed in chosen if not _is_exempt(name, seed)]
    assert {
        name: told for name, told in differences("tests.fuzz.operation_worker", names).items() if told != AGREE
    } == {}


def _is_exempt(definition: str, seed: int) -> bool:
    return definition in PDPD and random_case(definition, seed).sample.attributes.get("auto_broadcast") == "pdpd"
