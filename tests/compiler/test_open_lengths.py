"""Plans with open lengths: random dynamic graphs give the numbers of plain evaluation, and new lengths need no plan."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import openvino as ov
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from openvino import opset13 as ops

from benchmarks.decoders import DECODERS, EXACT, generate, step, write
from ir_plugin import Core, Error
from tests.support.passes import compiled as compiled_model
from tests.support.passes import model_of
from tests.support.planned import PROVIDERS

WIDTH = 12
RNG = np.random.default_rng(23)
START = RNG.bit_generator.state


def const(*shape: int) -> Any:
    return ops.constant((RNG.standard_normal(shape) * 0.4).astype(np.float32))


def numbers(*values: int) -> Any:
    return ops.constant(np.array(values, np.int64))


def length(x: Any, axis: int) -> Any:
    return ops.gather(ops.shape_of(x), numbers(axis), ops.constant(np.int64(0)))


def causal(x: Any) -> Any:
    """Return x with a triangle of ones multiplied along its rows."""
    end = ops.squeeze(length(x, 1), ops.constant(np.int64(0)))
    columns = ops.range(ops.constant(np.int64(0)), end, ops.constant(np.int64(1)), "i64")
    rows = ops.reshape(columns, numbers(-1, 1), False)
    ones = ops.broadcast(ops.constant(np.float32(1)), ops.concat([length(x, 1), length(x, 1)], 0))
    mask = ops.select(ops.greater(columns, rows), ops.constant(np.float32(0)), ones)
    return ops.matmul(mask, x, False, False)


def halves(x: Any) -> Any:
    low, high = ops.variadic_split(x, ops.constant(np.int64(2)), numbers(4, 8)).outputs()
    return ops.concat([ops.multiply(high, ops.constant(np.float32(-1))), low], -1)


def by_heads(x: Any) -> Any:
    heads = ops.transpose(ops.reshape(x, numbers(0, 0, 3, 4), True), numbers(0, 2, 1, 3))
    mixed = ops.scaled_dot_product_attention(heads, heads, heads)
    joined = ops.concat([length(x, 0), length(x, 1), numbers(WIDTH)], 0)
    return ops.reshape(ops.transpose(mixed, numbers(0, 2, 1, 3)), joined, False)


def positions(x: Any) -> Any:
    """Return x times the numbers of its rows, odd ones negative."""
    end = ops.squeeze(ops.convert(length(x, 1), "i32"), ops.constant(np.int64(0)))
    rows = ops.range(ops.constant(np.int32(0)), end, ops.constant(np.int32(1)), "i32")
    is_odd = ops.convert(ops.floor_mod(rows, ops.constant(np.int32(2))), "boolean")
    signs = ops.subtract(np.float32(1), ops.multiply(np.float32(2), ops.convert(is_odd, "f32")))
    numbered = ops.multiply(ops.convert(rows, "f32"), signs)
    return ops.multiply(x, ops.unsqueeze(numbered, numbers(0, 2)))


LAYERS: dict[str, Callable[[Any], Any]] = {
    "causal": causal,
    "halves": halves,
    "heads": by_heads,
    "linear": lambda x: ops.add(ops.matmul(x, const(WIDTH, WIDTH), False, True), const(1, 1, WIDTH)),
    "mvn": lambda x: ops.multiply(ops.mvn(x, numbers(-1), True, 1e-5, "inside_sqrt"), const(WIDTH)),
    "rms": lambda x: ops.divide(
        x, ops.sqrt(ops.add(ops.reduce_mean(ops.multiply(x, x), numbers(2), True), np.float32(1)))
    ),
    "softmax": lambda x: ops.softmax(x, 1),
    "gelu": lambda x: ops.gelu(x, "erf"),
    "swish": ops.swish,
    "cut": lambda x: ops.minimum(ops.maximum(x, np.float32(-0.3)), const(WIDTH)),
    "squared": lambda x: ops.squared_difference(x, ops.sin(x)),
    "positions": positions,
    "flat": lambda x: ops.reshape(
        ops.relu(ops.matmul(ops.reshape(x, numbers(-1, WIDTH), False), const(WIDTH, WIDTH), False, True)),
        ops.shape_of(x),
        False,
    ),
    "residual": lambda x: ops.add(
        ops.gelu(ops.add(ops.matmul(x, const(WIDTH, WIDTH), False, False), const(WIDTH)), "tanh"), x
    ),
    "rows": lambda x: ops.softmax(ops.multiply(x, const(1, 1, 1)), 2),
    "scores": lambda x: ops.matmul(ops.softmax(ops.matmul(x, x, False, True), -1), x, False, False),
    "wider": lambda x: ops.multiply(
        ops.matmul(x, const(WIDTH, WIDTH), False, True), ops.reduce_max(x, numbers(0), True)
    ),
    "tail": lambda x: ops.concat([ops.slice(x, numbers(1), numbers(2**62), numbers(1), numbers(1)), x], 1),
    "first": lambda x: ops.add(x, ops.unsqueeze(ops.gather(x, ops.constant(np.int64(0)), numbers(1)), numbers(1))),
    "narrow": lambda x: ops.convert(ops.tanh(ops.convert(x, "f16")), "f32"),
}


def compiled(path: Path | Any, **config: Any) -> Any:
    return Core().compile_model(path, config=config)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    names=st.lists(st.sampled_from(sorted(LAYERS)), min_size=1, max_size=5),
    lengths=st.lists(st.tuples(st.integers(1, 2), st.integers(1, 9)), min_size=6, max_size=9, unique=True),
)
def test_open_plans_give_what_plain_evaluation_gives(
    names: list[str], lengths: list[tuple[int, int]], tmp_path: Path
) -> None:
    RNG.bit_generator.state = START
    x = ops.parameter([-1, -1, WIDTH], np.float32)
    y = ops.matmul(x, const(WIDTH, WIDTH), False, False)
    for name in names:
        y = LAYERS[name](y)
    path = tmp_path / "m.xml"
    ov.save_model(ov.Model([ops.result(y)], [x], "m"), path, compress_to_fp16=False)
    plain = compiled(path, OPTIMIZE=False)
    runs = [compiled(path), compiled(path, PROVIDER="numpy")]
    for batch, count in lengths:
        data = RNG.standard_normal((batch, count, WIDTH)).astype(np.float32)
        expected = plain(data)[0]
        for run in runs:
            np.testing.assert_allclose(run(data)[0], expected, rtol=2e-4, atol=1e-4, err_msg=str((names, batch, count)))


def test_new_lengths_need_no_plan() -> None:
    x = ops.parameter([-1, -1, WIDTH], np.float32)
    model = compiled_model(model_of(LAYERS["mvn"](LAYERS["linear"](causal(x))), [x]))
    for batch in (1, 2, 5):
        for count in range(1, 40):
            model(np.ones((batch, count, WIDTH), np.float32))
    tensors = [plan.graph.parameters[0].tensor for plan in model.engine._plans.values()]
    assert {str(tensor.shape) for tensor in tensors if tensor} == {"[1,1,12]", "[1,?,12]", "[?,1,12]", "[?,?,12]"}


def variants(model: Any) -> dict[str, str]:
    (plan,) = [plan for plan in model.engine._plans.values() if any(step.op.is_dynamic for step in plan.steps)]
    return {step.op.type: step.variant for step in plan.steps}


@pytest.mark.parametrize("provider", PROVIDERS)
def test_products_normalizations_and_attentions_of_open_lengths_have_kernels(provider: str) -> None:
    x = ops.parameter([-1, -1, WIDTH], np.float32)
    y = LAYERS["residual"](by_heads(LAYERS["mvn"](LAYERS["linear"](x))))
    model = compiled_model(model_of(LAYERS["rows"](y), [x]), PROVIDER=provider)
    for count in range(1, 9):
        model(np.ones((1, count, WIDTH), np.float32))
    used = variants(model)
    assert all("open" in used[type] for type in ("MatMul", "MVN", "Softmax"))
    assert "groups" in used["ScaledDotProductAttention"]
    assert not used.keys() & {"Add", "Gelu"}


def test_an_epilogue_of_open_lengths_broadcasts_its_output() -> None:
    x, y = ops.parameter([-1, WIDTH], np.float32), ops.parameter([-1, WIDTH], np.float32)
    weights = const(WIDTH, WIDTH)
    model = compiled_model(model_of(ops.relu(ops.add(ops.matmul(x, weights, False, False), y)), [x, y]))
    matrix = weights.data
    for rows in range(1, 9):
        arrays = [RNG.standard_normal((count, WIDTH)).astype(np.float32) for count in (1, rows)]
        for data, added in (arrays, arrays[::-1]):
            np.testing.assert_allclose(model([data, added])[0], np.maximum(data @ matrix + added, 0), atol=1e-5)
    with pytest.raises(Error, match="layer"):
        model([np.ones((3, WIDTH), np.float32), np.ones((4, WIDTH), np.float32)])


def test_a_product_beyond_the_memory_limit_is_refused_before_it_is_computed() -> None:
    x = ops.parameter([-1, WIDTH], np.float32)
    wide = ops.relu(ops.matmul(x, const(WIDTH, 4096), False, False))
    model = compiled_model(model_of(ops.reduce_max(wide, numbers(0, 1), False), [x]), MEMORY_LIMIT=2**20)
    for rows in range(1, 8):
        model(np.ones((rows, WIDTH), np.float32))
    with pytest.raises(Error, match="limit"):
        model(np.ones((100, WIDTH), np.float32))


def test_one_plan_serves_a_hundred_lengths_however_often_they_come() -> None:
    x = ops.parameter([1, -1, WIDTH], np.float32)
    model = compiled_model(model_of(LAYERS["residual"](by_heads(x)), [x]))
    for count in (*range(2, 103), *[7] * 20):
        model(np.ones((1, count, WIDTH), np.float32))
        assert len(model.engine._plans) == 1


def test_products_of_a_token_keep_their_rows() -> None:
    x, y = ops.parameter([-1, -1, WIDTH], np.float32), ops.parameter([-1, -1, WIDTH], np.float32)
    weights = const(WIDTH, WIDTH)
    scores = ops.matmul(ops.matmul(x, weights, False, True), y, False, True)
    model = compiled_model(model_of(scores, [x, y]))
    for tokens, columns in ((5, 5), *((1, count) for count in range(6, 20))):
        rows, keys = (RNG.standard_normal((1, count, WIDTH)).astype(np.float32) for count in (tokens, columns))
        expected = rows @ weights.data.T @ keys.transpose(0, 2, 1)
        np.testing.assert_allclose(model([rows, keys])[0], expected, rtol=1e-4, atol=1e-4)
    prompt, token = ([value.shape for value in plan.graph.parameters] for plan in model.engine._plans.values())
    assert (prompt, token) == ([None, None], [(1, 1, WIDTH), None])


def test_one_plan_convolves_all_lengths() -> None:
    x = ops.parameter([1, 3, -1], np.float32)
    model = compiled_model(model_of(ops.convolution(x, const(4, 3, 3), [1], [1], [1], [1]), [x]))
    for count in range(5, 15):
        model(np.ones((1, 3, count), np.float32))
    assert len(model.engine._plans) == 1
    assert variants(model)["Convolution"] == "by shape"


def test_shapes_that_do_not_broadcast_name_the_layer() -> None:
    parameters = [ops.parameter([-1], np.float32) for _ in range(2)]
    left, right = (ops.reshape(ops.non_zero(x), numbers(-1), False) for x in parameters)
    model = compiled_model(model_of(ops.abs(ops.add(left, right)), parameters))
    assert model([np.ones(3, np.float32), np.ones(3, np.float32)])[0].tolist() == [0, 2, 4]
    for _ in range(2):
        with pytest.raises(Error, match=r'layer "add".*shapes \[3\] and \[4\] cannot be broadcast'):
            model([np.array([1, 2, 3, 0], np.float32), np.ones(4, np.float32)])


def test_a_broadcast_beyond_the_memory_limit_is_refused() -> None:
    x = ops.parameter([-1, 1], np.float32)
    kept = ops.reshape(ops.non_zero(x), numbers(-1, 1), False)
    wide = ops.multiply(kept, ops.reshape(kept, numbers(1, -1), False))
    model = compiled_model(model_of(ops.reduce_sum(wide, numbers(0, 1), False), [x]), MEMORY_LIMIT=2**20)
    assert model(np.ones((10, 1), np.float32))[0] == 2025
    with pytest.raises(Error, match="limit"):
        model(np.ones((1000, 1), np.float32))


@pytest.mark.parametrize("sizes", [sizes for sizes in DECODERS if sizes.name.endswith("tiny")], ids=lambda s: s.name)
@pytest.mark.parametrize("provider", PROVIDERS)
def test_decoders_generate_what_openvino_generates(sizes: Any, provider: str, tmp_path: Path) -> None:
    path = write(sizes, tmp_path)
    ours = compiled(path, PROVIDER=provider)
    requests = [ov.Core().compile_model(path, "CPU", EXACT).create_infer_request(), ours.create_infer_request()]
    for batch, prompt in ((1, 7), (2, 5), (1, 9), (2, 11), (1, 30), (1, 31), (1, 32), (1, 33)):
        expected, actual = (generate(request, 6, prompt, batch)[2] for request in requests)
        for right, array in zip(expected, actual, strict=True):
            np.testing.assert_allclose(array, right, rtol=1e-3, atol=1e-4)
    before = len(ours.engine._plans)
    requests[1].reset_state()
    requests[1].infer(step(0, 50))
    assert len(ours.engine._plans) == before


@pytest.mark.parametrize("rows", [1, 2, 3])
@pytest.mark.parametrize("masked", [None, np.float32, np.bool_])
@pytest.mark.parametrize("shared", [1, 2, 4])
def test_few_queries_equal_openvino(rows: int, masked: Any, shared: int, tmp_path: Path) -> None:
    query = ops.parameter([2, 4, rows, 5], np.float32)
    key, value = (ops.parameter([2, shared, -1, width], np.float32) for width in (5, 6))
    shape = ops.concat([numbers(2, shared, 4 // shared), length(key, 2)], 0)
    wide = [
        ops.reshape(
            ops.broadcast(ops.unsqueeze(part, numbers(2)), ops.concat([shape, numbers(width)], 0), "bidirectional"),
            numbers(0, 4, -1, width),
            True,
        )
        for part, width in ((key, 5), (value, 6))
    ]
    mask = [] if masked is None else [ops.parameter([-1, 1, rows, -1], masked)]
    y = ops.scaled_dot_product_attention(query, *wide, *mask)
    path = tmp_path / "m.xml"
    ov.save_model(ov.Model([ops.result(y)], [query, key, value, *mask], "m"), path, compress_to_fp16=False)
    models = [ov.Core().compile_model(path, "CPU", EXACT), compiled(path), compiled(path, OPTIMIZE=False)]
    for count in (3, 4, 5, 300):
        shapes = [(2, 4, rows, 5), (2, shared, count, 5), (2, shared, count, 6)]
        inputs: list[Any] = [RNG.standard_normal(shape).astype(np.float32) for shape in shapes]
        if masked is not None:
            bits = RNG.random((1 + count % 2, 1, rows, count)) < 0.8
            bits[..., 0] = True
            addend: Any = np.where(bits, 0, -1e9).astype(np.float32)
            inputs.append(bits if masked is np.bool_ else addend)
        expected, *actual = (model(inputs)[0] for model in models)
        for array in actual:
            np.testing.assert_allclose(array, expected, rtol=1e-4, atol=1e-5)
