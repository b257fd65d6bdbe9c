"""Samples of GatherTree-1."""

from __future__ import annotations

import numpy as np

from ir_plugin.tensors import Array
from tests.support.sample import ErrorSample, Sample, const, param


def beams(steps: Array, parents: Array, lengths: Array, end: Array) -> Array:
    """Follow each beam separately, as in the pseudocode of the page."""
    result = np.full_like(steps, end)
    for batch in range(steps.shape[1]):
        for beam in range(steps.shape[2]):
            last = min(steps.shape[0], int(lengths[batch])) - 1
            at = beam
            for level in range(last, -1, -1):
                result[level, batch, beam] = steps[level, batch, at]
                at = int(parents[level, batch, at])
            finished = False
            for level in range(last + 1):
                if finished:
                    result[level, batch, beam] = end
                elif result[level, batch, beam] == end:
                    finished = True
    return result


RANDOM = np.random.default_rng(7)
IDS = RANDOM.integers(0, 6, (5, 2, 3)).astype(np.int32)
PARENTS = RANDOM.integers(0, 3, (5, 2, 3)).astype(np.int32)
SMALL = [[[1, 2, 3]], [[4, 5, 6]], [[7, 8, 9]]]
SMALL_PARENTS = [[[0, 0, 0]], [[0, 1, 1]], [[2, 1, 2]]]

SAMPLES = [
    Sample("GatherTree", 1, [param(SMALL, "i32"), param(SMALL_PARENTS, "i32"), param([3], "i32"), const(10, "i32")],
           expected=[[[2, 2, 2]], [[6, 5, 6]], [[7, 8, 9]]]),
    Sample("GatherTree", 1, [param(SMALL, "f32"), param(SMALL_PARENTS, "f32"), param([2], "f32"), param(10, "f32")],
           expected=[[[1, 2, 2]], [[4, 5, 6]], [[10, 10, 10]]], shapes=[["?,1,3", "1..3,?,3", "1..2", ""]]),
    Sample("GatherTree", 1, [param(SMALL, "bf16"), param(SMALL_PARENTS, "bf16"), param([3], "bf16"), const(10, "bf16")],
           expected=[[[2, 2, 2]], [[6, 5, 6]], [[7, 8, 9]]], openvino="the CPU plugin gives zeros for bf16"),
    Sample("GatherTree", 1, [param(IDS), param(PARENTS), param([5, 3], "i32"), const(2, "i32")], oracle=beams,
           shapes=[["5,?,3", "5,2..4,3", "1..3"]]),
    Sample("GatherTree", 1, [param(IDS.astype(np.float32)), param(PARENTS.astype(np.float32)), param([9, 1], "f32"),
                             const(0, "f32")], oracle=beams),
    Sample("GatherTree", 1, [param(IDS), param(PARENTS), param([5, 0], "i32"), const(-1, "i32")], oracle=beams,
           openvino="the CPU plugin leaves the output as it finds it where a length is 0"),
    Sample("GatherTree", 1, [param(IDS[:, :0]), param(PARENTS[:, :0]), param([], "i32"), const(2, "i32")],
           expected=np.zeros((5, 0, 3))),
    Sample("GatherTree", 1, [param(IDS[:, :1]), param(PARENTS[:, :1]), param([4], "i32"), const(3, "i32")],
           oracle=beams),
]  # fmt: skip

ERRORS = [
    ErrorSample("GatherTree", 1, ["i32[5,2,3]", "i32[5,2,4]", "i32[2]", "i32[]"], part="parent_idx", says="[5,2,4]"),
    ErrorSample("GatherTree", 1, ["i32[5,2,3]", "i32[5,2,3]", "i32[3]", "i32[]"], part="max_seq_len", says="[3]"),
    ErrorSample("GatherTree", 1, ["i32[5,2]", "i32[5,2]", "i32[2]", "i32[]"], part="step_ids", says="rank"),
    ErrorSample("GatherTree", 1, ["i32[5,2,3]", "i32[5,2,3]", "i32[2,1]", "i32[]"], part="max_seq_len", says="rank"),
    ErrorSample("GatherTree", 1, ["i32[5,2,3]", "i32[5,2,3]", "i32[2]", "i32[1]"], part="end_token", says="rank"),
    ErrorSample("GatherTree", 1, ["i32[5,2,3]", "f32[5,2,3]", "i32[2]", "i32[]"], part="input 1", says="f32"),
    ErrorSample("GatherTree", 1, ["string[5,2,3]", "string[5,2,3]", "string[2]", "string[]"], part="step_ids",
                says="string"),
    ErrorSample("GatherTree", 1, [param(SMALL, "i32"), param(np.full((3, 1, 3), 3), "i32"), param([3], "i32"),
                                  const(10, "i32")], code="IR701", says="leads to beam 3 at step 1 of batch 0"),
]  # fmt: skip
