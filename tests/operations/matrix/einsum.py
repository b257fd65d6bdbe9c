"""Samples of Einsum-7."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.support.sample import ErrorSample, Sample, const, param

RNG = np.random.default_rng(8)


def floats(*shape: int) -> Any:
    return RNG.standard_normal(shape).astype(np.float32)


def eq(equation: str) -> dict[str, object]:
    return {"equation": equation}


SQUARE = np.array([[1, 2, 3], [4, 5, 6], [7, 8, 9]], np.float32)
BATCH = np.stack([SQUARE, 2 * SQUARE])

REPEATED = "OpenVINO keeps labels that are twice in one subscript, the specification drops them"
BLANKS = "OpenVINO refuses blanks within a subscript, the specification allows them"

SAMPLES = [
    Sample("Einsum", 7, [param([1.0, 2.0, 3.0]), param([4.0, 5.0, 6.0])], eq("i,i->"), expected=32),
    Sample(
        "Einsum",
        7,
        [param(np.array([[1, 2, 3]] * 2, np.float32)), const([4.0, 5.0, 6.0])],
        eq("ij,j->i"),
        expected=[32, 32],
    ),
    Sample("Einsum", 7, [param(BATCH)], eq("kii->k"), expected=[15, 30]),
    Sample("Einsum", 7, [param(BATCH)], eq("kii->ki"), expected=[[1, 5, 9], [2, 10, 18]]),
    Sample("Einsum", 7, [param(SQUARE[None])], eq("ijk->kij"), expected=[SQUARE.T[:, None, :]][0]),
    Sample("Einsum", 7, [param(SQUARE)], eq("a...->..."), expected=[12, 15, 18], shapes=[["..."], ["?,3"]]),
    Sample(
        "Einsum",
        7,
        [param(SQUARE), param([0.5])],
        eq("a...,...->a..."),
        expected=SQUARE / 2,
        shapes=[["3,3", "?"], ["?,1..3", "?"], ["...", "1"]],
    ),
    Sample("Einsum", 7, [param(SQUARE[None, :2])], eq("AbC"), expected=[SQUARE[:2].T][0][None]),
    Sample(
        "Einsum",
        7,
        [param(floats(2, 3, 4)), param(floats(2, 7, 1)), param(floats(2, 4, 7))],
        eq("ab...,ac...,ade->...bc"),
    ),
    Sample("Einsum", 7, [param(floats(9, 1, 4, 3)), param(floats(3, 11, 7, 1))], eq("a...b,b...->a...")),
    Sample(
        "Einsum",
        7,
        [param(floats(2, 3, 3, 4)), param(floats(4, 5))],
        eq("dbbc,ca"),
        oracle=lambda a, b: np.einsum("dbbc,ca->ad", a, b),
        openvino=REPEATED,
        openvino_shapes=REPEATED,
    ),
    Sample(
        "Einsum",
        7,
        [param(floats(2, 3)), param(floats(3, 4))],
        eq("ij,jk->ik"),
        shapes=[["?,3", "3,4..5"], ["...", "3,4"], ["2..5,3", "3..9,4"]],
    ),
    Sample(
        "Einsum",
        7,
        [param(floats(2, 3)), param(floats(3, 4))],
        eq(" i j , j k -> i k "),
        oracle=np.matmul,
        openvino=BLANKS,
        openvino_shapes=BLANKS,
    ),
    Sample("Einsum", 7, [param(floats(2, 5)), param(floats(5, 3, 6)), param(floats(5, 3))], eq("ab,bcd,bc->ca")),
    Sample("Einsum", 7, [param(floats(2, 3, 4))], eq("a...b->ab...")),
    Sample("Einsum", 7, [param(floats(2, 3)), param(floats(4))], eq("ij,...->...i")),
    Sample("Einsum", 7, [param(floats(2, 3)), param(floats(2, 3))], eq("ij,ij->i")),
    Sample("Einsum", 7, [param(np.float32(2)), param(floats(3))], eq(",i->i")),
    Sample(
        "Einsum",
        7,
        [param(RNG.integers(-5, 6, (2, 3)), "i32"), param(RNG.integers(-5, 6, (3, 2)), "i32")],
        eq("ij,jk->ik"),
    ),
    Sample("Einsum", 7, [param(floats(2, 3), "f16"), param(floats(3, 2), "f16")], eq("ij,jk->ik"), atol=1e-2),
    Sample(
        "Einsum", 7, [param(floats(2, 3), "f64"), param(floats(3, 2), "f64")], eq("ij,jk"), oracle=lambda a, b: a @ b
    ),
    Sample(
        "Einsum",
        7,
        [param(floats(2, 1)), param(floats(3, 4))],
        eq("ij,jk->ikj"),
        oracle=lambda a, b: a[:, None] * b.T,
        shapes=[["?,?", "?,4"], ["2,1..3", "..3,4"], ["...", "3,4"]],
    ),
    Sample("Einsum", 7, [param([[1.0, 2], [3, 4]]), param([[2.0]]), param([[3.0], [5]])], eq("ab,ba,ba->a")),
    Sample("Einsum", 7, [param(floats(2, 3)), param(floats(3))], eq("i...j,j...->i"), shapes=[["?,3", "?"]]),
]

ERRORS = [
    ErrorSample("Einsum", 7, ["f32[2,4]", "f32[3,4]"], eq("ij,jk->ik"), part="input 1", says="'j' has the length 3"),
    ErrorSample("Einsum", 7, ["f32[2,1,4]", "f32[4]"], eq("kii,i->k"), part="input 0", says="'i'"),
    ErrorSample("Einsum", 7, ["f32[2,3,4]"], eq("kii->k"), part="input 0", says="'i'"),
    ErrorSample("Einsum", 7, ["f32[2,3,4]"], eq("ij->i"), part="input 0", says="rank 3"),
    ErrorSample("Einsum", 7, ["f32[3]"], eq("i...jk->i..."), part="input 0", says="rank 1"),
    ErrorSample("Einsum", 7, ["f32[2,3]"], eq("ij,jk->ik"), part="equation", says="2 input subscripts for 1"),
    ErrorSample("Einsum", 7, ["f32[2,3]"], eq("ij->k"), part="equation", says="'k'"),
    ErrorSample("Einsum", 7, ["f32[2,3]"], eq("ij->ii"), part="equation", says="twice"),
    ErrorSample("Einsum", 7, ["f32[2,3]"], eq("i1->i"), part="equation", says="letters"),
    ErrorSample("Einsum", 7, ["f32[2,3]"], eq("i..j->i"), part="equation"),
    ErrorSample("Einsum", 7, ["f32[2,3]"], eq("i...->i"), part="equation", says="ellipsis"),
    ErrorSample("Einsum", 7, ["f32[2,3,2]", "f32[2,4,2]"], eq("a...b,a...b->..."), part="input 1", says="broadcast"),
    ErrorSample("Einsum", 7, ["f32[2]", "f16[2]"], eq("i,i->i"), says="f16"),
    ErrorSample("Einsum", 7, ["boolean[2]"], eq("i->"), says="boolean"),
]
