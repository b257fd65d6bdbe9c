"""Fuses the decompression of constant weights into the MatMul or Gather that reads them."""

from __future__ import annotations

from math import prod

from ir_plugin.compiler.compressed_ops import BatchedMatMulCompressed, FullyConnectedCompressed, GatherCompressed
from ir_plugin.compiler.graph import Graph, Op, Value
from ir_plugin.compiler.matching import number_of
from ir_plugin.compiler.pass_order import follows
from ir_plugin.compiler.rewriter import Pattern, Rewriter, attributes
from ir_plugin.compiler.shapes.symbolic import rank_of
from ir_plugin.compiler.weight_chain import WeightChain, weight_chain
from ir_plugin.kernels import policy
from ir_plugin.model import Node
from ir_plugin.operations.base import Operation
from ir_plugin.operations.infrastructure.read_value import ReadValue
from ir_plugin.operations.matrix.matmul import MatMul
from ir_plugin.operations.movement.gather import Gather
from ir_plugin.tensors.compressed import CompressedTensor


@follows("low_precision")
class WeightDecompression(Pattern):
    """Fuse the decompression of constant weights into MatMul and Gather, so that the weights keep their packed bytes.

    Decompression converts a constant, subtracts a zero point, multiplies by a scale, and joins groups by a Reshape.
    Kernels expand the weights part by part, in f32. Scales and zero points keep the shape of the constant; others may
    read the expanded weights, which then stay.
    """

    roots = (MatMul, Gather)

    def __init__(self, graph: Graph) -> None:
        super().__init__(graph)
        self._is_decoder = _has_state(graph)

    def rewrite(self, op: Op, rewriter: Rewriter) -> None:
        matched = _match(op, self._is_decoder)
        if matched is not None:
            fused, chain = matched
            rewriter.replace(op, [fused])
            self.graph.folded += [node for node in chain.nodes if node not in self.graph.folded]


def decompressing_layers(graph: Graph) -> set[Node]:
    """Return the layers whose outputs are not computed after this pass."""
    is_decoder = _has_state(graph)
    matches = [_match(op, is_decoder) for op in graph.ops]
    return {node for matched in matches if matched is not None for node in matched[1].nodes}


def _has_state(graph: Graph) -> bool:
    """Return whether a graph reads variables, as decoders do; most of their products have few rows."""
    return any(op.is_a(ReadValue) for op in graph.ops)


def _match(op: Op, is_decoder: bool) -> tuple[Op, WeightChain] | None:
    """Return the op that replaces one with compressed weights, and the chain that decompresses them."""
    if not op.is_a(MatMul, Gather):
        return None
    weights = op.inputs[1 if op.is_a(MatMul) else 0]
    chain = None if weights is None else weight_chain(weights)
    if weights is None or chain is None or chain.tensor.size < policy.COMPRESSED_MIN_ELEMENTS:
        return None
    fused = _product(op, chain, is_decoder) if op.is_a(MatMul) else _gather(op, weights, chain)
    return None if fused is None else (fused, chain)


def _product(op: Op, chain: WeightChain, is_decoder: bool) -> Op | None:
    data, product, tensor = op.inputs[0], attributes(op, MatMul), chain.tensor
    if data is None or data.constant is not None or product.transpose_a:
        return None
    if tensor.is_plain_half and not _stays_half(op, chain, is_decoder):
        return None
    if op.outputs[0].element_type.name != "f32":
        return None
    operation = _operation(tensor, product.transpose_b != chain.is_transposed, rank_of(data) or 0)
    return None if operation is None else Op(operation, [data], op.outputs, op.nodes)


def _operation(tensor: CompressedTensor, transposed: bool, rank: int) -> Operation | None:
    """Return the product of data of a rank with a compressed matrix or a batch of them; None where there is none."""
    axes = len(tensor.shape)
    if axes == 2 and rank:
        return FullyConnectedCompressed(weights=tensor, transposed=transposed)
    if axes != 3 or not tensor.is_batch:
        return None
    if tensor.shape[0] == 1:
        return _operation(tensor.at(0), transposed, rank) if rank > 2 else None
    return BatchedMatMulCompressed(weights=tensor, transposed=transposed) if rank > 1 else None


def _stays_half(op: Op, chain: WeightChain, is_decoder: bool) -> bool:
    """Return whether weights of f16 or bf16 without a scale keep their bytes: products of few rows read less."""
    shape = op.outputs[0].shape
    if is_decoder and chain.tensor.size >= policy.HALF_OF_DECODER_MIN_ELEMENTS:
        return True
    return shape is not None and prod(shape[:-1]) <= policy.HALF_MAX_ROWS


def _gather(op: Op, weights: Value, chain: WeightChain) -> Op | None:
    operation, (_, indices, axis) = attributes(op, Gather), op.inputs
    tensor = chain.tensor
    if indices is None or number_of(axis) != 0 or operation.batch_dims or chain.is_transposed or tensor.lead != 1:
        return None
    if indices.constant is not None:
        return None
    fused = GatherCompressed(
        weights=tensor, gather=op.operation, dtype=weights.dtype, wants_context=op.operation.wants_context
    )
    return Op(fused, [indices], op.outputs, op.nodes)
