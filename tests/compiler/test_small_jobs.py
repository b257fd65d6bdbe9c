"""Small layers between products are jobs too, so that whole networks are one table; results are OpenVINO's."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import openvino as ov
import pytest
from openvino import opset13 as ops

from ir_plugin import CompiledModel, Core
from tests.support.skips import needs_numba

pytestmark = needs_numba

PRECISE = {"INFERENCE_PRECISION_HINT": "f32"}
Layer = Callable[..., Any]


def constant(*shape: int, seed: int = 1) -> Any:
    return ops.constant((np.random.default_rng(seed).standard_normal(shape) * 0.3).astype(np.float32))


def axes(*numbers: int) -> Any:
    return ops.constant(np.array(numbers, np.int64))


def between(layer: Layer, *shapes: tuple[int, ...]) -> ov.Model:
    """Return a layer between a first and a last one, so that neither reads an input nor writes a result."""
    parameters = [ops.parameter(list(shape), name=f"x{number}") for number, shape in enumerate(shapes)]
    starts = [ops.sigmoid(ops.add(parameter, ops.constant(np.float32(0.5)))) for parameter in parameters]
    output = layer(*starts)
    return ov.Model([ops.result(ops.tanh(output))], parameters, "between")


def values(model: ov.Model, seed: int = 3) -> list[np.ndarray[Any, Any]]:
    rng = np.random.default_rng(seed)
    return [rng.standard_normal(list(port.shape)).astype(np.float32) for port in model.inputs]


def compiled(model: ov.Model, folder: Path, **config: Any) -> CompiledModel:
    ov.save_model(model, folder / "m.xml", compress_to_fp16=False)
    return Core().compile_model(folder / "m.xml", config=config)


def left_over(request: Any) -> list[str]:
    """Return the types of the layers that Python executes and that neither read an input nor write a result."""
    (bound,) = request._state._bound.values()
    fixed = bound._fixed
    steps = [bound_step.step for segment in bound.segments if segment.table is None for bound_step in segment.steps]
    return [step.op.type for step in steps if fixed.issuperset([*step.inputs, *step.outputs])]


def check(model: ov.Model, folder: Path, threads: int = 1) -> None:
    arrays = values(model)
    expected = np.asarray(ov.compile_model(model, "CPU", PRECISE)(arrays)[0])
    request = compiled(model, folder, INFERENCE_NUM_THREADS=threads).create_infer_request()
    for _ in range(2):
        np.testing.assert_allclose(np.asarray(request.infer(arrays)[0]), expected, atol=3e-6)
    assert left_over(request) == []


BINARY = {
    "add": ops.add, "subtract": ops.subtract, "multiply": ops.multiply, "divide": ops.divide, "maximum": ops.maximum,
    "minimum": ops.minimum,
}  # fmt: skip
SHAPES = [
    ((2, 3, 4, 5), (2, 3, 1, 1)), ((2, 3, 4, 5), (1, 3, 1, 5)), ((2, 3, 4, 5), (4, 1)), ((7, 1), (1, 9)),
    ((1, 40, 17), (1, 40, 1)), ((33,), (1,)), ((2, 1, 4, 1, 3), (1, 5, 4, 2, 3)), ((6, 8), (6, 8)),
]  # fmt: skip


@pytest.mark.parametrize(("first", "second"), SHAPES, ids=str)
@pytest.mark.parametrize("exchanged", [False, True])
@pytest.mark.parametrize("name", BINARY)
def test_operands_that_broadcast(
    name: str, exchanged: bool, first: tuple[int, ...], second: tuple[int, ...], tmp_path: Path
) -> None:
    def layer(a: Any, b: Any) -> Any:
        return BINARY[name](b, a) if exchanged else BINARY[name](a, b)

    check(between(layer, first, second), tmp_path)


def test_factors_of_channels_in_a_network(tmp_path: Path) -> None:
    def layer(x: Any) -> Any:
        wide = ops.convolution(x, constant(24, 8, 3, 3), [1, 1], [1, 1], [1, 1], [1, 1])
        mean = ops.reduce_mean(wide, axes(2, 3), keep_dims=True)
        gate = ops.hsigmoid(ops.convolution(mean, constant(24, 24, 1, 1), [1, 1], [0, 0], [0, 0], [1, 1]))
        return ops.relu(ops.multiply(wide, gate))

    check(between(layer, (2, 8, 9, 10)), tmp_path)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    ("shape", "chosen"), [((3, 300, 7), (1,)), ((3, 5, 260), (2,)), ((2, 6, 40, 50), (2, 3)), ((4, 3, 9), (0, 1))]
)
@pytest.mark.parametrize("reduce", [ops.reduce_mean, ops.reduce_sum])
def test_means_and_sums(
    reduce: Layer, shape: tuple[int, ...], chosen: tuple[int, ...], threads: int, tmp_path: Path
) -> None:
    check(
        between(lambda x: ops.multiply(reduce(x, axes(*chosen)), ops.constant(np.float32(0.01))), shape),
        tmp_path,
        threads,
    )


def attended(x: Any, heads: int, mask: bool) -> Any:
    width = int(x.get_output_partial_shape(0)[2].get_length())

    def split(seed: int) -> Any:
        rows = ops.matmul(x, constant(width, width, seed=seed), False, False)
        return ops.transpose(ops.reshape(rows, axes(0, 0, heads, width // heads), True), axes(0, 2, 1, 3))

    query, key, value = (split(seed) for seed in range(3))
    scores = ops.multiply(ops.matmul(query, key, False, True), ops.constant(np.float32((width // heads) ** -0.5)))
    if mask:
        scores = ops.add(scores, constant(1, 1, 1, int(x.get_output_partial_shape(0)[1].get_length())))
    mixed = ops.matmul(ops.softmax(scores, 3), value, False, False)
    return ops.reshape(ops.transpose(mixed, axes(0, 2, 1, 3)), axes(0, 0, width), True)


def normalized(x: Any) -> Any:
    width = int(x.get_output_partial_shape(0)[2].get_length())
    unit = ops.mvn(x, axes(2), True, 1e-5, "inside_sqrt")
    return ops.add(ops.multiply(unit, constant(width, seed=5)), constant(width, seed=6))


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("mask", [False, True])
def test_a_transformer(mask: bool, threads: int, tmp_path: Path) -> None:
    def layer(x: Any) -> Any:
        x = ops.add(x, attended(normalized(x), 4, mask))
        deep = ops.gelu(ops.matmul(normalized(x), constant(48, 96), False, False), "erf")
        return ops.add(x, ops.matmul(deep, constant(96, 48), False, False))

    check(between(layer, (2, 21, 48)), tmp_path, threads)


@pytest.mark.parametrize("transposed", [(False, False), (False, True)])
def test_batches_of_products(transposed: tuple[bool, bool], tmp_path: Path) -> None:
    def layer(a: Any, b: Any) -> Any:
        return ops.multiply(ops.matmul(a, b, *transposed), ops.constant(np.float32(0.05)))

    check(between(layer, (2, 3, 20, 33), (1, 3, 17, 33) if transposed[1] else (1, 3, 33, 17)), tmp_path)


def test_softmax_of_channels(tmp_path: Path) -> None:
    check(between(lambda x: ops.softmax(x, 2), (4, 30, 70)), tmp_path)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("sizes", [(9, 14), (3, 5), (7, 11)])
@pytest.mark.parametrize("mode", ["linear_onnx", "cubic"])
def test_resizes(mode: str, sizes: tuple[int, int], threads: int, tmp_path: Path) -> None:
    def layer(x: Any) -> Any:
        return ops.interpolate(x, axes(*sizes), mode, "sizes", axes=axes(2, 3))

    check(between(layer, (2, 3, 7, 9)), tmp_path, threads)


@pytest.mark.parametrize("shape", [(1, 1, 1, 1), (1, 3, 1, 1), (1, 1, 1, 9)])
def test_fake_quantize(shape: tuple[int, ...], tmp_path: Path) -> None:
    def layer(x: Any) -> Any:
        low, span = (np.random.default_rng(seed).random(shape).astype(np.float32) / 3 for seed in (5, 6))
        limits = [ops.constant(array) for array in (low, low + span + np.float32(0.2), low - 1, low + 1)]
        return ops.fake_quantize(x, *limits, 16)

    check(between(layer, (2, 3, 7, 9)), tmp_path)


@pytest.mark.parametrize("number", [np.inf, np.nan])
def test_data_that_is_not_finite_leaves_the_table(number: float, tmp_path: Path) -> None:
    x = ops.parameter([1, 16, 24, 24], name="x")
    value = ops.relu(ops.add(x, ops.constant(np.float32(0))))
    for seed in range(3):
        filters = constant(32, 32 if seed else 16, 3, 3, seed=seed)
        value = ops.convolution(value, filters, [1, 1], [1, 1], [1, 1], [1, 1])
    pooled = ops.max_pool(value, [1, 1], [1, 1], [0, 0], [0, 0], [1, 1])
    model = ov.Model([ops.result(ops.clamp(pooled.output(0), -9, 9))], [x], "convolutions")
    (array,) = values(model)
    plain = compiled(model, tmp_path, OPTIMIZE=False).create_infer_request()
    request = Core().compile_model(tmp_path / "m.xml").create_infer_request()
    for odd in (False, True, False):
        array[0, 3, 11, 11] = number if odd else 0.5
        expected, actual = (np.asarray(each.infer([array])[0]) for each in (plain, request))
        np.testing.assert_allclose(actual, expected, atol=2e-3)
    assert left_over(request) == []


@pytest.mark.parametrize("threads", [1, 2])
def test_data_in_another_order_is_copied_by_a_job(threads: int, tmp_path: Path) -> None:
    def layer(x: Any) -> Any:
        turned = ops.transpose(ops.matmul(x, constant(24, 24), False, False), axes(0, 2, 1))
        scaled = ops.gelu(ops.multiply(turned, ops.constant(np.float32(0.3))), "erf")
        unit = ops.mvn(ops.transpose(scaled, axes(0, 2, 1)), axes(2), True, 1e-5, "inside_sqrt")
        return ops.matmul(ops.transpose(ops.softmax(unit, 2), axes(2, 0, 1)), constant(10, 48), False, False)

    check(between(layer, (3, 10, 24)), tmp_path, threads)


def test_observed_runs_between_others_change_nothing(tmp_path: Path) -> None:
    def layer(x: Any) -> Any:
        turned = ops.transpose(ops.matmul(x, constant(24, 24), False, False), axes(0, 2, 1))
        return ops.sigmoid(ops.multiply(turned, ops.constant(np.float32(0.3))))

    model = between(layer, (3, 10, 24))
    request = compiled(model, tmp_path).create_infer_request()
    engine, state = request._compiled.engine, request._state
    for seed in range(4):
        arrays = values(model, seed)
        (expected,) = engine.run(arrays, state)
        (observed,) = engine.run(arrays, state, lambda *_: None)
        (again,) = engine.run(arrays, state)
        np.testing.assert_array_equal(observed, expected)
        np.testing.assert_array_equal(again, expected)


@pytest.mark.parametrize("shape", [(1, 4), (3, 3)])
def test_small_inputs_and_results_are_the_users(shape: tuple[int, ...], tmp_path: Path) -> None:
    model = between(lambda x: ops.multiply(x, x), shape)
    request = compiled(model, tmp_path).create_infer_request()
    arrays = values(model)
    before = [array.copy() for array in arrays]
    first = np.asarray(request.infer(arrays)[0])
    held = first.copy()
    request.infer([array + 1 for array in arrays])
    np.testing.assert_array_equal(first, held)
    for array, copy in zip(arrays, before, strict=True):
        np.testing.assert_array_equal(array, copy)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("shared", [1, 2, 4])
@pytest.mark.parametrize("masked", [None, np.bool_, np.float32])
def test_attention_with_masks_and_shared_keys(masked: Any, shared: int, threads: int, tmp_path: Path) -> None:
    query = ops.parameter([2, 4, 21, 8], np.float32)
    key, value = (ops.parameter([2, shared, 19, width], np.float32) for width in (8, 6))
    wide = [
        ops.reshape(
            ops.broadcast(ops.unsqueeze(part, axes(2)), axes(2, shared, 4 // shared, 19, width), "numpy"),
            axes(2, 4, 19, width),
            False,
        )
        for part, width in ((key, 8), (value, 6))
    ]
    mask = [] if masked is None else [ops.parameter([2, 1, 21, 19], masked)]
    mixed = ops.scaled_dot_product_attention(ops.multiply(query, ops.constant(np.float32(0.7))), *wide, *mask)
    model = ov.Model([ops.result(ops.add(mixed, ops.constant(np.float32(0.1))))], [query, key, value, *mask], "m")
    rng = np.random.default_rng(2)
    inputs: list[Any] = [rng.standard_normal(list(x.shape)).astype(np.float32) for x in (query, key, value)]
    if masked is not None:
        bits = rng.random((2, 1, 21, 19)) < 0.6
        bits[..., 3] = True
        inputs.append(bits if masked is np.bool_ else np.where(bits, 0, -np.inf).astype(np.float32))
    request = compiled(model, tmp_path, INFERENCE_NUM_THREADS=threads).create_infer_request()
    actual = np.asarray(request.infer(inputs)[0])
    exact = {"INFERENCE_PRECISION_HINT": "f32"}
    expected = ov.Core().compile_model(model, "CPU", exact)(inputs)[0]
    np.testing.assert_allclose(actual, expected, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(actual, compiled(model, tmp_path, OPTIMIZE=False)(inputs)[0], rtol=1e-4, atol=1e-5)
    assert left_over(request) == []


MASKS: dict[str, tuple[Any, list[Any]]] = {
    **{
        f"{make.__name__} of {np.dtype(type).name}": (make, [type, type])
        for make in (ops.equal, ops.not_equal, ops.less, ops.less_equal, ops.greater, ops.greater_equal)
        for type in (np.int32, np.int64)
    },
    **{
        f"{make.__name__} of {np.dtype(type).name}": (make, [type, type])
        for make in (ops.add, ops.subtract, ops.multiply)
        for type in (np.int32, np.int64)
    },
    **{make.__name__: (make, [np.bool_, np.bool_]) for make in (ops.logical_and, ops.logical_or, ops.logical_xor)},
    "not": (ops.logical_not, [np.bool_]),
    **{
        f"{np.dtype(source).name} to {np.dtype(target).name}": (lambda x, t=target: ops.convert(x, t), [source])
        for source in (np.bool_, np.int32, np.int64)
        for target in (np.bool_, np.int32, np.int64)
        if source is not target
    },
}


def numbers(shape: tuple[int, ...], type: Any, seed: int) -> Any:
    rng = np.random.default_rng(seed)
    if type is np.bool_:
        return rng.random(shape) < 0.5
    array = rng.integers(-4, 5, shape).astype(type)
    array.reshape(-1)[:2] = [2**31 - 1, -(2**31)]
    return array


@pytest.mark.parametrize(
    "shapes", [((2, 1, 5), (3, 1)), ((2, 3, 5), (2, 3, 5)), ((4,), (3, 1, 1)), ((7, 1, 2), (1, 4, 1))]
)
@pytest.mark.parametrize("name", MASKS)
def test_masks_and_indices(name: str, shapes: tuple[tuple[int, ...], ...], tmp_path: Path) -> None:
    make, types = MASKS[name]
    parameters = [ops.parameter(list(shape), type) for shape, type in zip(shapes, types, strict=False)]
    model = ov.Model([ops.result(make(*parameters))], parameters, "m")
    arrays = [numbers(shape, type, seed) for seed, (shape, type) in enumerate(zip(shapes, types, strict=False))]
    request = compiled(model, tmp_path).create_infer_request()
    plain = Core().compile_model(tmp_path / "m.xml", config={"OPTIMIZE": False})
    reference = [ov.Tensor(port.element_type, port.shape) for port in model.outputs]
    assert model.evaluate(reference, [ov.Tensor(array) for array in arrays])
    for _ in range(2):
        actual = np.asarray(request.infer(arrays)[0])
        np.testing.assert_array_equal(actual, plain(arrays)[0])
        np.testing.assert_array_equal(actual, reference[0].data)
    (bound,) = request._state._bound.values()
    assert [segment.table is not None for segment in bound.segments] == [True]


@pytest.mark.parametrize("shape", [(6, 8), (6,), (2, 6, 3)])
@pytest.mark.parametrize("type", [np.float32, np.bool_, np.int64])
def test_indices_out_of_range_leave_the_table(shape: tuple[int, ...], type: Any, tmp_path: Path) -> None:
    axis = 1 if len(shape) == 3 else 0
    data, indices = ops.parameter(list(shape), type), ops.parameter([2, 3], np.int64)
    taken = ops.gather(data, ops.convert(indices, np.int32), axes(axis))
    model = ov.Model([ops.result(taken)], [data, indices], "m")
    request = compiled(model, tmp_path).create_infer_request()
    judge = ov.Core().compile_model(model, "CPU", PRECISE)
    array = np.random.default_rng(1).integers(0, 2, shape).astype(type)
    for index in (5, 6, -1, 6, 0, -6, -7):
        places = np.array([[0, 1, 2], [3, index, 5]])
        np.testing.assert_array_equal(np.asarray(request.infer([array, places])[0]), judge([array, places])[0])
    assert left_over(request) == []
