"""ir_plugin: load, validate, explain and run OpenVINO IR with NumPy.

The names are OpenVINO's: `Core().read_model("model.xml")`, `compile_model`, `compiled([array])`.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ir_plugin.version import __version__ as __version__

if TYPE_CHECKING:
    from ir_plugin import properties
    from ir_plugin.api import (
        AsyncInferQueue,
        CompiledModel,
        Core,
        InferRequest,
        Intermediates,
        Model,
        OVAny,
        ProfilingInfo,
        Results,
        Tensor,
        VariableState,
        Version,
        compile_model,
        get_batch,
        get_version,
        layout_helpers,
        read_model,
        save_model,
        serialize,
        set_batch,
        tensor_from_file,
        validate,
    )
    from ir_plugin.batch_inference import Predictor, map
    from ir_plugin.diagnostics import Finding, Findings
    from ir_plugin.errors import (
        AbsentError,
        ArgumentTypeError,
        ArgumentValueError,
        CallbackError,
        Error,
        EvaluationError,
        InputError,
        LimitError,
        NameNotFoundError,
        OutOfMemoryError,
        PackingError,
        PositionError,
        ReadError,
        ShapeError,
        UnsupportedError,
        ValidationError,
    )
    from ir_plugin.model import ConstOutput, Input, Node, Output
    from ir_plugin.operations.base import Operation
    from ir_plugin.report.compare import compare
    from ir_plugin.report.comparison import Comparison
    from ir_plugin.tensors import (
        AxisSet,
        AxisVector,
        Coordinate,
        Dimension,
        Layout,
        PartialShape,
        Shape,
        Strides,
    )
    from ir_plugin.tensors import ElementType as Type


_HOMES = ("errors", "tensors", "diagnostics", "operations.base", "api", "model", "report.compare", "batch_inference")
"""Modules that public names come from, the quickest to import first; the first that has a name is its home."""

_MODULES = {
    "_offline_transformations": "ir_plugin._offline_transformations",
    "layout_helpers": "ir_plugin.api.layout_helpers",
    "passes": "ir_plugin.passes",
    "properties": "ir_plugin.properties",
    "utils": "ir_plugin.utils",
    **{f"opset{number}": f"ir_plugin.opset{number}" for number in range(1, 18)},
}

__all__ = [
    "AbsentError",
    "ArgumentTypeError",
    "ArgumentValueError",
    "AsyncInferQueue",
    "AxisSet",
    "AxisVector",
    "CallbackError",
    "Comparison",
    "CompiledModel",
    "ConstOutput",
    "Coordinate",
    "Core",
    "Dimension",
    "Error",
    "EvaluationError",
    "Finding",
    "Findings",
    "InferRequest",
    "Input",
    "InputError",
    "Intermediates",
    "Layout",
    "LimitError",
    "Model",
    "NameNotFoundError",
    "Node",
    "OVAny",
    "Operation",
    "OutOfMemoryError",
    "Output",
    "PackingError",
    "PartialShape",
    "PositionError",
    "Predictor",
    "ProfilingInfo",
    "ReadError",
    "Results",
    "Shape",
    "ShapeError",
    "Strides",
    "Tensor",
    "Type",
    "UnsupportedError",
    "ValidationError",
    "VariableState",
    "Version",
    "compare",
    "compile_model",
    "get_batch",
    "get_version",
    "layout_helpers",
    "map",
    "properties",
    "read_model",
    "save_model",
    "serialize",
    "set_batch",
    "tensor_from_file",
    "validate",
]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that importing the package stays quick."""
    if name == "Type":
        return import_module("ir_plugin.tensors").ElementType
    if name in _MODULES:
        return import_module(_MODULES[name])
    for home in _HOMES if name in __all__ else ():
        module = import_module(f"ir_plugin.{home}")
        if hasattr(module, name):
            return getattr(module, name)
    raise import_module("ir_plugin.diagnostics.absent").absent("ir_plugin", name, sys.modules[__name__])


def __dir__() -> list[str]:
    return [*globals(), *__all__, *_MODULES]
