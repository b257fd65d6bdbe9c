"""Samples of BGRtoNV12-17."""

from __future__ import annotations

import numpy as np

from ir_plugin.tensors import Array
from tests.operations.image._planes import plane
from tests.support.sample import ErrorSample, Sample, param

CPU = "OpenVINO's CPU cannot run it"


def clipped(value: float, whole: bool) -> float:
    value = min(max(value, 0.0), 255.0)
    return float(np.floor(value + 0.5)) if whole else value


def planes(image: Array) -> list[Array]:
    """Return luma and chroma, pixel by pixel."""
    whole = image.dtype == np.uint8
    batch, height, width, _ = image.shape
    y, uv = np.zeros((batch, height, width, 1)), np.zeros((batch, height // 2, width // 2, 2))
    for n, i, j in np.ndindex(batch, height, width):
        r, g, b = map(float, image[n, i, j][::-1])
        y[n, i, j] = clipped(0.257 * r + 0.504 * g + 0.098 * b + 16, whole)
        uv[n, i // 2, j // 2, 0] += clipped(-0.148 * r - 0.291 * g + 0.439 * b + 128, whole) / 4
        uv[n, i // 2, j // 2, 1] += clipped(0.439 * r - 0.368 * g - 0.071 * b + 128, whole) / 4
    return [y, np.floor(uv + 0.5) if whole else uv]


def single(image: Array) -> Array:
    y, uv = planes(image)
    batch, height, width, _ = y.shape
    return np.concatenate([y, uv.reshape(batch, height // 2, width, 1)], axis=1)


TWO = {"single_plane": False}

SAMPLES = [
    Sample("BGRtoNV12", 17, [param(plane(2, 4, 6, 3))], TWO, oracle=planes, outputs=2, openvino=CPU),
    Sample("BGRtoNV12", 17, [param(plane(2, 4, 6, 3))], oracle=single, openvino=CPU, shapes=[["1..2,3..9,2..5,3"]]),
    Sample("BGRtoNV12", 17, [param(plane(1, 2, 2, 3) * 1.3 - 20.0, "f32")], TWO, oracle=planes, outputs=2, openvino=CPU,
           rtol=1e-4, atol=1e-4, shapes=[["1..2,3..9,2..5,3"], ["?,4,..8,?"]]),
    Sample("BGRtoNV12", 17, [param(plane(1, 4, 2, 3), "f16")], {"single_plane": True}, oracle=single, openvino=CPU),
    Sample("BGRtoNV12", 17, [param(plane(1, 4, 2, 3), "f64")], {"single_plane": True}, oracle=single, openvino=CPU),
]  # fmt: skip

ERRORS = [
    ErrorSample("BGRtoNV12", 17, ["u8[1,5,6,3]"], part="arg", says="height"),
    ErrorSample("BGRtoNV12", 17, ["u8[1,4,7,3]"], part="arg", says="width"),
    ErrorSample("BGRtoNV12", 17, ["u8[1,4,6,1]"], part="arg", says="must be 3"),
    ErrorSample("BGRtoNV12", 17, ["i32[1,4,6,3]"], part="arg", says="i32"),
    ErrorSample("BGRtoNV12", 17, ["u8[4,6,3]"], TWO, part="arg", says="rank 3", outputs=2),
]  # fmt: skip
