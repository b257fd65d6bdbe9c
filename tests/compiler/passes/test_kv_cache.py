"""Appends to variables become one op that works in place."""

from __future__ import annotations

from typing import Any

import numpy as np
import openvino as ov
import pytest
from openvino import opset13 as ops

from tests.support.passes import Rewrite, compiled, data, integers, model_of, rewrite
from tests.support.planned import PROVIDERS

NAME = "kv_cache"
LENGTHS = (3, 1, 1, 2, 1)


def example() -> ov.Model:
    """Return the model that the page of passes shows."""
    x, start = data(1, 2, 1, 8), ops.constant(np.zeros((1, 2, 0, 8), np.float32))
    past = ops.read_value(start, "keys", np.float32, ov.PartialShape([1, 2, -1, 8]))
    whole = ops.concat([past, x], 2)
    return model_of(ops.relu(whole), [x], [ops.assign(whole, "keys")])


def start(length: int = 0) -> Any:
    return ops.constant(np.zeros((1, 2, length, 4), np.float32))


def variable(length: int = 0, batch: int = 1) -> Any:
    return ops.read_value(start(length), "keys", np.float32, ov.PartialShape([batch, 2, -1, 4]))


def generate(results: Any, parameters: list[Any], sinks: list[Any], openvino: bool = True) -> Rewrite:
    """Return what the pass does, after comparing several inferences with OpenVINO's CPU and the plain evaluation.

    Without `openvino`, which refuses some models, the plain evaluation alone is the judge.
    """
    model = model_of(results, parameters, sinks)
    exact = {"INFERENCE_PRECISION_HINT": "f32", "KV_CACHE_PRECISION": "f32"}
    configs: list[dict[str, Any]] = [
        {"OPTIMIZE": False},
        *({"PROVIDER": provider} for provider in PROVIDERS),
        {"DISABLED_PASSES": [NAME]},
    ]
    requests: list[Any] = [compiled(model, **config).create_infer_request() for config in configs]
    judge = ov.Core().compile_model(model, "CPU", exact).create_infer_request() if openvino else requests.pop(0)
    rng = np.random.default_rng(1)
    for _ in range(4):
        inputs = [rng.standard_normal(list(item.shape)).astype(item.element_type.to_dtype()) for item in parameters]
        expected = judge.infer(inputs).to_tuple()
        for request in requests:
            for array, right in zip(request.infer(inputs).to_tuple(), expected, strict=True):
                np.testing.assert_allclose(array, right, rtol=1e-5, atol=1e-6)
    return rewrite(NAME, model)


def order_of(x: Any) -> Any:
    """Return the order in which a Gather leaves the only sample where it is."""
    return ops.convert(
        ops.floor(ops.multiply(ops.sigmoid(ops.reduce_mean(x, integers(1, 2, 3), False)), np.float32(0.5))), "i32"
    )


@pytest.mark.parametrize("length", [0, 2])
def test_an_append_is_fused(length: int) -> None:
    x = data(1, 2, 1, 4)
    whole = ops.concat([variable(length), x], 2)
    assert generate(ops.relu(whole), [x], [ops.assign(whole, "keys")]).types() == ["AppendToCache", "Relu"]


def test_the_order_of_the_samples_is_fused() -> None:
    x = data(1, 2, 1, 4)
    past = ops.gather(variable(), order_of(x), ops.constant(np.int64(0)))
    whole = ops.concat([past, x], -2)
    types = generate(ops.relu(whole), [x], [ops.assign(whole, "keys")]).types()
    assert "AppendToCache" in types
    assert not {"Gather", "ReadValue", "Concat", "Assign"} & {*types}


def test_the_past_that_something_else_reads_stays() -> None:
    x = data(1, 2, 1, 4)
    past = variable(2)
    whole = ops.concat([past, x], 2)
    length = ops.convert(ops.reduce_sum(past, integers(2), False), np.float32)
    types = generate([ops.relu(whole), length], [x], [ops.assign(whole, "keys")]).types()
    assert {"AppendToCache", "ReadValue"} <= {*types}


def test_a_variable_that_is_put_behind_stays() -> None:
    x = data(1, 2, 1, 4)
    whole = ops.concat([x, variable()], 2)
    assert not generate(ops.relu(whole), [x], [ops.assign(whole, "keys")]).is_match


def test_something_else_is_assigned() -> None:
    x = data(1, 2, 1, 4)
    whole = ops.concat([variable(), x], 2)
    assert not generate(ops.relu(whole), [x], [ops.assign(ops.tanh(whole), "keys")]).is_match


def test_three_parts_stay() -> None:
    x = data(1, 2, 1, 4)
    whole = ops.concat([variable(), x, x], 2)
    assert not generate(ops.relu(whole), [x], [ops.assign(whole, "keys")]).is_match


def test_a_variable_that_keeps_its_length_stays() -> None:
    x = data(1, 2, 0, 4)
    past = ops.read_value(start(1), "keys", np.float32, ov.PartialShape([1, 2, 1, 4]))
    whole = ops.concat([past, x], 2)
    assert not generate(ops.relu(whole), [x], [ops.assign(whole, "keys")], openvino=False).is_match


def test_a_gather_along_another_axis_stays() -> None:
    x = data(1, 2, 1, 4)
    past = ops.gather(variable(), integers(1, 0), ops.constant(np.int64(1)))
    whole = ops.concat([past, x], 2)
    assert not generate(ops.relu(whole), [x], [ops.assign(whole, "keys")]).is_match


def test_an_assignment_that_something_else_reads_stays() -> None:
    x = data(1, 2, 1, 4)
    whole = ops.concat([variable(), x], 2)
    assigned = ops.assign(whole, "keys")
    assert not generate(ops.relu(assigned), [x], [assigned], openvino=False).is_match
