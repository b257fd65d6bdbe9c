"""The pass of `ir-plugin simplify`: a smaller model with the same results."""

from __future__ import annotations

from math import prod

from ir_plugin.compiler.model_rewriter import drop_unused
from ir_plugin.diagnostics import Findings
from ir_plugin.model import Node, Output
from ir_plugin.model.graph import Model as Graph
from ir_plugin.openvino.passes.base import BuiltInPass
from ir_plugin.openvino.passes.constant_folding import ConstantFolding
from ir_plugin.openvino.passes.graph_rewrite import GraphRewrite
from ir_plugin.openvino.passes.nop_elimination import NopElimination
from ir_plugin.openvino.passes.shared_operations import SharedOpOptimization
from ir_plugin.operations.infrastructure.const import Const
from ir_plugin.validation.check import infer_model

_SMALL_BYTES = 1024
"""The size up to which a constant may be larger than what it is computed from."""


class Simplification(BuiltInPass, name="Simplification"):
    """Folds constants and known shapes, removes nodes without effect, and computes equal nodes once.

    Constants that would grow by folding, such as weights that are decompressed or repeated, stay as they are. Results
    stay equal, bit for bit but for the sign of zeros.
    """

    def transform(self, graph: Graph) -> bool:
        """Change a model until nothing is left to do, and return whether it was changed."""
        is_changed = False
        while self._simplify(graph):
            is_changed = True
        drop_unused(graph)
        used = set(graph.ordered())
        graph.nodes = [node for node in graph.nodes if node in used]
        return is_changed

    def _simplify(self, graph: Graph) -> bool:
        count = len(graph.ordered())
        ConstantFolding(may_fold=_StaysSmall()).transform(graph)
        rewrite = GraphRewrite()
        rewrite.add_matcher(NopElimination())
        rewrite.transform(graph)
        drop_unused(graph)
        infer_model(graph, Findings(), strict=False)
        SharedOpOptimization().transform(graph)
        return len(graph.ordered()) < count


class _StaysSmall:
    """Whether the outputs of a node are small, or not larger than the constants that it reads; called in order."""

    def __init__(self) -> None:
        self._constants: set[Node] = set()

    def __call__(self, node: Node) -> bool:
        sizes = [_size(port) for port in node.outputs]
        read = [port for port in node.sources if port is not None]
        inputs = sum(_size(port) or 0 for port in read if port.node.is_a(Const) or port.node in self._constants)
        is_small = None not in sizes and sum(size or 0 for size in sizes) <= max(inputs, _SMALL_BYTES)
        if is_small:
            self._constants.add(node)
        return is_small


def _size(port: Output) -> int | None:
    """Return the bytes of an output, None where they are unknown."""
    if port.partial_shape.is_dynamic or port.element_type.is_dynamic:
        return None
    return prod(port.shape) * port.element_type.bits // 8
