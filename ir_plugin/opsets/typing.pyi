"""The types of the parameters of functions that build nodes."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ir_plugin.model import Node, Output
from ir_plugin.openvino.api import Tensor
from ir_plugin.tensors import Dimension, ElementType, PartialShape, Shape

Array: TypeAlias = npt.NDArray[Any]
NodeInput: TypeAlias = Node | Output | Tensor | Array | np.generic | float | bool | str | bytes | Sequence[Any]
Nodes: TypeAlias = Sequence[NodeInput]
Ints: TypeAlias = Sequence[int] | Array
Floats: TypeAlias = Sequence[float] | Array
Texts: TypeAlias = Sequence[str]
ElementTypeLike: TypeAlias = ElementType | str | npt.DTypeLike
ShapeLike: TypeAlias = PartialShape | Shape | str | Sequence[int | str | Dimension | tuple[int, int]]
Attributes: TypeAlias = Mapping[str, Any]
