"""Samples of MelWeightMatrix of version extension."""

import numpy as np

from ir_plugin.tensors import Array
from tests.support.sample import ErrorSample, Sample, const, param

OURS = "OpenVINO has no MelWeightMatrix"


def triangles(*inputs: Array) -> Array:
    """Return the weights, one by one as ONNX's reference computes them."""
    bins, length, rate, low, high = (value.item() for value in inputs)
    first, last = (2595 * np.log10(1 + edge / 700) for edge in (low, high))
    edges = []
    for number in range(bins + 2):
        hertz = 700 * (10 ** ((number * (last - first) / (bins + 2) + first) / 2595) - 1)
        edges.append(int((length + 1) * hertz // rate))
    weights = np.zeros((length // 2 + 1, bins))
    for column in range(bins):
        rise, peak, end = edges[column : column + 3]
        if rise == peak:
            weights[peak, column] = 1
        for row in range(rise, peak + 1):
            weights[row, column] = 1 if peak == rise else (row - rise) / (peak - rise)
        for row in range(peak, end):
            weights[row, column] = (end - row) / (end - peak)
    return weights


def mel(bins: int, length: int, rate: int, low: float, high: float, type: str = "f32", fixed: bool = False) -> Sample:
    build = const if fixed else param
    numbers = [np.int64(bins), np.int64(length), np.int64(rate), np.float32(low), np.float32(high)]
    inputs = [build(number) for number in numbers]
    attributes = {"output_type": type}
    return Sample(
        "MelWeightMatrix",
        "extension",
        inputs,
        attributes,
        oracle=triangles,
        openvino=OURS,
        openvino_shapes=OURS,
        rtol=1e-2,
    )


SAMPLES = [
    mel(8, 16, 8192, 0, 4096),
    mel(20, 512, 16000, 125, 7500, fixed=True),
    mel(3, 31, 8000, 300, 3500, "f64"),
    mel(40, 64, 22050, 0, 8000, "f16"),
]

HERTZ = [param(np.int64(8192)), param(np.float32(0)), param(np.float32(4096))]
ERRORS = [
    ErrorSample(
        "MelWeightMatrix",
        "extension",
        ["f32[]", "i64[]", "i64[]", "f32[]", "f32[]"],
        {"output_type": "f32"},
        part="num_mel_bins",
        says="f32",
    ),
    ErrorSample(
        "MelWeightMatrix",
        "extension",
        [param(np.int64(0)), param(np.int64(16)), *HERTZ],
        {"output_type": "f32"},
        says="at least 1",
        code="IR701",
    ),
    ErrorSample(
        "MelWeightMatrix",
        "extension",
        [param(np.int64(4)), param(np.int64(16)), HERTZ[0], HERTZ[1], param(np.float32(9000))],
        {"output_type": "f32"},
        says="outside",
        code="IR701",
    ),
]
