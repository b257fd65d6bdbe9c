"""A pass that replaces what can be computed before the run by constants."""

from __future__ import annotations

from collections.abc import Container, Sequence

from ir_plugin.diagnostics import Findings
from ir_plugin.model import Input, Node
from ir_plugin.model.graph import Model as Graph
from ir_plugin.model.rewiring import detach
from ir_plugin.model.type_info import plain_info
from ir_plugin.operations.generation.multinomial import Multinomial
from ir_plugin.operations.generation.random_uniform import RandomUniform
from ir_plugin.operations.infrastructure.assign import Assign
from ir_plugin.operations.infrastructure.const import Const
from ir_plugin.operations.infrastructure.parameter import Parameter
from ir_plugin.operations.infrastructure.read_value import ReadValue
from ir_plugin.operations.infrastructure.result import Result
from ir_plugin.passes.base import BuiltInPass
from ir_plugin.passes.building import constant, constant_values, substitute
from ir_plugin.passes.manager import drop_unused
from ir_plugin.tensors import Array
from ir_plugin.validation.check import infer_model

_KEPT = (Parameter, Const, Result, ReadValue, Assign, RandomUniform, Multinomial)
_DISABLED = ("disable_constant_folding", "DisableConstantFolding", "disabled_constant_folding")


class ConstantFolding(BuiltInPass, name="ConstantFolding"):
    """Replaces nodes whose values are known by constants, in bodies too.

    Values are known if all inputs are constants, or with `folds_dimensions` if they are known dimensions. A constant
    has the name of its node, with `.0`, `.1` … behind it for a node with several outputs.
    """

    def __init__(self, folds_dimensions: bool = True) -> None:
        self._folds_dimensions = folds_dimensions

    def transform(self, graph: Graph) -> bool:
        """Fold the constants of a model or a body, and return whether it was changed."""
        infer_model(graph, Findings(), strict=False)
        return _fold(graph, self._folds_dimensions)


def _fold(graph: Graph, folds_dimensions: bool) -> bool:
    is_changed = False
    order = graph.ordered()
    values: dict[Node, list[Array]] = {}
    for node in order:
        if node.operation is not None and node.operation.subgraphs:
            for subgraph in node.operation.subgraphs.values():
                is_changed |= _fold(subgraph.body, folds_dimensions)
        elif _may_fold(node) and (folds_dimensions or all(_is_constant(port, values) for port in node.inputs)):
            outputs = [port.tensor_info.value for port in node.outputs]
            arrays = [array for array in outputs if array is not None]
            values |= {node: arrays} if arrays and len(arrays) == len(outputs) else {}
    for node in reversed(order):
        if node in values:
            _replace(node, values[node])
    if values:
        drop_unused(graph)
    return is_changed or bool(values)


def _is_constant(port: Input, values: Container[Node]) -> bool:
    return constant_values(port.source) is not None or (port.source is not None and port.source.node in values)


def _may_fold(node: Node) -> bool:
    operation = node.operation
    if operation is None or operation.stateful or node.is_a(*_KEPT):
        return False
    return not any(str(key).startswith(_DISABLED) for key in node.rt_info)


def _replace(node: Node, values: Sequence[Array]) -> None:
    """Replace the outputs that are read by constants."""
    for port, value in zip(node.outputs, values, strict=True):
        if port.readers:
            name = node.name if len(node.outputs) == 1 else f"{node.name}.{port.index}"
            folded = constant(value, port.element_type, name)
            entries = plain_info(node.rt_info).items()
            info = {key: entry for key, entry in entries if not key.startswith("decompression")}
            folded.node.rt_info.update(info)
            substitute(port, folded)
    detach(node)
