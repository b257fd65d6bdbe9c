"""Decompression of constant weights is fused into the MatMul or Gather that reads them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import openvino as ov
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openvino import opset13 as ops

from ir_plugin import Core, Error
from ir_plugin.compiler.graph import Graph
from ir_plugin.compiler.passes import pass_observer
from ir_plugin.kernels import policy
from tests.support.passes import compiled, constant, data, model_of, number, rewrite
from tests.support.planned import PROVIDERS, close

NAME = "weight_decompression"
TYPES = {name: getattr(ov.Type, name) for name in ("u4", "i4", "u8", "i8", "nf4", "f4e2m1", "f8e4m3", "f8e5m2")}
RANGES = {"u4": (0, 16), "i4": (-8, 8), "u8": (0, 256), "i8": (-128, 128)}
OPENVINO = {"INFERENCE_PRECISION_HINT": "f32", "DYNAMIC_QUANTIZATION_GROUP_SIZE": "0"}
DEPTH, WIDTH = 128, 96


def example() -> ov.Model:
    """Return the model that the page of passes shows."""
    x, codes = data(2, 80), ops.constant(np.ones((60, 80), np.uint8))
    centred = ops.subtract(ops.convert(codes, np.float32), number(128))
    return model_of(ops.matmul(x, ops.multiply(centred, constant(60, 1)), False, True), [x])


def codes(name: str, shape: list[int], rng: np.random.Generator) -> Any:
    """Return a constant of a compressed type."""
    if name in RANGES:
        return ops.constant(rng.integers(*RANGES[name], shape), TYPES[name])
    return ops.constant(rng.uniform(-2, 2, shape).astype(np.float32), TYPES[name])


def weights(
    name: str = "u4", group: int = 32, zero: str = "group", float_type: Any = ov.Type.f16, rows_first: bool = True,
    shape: tuple[int, int] = (WIDTH, DEPTH), seed: int = 0,
) -> Any:  # fmt: skip
    """Return decompressed weights as NNCF writes them: [N, K] if `rows_first`, otherwise [K, N]."""
    rng = np.random.default_rng(seed)
    width, depth = shape
    groups = depth // group if group else 1
    size = depth // groups
    grouped = [width, groups, size] if rows_first else [groups, size, width]
    scales = [width, groups, 1] if rows_first else [groups, 1, width]
    if not group:
        grouped, scales = ([width, depth], [width, 1]) if rows_first else ([depth, width], [1, width])
    x = ops.convert(codes(name, grouped, rng), float_type)
    if zero and name in RANGES:
        x = ops.subtract(x, ops.convert(codes(name, scales if zero == "group" else [], rng), float_type))
    dtype = np.float16 if float_type == ov.Type.f16 else np.float32
    x = ops.multiply(x, ops.constant(rng.uniform(0.01, 0.1, scales).astype(np.float16).astype(dtype)))
    if group:
        x = ops.reshape(x, np.array([width, depth] if rows_first else [depth, width]), False)
    return ops.convert(x, ov.Type.f32) if float_type != ov.Type.f32 else x


def matmul(rows: list[int], w: Any, transposed: bool = True) -> ov.Model:
    x = ops.parameter(rows, np.float32)
    return model_of(ops.matmul(x, w, False, transposed), [x])


def judge(model: ov.Model, rtol: float = 1e-5, seed: int = 0, exact: ov.Model | None = None) -> None:
    """Assert that every provider computes what OpenVINO's CPU does, within the rounding of sums.

    With `exact`, what OpenVINO's reference computes for that model: the CPU is wrong for groups such as 48 or 50.
    """
    rng = np.random.default_rng(seed)
    inputs = [
        rng.integers(0, WIDTH, list(port.shape)) if port.element_type.is_integral()
        else rng.standard_normal(list(port.shape)).astype(np.float32)
        for port in model.inputs
    ]  # fmt: skip
    if exact is None:
        expected = ov.Core().compile_model(model, "CPU", OPENVINO)(inputs)[0]
    else:
        output = ov.Tensor(ov.Type.f32, exact.outputs[0].shape)
        assert exact.evaluate([output], [ov.Tensor(array) for array in inputs])
        expected = output.data
    for provider in PROVIDERS:
        for threads in (1, 2):
            run = compiled(model, PROVIDER=provider, INFERENCE_NUM_THREADS=threads)
            for _ in range(2):
                close(run(inputs)[0], expected, rtol, f"{provider}, {threads}")


def types(model: ov.Model) -> list[str]:
    return rewrite(NAME, model).types()


@pytest.mark.parametrize("name", TYPES)
@pytest.mark.parametrize("rows_first", [True, False])
@pytest.mark.parametrize("rows", [1, 3, 40])
def test_matmul(name: str, rows_first: bool, rows: int) -> None:
    model = matmul([1, rows, DEPTH], weights(name, rows_first=rows_first), rows_first)
    assert types(model) == ["FullyConnectedCompressed"]
    judge(model)


def _flat_groups() -> Any:
    rng = np.random.default_rng(1)
    x = ops.convert(codes("i4", [WIDTH * 4, 32], rng), np.float32)
    x = ops.multiply(x, ops.constant(rng.uniform(0.01, 0.1, [WIDTH * 4, 1]).astype(np.float32)))
    return ops.reshape(x, np.array([WIDTH, DEPTH]), False)


def _nvfp4() -> Any:
    rng = np.random.default_rng(1)
    x = ops.convert(codes("f4e2m1", [WIDTH, DEPTH // 16, 16], rng), np.float32)
    scale = ops.convert(codes("f8e4m3", [WIDTH, DEPTH // 16, 1], rng), np.float32)
    x = ops.multiply(x, ops.multiply(scale, ops.constant(np.float32(0.125))))
    return ops.reshape(x, np.array([WIDTH, DEPTH]), False)


def _mxfp(name: str) -> Any:
    rng = np.random.default_rng(1)
    x = ops.convert(codes(name, [WIDTH, DEPTH // 32, 32], rng), np.float32)
    powers = ops.constant(2.0 ** rng.integers(-12, 4, [WIDTH, DEPTH // 32, 1]).astype(np.float32), ov.Type.f8e8m0)
    return ops.reshape(ops.multiply(x, ops.convert(powers, np.float32)), np.array([WIDTH, DEPTH]), False)


def _of_tensor() -> Any:
    x = ops.convert(codes("i8", [WIDTH, DEPTH], np.random.default_rng(1)), np.float32)
    return ops.multiply(x, ops.constant(np.float32(0.02)))


WEIGHTS: dict[str, Callable[[], Any]] = {
    "per channel": lambda: weights("u8", group=0),
    "a zero point of the tensor": lambda: weights("u4", zero="tensor"),
    "symmetric": lambda: weights("i8", group=0, zero=""),
    "per channel, a depth of no whole registers": lambda: weights("i8", group=0, zero="", shape=(WIDTH, 150)),
    "of 4 bits per channel, a depth of no whole registers": lambda: weights("u4", group=0, shape=(WIDTH + 3, 150)),
    "per channel, a depth below a register": lambda: weights("i8", group=0, shape=(250, 20)),
    "of 4 bits per channel, a depth below a register": lambda: weights("u4", group=0, shape=(1100, 6)),
    "in f32": lambda: weights("u4", float_type=ov.Type.f32),
    "groups of 16": lambda: weights("u4", group=16),
    "an odd number of groups of 16": lambda: weights("u4", group=16, shape=(WIDTH + 2, 16 * 7)),
    "groups of 8": lambda: weights("i4", group=8, zero=""),
    "groups of 96, less than a block of 4 bits": lambda: weights("u4", group=96, shape=(WIDTH, 192)),
    "groups of 192, more than a block of 4 bits": lambda: weights("u4", group=192, shape=(WIDTH, 576)),
    "a depth of no whole blocks of 4 bits": lambda: weights("u4", group=64, shape=(WIDTH, 576)),
    "groups of 32 of bytes": lambda: weights("u8", group=32),
    "f8 in groups": lambda: weights("f8e4m3", group=32),
    "a number of columns that is not a multiple of a register": lambda: weights("u4", shape=(71, 128)),
    "channels and groups on one axis": _flat_groups,
    "nvfp4, with scales of f8 and a scale of the tensor": _nvfp4,
    "mxfp4, with scales of powers of two": lambda: _mxfp("f4e2m1"),
    "mxfp8 of e4m3": lambda: _mxfp("f8e4m3"),
    "mxfp8 of e5m2": lambda: _mxfp("f8e5m2"),
    "a scale of the tensor": _of_tensor,
    "a transposition": lambda: ops.transpose(weights("u4", rows_first=False), np.array([1, 0])),
}


@pytest.mark.parametrize("name", WEIGHTS)
@pytest.mark.parametrize("rows", [1, 5, 20])
def test_layouts(name: str, rows: int) -> None:
    w = WEIGHTS[name]()
    model = matmul([rows, w.shape[1]], w)
    assert types(model) == ["FullyConnectedCompressed"]
    judge(model)


@pytest.mark.parametrize("dtype", [ov.Type.f16, ov.Type.bf16])
def test_half_weights_of_few_rows(dtype: Any) -> None:
    values = np.random.default_rng(0).standard_normal((WIDTH, DEPTH)).astype(np.float32)
    w = ops.convert(ops.constant(values, dtype), np.float32)
    assert types(matmul([1, DEPTH], w)) == ["FullyConnectedCompressed"]
    assert "MatMul" in types(matmul([20, DEPTH], w))
    judge(matmul([1, DEPTH], w))
    judge(matmul([20, DEPTH], w))


def test_epilogue() -> None:
    rng = np.random.default_rng(0)
    x, y = ops.parameter([1, 3, DEPTH], np.float32), ops.parameter([1, 3, WIDTH], np.float32)
    product = ops.matmul(x, weights(), False, True)
    biased = ops.add(product, ops.constant(rng.standard_normal((1, 1, WIDTH)).astype(np.float32)))
    judge(model_of(ops.add(ops.relu(biased), y), [x, y]))


def test_rows_of_unknown_number() -> None:
    x = ops.parameter(ov.PartialShape([-1, -1, DEPTH]), np.float32)
    model = model_of(ops.matmul(x, weights(), False, True), [x])
    reference = ov.Core().compile_model(model, "CPU", OPENVINO)
    for provider in PROVIDERS:
        run = compiled(model, PROVIDER=provider)
        for length in (1, 2, 3, 5, 7, 9, 11, 30, 1):
            rows = np.random.default_rng(length).standard_normal((1, length, DEPTH)).astype(np.float32)
            close(run([rows])[0], reference([rows])[0], 1e-5, f"{provider}, {length}")


@pytest.mark.parametrize("name", [*TYPES, "f16", "bf16"])
def test_gather_of_rows(name: str) -> None:
    table = ops.convert(ops.constant(np.eye(WIDTH, DEPTH, dtype=np.float32), getattr(ov.Type, name)), np.float32)
    w = weights(name) if name in TYPES else table
    indices = ops.parameter([2, 5], np.int64)
    model = model_of(ops.gather(w, indices, np.int64(0)), [indices])
    assert types(model) == ["GatherCompressed"]
    judge(model, 5e-4 if name == "nf4" else 1e-5)  # the CPU rounds the values of nf4 to f16


def test_gather_of_indices_out_of_range() -> None:
    indices = ops.parameter([4], np.int64)
    model = model_of(ops.gather(weights("u8"), indices, np.int64(0)), [indices])
    inputs = [np.array([-1, WIDTH, 0, -WIDTH - 1])]
    plain = compiled(model, OPTIMIZE=False)(inputs)[0]
    close(compiled(model)(inputs)[0], plain, 1e-3, "out of range")


def test_weights_that_two_layers_share() -> None:
    indices, w = ops.parameter([1, 4], np.int64), weights("u8", group=0)
    rows = ops.gather(w, indices, np.int64(0))
    model = model_of(ops.matmul(rows, w, False, True), [indices])
    assert types(model) == ["GatherCompressed", "FullyConnectedCompressed"]
    judge(model)


OTHERS: dict[str, Callable[[Any], Any]] = {
    "small weights": lambda x: ops.matmul(x, weights(shape=(8, DEPTH)), False, True),
    "a scale of a parameter": lambda x: ops.matmul(
        x, ops.multiply(weights(), ops.reduce_sum(x, np.array([0, 1]), True)), False, True
    ),
    "weights of f32": lambda x: ops.matmul(x, ops.constant(np.ones((WIDTH, DEPTH), np.float32)), False, True),
    "weights on the left": lambda x: ops.matmul(weights(), x, False, True),
    "another layer": lambda x: ops.add(ops.reduce_sum(weights(), np.array([0]), True), x),
}


@pytest.mark.parametrize("name", OTHERS)
def test_other_subgraphs_stay(name: str) -> None:
    x = ops.parameter([1, DEPTH], np.float32)
    assert not rewrite(NAME, model_of(OTHERS[name](x), [x])).is_match


@settings(max_examples=40, deadline=None)
@given(
    name=st.sampled_from(sorted(TYPES)), group=st.sampled_from([0, 4, 16, 24, 32, 48, 64, 128]),
    zero=st.sampled_from(["", "tensor", "group"]), rows_first=st.booleans(), groups=st.integers(1, 5),
    width=st.integers(33, 140), rows=st.integers(1, 20), seed=st.integers(0, 99), half=st.booleans(),
)  # fmt: skip
def test_any(
    name: str, group: int, zero: str, rows_first: bool, groups: int, width: int, rows: int, seed: int, half: bool
) -> None:
    depth = (group or 64) * groups * 2
    float_type = ov.Type.f16 if half else ov.Type.f32
    w = weights(name, group, zero, float_type, rows_first, (2 * width, depth), seed)
    exact = weights(name, group, zero, ov.Type.f32, rows_first, (2 * width, depth), seed)
    with patch.object(policy, "COMPRESSED_MIN_ELEMENTS", 1):
        judge(matmul([rows, depth], w, rows_first), 1e-5, seed, matmul([rows, depth], exact, rows_first))


SMALL: dict[str, Callable[[Any], Any]] = {
    "matrix": lambda x: ops.matmul(x, weights("u8", 0, shape=(8, 16)), False, True),
    "groups": lambda x: ops.matmul(x, weights("u4", 4, shape=(8, 16)), False, True),
    "columns": lambda x: ops.matmul(x, weights("i8", 0, rows_first=False, shape=(8, 16)), False, False),
    "transposed": lambda x: ops.matmul(x, ops.transpose(weights("u8", 0, shape=(8, 16)), [1, 0]), False, False),
    "convolution": lambda x: ops.convolution(
        ops.reshape(x, np.array([1, 5, 4, 4]), False),
        ops.reshape(weights("u8", 0, shape=(8, 20)), np.array([8, 5, 2, 2]), False),
        [1, 1], [0, 0], [0, 0], [1, 1],
    ),
    "sum": lambda x: ops.add(weights("u8", 0, shape=(5, 16)), x),
}  # fmt: skip


@pytest.mark.parametrize("name", SMALL)
def test_small_weights_are_not_rounded_to_f16(name: str) -> None:
    x = ops.parameter([5, 16], np.float32)
    judge(model_of(SMALL[name](x), [x]), 1e-6)


def test_codes_are_views_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "m.xml"
    ov.serialize(matmul([1, DEPTH], weights()), path)
    graphs: list[Graph] = []
    with pass_observer(lambda name, graph: graphs.append(graph) if name == NAME else None):
        Core().compile_model(path)
    (op,) = [op for op in graphs[0].ops if op.type == "FullyConnectedCompressed"]
    codes = op.operation.attribute_values()["weights"].codes
    base = codes
    while isinstance(base, np.ndarray):
        base = base.base
    assert codes.nbytes == WIDTH * DEPTH // 2
    assert base.obj.__class__.__name__ == "mmap"


def test_the_memory_limit_does_not_count_expanded_weights() -> None:
    model = matmul([1, 1024], weights(shape=(1024, 1024)))
    run = compiled(model, MEMORY_LIMIT=2 * 2**20)
    assert run([np.zeros((1, 1024), np.float32)])[0].shape == (1, 1024)


@pytest.mark.parametrize("experts", [(), (3,)])
@pytest.mark.parametrize("shape", [(0, 3), (0, DEPTH + 1), (2, DEPTH - 1), (2, DEPTH + 1)])
def test_rows_of_another_depth_are_refused(experts: tuple[int, ...], shape: tuple[int, int]) -> None:
    rng, lead = np.random.default_rng(1), (1,) * len(experts)
    x = ops.parameter([-1] * (2 + len(experts)), np.float32)
    w = ops.convert(ops.constant(rng.integers(-9, 9, (*experts, WIDTH, DEPTH)).astype(np.int8)), np.float32)
    model = model_of(ops.matmul(x, ops.multiply(w, number(0.5)), False, True), [x])
    for config in ({"OPTIMIZE": False}, {}):
        run = compiled(model, **config)
        assert run([np.ones((*lead, 2, DEPTH), np.float32)])[0].shape == (*experts, 2, WIDTH)
        with pytest.raises(Error, match="MatMul"):
            run([np.ones((*lead, *shape), np.float32)])
