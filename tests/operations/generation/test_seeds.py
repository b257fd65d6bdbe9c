"""With a seed, every inference gives the same numbers; without one, each gives different numbers."""

from __future__ import annotations

import numpy as np
import pytest

from ir_plugin import Core
from ir_plugin.tensors import Array
from tests.support.ir import build
from tests.support.sample import In, const, param

UNIFORM = [const([40]), const(0.0), const(1.0)]
CLASSES = [param(np.full((2, 500), 0.002, np.float32)), const(20)]
CASES: dict[str, tuple[str, int, list[In], dict[str, object]]] = {
    "tensorflow": ("RandomUniform", 8, UNIFORM, {"output_type": "f32", "alignment": "tensorflow"}),
    "pytorch": ("RandomUniform", 8, UNIFORM, {"output_type": "f32", "alignment": "pytorch"}),
    "multinomial": ("Multinomial", 13, CLASSES, {"convert_type": "i32", "with_replacement": True, "log_probs": False}),
}


def inferred(case: str, seed: int) -> list[Array]:
    """Return the numbers of two inferences of a compiled model, and of one inference of a second compiled model."""
    type, version, inputs, attributes = CASES[case]
    seeds = {"global_seed": seed, "op_seed": 0}
    ir = build(type, version, inputs, {**attributes, **seeds}, 1)
    feeds = [item.value for item in inputs if not item.constant]
    models = [Core().compile_model(ir.xml, weights=ir.weights) for _ in range(2)]
    return [np.array(models[index](feeds)[0]) for index in (0, 0, 1)]


@pytest.mark.parametrize("case", CASES)
def test_a_seed_determines_the_numbers(case: str) -> None:
    first, second, recompiled = inferred(case, 5)
    np.testing.assert_array_equal(first, second)
    np.testing.assert_array_equal(first, recompiled)


@pytest.mark.parametrize("case", CASES)
def test_without_seeds_the_numbers_are_fresh(case: str) -> None:
    first, second, recompiled = inferred(case, 0)
    assert not np.array_equal(first, second)
    assert not np.array_equal(first, recompiled)
