"""Gather and Scatter kernels give the bytes and the errors of the plain evaluation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ir_plugin import Core
from ir_plugin.errors import EvaluationError
from ir_plugin.tensors import Array, ElementType
from tests.support.ir import build
from tests.support.planned import PROVIDERS
from tests.support.sample import In, const, param

CONFIGS: list[dict[str, Any]] = [{"OPTIMIZE": False}, *({"PROVIDER": provider} for provider in PROVIDERS)]
TYPES = ["f32", "bf16", "f8e4m3", "i4", "i64", "boolean"]
"""One element type of each size, as compiled kernels depend on sizes only."""
REDUCED = ["f32", "i64", "f16"]


@dataclass(frozen=True)
class Case:
    """A layer: the shapes of data and indices, the lengths that indices point into, and its constant inputs."""

    name: str
    type: str
    version: int
    data: tuple[int, ...]
    indices: tuple[int, ...]
    lengths: int | tuple[int, ...]
    updates: tuple[int, ...] | None = None
    axis: int | None = None
    attributes: Mapping[str, object] = field(default_factory=dict)
    negative: bool = True

    def inputs(self, type: str, index_type: str, seed: int = 0) -> list[In]:
        rng = np.random.default_rng(seed)
        high = np.asarray(self.lengths)
        indices = rng.integers(0, np.broadcast_to(high, self.indices))
        if self.negative:
            indices = np.where(rng.random(self.indices) < 0.2, indices - high, indices)
        inputs = [values(rng, self.data, type), param(indices, index_type)]
        inputs += [] if self.updates is None else [values(rng, self.updates, type)]
        return inputs + ([] if self.axis is None else [const(self.axis)])


def values(rng: np.random.Generator, shape: tuple[int, ...], type: str) -> In:
    low, high = {"boolean": (0, 2), "u4": (0, 16), "u8": (0, 16)}.get(type, (-8, 8))
    return param(rng.integers(low, high, shape).astype(ElementType(type).dtype), type)


GATHERS = [
    Case("elements, last axis", "GatherElements", 6, (60, 70), (60, 90), 70, attributes={"axis": 1}),
    Case("elements, first axis", "GatherElements", 6, (70, 60), (300, 60), 70, attributes={"axis": 0}),
    Case("elements, middle", "GatherElements", 6, (9, 40, 6), (9, 310, 6), 40, attributes={"axis": -2}),
    Case("elements, short axis", "GatherElements", 6, (90, 50, 3), (90, 50, 5), 3, attributes={"axis": 2}),
    Case("single elements", "Gather", 8, (500,), (70, 90), 500, axis=0),
    Case("last axis", "Gather", 8, (60, 70), (110,), 70, axis=-1),
    Case("small rows", "Gather", 8, (300, 3), (50, 60), 300, axis=0),
    Case("middle", "Gather", 8, (9, 40, 6), (95,), 40, axis=1),
    Case("batches", "Gather", 8, (9, 40), (9, 700), 40, axis=1, attributes={"batch_dims": 1}),
    Case("batches of slices", "Gather", 8, (9, 2, 40, 5), (9, 71), 40, axis=2, attributes={"batch_dims": -1}),
    Case("scalar", "Gather", 8, (9, 400), (), 9, axis=0),
    Case("version 7", "Gather", 7, (60, 70), (110,), 70, axis=1, attributes={"batch_dims": 0}, negative=False),
    Case("version 1", "Gather", 1, (60, 70), (110,), 60, axis=0, negative=False),
    Case("tuples", "GatherND", 8, (20, 30, 4), (900, 2), (20, 30), attributes={"batch_dims": 0}),
    Case("whole tuples", "GatherND", 8, (20, 30, 4), (90, 50, 3), (20, 30, 4), attributes={"batch_dims": 0}),
    Case("tuples in batches", "GatherND", 8, (5, 30, 4), (5, 900, 2), (30, 4), attributes={"batch_dims": 1}),
    Case("version 5", "GatherND", 5, (5, 3, 30, 4), (5, 3, 90, 1), 30, attributes={"batch_dims": 2}),
]
SCATTERS = [
    Case("last axis", "ScatterElementsUpdate", 12, (60, 90), (60, 80), 90, (60, 80), 1),
    Case("first axis", "ScatterElementsUpdate", 12, (90, 60), (80, 60), 90, (80, 60), 0),
    Case("middle", "ScatterElementsUpdate", 12, (9, 90, 8), (9, 70, 8), 90, (9, 70, 8), -2),
    Case("one axis", "ScatterElementsUpdate", 12, (5000,), (4500,), 5000, (4500,), 0),
    Case("version 3", "ScatterElementsUpdate", 3, (90, 60), (80, 60), 90, (80, 60), 0, negative=False),
    Case("slices", "ScatterUpdate", 3, (300, 70), (40, 5), 300, (40, 5, 70), 0, negative=False),
    Case("middle slices", "ScatterUpdate", 3, (300, 30, 7), (25,), 30, (300, 25, 7), 1, negative=False),
    Case("tuples", "ScatterNDUpdate", 15, (20, 30, 4), (1100, 2), (20, 30), (1100, 4)),
    Case("whole tuples", "ScatterNDUpdate", 15, (20, 30, 4), (90, 50, 3), (20, 30, 4), (90, 50)),
    Case("version 4", "ScatterNDUpdate", 4, (900, 5), (700, 1), 900, (700, 5)),
]


def run(case: Case, inputs: list[In], config: dict[str, Any], **attributes: object) -> Array:
    ir = build(case.type, case.version, inputs, {**case.attributes, **attributes}, 1)
    compiled = Core().compile_model(ir.xml, weights=ir.weights, config=config)
    arrays = [inputs[position].value for position in ir.parameters]
    compiled(arrays)
    return np.asarray(compiled(arrays)[0])


def assert_same(planned: Array, plain: Array, message: str) -> None:
    assert (planned.dtype, planned.shape) == (plain.dtype, plain.shape), message
    assert np.ascontiguousarray(planned).tobytes() == np.ascontiguousarray(plain).tobytes(), message


@pytest.mark.parametrize("case", [*GATHERS, *SCATTERS], ids=lambda case: f"{case.type}-{case.name}")
def test_kernels_give_the_bytes_of_the_evaluation(case: Case) -> None:
    for number, type in enumerate(TYPES):
        for index_type in ("i32", "i64") if number == 0 else ("i64",):
            inputs = case.inputs(type, index_type, number)
            plain = run(case, inputs, {"OPTIMIZE": False})
            for provider in PROVIDERS:
                planned = run(case, inputs, {"PROVIDER": provider, "INFERENCE_NUM_THREADS": 2})
                assert_same(planned, plain, f"{provider}, {type}, {index_type}")


@pytest.mark.parametrize(
    "case", [case for case in GATHERS if case.type != "GatherElements"], ids=lambda case: f"{case.type}-{case.name}"
)
def test_small_index_types_are_not_mistaken(case: Case) -> None:
    inputs = case.inputs("f32", "i64")
    inputs[1] = param(np.clip(inputs[1].value, -100, 100), "i8")
    plain = run(case, inputs, {"OPTIMIZE": False})
    for provider in PROVIDERS:
        assert_same(run(case, inputs, {"PROVIDER": provider}), plain, provider)


@pytest.mark.parametrize("case", [*GATHERS, *SCATTERS], ids=lambda case: f"{case.type}-{case.name}")
@pytest.mark.parametrize("beyond", [0, -1, 2**40])
def test_an_index_out_of_range_is_what_the_evaluation_says(case: Case, beyond: int) -> None:
    inputs = case.inputs("f32", "i64")
    indices = inputs[1].value.copy()
    length = int(np.asarray(case.lengths).reshape(-1)[-1])
    wrong = -length - 1 if beyond < 0 else length + beyond
    indices.reshape(-1)[-1] = wrong
    inputs[1] = param(indices)
    if case.type == "Gather":
        plain = run(case, inputs, {"OPTIMIZE": False})
        for provider in PROVIDERS:
            assert_same(run(case, inputs, {"PROVIDER": provider}), plain, provider)
    for config in CONFIGS if (case.type, case.version) != ("Gather", 8) else ():
        strict = config | {"GATHER_OUT_OF_RANGE": "ERROR"}
        with pytest.raises(EvaluationError, match=rf"indices\[.*\] is {wrong}, outside the allowed range"):
            run(case, inputs, strict)


@pytest.mark.parametrize("type", REDUCED)
@pytest.mark.parametrize("reduction", ["none", "sum", "prod", "min", "max", "mean"])
def test_reductions_of_scattered_elements(reduction: str, type: str) -> None:
    for case in SCATTERS[:4]:
        inputs = case.inputs(type, "i64")
        if type in ("f32", "f64"):
            for array in (inputs[0].value, inputs[2].value):
                array.reshape(-1)[:: array.size // 9] = np.nan
        for use in (True, False):
            attributes = {"reduction": reduction, "use_init_val": use}
            plain = run(case, inputs, {"OPTIMIZE": False}, **attributes)
            for provider in PROVIDERS:
                planned = run(case, inputs, {"PROVIDER": provider}, **attributes)
                np.testing.assert_array_equal(planned, plain, f"{provider}, {case.name}, {use}")


@pytest.mark.parametrize("type", REDUCED)
@pytest.mark.parametrize("reduction", ["sum", "sub", "prod", "min", "max"])
def test_reductions_of_scattered_slices(reduction: str, type: str) -> None:
    for case in [case for case in SCATTERS if case.version == 15]:
        inputs = case.inputs(type, "i32")
        if type == "f32":
            inputs[2].value.reshape(-1)[::500] = np.nan
        plain = run(case, inputs, {"OPTIMIZE": False}, reduction=reduction)
        for provider in PROVIDERS:
            planned = run(case, inputs, {"PROVIDER": provider}, reduction=reduction)
            np.testing.assert_array_equal(planned, plain, f"{provider}, {case.name}")


@pytest.mark.parametrize("case", [*GATHERS, *SCATTERS], ids=lambda case: f"{case.type}-{case.name}")
def test_threads_share_the_work(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ir_plugin.kernels.policy.INDEXING_PART_MIN_ELEMENTS", 64)
    inputs = case.inputs("f32", "i32")
    plain = run(case, inputs, {"OPTIMIZE": False})
    for provider in PROVIDERS:
        assert_same(run(case, inputs, {"PROVIDER": provider, "INFERENCE_NUM_THREADS": 3}), plain, provider)


@pytest.mark.parametrize("case", SCATTERS, ids=lambda case: f"{case.type}-{case.name}")
@pytest.mark.parametrize("wrong", [False, True])
def test_data_that_ends_here_is_updated_in_its_memory(tmp_path: Path, case: Case, wrong: bool) -> None:
    from openvino import Model, opset15, serialize

    inputs = case.inputs("f32", "i64")
    if wrong:
        inputs[1].value.reshape(-1)[-1] = 10**6
    parameters = [opset15.parameter(list(item.value.shape), item.value.dtype) for item in inputs[:3]]
    data = opset15.tanh(opset15.add(parameters[0], opset15.constant(np.float32(1))))
    rest = [opset15.constant(np.array(case.axis))] if case.axis is not None else []
    name = {"ScatterElementsUpdate": "scatter_elements_update", "ScatterUpdate": "scatter_update"}
    make = getattr(opset15, name.get(case.type, "scatter_nd_update"))
    model = Model([opset15.result(opset15.relu(make(data, *parameters[1:], *rest)))], parameters, "m")
    path = tmp_path / "m.xml"
    serialize(model, path)
    arrays = [item.value for item in inputs[:3]]
    outcomes = []
    for config in CONFIGS:
        compiled = Core().compile_model(path, config=config)
        if wrong:
            with pytest.raises(EvaluationError, match="1000000"):
                compiled(arrays)
        else:
            outcomes.append(np.asarray(compiled(arrays)[0]))
    for planned in outcomes[1:]:
        np.testing.assert_allclose(planned, outcomes[0], rtol=1e-6)
    assert wrong or prod(outcomes[0].shape) == prod(case.data)
