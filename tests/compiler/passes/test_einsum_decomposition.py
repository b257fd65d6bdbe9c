"""Einsum as a matrix product, against the plain evaluation and OpenVINO."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import openvino as ov
import pytest
from openvino import opset8 as ops

from tests.support.passes import data, model_of, run_pass, unknown_shape
from tests.support.planned import hold, variants

CASES: dict[str, tuple[tuple[int, ...], tuple[int, ...]]] = {
    "ij,jk->ik": ((3, 4), (4, 5)),
    "ji,jk->ik": ((4, 3), (4, 5)),
    "ij,kj->ki": ((3, 4), (5, 4)),
    "bhqd,bhkd->bhqk": ((2, 3, 4, 5), (2, 3, 6, 5)),
    "bhqk,bhkd->bqhd": ((2, 3, 4, 6), (2, 3, 6, 5)),
    "bqhd,bkhd->bhqk": ((2, 4, 3, 5), (2, 6, 3, 5)),
    "bchw,cko->bohwk": ((2, 3, 4, 5), (3, 2, 6)),
    "abcd,cdef->abef": ((2, 3, 4, 5), (4, 5, 6, 2)),
    "i,j->ij": ((3,), (4,)),
    "i,i->": ((4,), (4,)),
    "bi,bi->b": ((3, 4), (3, 4)),
    "bij,b->bij": ((3, 4, 2), (3,)),
}


def example() -> ov.Model:
    """Return the model that the page of passes shows."""
    query, key = data(1, 2, 3, 8), data(1, 2, 5, 8)
    return model_of(ops.einsum([query, key], "bhqd,bhkd->bhqk"), [query, key])


@pytest.mark.parametrize("constant", [False, True])
@pytest.mark.parametrize("equation", CASES)
def test_products(equation: str, constant: bool, tmp_path: Path) -> None:
    a = ops.parameter(list(CASES[equation][0]), np.float32, name="a")
    b = ops.parameter(list(CASES[equation][1]), np.float32, name="b")
    weights = ops.constant(np.random.default_rng(1).standard_normal(CASES[equation][1]).astype(np.float32))
    hold(ops.einsum([ops.abs(a), weights if constant else b], equation), [a] if constant else [a, b], tmp_path)
    assert "MatMul" in variants(tmp_path)


@pytest.mark.parametrize(
    ("equation", "left", "right"),
    [("iij,jk->ik", (3, 3, 4), (4, 5)), ("ij,jk->i", (3, 4), (4, 5)), ("...j,jk->...k", (2, 3, 4), (4, 5))],
)
def test_what_is_no_product_of_matrices(
    equation: str, left: tuple[int, ...], right: tuple[int, ...], tmp_path: Path
) -> None:
    a, b = (ops.parameter(list(shape), np.float32) for shape in (left, right))
    hold(ops.einsum([a, b], equation), [a, b], tmp_path)
    assert "MatMul" not in variants(tmp_path)


def test_attention_by_einsum(tmp_path: Path) -> None:
    query, key, value = (ops.parameter([2, 4, 7, 8], np.float32) for _ in range(3))
    scores = ops.einsum([query, key], "bhqd,bhkd->bhqk")
    bias = np.random.default_rng(2).standard_normal((1, 4, 7, 7)).astype(np.float32)
    shares = ops.softmax(ops.add(ops.multiply(scores, np.float32(8**-0.5)), bias), -1)
    hold(ops.einsum([shares, value], "bhqk,bhkd->bhqd"), [query, key, value], tmp_path)
    assert "ScaledDotProductAttention" in variants(tmp_path)


EXPECTED = {
    "ij,jk->ik": ["MatMul"],
    "ji,jk->ik": ["MatMul"],
    "bhqd,bhkd->bhqk": ["MatMul"],
    "bqhd,bkhd->bhqk": ["Transpose", "Transpose", "MatMul"],
    "abcd,cdef->abef": ["Reshape", "Reshape", "MatMul", "Reshape"],
}


@pytest.mark.parametrize("equation", EXPECTED)
def test_operands_are_moved_only_where_that_is_needed(equation: str) -> None:
    parameters = [data(*shape) for shape in CASES[equation]]
    assert run_pass("einsum_decomposition", ops.einsum(parameters, equation), parameters).types() == EXPECTED[equation]


@pytest.mark.parametrize(
    ("equation", "shapes"),
    [
        ("iij,jk->ik", [(3, 3, 4), (4, 5)]),
        ("ij,jk->i", [(3, 4), (4, 5)]),
        ("...j,jk->...k", [(2, 3, 4), (4, 5)]),
        ("ij,jk,kl->il", [(2, 3), (3, 4), (4, 5)]),
        ("ij->ji", [(2, 3)]),
    ],
)
def test_other_equations_stay(equation: str, shapes: list[tuple[int, ...]]) -> None:
    parameters = [data(*shape) for shape in shapes]
    assert not run_pass("einsum_decomposition", ops.einsum(parameters, equation), parameters).is_match


def test_whole_numbers_and_shapes_of_the_run_stay() -> None:
    a, b = (ops.parameter([3, 3], np.int32) for _ in range(2))
    assert not run_pass("einsum_decomposition", ops.einsum([a, b], "ij,jk->ik"), [a, b]).is_match
    x = data(2, 3)
    y = ops.einsum([x, unknown_shape(x)], "ij,ik->jk")
    assert not run_pass("einsum_decomposition", y, [x]).is_match


def test_tensors_without_elements_stay() -> None:
    a, b = data(2, 0), data(0, 3)
    assert not run_pass("einsum_decomposition", ops.einsum([a, b], "ij,jk->ik"), [a, b], judge="").is_match
