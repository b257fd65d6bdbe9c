"""One output of a model and its postprocessing."""

from __future__ import annotations

from ir_plugin.model import Node, Output
from ir_plugin.model.rewiring import rewire
from ir_plugin.openvino.preprocess import steps
from ir_plugin.openvino.preprocess.graph import Context, Step
from ir_plugin.openvino.preprocess.infos import OutputModelInfo, OutputTensorInfo
from ir_plugin.openvino.preprocess.lists import PostProcessSteps
from ir_plugin.tensors import ElementType, Layout


class OutputInfo:
    """One output of a model: what the model returns, the steps of its postprocessing, and its tensor."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._tensor = OutputTensorInfo()
        self._steps = PostProcessSteps()
        self._model = OutputModelInfo()

    def tensor(self) -> OutputTensorInfo:
        """Return the description of the tensor that a user gets."""
        return self._tensor

    def postprocess(self) -> PostProcessSteps:
        """Return the steps."""
        return self._steps

    def model(self) -> OutputModelInfo:
        """Return the description of what the model returns."""
        return self._model


def context_of(info: OutputInfo) -> Context:
    """Return the state before the first step."""
    layout = info._node.get_layout() if info._model._layout is None else info._model._layout
    target = Layout() if info._tensor._layout is None else info._tensor._layout
    return Context(layout, target, info._tensor._type or ElementType.dynamic)


def implicit_steps(info: OutputInfo, context: Context, port: Output) -> list[Step]:
    """Return the steps from what explicit ones leave to the tensor that a user gets."""
    implicit = []
    wanted_type = info._tensor._type
    if wanted_type is not None and port.element_type.is_static and port.element_type is not wanted_type:
        implicit.append(steps.convert_result_type(wanted_type))
    if not context.target_layout.empty and context.target_layout != context.layout:
        implicit.append(steps.convert_layout(context.target_layout, unsqueeze=False))
    return implicit


def build_output(info: OutputInfo, *, keep_names: bool) -> None:
    """Build the postprocessing of one output.

    Its tensor names go to the last node; `keep_names` also moves the name of the layer, as models of IR 10 need it.
    """
    result = info._node
    if info._model._layout is not None:
        result.set_layout(info._model._layout)
    context = context_of(info)
    source = result.inputs[0].get_source_output()
    ports = [source]
    for step in info._steps._steps:
        ports = step.run(ports, context)
    for step in implicit_steps(info, context, ports[0]):
        ports = step.run(ports, context)
    if ports[0].node is not source.node:
        _replace(result, source, ports[0], keep_names=keep_names)
    if not context.layout.empty:
        result.set_layout(context.layout)


def _replace(result: Node, source: Output, port: Output, *, keep_names: bool) -> None:
    names = result.outputs[0].names
    if keep_names and len(source.node.outputs) == 1:
        port.node.name, source.node.name = source.node.name, source.node.get_name()
    else:
        port.node.name = f"{source.node.name}.{source.index}"
    rewire([(result.inputs[0], port)])
    source.set_names(source.names - names)
    port.set_names(port.names | names)
    result.outputs[0].take_names(port)
    result.outputs[0].tensor_info = port.tensor_info
