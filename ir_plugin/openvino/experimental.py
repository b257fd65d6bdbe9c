"""Values that inference knows before a run, as `openvino.experimental`."""

from __future__ import annotations

import numpy as np

from ir_plugin.errors import InputError, require
from ir_plugin.model import DescriptorTensor, Output
from ir_plugin.openvino.api.tensor import Tensor
from ir_plugin.tensors import UNBOUNDED, Bounds, Dimension, ElementType, PartialShape

__all__ = ["evaluate_as_partial_shape", "evaluate_both_bounds", "set_element_type", "set_tensor_type"]


def evaluate_both_bounds(output: Output) -> tuple[Tensor, Tensor]:
    """Return tensors of the smallest and the largest value of each element of an output."""
    require(output, Output, "an output", "output")
    bounds = output.tensor_info.bounds
    if bounds is None:
        raise InputError(f'the values of "{output.node.name}" are not known before a run')
    return Tensor.of(bounds.lower, output.element_type), Tensor.of(bounds.upper, output.element_type)


def evaluate_as_partial_shape(output: Output, partial_shape: PartialShape) -> bool:
    """Write the known values of an output into a shape as its dimensions; return whether they are known."""
    require(output, Output, "an output", "output")
    require(partial_shape, PartialShape, "a PartialShape", "partial_shape")
    bounds = output.tensor_info.bounds
    if bounds is not None:
        PartialShape.__init__(partial_shape, _dimensions(bounds))
    return bounds is not None


def _dimensions(bounds: Bounds) -> list[Dimension]:
    lowest, highest = (np.atleast_1d(array).tolist() for array in bounds)
    return [Dimension.between(low, min(high, UNBOUNDED)) for low, high in zip(lowest, highest, strict=True)]


def set_element_type(tensor: DescriptorTensor, element_type: ElementType) -> None:
    """Change the element type of the tensor of a port; inference writes the inferred one again."""
    set_tensor_type(tensor, element_type, tensor.partial_shape)


def set_tensor_type(tensor: DescriptorTensor, element_type: ElementType, partial_shape: PartialShape) -> None:
    """Change the element type and the shape of the tensor of a port; inference writes the inferred ones again."""
    require(tensor, DescriptorTensor, "the tensor of a port", "tensor")
    require(partial_shape, PartialShape, "a PartialShape", "partial_shape")
    tensor.set_type(ElementType(element_type), partial_shape)
