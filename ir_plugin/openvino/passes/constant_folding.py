"""A pass that replaces what can be computed before the run by constants."""

from __future__ import annotations

from collections.abc import Callable

from ir_plugin.compiler.model_folding import fold_nodes
from ir_plugin.compiler.model_rewriter import drop_unused
from ir_plugin.diagnostics import Findings
from ir_plugin.model import Node
from ir_plugin.model.graph import Model as Graph
from ir_plugin.openvino.passes.base import BuiltInPass
from ir_plugin.validation.check import infer_model


class ConstantFolding(BuiltInPass, name="ConstantFolding"):
    """Replaces nodes whose values are known by constants, in bodies too.

    Values are known if all inputs are constants, or with `folds_dimensions` if they are known dimensions. A constant
    takes the name of its node, with the suffix `.0`, `.1` … for a node with several outputs. `may_fold` chooses nodes.
    """

    def __init__(self, folds_dimensions: bool = True, may_fold: Callable[[Node], bool] = lambda _: True) -> None:
        self._folds_dimensions = folds_dimensions
        self._may_fold = may_fold

    def transform(self, graph: Graph) -> bool:
        """Fold the constants of a model or a body, and return whether it was changed."""
        infer_model(graph, Findings(), strict=False)
        return self._fold(graph)

    def _fold(self, graph: Graph) -> bool:
        order = graph.ordered()
        bodies = [subgraph.body for node in order if node.operation for subgraph in node.operation.subgraphs.values()]
        is_changed = sum(self._fold(body) for body in bodies) > 0
        if fold_nodes(order, self._may_fold, self._folds_dimensions):
            drop_unused(graph)
            return True
        return is_changed
