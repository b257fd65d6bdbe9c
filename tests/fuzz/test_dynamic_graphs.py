"""Random graphs of open lengths around every operation: plans give what static twins, plain evaluation and OpenVINO do.

A graph has a layer of the operation (`tests.fuzz.dynamic_graphs`), and runs with several combinations of shapes, in an
order in which plans of one shape and open plans serve them. `HYPOTHESIS_PROFILE=fuzz` tries more.
"""

from __future__ import annotations

import pytest
from hypothesis import settings

from ir_plugin import Error
from ir_plugin.operations.registry import built_in
from tests.fuzz.dynamic_cases import case_of, compiled, run
from tests.fuzz.dynamic_states import AROUND
from tests.fuzz.operation_cases import samples_by_definition
from tests.fuzz.operation_engines import CONFIGS, Outcome, agree
from tests.fuzz.operation_worker import AGREE
from tests.fuzz.test_operations_random import DEPARTURES, LEAST, PDPD
from tests.fuzz.workers import differences

ORDER = (0, 1, 2, 3, 4, 1, 0, 3, 2, 4, 0, 0, 0, 0, 0, 1)
CASES = 20 if settings().max_examples >= 1000 else 1
SHARE = 1 if CASES > 1 else 4
"""Of the operations, each of this many is compared with OpenVINO, which compiles a graph for each shape."""
MORE = 12
"""Further graphs at most, until there are inputs of two shapes."""
EXEMPT = {
    "Dropout-extension": "random numbers are others in every run where there is no seed",
    **dict.fromkeys(
        ("RegexNormalization-extension", "RegexSplit-extension", "SpecialTokensSplit-extension"),
        "the package regex may be missing; tests/operations/text",
    ),
    "Const-1": "part of every graph",
    "Parameter-1": "part of every graph",
    "Result-1": "part of every graph",
    **dict.fromkeys(
        (
            "Optional-extension", "OptionalHasElement-extension", "OptionalGetElement-extension",
            "SequenceConstruct-extension", "SequenceAt-extension", "SequenceInsert-extension",
            "SequenceErase-extension", "SequenceLength-extension", "SplitToSequence-extension",
            "ConcatFromSequence-extension", "CastMap-extension", "DictVectorizer-extension", "ZipMap-extension",
        ),
        "sequences and maps of ONNX have no element type and no shape; tests/onnx",
    ),
}  # fmt: skip
"""Operations that no graph is grown around, and why."""

DEFINITIONS = sorted({*samples_by_definition(), *AROUND} - set(EXEMPT))
"""Operations around which graphs are grown."""
ROUNDED = {"BatchNormInference-1": 0.05, "BatchNormInference-5": 0.05}
"""The errors of operations on small floats that are rounded once more where a scale is folded."""


def test_every_operation_has_graphs_or_a_reason() -> None:
    registered = {definition.stem for definition in built_in().values()}
    assert registered - {*DEFINITIONS, *EXEMPT} == set()
    assert set(EXEMPT) <= registered


@pytest.mark.parametrize("definition", DEFINITIONS)
def test_open_lengths_give_what_static_twins_and_plain_evaluation_give(definition: str) -> None:
    shapes: set[tuple[object, ...]] = set()
    for seed in range(CASES + MORE):
        if seed < CASES or len(shapes) < 2:
            shapes |= computed_shapes(definition, seed)
    assert len(shapes) > 1, "the operation admits no other lengths, or the generator draws none"


@pytest.mark.parametrize(("definition", "seed"), [("Squeeze-1", 10)])
def test_seeds_that_once_told_us_something(definition: str, seed: int) -> None:
    computed_shapes(definition, seed)


def computed_shapes(definition: str, seed: int) -> set[tuple[object, ...]]:
    """Hold the plans of a graph against its evaluation, and return the shapes of inputs that this admits."""
    case = case_of(definition, seed)
    try:
        plain = compiled(case, "plain")
    except Error:
        return set()  # what is behind the layer does not fit the rank that is inferred
    expected = [run(plain, arrays) for arrays in case.runs]
    least = (LEAST | ROUNDED).get(definition, 0)
    for config in CONFIGS:
        if config == "plain":
            continue
        open_plans = compiled(case, config)
        for number in ORDER:
            require_equal(run(open_plans, case.runs[number]), expected[number], least, (seed, config, number))
        for arrays, outcome in zip(case.runs, expected, strict=True):
            require_equal(run(compiled(case, config, arrays), arrays), outcome, least, (seed, config, "static"))
    pairs = zip(case.runs, expected, strict=True)
    return {tuple(array.shape for array in arrays) for arrays, outcome in pairs if outcome.kind == "ok"}


def require_equal(actual: Outcome, expected: Outcome, least: float, about: object) -> None:
    """Raise unless two engines compute the same, or both refuse the inputs."""
    assert actual.kind == expected.kind, (about, actual.message, expected.message)
    assert expected.kind != "ok" or agree(actual, expected, least), about


@pytest.mark.parametrize("part", range(4))
def test_computes_what_both_implementations_of_openvino_do(part: int) -> None:
    of_openvino = [name for name in DEFINITIONS if name not in DEPARTURES and not name.endswith("-extension")]
    chosen = [(name, seed) for name in of_openvino[part :: 4 * SHARE] for seed in range(CASES)]
    names = [f"{name}:{seed}" for name, seed in chosen if not _is_exempt(name, seed)]
    told = differences("tests.fuzz.dynamic_worker", names)
    assert {name: text for name, text in told.items() if text != AGREE} == {}


def _is_exempt(definition: str, seed: int) -> bool:
    return definition in PDPD and b'auto_broadcast="pdpd"' in case_of(definition, seed).xml
