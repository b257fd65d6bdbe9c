"""Samples of Broadcast-3 and Broadcast-1."""

from __future__ import annotations

import numpy as np

from tests.support.sample import ErrorSample, Sample, const, param

LINE, ROWS = np.arange(3, dtype=np.float32), np.arange(6, dtype=np.float32).reshape(2, 3)
PDPD = "OpenVINO fails in mode pdpd, which the pages do not describe, except where the ranks are equal"
COLUMN = np.array([[1], [2]], np.float32)

BOTH = [
    sample
    for version in (1, 3)
    for sample in [
        Sample(
            "Broadcast",
            version,
            [param(LINE), const([2, 4, 3])],
            expected=np.broadcast_to(LINE, (2, 4, 3)),
            shapes=[["?"], ["1..3"], ["2..9"], ["..."]],
        ),
        Sample(
            "Broadcast",
            version,
            [param(COLUMN), const([2, 3], "i32")],
            {"mode": "numpy"},
            expected=[[1, 1, 1], [2, 2, 2]],
            shapes=[["?,1"], ["1..2,1..8"]],
        ),
        Sample(
            "Broadcast",
            version,
            [param(COLUMN), param([1, 2, 2])],
            {"mode": "numpy"},
            expected=[[[1, 1], [2, 2]]],
            shapes=[["2,1", "3"], ["?,?", "3"], ["2,1", "?"], ["2,1", "..."], ["...", "3"]],
        ),
        Sample(
            "Broadcast",
            version,
            [param(ROWS), const([2, 4, 3, 5]), const([0, 2])],
            {"mode": "explicit"},
            expected=np.broadcast_to(ROWS[:, None, :, None], (2, 4, 3, 5)),
            shapes=[["?,3"], ["1..2,1..3"]],
        ),
        Sample(
            "Broadcast",
            version,
            [param(LINE), param([3, 4]), param([0])],
            {"mode": "explicit"},
            expected=np.broadcast_to(LINE[:, None], (3, 4)),
            shapes=[["3", "2", "1"], ["?", "?", "?"], ["?", "2", "1"]],
        ),
        Sample("Broadcast", version, [param(5, "f16"), const([2, 2])], expected=[[5, 5], [5, 5]]),
        Sample("Broadcast", version, [param([5], "bf16"), const([3])], expected=[5, 5, 5]),
        Sample("Broadcast", version, [param([1, 250], "u8"), const([2, 2])], expected=[[1, 250], [1, 250]]),
        Sample("Broadcast", version, [param(True, "boolean"), const([2])], expected=[True, True]),
        Sample(
            "Broadcast",
            version,
            [param([2**62 + 1]), const([2])],
            expected=[2**62 + 1] * 2,
            openvino="the CPU plugin cuts i64 to i32",
        ),
        Sample(
            "Broadcast",
            version,
            [param(["é"], "string"), const([2])],
            expected=["é", "é"],
            openvino="the CPU plugin does not run strings",
        ),
        Sample("Broadcast", version, [param(LINE), const([0, 3])], expected=np.zeros((0, 3))),
    ]
]

SAMPLES = [
    *BOTH,
    Sample(
        "Broadcast",
        3,
        [param(ROWS), const([4, 1, 1])],
        {"mode": "bidirectional"},
        expected=np.broadcast_to(ROWS, (4, 2, 3)),
        shapes=[["?,3"], ["1..2,1..3"], ["2..5,3"], ["..."]],
    ),
    Sample("Broadcast", 3, [param(COLUMN), const([3])], {"mode": "bidirectional"}, expected=[[1, 1, 1], [2, 2, 2]]),
    Sample(
        "Broadcast",
        3,
        [param(COLUMN), param([2, 3])],
        {"mode": "bidirectional"},
        expected=[[1, 1, 1], [2, 2, 2]],
        shapes=[["2,1", "2"], ["2,1", "?"], ["?,1..3", "2"]],
    ),
    Sample("Broadcast", 1, [param([1.0, 2.0]), const([2, 3]), const([0])], expected=[[1, 1, 1], [2, 2, 2]]),
    Sample("Broadcast", 1, [param(COLUMN), const([2, 3])]),
    Sample("Broadcast", 1, [param([1.0, 2.0, 3.0]), const([2, 3])], {"mode": "explicit"}),
    Sample(
        "Broadcast",
        1,
        [param(COLUMN), const([2, 3])],
        {"mode": "pdpd"},
        expected=[[1, 1, 1], [2, 2, 2]],
        openvino=PDPD,
        openvino_shapes=PDPD,
    ),
    Sample(
        "Broadcast",
        3,
        [param(COLUMN), const([2, 3])],
        {"mode": "pdpd"},
        expected=[[1, 1, 1], [2, 2, 2]],
        openvino_shapes=PDPD,
    ),
    Sample(
        "Broadcast",
        3,
        [param(LINE[:2]), const([2, 3, 4])],
        {"mode": "pdpd", "mode.mode.axis": 0},
        expected=np.broadcast_to(LINE[:2, None, None], (2, 3, 4)),
        openvino=PDPD,
        openvino_shapes=PDPD,
    ),
    Sample(
        "Broadcast",
        1,
        [param(LINE[:2]), const([3, 2, 4])],
        {"mode": "pdpd", "mode.auto_broadcast_axis": 1},
        expected=np.broadcast_to(LINE[:2, None], (3, 2, 4)),
        openvino=PDPD,
        openvino_shapes=PDPD,
    ),
]

ERRORS = [
    *(
        error
        for version in (1, 3)
        for error in [
            ErrorSample("Broadcast", version, ["f32[2,3]", const([2, 4])], part="target_shape", says="dimension 3"),
            ErrorSample("Broadcast", version, ["f32[2,3]", const([3])], part="target_shape", says="no room"),
            ErrorSample("Broadcast", version, ["f32[3]", const([-1, 3])], part="target_shape", says="at least 0"),
            ErrorSample("Broadcast", version, ["f32[3]", const([[1, 3]])], part="target_shape", says="rank"),
            ErrorSample("Broadcast", version, ["f32[3]", const([1.0])], part="target_shape", says="f32"),
            ErrorSample(
                "Broadcast",
                version,
                ["f32[2,3]", const([3, 2, 3]), const([0])],
                {"mode": "explicit"},
                part="axes_mapping",
                says="rank 2",
            ),
            ErrorSample(
                "Broadcast",
                version,
                ["f32[2,3]", const([3, 2, 3]), const([2, 1])],
                {"mode": "explicit"},
                part="axes_mapping",
                says="ascend",
            ),
            ErrorSample(
                "Broadcast",
                version,
                ["f32[2,3]", const([3, 2, 3]), const([1, 3])],
                {"mode": "explicit"},
                part="axes_mapping",
                says="3",
            ),
            ErrorSample(
                "Broadcast",
                version,
                ["f32[2,3]", const([3, 2, 3]), const([0, 2])],
                {"mode": "explicit"},
                part="target_shape",
                says="dimension 2",
            ),
        ]
    ),
    ErrorSample(
        "Broadcast", 3, ["f32[2,3]", const([2, 3])], {"mode": "explicit"}, part="axes_mapping", says="not connected"
    ),
    ErrorSample(
        "Broadcast", 3, ["f32[2,3]", const([2, 4])], {"mode": "bidirectional"}, part="target_shape", says="broadcast"
    ),
]
