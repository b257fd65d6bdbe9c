"""Dropout, which passes its input on where it does not train."""

from __future__ import annotations

import numpy as np

from ir_plugin.frontends.onnx.common import Value, extension, scalar, shape_of
from ir_plugin.frontends.onnx.node import OnnxNode
from ir_plugin.frontends.onnx.registry import translates
from ir_plugin.opsets import opset16 as ops
from ir_plugin.tensors import ElementType


@translates("Dropout", 12)
def dropout(node: OnnxNode) -> list[Value]:
    """Return the input and a mask of true for all elements, or where it may train the extension's Dropout."""
    training = node.constant(2)
    if not node.has(2) or (training is not None and not bool(np.any(training))):
        return _passed(node, ElementType.boolean)
    data = node.input(0)
    ratio = node.input(1) if node.has(1) else scalar(0.5, ElementType.f32)
    seed = {"seed": node.attributes.int("seed")} if "seed" in node.attributes else {}
    return list(extension("Dropout", [data, ratio, node.input(2)], **seed).outputs)


@translates("Dropout", 10)
def dropout_10(node: OnnxNode) -> list[Value]:
    """As the newest, but without inputs for training."""
    return _passed(node, ElementType.boolean)


@translates("Dropout", 1)
def dropout_1(node: OnnxNode) -> list[Value]:
    """As version 10, but the mask has the type of the data."""
    return _passed(node, node.type_of(0))


def _passed(node: OnnxNode, mask: ElementType) -> list[Value]:
    data = node.input(0)
    return [data, ops.broadcast(scalar(1, mask), shape_of(data))] if node.wants(1) else [data]
