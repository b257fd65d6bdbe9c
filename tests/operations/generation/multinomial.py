"""Samples of Multinomial-13: probabilities that leave no choice, and OpenVINO's draws."""

from __future__ import annotations

import numpy as np

from tests.support.sample import ErrorSample, Sample, const, param


def drawing(replaced: bool = True, logs: bool = False, type: str = "i32", seed: int = 150) -> dict[str, object]:
    return {"convert_type": type, "with_replacement": replaced, "log_probs": logs, "global_seed": seed, "op_seed": 10}


EVEN = np.full((2, 200), 1 / 200, np.float32)
THREE = [[0.1, 0.5, 0.4]]

SAMPLES = [
    Sample("Multinomial", 13, [param(EVEN), const(6)], drawing()),
    Sample("Multinomial", 13, [param(EVEN), param([6], "i32")], drawing(type="i64", seed=2**40 + 3)),
    Sample("Multinomial", 13, [param(THREE), const(5)], drawing()),
    Sample("Multinomial", 13, [param([[-1.0, 1, 2], [50, 1, 21]]), const(10)], drawing(logs=True)),
    Sample("Multinomial", 13, [param(THREE), const(3)], drawing(replaced=False)),
    Sample("Multinomial", 13, [param(EVEN), param(20)], drawing(replaced=False), shapes=[["1..4,?", ""]]),
    Sample("Multinomial", 13, [param([[0.0, 2, 0, 0], [0, 0, 0, 3]], "f16"), const(2)], drawing(),
        expected=[[1, 1], [3, 3]]),
    Sample("Multinomial", 13, [param([[0.0, 2, 0], [0, 0, 3]], "f64"), const([1])], drawing(replaced=False),
        expected=[[1], [2]]),
    Sample("Multinomial", 13, [param([[0.2, 0.3, 0.5]], "bf16"), const(4)], drawing(seed=7)),
    Sample("Multinomial", 13, [param(THREE), const(0)], drawing(), expected=np.zeros((1, 0))),
]  # fmt: skip

ERRORS = [
    ErrorSample("Multinomial", 13, ["f32[3]", const(2)], drawing(), part="probs", says="rank 1"),
    ErrorSample("Multinomial", 13, ["i32[1,3]", const(2)], drawing(), part="probs", says="i32"),
    ErrorSample("Multinomial", 13, ["f32[1,3]", const(2.0)], drawing(), part="num_samples", says="f32"),
    ErrorSample("Multinomial", 13, ["f32[1,3]", const([2, 3])], drawing(), part="num_samples", says="[2]"),
    ErrorSample("Multinomial", 13, ["f32[1,3]", const(-2)], drawing(), part="num_samples", says="-2"),
    ErrorSample("Multinomial", 13, ["f32[1,3]", const(4)], drawing(replaced=False), part="num_samples",
        says="only 3 classes"),
    ErrorSample("Multinomial", 13, ["f32[1,3]", const(4)], drawing(type="f32"), part="convert_type", says="f32"),
    ErrorSample("Multinomial", 13, [param([[0.5, -0.5, 1]]), const(2)], drawing(), code="IR701", says="probs[0, 1]"),
    ErrorSample("Multinomial", 13, [param([[0.0, 0]]), const(2)], drawing(), code="IR701", says="row 0"),
    ErrorSample("Multinomial", 13, [param([[0.0, 1]]), const(2)], drawing(replaced=False), code="IR701",
        says="only 1 classes"),
]  # fmt: skip
