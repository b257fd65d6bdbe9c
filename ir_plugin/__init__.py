"""ir_plugin: load, validate, explain and run OpenVINO IR with NumPy.

The names are OpenVINO's: `Core().read_model("model.xml")`, `compile_model`, `compiled([array])`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ir_plugin import properties as properties
    from ir_plugin.api import AsyncInferQueue as AsyncInferQueue
    from ir_plugin.api import CompiledModel as CompiledModel
    from ir_plugin.api import Core as Core
    from ir_plugin.api import InferRequest as InferRequest
    from ir_plugin.api import Intermediates as Intermediates
    from ir_plugin.api import Model as Model
    from ir_plugin.api import OVAny as OVAny
    from ir_plugin.api import ProfilingInfo as ProfilingInfo
    from ir_plugin.api import Results as Results
    from ir_plugin.api import Tensor as Tensor
    from ir_plugin.api import VariableState as VariableState
    from ir_plugin.api import Version as Version
    from ir_plugin.api import compile_model as compile_model
    from ir_plugin.api import get_version as get_version
    from ir_plugin.api import layout_helpers as layout_helpers
    from ir_plugin.api import read_model as read_model
    from ir_plugin.api import save_model as save_model
    from ir_plugin.api import serialize as serialize
    from ir_plugin.api import tensor_from_file as tensor_from_file
    from ir_plugin.api import validate as validate
    from ir_plugin.diagnostics import Finding as Finding
    from ir_plugin.diagnostics import Findings as Findings
    from ir_plugin.errors import Error as Error
    from ir_plugin.errors import EvaluationError as EvaluationError
    from ir_plugin.errors import InputError as InputError
    from ir_plugin.errors import PackingError as PackingError
    from ir_plugin.errors import ReadError as ReadError
    from ir_plugin.errors import ShapeError as ShapeError
    from ir_plugin.errors import UnsupportedError as UnsupportedError
    from ir_plugin.errors import ValidationError as ValidationError
    from ir_plugin.model import ConstOutput as ConstOutput
    from ir_plugin.model import Input as Input
    from ir_plugin.model import Node as Node
    from ir_plugin.model import Output as Output
    from ir_plugin.operations.base import Operation as Operation
    from ir_plugin.tensors import AxisSet as AxisSet
    from ir_plugin.tensors import AxisVector as AxisVector
    from ir_plugin.tensors import Coordinate as Coordinate
    from ir_plugin.tensors import Dimension as Dimension
    from ir_plugin.tensors import ElementType as Type  # noqa: F401 (public, by __all__)
    from ir_plugin.tensors import Layout as Layout
    from ir_plugin.tensors import PartialShape as PartialShape
    from ir_plugin.tensors import Shape as Shape
    from ir_plugin.tensors import Strides as Strides

__version__ = "0.1.0"

_HOMES = {
    "ir_plugin.api": (
        "AsyncInferQueue", "CompiledModel", "Core", "InferRequest", "Intermediates", "Model", "OVAny", "ProfilingInfo",
        "Results", "Tensor", "VariableState", "Version", "compile_model", "get_version", "read_model", "save_model",
        "serialize", "tensor_from_file", "validate",
    ),
    "ir_plugin.diagnostics": ("Finding", "Findings"),
    "ir_plugin.errors": (
        "Error", "EvaluationError", "InputError", "PackingError", "ReadError", "ShapeError", "UnsupportedError",
        "ValidationError",
    ),
    "ir_plugin.model": ("ConstOutput", "Input", "Node", "Output"),
    "ir_plugin.operations.base": ("Operation",),
    "ir_plugin.tensors": (
        "AxisSet", "AxisVector", "Coordinate", "Dimension", "Layout", "PartialShape", "Shape", "Strides",
    ),
}  # fmt: skip
_MODULES = {"layout_helpers": "ir_plugin.api.layout_helpers", "properties": "ir_plugin.properties"}

__all__ = sorted(["Type", *_MODULES, *(name for names in _HOMES.values() for name in names)])  # noqa: PLE0605


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that importing the package stays quick."""
    if name == "Type":
        return import_module("ir_plugin.tensors").ElementType
    if name in _MODULES:
        return import_module(_MODULES[name])
    for module, names in _HOMES.items():
        if name in names:
            return getattr(import_module(module), name)
    raise AttributeError(f"module 'ir_plugin' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*globals(), *__all__]
