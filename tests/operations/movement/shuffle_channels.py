"""Samples of ShuffleChannels-1."""

from __future__ import annotations

import numpy as np

from tests.support.sample import ErrorSample, Sample, param

LARGE = np.arange(2 * 6 * 4 * 2, dtype=np.float32).reshape(2, 6, 4, 2)
ORDER = [0, 2, 4, 1, 3, 5]

SAMPLES = [
    Sample(
        "ShuffleChannels",
        1,
        [param(LARGE)],
        {"group": 3},
        expected=LARGE[:, ORDER],
        shapes=[["?,6,?,1..3"], ["2,?,4,2"], ["2,3..8,4,2"]],
    ),
    Sample("ShuffleChannels", 1, [param(LARGE)], {"axis": -2, "group": 2}, expected=LARGE[:, :, [0, 2, 1, 3]]),
    Sample("ShuffleChannels", 1, [param(LARGE[0])], {"axis": 0, "group": 2}, expected=LARGE[0, [0, 3, 1, 4, 2, 5]]),
    Sample("ShuffleChannels", 1, [param(LARGE)], expected=LARGE),
    Sample("ShuffleChannels", 1, [param(np.arange(6, dtype=np.float32))], {"axis": 0, "group": 3}, expected=ORDER),
    Sample("ShuffleChannels", 1, [param(LARGE, "f16")], {"group": 3}, expected=LARGE[:, ORDER]),
    Sample("ShuffleChannels", 1, [param(LARGE, "bf16")], {"group": 3}, expected=LARGE[:, ORDER]),
    Sample("ShuffleChannels", 1, [param(LARGE, "u8")], {"group": 6, "axis": 1}, expected=LARGE),
    Sample("ShuffleChannels", 1, [param(LARGE, "i32")], {"group": 3}, expected=LARGE[:, ORDER]),
]

ERRORS = [
    ErrorSample("ShuffleChannels", 1, ["f32[2,6,4]"], {"group": 4}, part="group", says="does not divide"),
    ErrorSample("ShuffleChannels", 1, ["f32[2,6,4]"], {"group": 0}, part="group", says="at least 1"),
    ErrorSample("ShuffleChannels", 1, ["f32[2,6,4]"], {"axis": 3}, part="axis", says="[-3, 2]"),
]
