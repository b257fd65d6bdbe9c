"""What `apply_moc_transformations` does: simplifications that keep the results of a model."""

from __future__ import annotations

import numpy as np

from ir_plugin.compiler.model_rewriter import constant, drop_unused, substitute
from ir_plugin.diagnostics import Findings
from ir_plugin.model import Node
from ir_plugin.model.graph import Model as Graph
from ir_plugin.openvino.passes.activation_fusions import activation_fusions
from ir_plugin.openvino.passes.base import BuiltInPass
from ir_plugin.openvino.passes.constant_folding import ConstantFolding
from ir_plugin.openvino.passes.graph_rewrite import GraphRewrite
from ir_plugin.openvino.passes.linear_fusions import linear_fusions
from ir_plugin.openvino.passes.nop_elimination import NopElimination
from ir_plugin.openvino.passes.shared_operations import SharedOpOptimization
from ir_plugin.operations.infrastructure.const import Const
from ir_plugin.validation.check import infer_model


class CommonOptimizations(BuiltInPass, name="CommonOptimizations"):
    """Flushes subnormal weights, folds constants, removes nodes without effect, fuses, and shares equal nodes."""

    def __init__(self, folds_dimensions: bool) -> None:
        self._folds_dimensions = folds_dimensions

    def transform(self, graph: Graph) -> bool:
        """Change a model, and return whether it was changed."""
        is_changed = _flush_subnormals(graph)
        is_changed |= ConstantFolding(self._folds_dimensions).transform(graph)
        for passes in ([NopElimination()], linear_fusions(), activation_fusions(), [NopElimination()]):
            rewrite = GraphRewrite()
            for matcher_pass in passes:
                rewrite.add_matcher(matcher_pass)
            is_changed |= rewrite.transform(graph)
            drop_unused(graph)
            infer_model(graph, Findings(), strict=False)
            is_changed |= SharedOpOptimization().transform(graph)
        return is_changed


def _flush_subnormals(graph: Graph) -> bool:
    """Replace the subnormal numbers of f32 constants by zeros, and return whether there were any."""
    constants = [node for node in graph.ordered() if node.is_a(Const)]
    return sum(_flush(node) for node in constants if node.operation.element_type.name == "f32") > 0


def _flush(node: Node) -> bool:
    values = node.operation.evaluate()
    is_subnormal = (np.abs(values) < np.finfo(np.float32).tiny) & (values != 0)
    if not is_subnormal.any():
        return False
    flushed = constant(np.where(is_subnormal, np.float32(0), values), node.operation.element_type, node.name)
    substitute(node.outputs[0], flushed)
    return True
