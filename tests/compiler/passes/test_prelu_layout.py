"""PRelu is fused behind convolutions and in chains, whichever way its slopes are broadcast."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import openvino as ov
import pytest
from openvino import opset13 as ops

from ir_plugin import Core
from ir_plugin.compiler.plan import make_plan
from ir_plugin.compiler.selection.kernel import Options
from ir_plugin.tensors import Array
from tests.support.passes import constant as quarters
from tests.support.passes import data, model_of, run_pass, unknown_shape
from tests.support.planned import PROVIDERS

RNG = np.random.default_rng(4)


def example() -> ov.Model:
    """Return the model that the page of passes shows."""
    x = data(1, 4, 6, 6)
    return model_of(ops.prelu(x, quarters(4)), [x])


def number(*shape: int) -> Array:
    return RNG.standard_normal(shape).astype(np.float32)


def constant(*shape: int) -> Any:
    return ops.constant(number(*shape))


def convolved(x: Any) -> Any:
    y = ops.convolution(x, constant(8, 8, 3, 3), [1, 1], [1, 1], [1, 1], [1, 1])
    return ops.add(y, constant(1, 8, 1, 1))


def by_depth(x: Any) -> Any:
    return ops.group_convolution(x, constant(8, 1, 1, 3, 3), [1, 1], [1, 1], [1, 1], [1, 1])


def summed(x: Any) -> Any:
    return ops.add(x, constant(1, 8, 1, 1))


def concatenated(x: Any) -> Any:
    return ops.concat([x, ops.tanh(x)], 3)


HOSTS: list[Callable[[Any], Any]] = [convolved, by_depth, summed, concatenated]


def built(path: Path, host: Callable[[Any], Any], slope: Array, size: int) -> ov.Model:
    x = ops.parameter([2, 8, size, size], np.float32)
    y = ops.prelu(host(x), ops.constant(slope))
    model = ov.Model([ops.result(ops.add(ops.relu(y), constant(1, 8, 1, 1))), ops.result(y)], [x], "slopes")
    ov.save_model(model, path, compress_to_fp16=False)
    return model


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("host", HOSTS, ids=lambda host: host.__name__)
@pytest.mark.parametrize("shape", [(8,), (1,), (), (8, 1, 1), (1, 8, 1, 1)], ids=str)
@pytest.mark.parametrize("size", [5, 40])
def test_slopes_behind_all_that_may_host_them(
    size: int, shape: tuple[int, ...], host: Callable[[Any], Any], provider: str, tmp_path: Path
) -> None:
    path = tmp_path / "m.xml"
    model = built(path, host, number(*shape), size)
    given = [number(2, 8, size, size)]
    judge = ov.Core().compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    configs: list[dict[str, Any]] = [
        {"PROVIDER": provider, "DISABLED_PASSES": disabled} for disabled in ([], ["prelu_layout"], ["epilogue_fusion"])
    ]
    for config in [*configs, {"OPTIMIZE": False}]:
        found = Core().compile_model(path, config=config)(given)
        for mine, expected in zip(found.to_tuple(), judge(given).to_tuple(), strict=True):
            np.testing.assert_allclose(mine, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("slope", [np.full(8, np.inf, np.float32), np.array([np.nan] * 8, np.float32)])
@pytest.mark.parametrize("provider", PROVIDERS)
def test_slopes_that_are_no_numbers_touch_negative_ones_only(provider: str, slope: Array, tmp_path: Path) -> None:
    built(tmp_path / "m.xml", summed, slope, 9)
    given = [number(2, 8, 9, 9)]
    planned = Core().compile_model(tmp_path / "m.xml", config={"PROVIDER": provider})(given)
    plain = Core().compile_model(tmp_path / "m.xml", config={"OPTIMIZE": False})(given)
    np.testing.assert_array_equal(planned[1], plain[1])
    assert np.isfinite(planned[1]).any()


@pytest.mark.parametrize("provider", PROVIDERS)
def test_slopes_of_the_last_axis_and_of_the_run(provider: str, tmp_path: Path) -> None:
    x, slope = ops.parameter([3, 4, 6], np.float32), ops.parameter([4], np.float32)
    results = [ops.prelu(ops.tanh(x), constant(6)), ops.prelu(ops.sin(x), slope), ops.prelu(ops.cos(x), constant(4))]
    model = ov.Model([ops.result(one) for one in results], [x, slope], "m")
    ov.save_model(model, tmp_path / "m.xml", compress_to_fp16=False)
    given = [number(3, 4, 6), number(4)]
    found = Core().compile_model(tmp_path / "m.xml", config={"PROVIDER": provider})(given)
    judge = ov.Core().compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})(given)
    for mine, expected in zip(found.to_tuple(), judge.to_tuple(), strict=True):
        np.testing.assert_allclose(mine, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_leaky_relu_is_fused_behind_its_convolution(provider: str, tmp_path: Path) -> None:
    x = ops.parameter([1, 8, 20, 20], np.float32)
    model = ov.Model([ops.result(ops.prelu(convolved(x), ops.constant(np.float32(0.1))))], [x], "m")
    ov.save_model(model, tmp_path / "m.xml", compress_to_fp16=False)
    plan = make_plan(Core().read_model(tmp_path / "m.xml"), {}, 2**30, options=Options(provider=provider))
    assert [step.op.type for step in plan.steps] == ["Convolution"]


def test_slopes_of_channels_get_the_rank_of_the_data() -> None:
    x = data(2, 8, 5, 5)
    change = run_pass("prelu_layout", ops.prelu(x, constant(8)), [x])
    assert "constant f32[8]" not in change.after
    assert change.after.count("[[") == 1 + 7


@pytest.mark.parametrize("shape", [(3, 8), (3, 5, 8)])
def test_slopes_of_the_last_axis_stay(shape: tuple[int, ...]) -> None:
    x = data(*shape)
    assert not run_pass("prelu_layout", ops.prelu(x, constant(8)), [x]).is_match


def test_slopes_and_shapes_of_the_run_stay() -> None:
    x, slope = data(2, 4, 5), data(4)
    assert not run_pass("prelu_layout", ops.prelu(x, slope), [x, slope]).is_match
    rows = data(3, 4)
    unknown = ops.unsqueeze(unknown_shape(rows), ops.constant(0))
    assert not run_pass("prelu_layout", ops.prelu(unknown, constant(2)), [rows]).is_match
