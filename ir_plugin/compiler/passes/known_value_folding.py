"""Replaces values that shape inference already knows by constants."""

from __future__ import annotations

from ir_plugin.compiler.graph import Graph, Value
from ir_plugin.compiler.pass_order import follows
from ir_plugin.compiler.rewriter import remove_ops
from ir_plugin.compiler.weight_chain import expanded_in_f32
from ir_plugin.tensors import Array

KNOWN_ELEMENTS = 2**12
"""Elements of the largest tensor whose values are asked of inference; shapes and indices are far smaller."""


@follows("slice_scatter_fusion")
def known_value_folding(graph: Graph) -> None:
    """Replace ops whose values follow from shapes alone, such as `ShapeOf` and its users, by constants.

    All outputs of such an op are small and known; they may be results, and have any readers.
    """
    folded = []
    for op in graph.ops:
        arrays = [_known_array(value) for value in op.outputs]
        if arrays and all(array is not None for array in arrays):
            folded.append(op)
            for value, array in zip(op.outputs, arrays, strict=True):
                value.constant = array
    graph.folded += [node for op in folded for node in op.nodes]
    remove_ops(graph, folded)


def _known_array(value: Value) -> Array | None:
    """Return the array that a small tensor is, if inference knows it; weights as constant folding computes them."""
    if value.tensor is None or value.shape is None or value.nbytes > KNOWN_ELEMENTS * value.dtype.itemsize:
        return None
    inferred = value.tensor.value
    weights = None if inferred is None else expanded_in_f32(value)
    return inferred if weights is None else weights
