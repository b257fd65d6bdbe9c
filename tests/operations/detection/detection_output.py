"""Samples of DetectionOutput-8 and DetectionOutput-1."""

from __future__ import annotations

import numpy as np

from ir_plugin.tensors import Array
from tests.support.sample import ErrorSample, In, Sample, param

DO = "DetectionOutput"
CENTER = "caffe.PriorBoxParameter.CENTER_SIZE"
CORNER = "caffe.PriorBoxParameter.CORNER"
RANDOM = np.random.default_rng(5)


def priors(count: int, normalized: bool, encoded: bool, batch: int) -> Array:
    centers, sizes = RANDOM.uniform(0.2, 0.8, (batch, count, 2)), RANDOM.uniform(0.1, 0.4, (batch, count, 2))
    boxes = np.concatenate([centers - sizes / 2, centers + sizes / 2], -1)
    if not normalized:
        boxes = np.concatenate([np.zeros((batch, count, 1)), boxes * 100], -1)
    rows = boxes.reshape(batch, 1, -1)
    if encoded:
        return rows.astype(np.float32)
    variances = np.resize([0.1, 0.1, 0.2, 0.2], rows.shape)
    return np.concatenate([rows, variances], 1).astype(np.float32)


def inputs(
    count: int = 12,
    share: bool = True,
    normalized: bool = True,
    encoded: bool = False,
    batch: int = 1,
    aux: bool = False,
) -> list[In]:
    located = 4 * (1 if share else 3)
    arrays = [
        RANDOM.normal(size=(2, count * located)),
        RANDOM.uniform(size=(2, count * 3)),
        priors(count, normalized, encoded, batch),
    ]
    if aux:
        arrays += [RANDOM.uniform(size=(2, count * 2)), RANDOM.normal(size=(2, count * located))]
    return [param(array.astype(np.float32)) for array in arrays]


def attributes(version: int, **more: object) -> dict[str, object]:
    common: dict[str, object] = {
        "keep_top_k": [4],
        "nms_threshold": 0.45,
        "code_type": CENTER,
        "normalized": True,
        "top_k": 5,
        "confidence_threshold": 0.1,
        **more,
    }
    return common | ({"num_classes": 3} if version == 1 else {})


def pixels(version: int, **more: object) -> dict[str, object]:
    return attributes(version, normalized=False, input_height=100, input_width=100, **more)


def all_of(version: int) -> list[Sample]:
    cases = [
        (inputs(), attributes(version)),
        (inputs(batch=2), attributes(version, keep_top_k=[9], top_k=-1)),
        (inputs(share=False), attributes(version, share_location=False)),
        (inputs(normalized=False), pixels(version)),
        (inputs(encoded=True), attributes(version, variance_encoded_in_target=True, code_type=CORNER)),
        (
            inputs(share=False, normalized=False, encoded=True),
            pixels(version, share_location=False, variance_encoded_in_target=True),
        ),
        (inputs(), attributes(version, keep_top_k=[9], code_type=CORNER, clip_before_nms=True, background_label_id=-1)),
        (inputs(), attributes(version, decrease_label_id=True, clip_after_nms=True, keep_top_k=[4])),
        (
            inputs(share=False),
            attributes(version, decrease_label_id=True, share_location=False, top_k=-1, keep_top_k=[2]),
        ),
        (inputs(aux=True), attributes(version, objectness_score=0.01)),
        (
            inputs(aux=True, share=False),
            attributes(version, objectness_score=0.01, share_location=False, keep_top_k=[3]),
        ),
    ]
    return [Sample(DO, version, values, chosen) for values, chosen in cases]


ONE = [
    param([0.0] * 8, "f32"),
    param([0.1, 0.9, 0.8, 0.2], "f32"),
    param([[[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]]], "f32"),
]
SINGLE = [param(item.value[None]) if item.value.ndim == 1 else item for item in ONE]
PLAIN = {
    "keep_top_k": [-1],
    "nms_threshold": 0.5,
    "normalized": True,
    "variance_encoded_in_target": True,
    "confidence_threshold": 0.3,
}
END = [-1.0] + [0.0] * 6
SAMPLES = [
    *all_of(8),
    *all_of(1),
    Sample(
        DO,
        8,
        SINGLE,
        PLAIN,
        expected=[[[[0, 1, 0.9, 0.1, 0.2, 0.3, 0.4], END, [0] * 7, [0] * 7]]],
        openvino="the rows after the end are not determined",
    ),
    Sample(
        DO,
        8,
        SINGLE,
        {**PLAIN, "top_k": 1},
        expected=[[[[0, 1, 0.9, 0.1, 0.2, 0.3, 0.4], END]]],
        shapes=[["..5,8", "2,4", "1,1,8"], ["2..5,8", "?,4", "1,1,8"]],
    ),
    Sample(
        DO,
        1,
        SINGLE,
        {**PLAIN, "num_classes": 2, "confidence_threshold": 2.0, "top_k": 1},
        expected=[[[END, [0] * 7]]],
        openvino="the rows after the end are not determined",
    ),
]

SHAPES = ["f32[2,48]", "f32[2,36]", "f32[1,2,48]"]
ERRORS = [
    ErrorSample(DO, 8, ["f32[2,47]", *SHAPES[1:]], attributes(8), part="box_logits", says="12 · 4 · 1"),
    ErrorSample(DO, 1, [SHAPES[0], "f32[2,35]", SHAPES[2]], attributes(1), part="class_preds", says="12 · 3"),
    ErrorSample(DO, 8, [*SHAPES[:2], "f32[1,1,48]"], attributes(8), part="proposals", says="must be 2"),
    ErrorSample(DO, 8, [*SHAPES[:2], "f32[1,2,49]"], attributes(8), part="proposals", says="no multiple of 4"),
    ErrorSample(DO, 8, [*SHAPES[:2], "f32[3,2,48]"], attributes(8), part="proposals", says="3 images"),
    ErrorSample(DO, 8, ["i32[2,48]", *SHAPES[1:]], attributes(8), part="box_logits", says="i32"),
    ErrorSample(DO, 1, ["f32[2,48,1]", *SHAPES[1:]], attributes(1), part="box_logits", says="rank must be 2"),
    ErrorSample(DO, 8, [*SHAPES, "f32[2,24]"], attributes(8), part="aux_box_preds", says="not"),
    ErrorSample(DO, 8, SHAPES, attributes(8, keep_top_k=[]), part="keep_top_k", says="empty"),
]
