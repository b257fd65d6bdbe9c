"""The compiled Select gives the bytes of the evaluation, for every type and way in which it repeats its condition."""

from __future__ import annotations

import numpy as np
import pytest

from ir_plugin import Core
from ir_plugin.compiler.plan import make_plan
from ir_plugin.kernels.numba.availability import numba_installed
from ir_plugin.tensors import ElementType
from tests.support.ir import build
from tests.support.sample import In, param
from tests.support.skips import needs_numba

SHAPE = (3, 4, 50, 30)
FORMS = {
    "whole": (SHAPE, SHAPE, SHAPE),
    "repeated": ((1, 1, 50, 30), SHAPE, SHAPE),
    "short": ((30,), SHAPE, SHAPE),
    "one or": (SHAPE, (), SHAPE),
    "or one": ((4, 50, 30), SHAPE, (1, 1)),
    "across": ((3, 1, 50, 30), SHAPE, SHAPE),
    "rows": (SHAPE, (30,), SHAPE),
    "wider": (SHAPE, (), (1,)),
    "always": ((1, 1), SHAPE, SHAPE),
}
COMPILED = ("whole", "repeated", "short", "one or", "or one")


def inputs(form: str, type: str) -> list[In]:
    rng = np.random.default_rng(2)
    cond, then, otherwise = FORMS[form]
    low, high = (0, 2) if type in ("boolean", "u4") else (-7, 8)
    values = [rng.integers(low, high, shape).astype(ElementType(type).dtype) for shape in (then, otherwise)]
    return [param(rng.random(cond) < 0.5, "boolean"), *(param(value, type) for value in values)]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("type", ["f32", "f64", "bf16", "i8", "i4", "boolean"])
def test_the_bytes_are_those_of_the_evaluation(form: str, type: str) -> None:
    inputs_of_layer = inputs(form, type)
    ir = build("Select", 1, inputs_of_layer, {"auto_broadcast": "numpy"}, 1)
    arrays = [inputs_of_layer[position].value for position in ir.parameters]
    plain = np.asarray(Core().compile_model(ir.xml, weights=ir.weights, config={"OPTIMIZE": False})(arrays)[0])
    for threads in (1, 2):
        compiled = Core().compile_model(ir.xml, weights=ir.weights, config={"INFERENCE_NUM_THREADS": threads})
        assert np.asarray(compiled(arrays)[0]).tobytes() == plain.tobytes()
    variants = [step.variant for step in make_plan(compiled.model, {}, 2**30).steps if step.op.type == "Select"]
    assert variants == ["mask, numba" if form in COMPILED and numba_installed() else ""]


@needs_numba
def test_threads_share_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ir_plugin.kernels.policy.SELECT_PART_MIN_ELEMENTS", 100)
    for form in COMPILED:
        test_the_bytes_are_those_of_the_evaluation(form, "f32")
