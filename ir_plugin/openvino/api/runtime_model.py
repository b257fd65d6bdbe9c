"""Build the execution graph: a node for each step of a plan, with runtime information under OpenVINO's names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from string import ascii_lowercase
from typing import Any

from ir_plugin.compiler.graph import Graph, Op, Value
from ir_plugin.compiler.plan import Plan
from ir_plugin.model import Input, Node, Output
from ir_plugin.model import Model as GraphModel
from ir_plugin.model.graph import connect
from ir_plugin.model.type_info import RTMap
from ir_plugin.openvino.api.model import Model
from ir_plugin.operations.infrastructure.const import Const
from ir_plugin.tensors import TensorInfo
from ir_plugin.validation.inference import RunInference

_NOT_EXECUTED = "not_executed"


class ExecutionNode(Node):
    """A step of a plan, or a constant that one reads; `type` is the operation that is executed."""

    __slots__ = ()

    def get_type_name(self) -> str:
        """Return OpenVINO's name of the type of all these nodes."""
        return "ExecutionNode"

    def get_attributes(self) -> dict[str, Any]:
        """Return no attributes; what is known of a step is its runtime information."""
        return {}

    def unconnected(self, operation: Any) -> Node:
        """Return a node of the same type and name, without ports."""
        return ExecutionNode(self.id, self.name, self.type, self.version, operation)


def runtime_model(model: Model, plan: Plan | None, seconds: Mapping[Node, float]) -> Model:
    """Return a model with a node for each step of a plan; without a plan yet, for each layer.

    `seconds` has the time of layers in the last inference.
    """
    if plan is None:
        inference = RunInference()
        inference.run(model, {node: node.outputs[0].tensor_info for node in model.parameters})
        graph = Graph(model, inference)
        return _Builder(model, graph, seconds).model([(op, "") for op in graph.ops])
    return _Builder(model, plan.graph, seconds).model([(step.op, step.variant) for step in plan.steps])


class _Builder:
    """Builds the nodes of a runtime model in the order of their execution."""

    def __init__(self, model: Model, graph: Graph, seconds: Mapping[Node, float]) -> None:
        self._source = model
        self._graph = graph
        self._seconds = seconds
        self._nodes: list[Node] = []
        self._ports: dict[Value, Output] = {}

    def model(self, steps: Iterable[tuple[Op, str]]) -> Model:
        """Return the model of parameters, steps and results."""
        for parameter, value in zip(self._source.parameters, self._graph.parameters, strict=True):
            node = self._add(parameter.unconnected(parameter.operation), (), [value])
            self._describe(node, "Input", [parameter], [value])
        for op, variant in steps:
            self._add_step(op, variant)
        for result, value in zip(self._source.results, self._graph.results, strict=True):
            node = self._add(result.unconnected(result.operation), [value], [])
            self._append_output(node, value)
            self._describe(node, "Output", [result], [value])
        return Model(GraphModel(self._source.name, self._nodes, self._source.version))

    def _add_step(self, op: Op, variant: str) -> None:
        node = self._add(self._execution_node(op.nodes[0].name, op.operation.type), op.operands(), op.outputs)
        self._describe(
            node,
            op.operation.type,
            op.nodes,
            op.outputs,
            variant.replace(" ", "_") or ("numpy" if op.inputs else "unknown"),
        )

    def _execution_node(self, name: str, type: str) -> Node:
        return ExecutionNode(str(len(self._nodes)), name, type, "extension")

    def _add(self, node: Node, operands: Sequence[Value], outputs: Sequence[Value]) -> Node:
        """Append a node that reads `operands` and computes `outputs`, and return it."""
        sources = [self._port(value) for value in operands]
        node.id = str(len(self._nodes))
        self._nodes.append(node)
        for index, source in enumerate(sources):
            node.inputs.append(Input(node, index, index))
            connect(source, node.inputs[index])
        self._ports |= {value: self._append_output(node, value) for value in outputs}
        return node

    @staticmethod
    def _append_output(node: Node, value: Value) -> Output:
        port = Output(node, len(node.outputs), len(node.inputs) + len(node.outputs))
        port.tensor_info = value.tensor or TensorInfo(value.element_type, value.shape)
        node.outputs.append(port)
        return port

    def _port(self, value: Value) -> Output:
        """Return the output that is a value; one that no step computes is a constant."""
        if value not in self._ports:
            name = f"constant_{len(self._nodes)}" if value.port is None else value.port.node.name
            node = self._add(self._execution_node(name, Const.type), (), [value])
            self._describe(node, Const.type, [] if value.port is None else [value.port.node], [value])
        return self._ports[value]

    def _describe(
        self, node: Node, type: str, layers: Sequence[Node], values: Sequence[Value], kernel: str = "unknown"
    ) -> None:
        precision = _precision(values[0]) if values else "undefined"
        seconds = self._seconds.get(layers[0]) if layers else None
        texts = {
            "execOrder": str(len(self._nodes) - 1),
            "execTimeMcs": _NOT_EXECUTED if seconds is None else str(round(seconds * 1e6)),
            "layerType": type,
            "originalLayersNames": ",".join(layer.name for layer in layers),
            "outputLayouts": ",".join(map(_layout, values)),
            "outputPrecisions": ",".join(map(_precision, values)),
            "primitiveType": f"{kernel}_{precision}",
            "runtimePrecision": precision,
        }
        node.rt_info = RTMap(texts)
        if isinstance(node, ExecutionNode):
            node.attributes = {name: text for name, text in texts.items() if name != "layerType"}


def _precision(value: Value) -> str:
    return value.element_type.name


def _layout(value: Value) -> str:
    """Return the dimensions by letter in the order of memory: `acdb` where the channels are last."""
    rank = len(value.shape) if value.shape is not None else None if value.tensor is None else value.tensor.shape.ndim
    if rank is None:
        return "undefined"
    letters = ascii_lowercase[: max(rank, 1)]
    return letters[0] + letters[2:] + letters[1] if value.channels_last and rank > 2 else letters
