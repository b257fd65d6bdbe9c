"""Near the pattern of every pass, the optimised plan computes what the plain evaluation does, and OpenVINO's reference.

The models of the page of passes and of the tests of passes are changed where passes may believe too much
(`tests.support.neighbours`). `HYPOTHESIS_PROFILE=fuzz` tries more of them.
"""

from __future__ import annotations

import pytest
from hypothesis import settings

from ir_plugin import Error
from tests.docs.passes import CONFIGURATIONS
from tests.fuzz.neighbour_cases import SEEDS, NeighbourCase, case_of
from tests.fuzz.neighbour_worker import computed, planned
from tests.fuzz.operation_worker import AGREE
from tests.fuzz.workers import differences
from tests.support.planned import close

CASES = 200 if settings().max_examples >= 1000 else 2

LOSSY = {"kv_cache_quantization": 0.02}
"""The relative errors of passes that keep fewer bits."""


@pytest.mark.parametrize("name", SEEDS)
def test_neighbours_give_what_the_plain_evaluation_gives(name: str) -> None:
    for seed in range(CASES):
        hold(case_of(name, seed))


def hold(case: NeighbourCase) -> None:
    """Assert that plans compute, or refuse, what the plain evaluation does."""
    config = CONFIGURATIONS.get(case.name, {})
    plain, optimised = planned(case, OPTIMIZE=False, **config), planned(case, **config)
    assert isinstance(plain, Error) == isinstance(optimised, Error), (case.text, plain, optimised)
    for inputs in case.runs:
        expected, actual = computed(plain, inputs), computed(optimised, inputs)
        about = f"{case.text}, inputs of {[array.shape for array in inputs]}"
        assert isinstance(expected, Error) == isinstance(actual, Error), (about, expected, actual)
        if isinstance(expected, list) and isinstance(actual, list):
            for result, plain_result in zip(actual, expected, strict=True):
                close(result, plain_result, LOSSY.get(case.name, 1e-4), about, least=0.05)


@pytest.mark.parametrize("part", range(4))
def test_neighbours_give_what_the_reference_of_openvino_gives(part: int) -> None:
    names = [f"{name}:{seed}" for name in list(SEEDS)[part::4] for seed in range(CASES)]
    told = differences("tests.fuzz.neighbour_worker", names)
    assert {name: text for name, text in told.items() if text != AGREE} == {}
