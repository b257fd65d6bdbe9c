"""One input of a model and its preprocessing: new Parameters, steps, and the Parameter that they replace."""

from __future__ import annotations

import copy
from dataclasses import dataclass

from ir_plugin.errors import InputError
from ir_plugin.model import Node, Output
from ir_plugin.model.rewiring import rewire
from ir_plugin.openvino.preprocess import steps
from ir_plugin.openvino.preprocess.colors import default_layout, name_of, plane_shape, planes
from ir_plugin.openvino.preprocess.formats import ColorFormat
from ir_plugin.openvino.preprocess.graph import Context, Step
from ir_plugin.openvino.preprocess.infos import InputModelInfo, InputTensorInfo
from ir_plugin.openvino.preprocess.layouts import axis_of, permutation, squeezed
from ir_plugin.openvino.preprocess.lists import PreProcessSteps
from ir_plugin.operations.infrastructure.result import Result
from ir_plugin.opsets.basic import parameter
from ir_plugin.tensors import ElementType, Layout, PartialShape

_ACCEPTED = (ColorFormat.RGB, ColorFormat.BGR, ColorFormat.GRAY, ColorFormat.UNDEFINED)


@dataclass
class NewParameters:
    """The Parameters that stand for one, one for each plane, with the layouts of tensor and model."""

    nodes: list[Node]
    context: Context

    @property
    def ports(self) -> list[Output]:
        """The outputs of the Parameters."""
        return [node.outputs[0] for node in self.nodes]


class InputInfo:
    """One input of a model: its tensor, the steps of its preprocessing, and what the model expects."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._tensor = InputTensorInfo()
        self._steps = PreProcessSteps()
        self._model = InputModelInfo()

    def tensor(self) -> InputTensorInfo:
        """Return the description of the tensor that a user gives."""
        return self._tensor

    def preprocess(self) -> PreProcessSteps:
        """Return the steps."""
        return self._steps

    def model(self) -> InputModelInfo:
        """Return the description of what the model expects."""
        return self._model


def new_parameters(info: InputInfo, names: set[str]) -> NewParameters:
    """Return the Parameters of the tensors that a user gives; `names` are those that tensors of the model have."""
    node, tensor = info._node, info._tensor
    layout = tensor._layout if tensor._layout is not None else default_layout(tensor._color)
    model_layout = info._model._layout if info._model._layout is not None else node.get_layout()
    if model_layout.empty and tensor._layout is not None:
        model_layout = info._steps._propagated(layout)
    shape, layout = _tensor_shape(info, layout, model_layout)
    nodes = []
    for plane in range(planes(tensor._color)):
        dims = plane_shape(tensor._color, plane, shape, layout)
        new = parameter(dims, node.element_type if tensor._type is None else tensor._type)
        _name(new, info, plane, names)
        _describe(new, info, layout)
        nodes.append(new)
    context = Context(layout, model_layout, node.element_type, node.partial_shape, tensor._color)
    return NewParameters(nodes, context)


def _tensor_shape(info: InputInfo, layout: Layout, model_layout: Layout) -> tuple[PartialShape, Layout]:
    """Return the shape of an image before its planes are separated, and its layout."""
    tensor, model_shape = info._tensor, info._node.partial_shape
    shape = model_shape if tensor._shape is None else tensor._shape
    if not layout.empty and not model_layout.empty and layout != model_layout:
        shape, rest = squeezed(model_layout, model_shape, layout)
        axes = permutation(rest, shape, layout)
        if axes and shape.ndim is not None:
            shape = PartialShape([shape[axis] for axis in axes])
    else:
        shape, before = info._steps._before_orders(shape, model_layout)
        layout = before if layout.empty else layout
    if tensor._shape is not None:
        return tensor._shape, layout
    if tensor._spatial is not None:
        axes = [axis_of(layout, name, shape) for name in "HW"]
        for axis, dim in zip(axes, tensor._spatial, strict=True):
            shape = shape.replace(axis, dim)
    return shape, layout


def _name(new: Node, info: InputInfo, plane: int, names: set[str]) -> None:
    old, plane_names = info._node, info._tensor._names
    if plane_names:
        suffix = f"/{plane_names[plane]}"
        renamed = [name + suffix for name in sorted(old.outputs[0].names)]
        for name in renamed:
            if name in names:
                raise InputError(
                    f"Error while trying to create plane input with name '{name}' - name already exists in model. "
                    "Please specify another sub-name for set_color_format"
                )
        new.outputs[0].set_names(renamed)
        new.name = old.name + suffix
    elif planes(info._tensor._color) == 1:
        new.outputs[0].set_names(old.outputs[0].names)
        new.name = old.name


def _describe(new: Node, info: InputInfo, layout: Layout) -> None:
    """Copy the runtime information of the Parameter that is replaced, and write layout and memory type."""
    new.rt_info = copy.deepcopy(info._node.rt_info)
    new.outputs[0].rt_info = copy.deepcopy(info._node.outputs[0].rt_info)
    if not layout.empty:
        new.set_layout(layout)
    memory_type = info._tensor._memory_type
    if memory_type:
        new.outputs[0].rt_info["memory_type"] = {"version": "0", "value": memory_type}
    elif memory_type is not None:
        new.outputs[0].rt_info.pop("memory_type", None)


def implicit_steps(context: Context, element_type: ElementType) -> list[Step]:
    """Return the steps from what explicit ones leave to what the model expects."""
    implicit = []
    if element_type is not context.target_type:
        implicit.append(steps.convert_type(context.target_type))
    if not context.target_layout.empty and context.target_layout != context.layout:
        implicit.append(steps.convert_layout(context.target_layout, unsqueeze=True))
    return implicit


def build_input(info: InputInfo, parameters: list[Node], names: set[str]) -> None:
    """Build the preprocessing of one input, let what reads its Parameter read it, and replace that in the list."""
    new = new_parameters(info, names)
    ports, context = new.ports, new.context
    for step in info._steps._steps:
        ports = step.run(ports, context)
    if len(ports) != 1:
        raise InputError(
            "Multiple plane input is not allowed as model input. Consider using of convert_color preprocessing "
            f"operation. Current format is '{name_of(context.color)}'"
        )
    if context.color not in _ACCEPTED:
        raise InputError(
            "model shall have RGB/BGR/GRAY color format. Consider add 'convert_color' preprocessing operation to "
            f"convert current color format '{name_of(context.color)}' to RGB/BGR/GRAY"
        )
    for step in implicit_steps(context, ports[0].element_type):
        ports = step.run(ports, context)
    _replace(info._node, ports[0], new.nodes, parameters)


def _replace(old: Node, port: Output, new: list[Node], parameters: list[Node]) -> None:
    if not port.partial_shape.compatible(old.partial_shape):
        raise InputError(
            f"Resulting shape '{port.partial_shape}' after preprocessing is not aligned with original parameter's "
            f"shape: {old.partial_shape}, input parameter: {old.name}"
        )
    if old not in parameters:
        raise InputError(
            "Parameter to replace has been replaced by previous steps of preprocessing. Use only one InputInfo for "
            "one input parameter"
        )
    readers = list(old.outputs[0].readers)
    rewire([(reader, port) for reader in readers])
    for reader in readers:
        if reader.node.is_a(Result):
            reader.node.outputs[0].take_names(port)
    position = parameters.index(old)
    parameters[position : position + 1] = new
