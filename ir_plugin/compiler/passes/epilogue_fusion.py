"""Fuses elementwise ops into the epilogue of the op that produces their operand."""

from __future__ import annotations

from ir_plugin.compiler.compressed_ops import FullyConnectedCompressed
from ir_plugin.compiler.graph import Op, Value
from ir_plugin.compiler.pass_order import follows
from ir_plugin.compiler.passes.prelu_layout import is_broadcast
from ir_plugin.compiler.passes.rms_norm_fusion import RmsNorm
from ir_plugin.compiler.quantized_operations import QuantizedConvolution, QuantizedMatMul
from ir_plugin.compiler.rewriter import Pattern, Rewriter
from ir_plugin.compiler.shapes.symbolic import rank_of, static_length
from ir_plugin.kernels.numpy.elementwise import ELEMENTWISE, can_follow
from ir_plugin.operations.activation.prelu import PRelu
from ir_plugin.operations.convolution.family import CONVOLUTIONS
from ir_plugin.operations.matrix.matmul import MatMul
from ir_plugin.operations.normalization.group_normalization import GroupNormalization
from ir_plugin.operations.normalization.lrn import LRN
from ir_plugin.operations.normalization.mvn import MVN
from ir_plugin.operations.quantization.levels import Dequantize, Quantize

_INTEGER_HOSTS = (QuantizedConvolution, QuantizedMatMul)
HOSTS = (*CONVOLUTIONS, *_INTEGER_HOSTS, MatMul, FullyConnectedCompressed, GroupNormalization, MVN, LRN, RmsNorm)
"""Operations whose kernels apply an epilogue."""


@follows("kv_cache_quantization")
class EpilogueFusion(Pattern):
    """Fuse elementwise ops into the epilogue of the op that produces their operand, if nothing else reads it.

    The op keeps the type and the shape of that operand: its other operand broadcasts to it, and not beyond it. The
    operand is no result, and the op reads it once.
    """

    roots = (*ELEMENTWISE, Quantize)

    def rewrite(self, op: Op, rewriter: Rewriter) -> None:
        target = _host(op)
        if target is not None:
            host, position = target
            rewriter.fuse_epilogue(host, op, position)


def _host(op: Op) -> tuple[Op, int] | None:
    """Return the op whose epilogue this one can join, and the position of the input that it produces.

    A convolution or product is preferred to an elementwise op, as its block of the output is still in the cache.
    """
    output = op.outputs[0] if op.outputs else None
    if op.is_a(Quantize):
        return _host_of_rounding(op)
    if output is not None and output.shape is None:
        return _open_host(op)
    if output is None or output.shape is None or not can_follow(op.operation, len(op.inputs), output.dtype):
        return None
    if not is_broadcast(op):
        return None
    chain = None
    for position, value in enumerate(op.inputs[: 1 if op.is_a(PRelu) else 2]):
        if value is None or value.producer is None or value.is_result or len(value.users) != 1:
            continue
        host = value.producer
        if value is not host.outputs[0] or not _is_same_float(value, output):
            continue
        if host.is_a(*HOSTS):
            return host, position
        if chain is None and _is_elementwise(host):
            chain = host, position
    return chain


def _open_host(op: Op) -> tuple[Op, int] | None:
    """Return the host of an op where lengths are unknown, and the position of the input that it produces."""
    if op.is_a(PRelu) or not can_follow(op.operation, len(op.inputs), op.outputs[0].dtype):
        return None
    for position, value in enumerate(op.inputs[:2]):
        host = None if value is None or value.is_result or len(value.users) != 1 else value.producer
        if value is None or host is None or value is not host.outputs[0] or value.shape is not None:
            continue
        by_channel = _convolves(host) or _normalizes_groups(host)
        if (by_channel or _multiplies_or_normalizes(host)) and _applies_to_rows(op, position, by_channel):
            return host, position
    return None


def _multiplies_or_normalizes(op: Op) -> bool:
    """Return whether an op multiplies rows by a constant matrix, or normalizes them."""
    if op.is_a(FullyConnectedCompressed):
        return True
    if not op.is_a(MatMul, MVN, RmsNorm):
        return False
    data, factor = (*op.inputs, None)[:2]  # MVN-2 has its axes as attributes
    rank = rank_of(data)
    if data is None or not rank or factor is None or factor.constant is None:
        return False
    return factor.constant.ndim == 2 if op.is_a(MatMul) else static_length(data, rank - 1) is not None


def _applies_to_rows(op: Op, position: int, by_channel: bool) -> bool:
    """Return whether an op of f32 applies to rows of the last axis, or `by_channel` of the second.

    A second operand is a constant that varies along this axis, or is not constant: of the same rank where it is
    `by_channel`, otherwise of at most that rank.
    """
    value, rank = op.inputs[position], rank_of(op.inputs[position])
    if value is None or not rank or not _are_floats(op):
        return False
    operand = op.inputs[1 - position] if len(op.inputs) > 1 else None
    if operand is None:
        return True
    constant = operand.constant
    if constant is None:
        return (rank if by_channel else 1) <= (rank_of(operand) or 0) <= rank
    if constant.ndim > rank:
        return False
    axis = 1 if by_channel else rank - 1
    full = (1,) * (rank - constant.ndim) + constant.shape
    return constant.size == full[axis] and constant.size in (1, static_length(value, axis))


def _are_floats(op: Op) -> bool:
    """Return whether all inputs of an op, and its output, are f32."""
    return all(value is not None and value.element_type.name == "f32" for value in (*op.inputs, op.outputs[0]))


def _convolves(op: Op) -> bool:
    """Return whether an op is a convolution of f32 over one or two axes with constant weights."""
    data, weights = (*op.inputs, None, None)[:2]
    if not op.is_a(*CONVOLUTIONS) or data is None or weights is None or weights.constant is None:
        return False
    return rank_of(data) in (3, 4) and data.element_type.name == weights.element_type.name == "f32"


def _normalizes_groups(op: Op) -> bool:
    """Return whether an op normalizes groups of channels of f32 with constant factors."""
    if not op.is_a(GroupNormalization):
        return False
    data, *factors = op.inputs
    are_constant = all(value is not None and value.constant is not None for value in factors)
    return are_constant and (rank_of(data) or 0) > 2 and _are_floats(op)


def _host_of_rounding(op: Op) -> tuple[Op, int] | None:
    """Return the host of a Quantize, an integer convolution or product or a chain, and the input's position."""
    value = op.inputs[0]
    host = None if value is None or value.is_result or len(value.users) != 1 else value.producer
    if value is None or host is None or value is not host.outputs[0] or value.element_type.name != "f32":
        return None
    return (host, 0) if host.is_a(*_INTEGER_HOSTS) or (not host.is_a(*HOSTS) and _is_elementwise(host)) else None


def _is_elementwise(op: Op) -> bool:
    """Return whether an elementwise op can begin a chain, given the types and shapes of its inputs."""
    output = op.outputs[0]
    if op.is_a(Dequantize):
        return True
    if not can_follow(op.operation, len(op.inputs), output.dtype) or not is_broadcast(op):
        return False
    inputs = [value for value in op.inputs if value is not None]
    same_types = all(value.element_type is output.element_type for value in inputs)
    return same_types and any(value.shape == output.shape and value.constant is None for value in inputs)


def _is_same_float(value: Value, output: Value) -> bool:
    """Return whether both values have the same shape, and the same type: f32 or f64."""
    same = value.shape == output.shape and value.element_type is output.element_type
    return same and value.element_type.name in ("f32", "f64")


def unfused(op: Op) -> list[Op]:
    """Return the ops that an op and its epilogue were before the fusion, for ops without a kernel."""
    if not op.epilogue:
        return [op]
    first = op.outputs[0]
    element_type = op.operation.output_types[0] if op.epilogue[-1].operation.is_a(Quantize) else first.element_type
    value = Value(element_type, first.shape, tensor=first.tensor)
    ops = [Op(op.operation, op.inputs, [value, *op.outputs[1:]], op.nodes)]
    for number, epilogue in enumerate(op.epilogue):
        last = number == len(op.epilogue) - 1
        target = first if last else Value(element_type, first.shape, tensor=first.tensor)
        operands = [value] if epilogue.operand is None else [value, epilogue.operand]
        ops.append(
            Op(epilogue.operation, list(operands[::-1] if epilogue.operand_first else operands), [target], op.nodes)
        )
        value = target
    return ops
