"""Products of experts skip the rows that are not routed to them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import openvino as ov
import pytest
from openvino import opset13 as ops

from ir_plugin.compiler.passes import pass_observer
from tests.compiler.passes.test_weight_decompression import codes
from tests.support.passes import compiled, data, integers, model_of, run_pass
from tests.support.planned import PROVIDERS, close

NAME = "routed_experts"
EXPERTS, TOP, WIDTH, INNER = 6, 2, 32, 64


def example() -> ov.Model:
    """Return the model that the page of passes shows."""
    x, best = data(3, 2, 4), ops.parameter([2, 1], np.int64)
    one, zeros = ops.constant(np.ones((2, 1), np.float32)), ops.constant(np.zeros((2, 3), np.float32))
    weights = ops.transpose(ops.scatter_elements_update(zeros, best, one, integers(1)), integers(1, 0))
    experts = ops.constant((np.arange(3 * 4 * 4) % 5 / 4).astype(np.float32).reshape(3, 4, 4))
    products = ops.multiply(ops.matmul(x, experts, False, True), ops.unsqueeze(weights, integers(2)))
    return model_of(ops.reduce_sum(products, integers(0), False), [x, best])


def experts(rows: int, columns: int, seed: int, name: str = "") -> Any:
    """Return the weights [E, N, K] of all experts, compressed to a type."""
    rng = np.random.default_rng(seed)
    if not name:
        return ops.constant((rng.standard_normal((EXPERTS, rows, columns)) * 0.2).astype(np.float32))
    x = ops.convert(codes(name, [EXPERTS, rows, columns // 16, 16], rng), np.float32)
    scales = rng.uniform(0.01, 0.05, [EXPERTS, rows, columns // 16, 1]).astype(np.float32)
    return ops.reshape(ops.multiply(x, ops.constant(scales)), integers(EXPERTS, rows, columns), False)


def routing(x: Any, rows: Any, last: int = 3) -> Any:
    """Return routing weights [E, batch, length, 1] of rows [T, K], of which all but the greatest are 0."""
    gate = ops.constant(np.random.default_rng(9).standard_normal((EXPERTS, WIDTH)).astype(np.float32))
    scores = ops.softmax(ops.matmul(rows, gate, False, True), 1)
    best = ops.topk(scores, ops.constant(np.int64(TOP)), 1, "max", "value")
    count = ops.gather(ops.shape_of(rows), integers(0), ops.constant(np.int64(0)))
    zeros = ops.broadcast(ops.constant(np.float32(0)), ops.concat([count, integers(EXPERTS)], 0))
    weights = ops.scatter_elements_update(zeros, best.output(1), best.output(0), ops.constant(np.int64(1)))
    by_expert = ops.reshape(ops.transpose(weights, integers(1, 0)), _lengths(x, EXPERTS), False)
    return ops.unsqueeze(by_expert, ops.constant(np.int64(last)))


def _lengths(x: Any, first: int, *last: int) -> Any:
    batch = ops.gather(ops.shape_of(x), integers(0), ops.constant(np.int64(0)))
    return ops.concat([integers(first), batch, integers(-1), *([integers(*last)] if last else [])], 0)


def tiled(rows: Any) -> Any:
    return ops.reshape(ops.tile(rows, integers(EXPERTS, 1)), integers(EXPERTS, -1, WIDTH), False)


def products(rows: Any, name: str = "") -> Any:
    """Return the products of all experts with rows that are repeated for each."""
    x = tiled(rows)
    gate, up = (ops.matmul(x, experts(INNER, WIDTH, seed, name), False, True) for seed in (1, 2))
    return ops.matmul(ops.multiply(ops.swish(gate), up), experts(WIDTH, INNER, 3, name), False, True)


def mixture(x: Any, name: str = "") -> Any:
    rows = ops.reshape(x, integers(-1, WIDTH), False)
    by_row = ops.reshape(products(rows, name), _lengths(x, EXPERTS, WIDTH), False)
    return ops.reduce_sum(ops.multiply(by_row, routing(x, rows)), integers(0), False)


@pytest.mark.parametrize("shape", [(1, 1), (2, 3), (1, 30)])
@pytest.mark.parametrize("name", ["", "i4", "u8"])
def test_rows_of_other_experts_are_skipped(name: str, shape: tuple[int, int]) -> None:
    x = data(*shape, WIDTH)
    types = run_pass(NAME, mixture(x, name), [x]).types()
    assert types.count("RoutedMatMulCompressed" if name else "RoutedMatMul") == 3


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("name", ["", "i4"])
def test_rows_of_unknown_number(name: str, provider: str) -> None:
    x = ops.parameter(ov.PartialShape([-1, -1, WIDTH]), np.float32)
    model = model_of(mixture(x, name), [x])
    reference = ov.Core().compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    run = compiled(model, PROVIDER=provider)
    graphs: list[str] = []
    with pass_observer(lambda passed, graph: graphs.append(graph.to_text()) if passed == NAME else None):
        for batch, length in ((1, 7), (1, 1), (2, 4), (1, 9), (3, 1), (1, 11), (2, 2), (1, 13)):
            rows = np.random.default_rng(length).standard_normal((batch, length, WIDTH)).astype(np.float32)
            close(run([rows])[0], reference([rows])[0], 1e-4, f"{batch}, {length}")
    assert {text.count("RoutedMatMul") for text in graphs} == {3}
    assert any("f32[...] = RoutedMatMul" in text for text in graphs)


def _other_axis(x: Any) -> Any:
    rows = ops.reshape(x, integers(-1, WIDTH), False)
    by_row = ops.reshape(products(rows), integers(EXPERTS, 6, 1, WIDTH), False)
    weights = ops.reshape(routing(x, rows), integers(EXPERTS, 1, 6, 1), False)
    return ops.reduce_sum(ops.multiply(by_row, weights), integers(0), False)


def _sum_of_rows(x: Any) -> Any:
    rows = ops.reshape(x, integers(-1, WIDTH), False)
    by_row = ops.reshape(products(rows), _lengths(x, EXPERTS, WIDTH), False)
    return ops.reduce_sum(ops.multiply(by_row, routing(x, rows)), integers(1), False)


def _read_twice(x: Any) -> Any:
    rows = ops.reshape(x, integers(-1, WIDTH), False)
    by_row = ops.reshape(products(rows), _lengths(x, EXPERTS, WIDTH), False)
    total = ops.reduce_sum(ops.multiply(by_row, routing(x, rows)), integers(0), False)
    return ops.add(total, ops.reduce_max(by_row, integers(0), False))


def _weights_of_columns(x: Any) -> Any:
    rows = ops.reshape(x, integers(-1, WIDTH), False)
    by_row = ops.reshape(products(rows), _lengths(x, EXPERTS, WIDTH), False)
    wide = ops.concat([routing(x, rows)] * WIDTH, 3)
    return ops.reduce_sum(ops.multiply(by_row, wide), integers(0), False)


def _weights_of_all_experts(x: Any) -> Any:
    rows = ops.reshape(x, integers(-1, WIDTH), False)
    weights = ops.softmax(ops.matmul(rows, experts(EXPERTS, WIDTH, 4), False, True), 2)
    by_row = ops.multiply(products(rows), ops.transpose(ops.reduce_mean(weights, integers(0), True), integers(2, 1, 0)))
    return ops.reduce_sum(by_row, integers(0), False)


OTHERS: dict[str, Callable[[Any], Any]] = {
    "weights along another axis": _other_axis,
    "a sum of rows": _sum_of_rows,
    "products that something else reads": _read_twice,
    "a weight for each column": _weights_of_columns,
    "weights that are not scattered": _weights_of_all_experts,
}


@pytest.mark.parametrize("name", OTHERS)
def test_other_subgraphs_stay(name: str) -> None:
    x = data(2, 3, WIDTH)
    assert not run_pass(NAME, OTHERS[name](x), [x]).is_match
