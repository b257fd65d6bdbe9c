"""The optimizations that OpenVINO applies to a model when it has built preprocessing."""

from __future__ import annotations

import numpy as np

from ir_plugin.compiler.model_rewriter import constant, reread, substitute
from ir_plugin.compiler.sharing import share_equal_nodes
from ir_plugin.model import Model, Node, Output
from ir_plugin.model.graph import order_of
from ir_plugin.openvino.preprocess.folding import fold_constants
from ir_plugin.openvino.preprocess.graph import operation
from ir_plugin.openvino.preprocess.reversal import fuse_reversals
from ir_plugin.operations.arithmetic.binary import Multiply, Subtract
from ir_plugin.operations.arithmetic.division import Divide
from ir_plugin.operations.convolution.convolution import Convolution
from ir_plugin.operations.convolution.group_convolution import GroupConvolution
from ir_plugin.operations.movement.transpose import Transpose
from ir_plugin.operations.type.convert import Convert
from ir_plugin.tensors import Array, ElementType


def simplify(model: Model) -> None:
    """Share nodes, convert before transposes, multiply instead of dividing, scale and reverse weights, and fold."""
    share_equal_nodes(order_of(model)[0], _varies)
    for change in (_convert_before_transpose, _multiply_by_reciprocal, _scale_weights):
        for node in order_of(model)[0]:
            change(node)
    fold_constants(model)
    fuse_reversals(model)


def _varies(node: Node) -> bool:
    """Return whether a node reads anything but Constants."""
    return any(source is not None and source.constant is None for source in node.sources)


def _convert_before_transpose(node: Node) -> None:
    """Let a Convert stand before the Transpose that only it reads; the Transpose takes its name."""
    if not node.is_a(Convert) or not node.outputs[0].readers:
        return
    transpose = node.input_value(0)
    if not transpose.node.is_a(Transpose) or len(transpose.readers) != 1:
        return
    data, order = transpose.node.input_value(0), transpose.node.input_value(1)
    if order.constant is None:
        return
    converted = operation(Convert, data, destination_type=ElementType(node.outputs[0].element_type))
    swapped = operation(Transpose, converted, order)
    swapped.node.name = node.name
    substitute(node.outputs[0], swapped)


def _multiply_by_reciprocal(node: Node) -> None:
    """Replace a division by a Constant by a multiplication."""
    if not node.is_a(Divide) or node.outputs[0].element_type.name not in ("f16", "f32", "bf16"):
        return
    divisor = node.input_value(1).constant
    if divisor is None or node.input_value(0).constant is not None:
        return
    with np.errstate(divide="ignore"):
        reciprocal = np.float32(1) / divisor.astype(np.float32)
    factor = constant(reciprocal, node.input_value(1).element_type, rt_info=node.rt_info)
    product = operation(Multiply, node.input_value(0), factor)
    product.node.name = node.name
    product.node.rt_info.update(node.rt_info)
    substitute(node.outputs[0], product)


def _scale_weights(node: Node) -> None:
    """Multiply the weights of a convolution instead of its input, unless that is dequantized."""
    if not node.is_a(Convolution, GroupConvolution):
        return
    product, weights = node.input_value(0), node.input_value(1)
    if not product.node.is_a(Multiply) or len(product.readers) != 1 or _is_dequantized(product.node):
        return
    factor, data = product.node.input_value(1).constant, product.node.input_value(0)
    shape = weights.partial_shape
    if factor is None or shape.is_dynamic or data.partial_shape.ndim is None:
        return
    aligned = _of_weights(
        factor, node.is_a(GroupConvolution), [dim.get_length() for dim in shape], len(data.partial_shape)
    )
    if aligned is not None:
        rt_info = product.node.rt_info
        reread(node, 1, _product(weights, aligned, product.node.input_value(1), rt_info))
        reread(node, 0, data)
        node.rt_info.update(rt_info)


def _is_dequantized(node: Node) -> bool:
    """Return whether a Multiply scales integers converted to floats, with or without a constant zero point."""
    source = node.input_value(0).node
    if source.is_a(Subtract) and source.input_value(1).constant is not None:
        source = source.input_value(0).node
    return source.is_a(Convert) and bool(source.inputs[0].element_type.is_integral)


def _of_weights(factor: Array, is_grouped: bool, shape: list[int], ndim: int) -> Array | None:
    """Return factors of the channels of an input in the shape of the weights, None where they are of other axes."""
    if factor.size == 1:
        return factor.reshape([1] * min(factor.ndim, 1))
    channels = shape[0] * shape[2] if is_grouped else shape[1]
    spread = [1] * (ndim - factor.ndim) + list(factor.shape)
    if spread != [1, channels, *[1] * (ndim - 2)]:
        return None
    if is_grouped:
        return factor.reshape([shape[0], 1, shape[2], *[1] * (len(shape) - 3)])
    return factor.reshape([1, channels, *[1] * (len(shape) - 2)])


def _product(weights: Output, factor: Array, like: Output, rt_info: dict[str, object]) -> Output:
    values = weights.constant
    if values is None:
        scaled = operation(Multiply, weights, constant(factor, like.element_type, rt_info=rt_info))
        scaled.node.rt_info.update(rt_info)
        return scaled
    scaled_values = values.astype(np.float32) * factor.astype(np.float32)
    return constant(scaled_values, weights.element_type, rt_info=rt_info)
