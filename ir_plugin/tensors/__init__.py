"""Element types, dimensions, partial shapes and tensor information."""

from ir_plugin.tensors.dimension import UNBOUNDED, Dimension
from ir_plugin.tensors.element_type import Array, ElementType, as_held
from ir_plugin.tensors.layout import Layout
from ir_plugin.tensors.partial_shape import MAX_RANK, FrozenShape, PartialShape, frozen, shared
from ir_plugin.tensors.shape import AxisSet, AxisVector, Coordinate, CoordinateDiff, Shape, Strides
from ir_plugin.tensors.symbol import Symbol
from ir_plugin.tensors.tensor_info import Bounds, TensorInfo

__all__ = [
    "MAX_RANK",
    "UNBOUNDED",
    "Array",
    "AxisSet",
    "AxisVector",
    "Bounds",
    "Coordinate",
    "CoordinateDiff",
    "Dimension",
    "ElementType",
    "FrozenShape",
    "Layout",
    "PartialShape",
    "Shape",
    "Strides",
    "Symbol",
    "TensorInfo",
    "as_held",
    "frozen",
    "shared",
]
