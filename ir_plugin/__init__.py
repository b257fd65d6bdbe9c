"""ir_plugin: load, validate, explain and run OpenVINO IR with NumPy.

The names are OpenVINO's: `Core().read_model("model.xml")`, `compile_model`, `compiled([array])`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ir_plugin.api import CompiledModel, Core, InferRequest, Model, Results, compile_model, validate
    from ir_plugin.diagnostics import Finding, Findings
    from ir_plugin.errors import (
        Error,
        EvaluationError,
        InputError,
        ReadError,
        ShapeError,
        UnsupportedError,
        ValidationError,
    )
    from ir_plugin.operations.base import Operation
    from ir_plugin.tensors import Dimension, PartialShape
    from ir_plugin.tensors import ElementType as Type

__version__ = "0.1.0"

_HOMES = {
    "ir_plugin.api": ("CompiledModel", "Core", "InferRequest", "Model", "Results", "compile_model", "validate"),
    "ir_plugin.diagnostics": ("Finding", "Findings"),
    "ir_plugin.errors": (
        "Error", "EvaluationError", "InputError", "ReadError", "ShapeError", "UnsupportedError", "ValidationError",
    ),
    "ir_plugin.operations.base": ("Operation",),
    "ir_plugin.tensors": ("Dimension", "PartialShape"),
}  # fmt: skip

__all__ = [
    "CompiledModel",
    "Core",
    "Dimension",
    "Error",
    "EvaluationError",
    "Finding",
    "Findings",
    "InferRequest",
    "InputError",
    "Model",
    "Operation",
    "PartialShape",
    "ReadError",
    "Results",
    "ShapeError",
    "Type",
    "UnsupportedError",
    "ValidationError",
    "compile_model",
    "validate",
]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that importing the package stays quick."""
    if name == "Type":
        return import_module("ir_plugin.tensors").ElementType
    for module, names in _HOMES.items():
        if name in names:
            return getattr(import_module(module), name)
    raise AttributeError(f"module 'ir_plugin' has no attribute {name!r}")
