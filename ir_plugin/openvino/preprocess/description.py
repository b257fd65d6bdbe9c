"""The text of a preprocessing: `str(PrePostProcessor)`."""

from __future__ import annotations

from collections.abc import Iterable

from ir_plugin.model import Output
from ir_plugin.model.rewiring import unlist
from ir_plugin.openvino.preprocess import inputs, outputs
from ir_plugin.openvino.preprocess.colors import name_of
from ir_plugin.openvino.preprocess.formats import ColorFormat
from ir_plugin.openvino.preprocess.graph import Context, Ports, Step
from ir_plugin.openvino.preprocess.inputs import InputInfo, NewParameters, new_parameters
from ir_plugin.openvino.preprocess.outputs import OutputInfo, context_of
from ir_plugin.tensors import Layout


def describe_input(lines: list[str], info: InputInfo, names: set[str]) -> None:
    """Append the description of one input, nothing where nothing is to be done.

    The lines up to a step that cannot be built are there when it raises.
    """
    new = new_parameters(info, names)
    ports, context = new.ports, new.context
    if not _needs_description(info, new):
        return
    lines += [_title(info, context), *_tensors(ports, context)]
    model = _tensor(context.model_shape, context.target_layout, context.target_type.name)
    lines.append(f"    Model's expected tensor: {model}")
    explicit = info._steps._steps
    if explicit:
        lines.append(f"    Pre-processing steps ({len(explicit)}):")
    ports = _run(lines, explicit, ports, context)
    implicit = inputs.implicit_steps(context, ports[0].element_type)
    if implicit:
        lines.append(f"    Implicit pre-processing steps ({len(implicit)}):")
    _run(lines, implicit, ports, context)


def _needs_description(info: InputInfo, new: NewParameters) -> bool:
    ports, context = new.ports, new.context
    return (
        len(ports) > 1
        or ports[0].partial_shape != context.model_shape
        or info._node.get_layout() != context.target_layout
        or ports[0].element_type is not context.target_type
        or info._tensor._memory_type is not None
        or bool(info._steps._steps)
    )


def _title(info: InputInfo, context: Context) -> str:
    names = info._node.outputs[0].names
    title = "Input " + (f'"{min(names)}"' if names else "")
    if context.color is not ColorFormat.UNDEFINED:
        title += f" (color {name_of(context.color)})"
    if info._tensor._memory_type is not None:
        title += f" memory type={info._tensor._memory_type}"
    return title + ":"


def _tensors(ports: Ports, context: Context) -> list[str]:
    if len(ports) == 1:
        return [f"    User's input tensor: {_port(ports[0], context.layout)}"]
    lines = [f"    {len(ports)} user's tensors expected for each plane:"]
    for plane, port in enumerate(ports):
        name = f"{port.any_name} " if port.names else ""
        lines.append(f"       {plane}: {name}{_port(port, context.layout)}")
    return lines


def describe_output(lines: list[str], info: OutputInfo) -> None:
    """Append the description of one output's steps, nothing if it has none, without changing the model."""
    source = info._node.inputs[0].get_source_output()
    count = len(source.readers)
    try:
        _describe_output(lines, info, source)
    finally:
        for port in source.readers[count:]:
            unlist(port)


def _describe_output(lines: list[str], info: OutputInfo, source: Output) -> None:
    result, context = info._node.outputs[0], context_of(info)
    tensor = info._tensor
    changes_layout = tensor._layout is not None and context.layout != tensor._layout
    changes_type = tensor._type is not None and result.element_type is not tensor._type
    explicit = info._steps._steps
    if not (changes_layout or changes_type or explicit):
        return
    names = ", ".join(sorted(result.names))
    lines.append(f'Output "{names}":' if names else "Output :")
    lines.append(f"    Model's data tensor: {_port(result, context.layout)}")
    if explicit:
        lines.append(f"    Post-processing steps ({len(explicit)}):")
    ports = _run(lines, explicit, [source], context)
    implicit = outputs.implicit_steps(info, context, ports[0])
    if implicit:
        lines.append(f"    Post-processing implicit steps ({len(implicit)}):")
    ports = _run(lines, implicit, ports, context)
    lines.append(f"    User's output tensor: {_port(ports[0], context.layout)}")


def _run(lines: list[str], steps: Iterable[Step], ports: Ports, context: Context) -> Ports:
    for step in steps:
        lines.append(f"      {step.text}: ({_state(ports, context)}")
        ports = step.run(ports, context)
        lines[-1] += f") -> ({_state(ports, context)})"
    return ports


def _state(ports: Ports, context: Context) -> str:
    color = "" if context.color is ColorFormat.UNDEFINED else f", {name_of(context.color)}"
    return _port(ports[0], context.layout) + color


def _port(port: Output, layout: Layout) -> str:
    return _tensor(port.partial_shape, layout, port.element_type.name)


def _tensor(shape: object, layout: Layout, type: str) -> str:
    return f"{shape}, {'<no layout>' if layout.empty else layout}, {type}"
