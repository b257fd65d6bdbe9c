"""The addresses of operations' specifications on docs.openvino.ai."""

from __future__ import annotations

import re

_PAGES = "https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs"

_IRREGULAR = {
    "activation/h-sigmoid-5": "activation/hsigmoid-5",
    "activation/h-swish-4": "activation/hswish-4",
    "activation/log-softmax-5": "activation/log-soft-max-5",
    "activation/p-relu-1": "activation/prelu-1",
    "activation/soft-plus-4": "activation/softplus-4",
    "activation/soft-sign-9": "activation/softsign-9",
    "arithmetic/acosh-4": "arithmetic/acosh-3",
    "arithmetic/asinh-4": "arithmetic/asinh-3",
    "arithmetic/atanh-4": "arithmetic/atanh-3",
    "arithmetic/cum-sum-3": "arithmetic/cumsum-3",
    "arithmetic/erf-inv-17": "arithmetic/erfinv-17",
    "arithmetic/floor-mod-1": "arithmetic/floormod-1",
    "comparison/is-finite-10": "comparison/isfinite-10",
    "comparison/is-inf-10": "comparison/isinf-10",
    "comparison/is-na-n-10": "comparison/isnan-10",
    "comparison/less-equal-1": "comparison/lessequal-1",
    "comparison/not-equal-1": "comparison/notequal-1",
    "condition/non-zero-3": "condition/nonzero-3",
    "detection/detection-output-1": "detection/detectionoutput-1",
    "detection/detection-output-8": "detection/detectionoutput-8",
    "detection/reorg-yolo-2": "detection/reorg-yolo-1",
    "detection/roi-pooling-2": "detection/roi-pooling-1",
    "image/bg-rto-nv12-17": "image/bgr-to-nv12-17",
    "image/i420to-bgr-8": "image/i420-to-bgr-8",
    "image/i420to-rgb-8": "image/i420-to-rgb-8",
    "image/nv12to-bgr-8": "image/nv12-to-bgr-8",
    "image/nv12to-rgb-8": "image/nv12-to-rgb-8",
    "image/rg-bto-nv12-17": "image/rgb-to-nv12-17",
    "infrastructure/const-1": "infrastructure/constant-1",
    "logical/xor-1": "logical/logical-xor-1",
    "matrix/grouped-mat-mul-17": "matrix/grouped-matmul-17",
    "matrix/mat-mul-1": "matrix/matmul-1",
    "movement/col2-im-15": "movement/col2im-15",
    "movement/scatter-nd-update-4": "movement/scatter-nd-update-3",
    "normalization/mvn-2": "normalization/mvn-1",
    "sequence/lstm-cell-4": "sequence/lstm-cell-1",
    "sequence/rnn-cell-1": "sequence/rnn-cell-3",
    "sequence/scaled-dot-product-attention-13": "sequence/scaled-dot-product-attention",
    "sort/experimental-detectron-top-kro-is-6": "sort/experimental-detectron-top-krois-6",
    "sort/matrix-nms-8": "sort/matrix-non-max-suppression-8",
    "sort/multiclass-nms-8": "sort/multiclass-non-max-suppression-8",
    "sort/multiclass-nms-9": "sort/multiclass-non-max-suppression-9",
    "sort/non-max-suppression-5": "sort/no-max-suppression-5",
    "sparse/sparse-fill-empty-rows-16": "sparse/fill-empty-rows-16",
}
"""Pages whose name does not follow from the operation's type and opset."""


def specification(family: str, type: str, opset: str) -> str:
    """Return the address of the page of an operation; `opset` is the number of the opset that introduced it."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "-", type).lower()
    page = f"{family}/{words}-{opset}".replace("_", "-")
    return f"{_PAGES}/{_IRREGULAR.get(page, page)}.html"
