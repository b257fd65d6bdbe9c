"""MaxRoiPool and RoiAlign: pools over regions of interest."""

from __future__ import annotations

from typing import Any

from ir_plugin.frontends.onnx.common import extension
from ir_plugin.frontends.onnx.faults import OnnxReadError
from ir_plugin.frontends.onnx.node import OnnxNode
from ir_plugin.frontends.onnx.registry import translates
from ir_plugin.model import Node
from ir_plugin.opsets import opset16 as ops


@translates("MaxRoiPool", 1)
def max_roi_pool(node: OnnxNode) -> Node:
    """Return ROIPooling-2."""
    height, width = node.attributes.ints("pooled_shape")
    return ops.roi_pooling(node.input(0), node.input(1), [height, width], node.attributes.float("spatial_scale"), "max")


@translates("RoiAlign", 16)
def roi_align(node: OnnxNode) -> Node:
    """Return ROIAlign-9, for max the extension's; by half_pixel the coordinates are moved by half a pixel."""
    mode = node.attributes.text("coordinate_transformation_mode")
    modes = {"half_pixel": "half_pixel_for_nn", "output_half_pixel": "asymmetric"}
    if mode not in modes:
        raise OnnxReadError(
            f"the attribute 'coordinate_transformation_mode' is {mode!r}; it must be {' or '.join(modes)}"
        )
    return _aligned(node, modes[mode])


@translates("RoiAlign", 10)
def roi_align_10(node: OnnxNode) -> Node:
    """As the newest, but without the move by half a pixel."""
    return _aligned(node, "asymmetric")


def _aligned(node: OnnxNode, aligned: str) -> Node:
    attributes = node.attributes
    mode = attributes.text("mode")
    if mode not in ("avg", "max"):
        raise OnnxReadError(f"the attribute 'mode' is {mode!r}; it must be avg or max")
    data, rois, images = (node.input(index) for index in range(3))
    pooled: dict[str, Any] = {
        "pooled_h": attributes.int("output_height"),
        "pooled_w": attributes.int("output_width"),
        "sampling_ratio": attributes.int("sampling_ratio"),
        "spatial_scale": attributes.float("spatial_scale"),
        "mode": mode,
        "aligned_mode": aligned,
    }
    return (
        ops.roi_align(data, rois, images, **pooled)
        if mode == "avg"
        else extension("ROIAlignOfProducts", [data, rois, images], **pooled)
    )
