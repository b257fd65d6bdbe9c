"""Functions that build nodes, made from signatures: `opset13.add(a, b)`."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np

from ir_plugin.errors import ArgumentTypeError, InputError
from ir_plugin.model import Node, Output
from ir_plugin.operations.registry import Definition
from ir_plugin.opsets.documentation import annotation, documentation
from ir_plugin.opsets.nodes import built, constant_node, definition_of, output_of
from ir_plugin.opsets.signatures import REQUIRED, Parameter, Signature

Factory: TypeAlias = Callable[..., Node]

_FILLED: dict[tuple[str, str], Callable[[list[Output]], Output]] = {
    ("embedding_bag_offsets", "default_index"): lambda inputs: _like(-1, inputs[1]),
    ("scaled_dot_product_attention", "attention_mask"): lambda inputs: _like(0, inputs[0]),
    ("non_max_suppression", "max_output_boxes_per_class"): lambda _: constant_node(np.int64(0)).outputs[0],
    ("non_max_suppression", "iou_threshold"): lambda _: constant_node(np.float32(0)).outputs[0],
    ("non_max_suppression", "score_threshold"): lambda _: constant_node(np.float32(0)).outputs[0],
    ("non_max_suppression", "soft_nms_sigma"): lambda _: constant_node(np.float32(0)).outputs[0],
    ("swish", "beta"): lambda inputs: _like(1, inputs[0]),
}
"""Defaults of absent inputs, written as constants if a later input is given, or always as OpenVINO does."""
_ALWAYS_FILLED = {"non_max_suppression", "swish"}
_LEFT_OUT = {("opset5", "soft_nms_sigma")}
"""Inputs of always filled definitions that stay out unless they are passed."""


def _like(number: int, source: Output) -> Output:
    """Return a number of the type of another output."""
    return constant_node(number, source.tensor_info.element_type).outputs[0]


def factory(signature: Signature) -> Factory:
    """Return the function of a signature, with its name, parameters and documentation."""
    definition = definition_of(signature.type, signature.version)
    parameters = [_as_python(definition, parameter) for parameter in signature.parameters]
    order = inspect.Signature([*parameters, _NAME], return_annotation="Node")

    def build(*arguments: Any, **named: Any) -> Node:
        try:
            bound = order.bind(*arguments, **named)
        except TypeError as fault:
            raise ArgumentTypeError(f"{signature.name}{order}: {fault}") from None
        bound.apply_defaults()
        inputs, attributes = _sorted(signature, bound.arguments)
        if signature.name == "roi_pooling":
            attributes = _with_pooled_sizes(attributes)
        if signature.name in _ONE_OR_THREE and len(inputs) == 2:
            raise InputError(f"Operation {signature.type} has one input or three planes, not two")
        return built(definition, inputs, attributes, bound.arguments["name"])

    build.__name__ = build.__qualname__ = signature.name
    build.__doc__ = documentation(signature, definition)
    build.__signature__ = order  # type: ignore[attr-defined]
    return build


_ONE_OR_THREE = {"i420_to_bgr", "i420_to_rgb"}

_NAME = inspect.Parameter("name", inspect.Parameter.POSITIONAL_OR_KEYWORD, default=None, annotation="str | None")


def _as_python(definition: Definition, parameter: Parameter) -> inspect.Parameter:
    default = inspect.Parameter.empty if parameter.default is REQUIRED else parameter.default
    label = annotation(definition, parameter)
    return inspect.Parameter(parameter.name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=default, annotation=label)


def _sorted(signature: Signature, arguments: Mapping[str, Any]) -> tuple[list[Output], dict[str, Any]]:
    """Return the inputs and the attributes among the arguments of a call."""
    inputs: list[Output] = []
    skipped: list[Parameter] = []
    attributes: dict[str, Any] = {}
    name = arguments["name"]
    for parameter in signature.parameters:
        value = arguments[parameter.name]
        if parameter.kind == "attribute":
            attributes |= {} if value is None else {parameter.target: value}
        elif parameter.kind == "attributes":
            attributes |= _dictionary(signature, parameter, value)
        elif parameter.kind == "nodes":
            inputs += [output_of(item, f"{signature.name}, {parameter.name}", name) for item in value]
        elif value is None and parameter.default is None:
            skipped.append(parameter)
            if signature.name in _ALWAYS_FILLED and (signature.version, parameter.name) not in _LEFT_OUT:
                _fill(signature, skipped, inputs)
        else:
            _fill(signature, skipped, inputs)
            inputs.append(output_of(value, f"{signature.name}, {parameter.name}", name))
    return inputs, attributes


def _fill(signature: Signature, skipped: list[Parameter], inputs: list[Output]) -> None:
    """Add constants for the inputs that were skipped so far."""
    for parameter in skipped:
        fill = _FILLED.get((signature.name, parameter.name))
        if fill is None:
            if signature.name in _ALWAYS_FILLED:
                return
            raise InputError(
                f"Operation {signature.type}: an input after {parameter.name!r} is passed, so it is needed too"
            )
        inputs.append(fill(inputs))
    skipped.clear()


def _with_pooled_sizes(attributes: dict[str, Any]) -> dict[str, Any]:
    """Return the attributes of ROIPooling, whose output sizes an IR writes one by one."""
    sizes = attributes.get("output_size") or attributes.get("output_roi")
    if sizes is None or len(sizes) != 2:
        raise InputError(f"roi_pooling: output_roi is a height and a width, not {sizes!r}")
    return attributes | {"output_size": sizes, "output_roi": sizes, "pooled_h": sizes[0], "pooled_w": sizes[1]}


def _dictionary(signature: Signature, parameter: Parameter, value: Any) -> dict[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise ArgumentTypeError(f"{signature.name}: {parameter.name} is a dictionary, not {type(value).__name__}")
    return {str(name): item for name, item in value.items() if item is not None}
