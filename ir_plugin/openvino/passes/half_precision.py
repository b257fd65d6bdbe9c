"""A pass that computes in f16 what is computed in f32."""

from __future__ import annotations

import numpy as np

from ir_plugin.compiler.model_rewriter import drop_unused
from ir_plugin.diagnostics import Findings
from ir_plugin.errors import ValidationError
from ir_plugin.model import Node
from ir_plugin.model.graph import Model as Graph
from ir_plugin.openvino.passes.base import BuiltInPass
from ir_plugin.openvino.passes.graph_rewrite import GraphRewrite
from ir_plugin.openvino.passes.nop_elimination import NopElimination
from ir_plugin.operations.infrastructure.const import Const
from ir_plugin.operations.type.convert import Convert
from ir_plugin.tensors import ElementType, TensorInfo
from ir_plugin.validation.check import infer_model

_LARGEST = 65504.0


class ConvertFP32ToFP16(BuiltInPass, name="ConvertFP32ToFP16"):
    """Changes inputs, constants and type attributes from f32 to f16, in bodies too, and removes idle converts."""

    def transform(self, graph: Graph) -> bool:
        """Convert a model or a body."""
        _convert(graph)
        findings = Findings()
        infer_model(graph, findings, strict=False)
        if findings.errors:
            first = findings.errors[0]
            raise ValidationError(
                f"the model cannot be computed in f16: layer {first.layer}: {first.message}", list(findings)
            )
        rewrite = GraphRewrite()
        rewrite.add_matcher(NopElimination(Convert))
        rewrite.transform(graph)
        drop_unused(graph)
        return True


def _convert(graph: Graph) -> None:
    for node in graph.nodes:
        operation = node.operation
        if operation is None:
            continue
        if operation.is_a(Const):
            _convert_constant(node)
            continue
        for name in operation.fields():
            if vars(operation).get(name) is ElementType.f32:
                setattr(operation, name, ElementType.f16)
                node.attributes.pop(name, None)
        for subgraph in operation.subgraphs.values():
            _convert(subgraph.body)


def _convert_constant(node: Node) -> None:
    operation = node.operation
    if operation.element_type is not ElementType.f32:
        return
    half = np.clip(operation.evaluate(), -_LARGEST, _LARGEST).astype(np.float16)
    node.operation = Const.of(half, ElementType.f16)
    node.attributes.clear()
    node.outputs[0].tensor_info = TensorInfo(ElementType.f16, operation.shape)
