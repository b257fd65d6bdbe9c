"""Einsum as a matrix product, against the plain evaluation and OpenVINO."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from openvino import opset8 as ops

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
