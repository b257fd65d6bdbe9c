"""ir_plugin: load, validate, explain and run OpenVINO IR with NumPy.

The names are OpenVINO's: `Core().read_model("model.xml")`, `compile_model`, `compiled([array])`.
"""

from __future__ import annotations

import sys
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ir_plugin.hooks import HOOKS as _HOOKS
from ir_plugin.version import __version__ as __version__

if TYPE_CHECKING:
    from ir_plugin import (
        exceptions,
        experimental,
        frontend,
        helpers,
        opset1,
        opset2,
        opset3,
        opset4,
        opset5,
        opset6,
        opset7,
        opset8,
        opset9,
        opset10,
        opset11,
        opset12,
        opset13,
        opset14,
        opset15,
        opset16,
        opset17,
        preprocess,
        properties,
        utils,
    )
    from ir_plugin.api import (
        AsyncInferQueue,
        CompiledModel,
        Core,
        Extension,
        InferRequest,
        Intermediates,
        Model,
        Op,
        OpExtension,
        OVAny,
        ProfilingInfo,
        Results,
        Tensor,
        TensorVector,
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
        shutdown,
        tensor_from_file,
        validate,
    )
    from ir_plugin.batch_inference import Predictor, map
    from ir_plugin.conversion import convert_model
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
        MissingFileError,
        NameNotFoundError,
        OutOfMemoryError,
        PackingError,
        PositionError,
        ReadError,
        RequestBusyError,
        ShapeError,
        UnsupportedError,
        ValidationError,
    )
    from ir_plugin.model import ConstOutput, DiscreteTypeInfo, Input, Node, Output, RTMap
    from ir_plugin.operations.base import Operation
    from ir_plugin.report.compare import compare
    from ir_plugin.report.comparison import Comparison
    from ir_plugin.report.difference import Difference, diff
    from ir_plugin.report.facts import facts
    from ir_plugin.report.rank import rank_quantizers
    from ir_plugin.report.ranking import Ranking
    from ir_plugin.surgery import Change, cut
    from ir_plugin.tensors import (
        AxisSet,
        AxisVector,
        Coordinate,
        CoordinateDiff,
        Dimension,
        Layout,
        PartialShape,
        Shape,
        Strides,
        Symbol,
    )
    from ir_plugin.tensors import ElementType as Type


_HOMES = (
    "errors",
    "tensors",
    "diagnostics",
    "operations.base",
    "api",
    "model",
    "surgery",
    "report.compare",
    "report.difference",
    "report.facts",
    "report.rank",
    "batch_inference",
    "conversion",
)
"""Modules that public names come from, the quickest to import first; the first that has a name is its home."""

_MODULES = {
    **{
        name: f"ir_plugin.{name}"
        for name in (
            "_offline_transformations",
            "_op_base",
            "_ov_api",
            "_pyopenvino",
            "exceptions",
            "experimental",
            "frontend",
            "helpers",
            "op",
            "package_utils",
            "passes",
            "preprocess",
            "tools",
        )
    },
    "layout_helpers": "ir_plugin.api.layout_helpers",
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
    "Change",
    "Comparison",
    "CompiledModel",
    "ConstOutput",
    "Coordinate",
    "CoordinateDiff",
    "Core",
    "Difference",
    "Dimension",
    "DiscreteTypeInfo",
    "Error",
    "EvaluationError",
    "Extension",
    "Finding",
    "Findings",
    "InferRequest",
    "Input",
    "InputError",
    "Intermediates",
    "Layout",
    "LimitError",
    "MissingFileError",
    "Model",
    "NameNotFoundError",
    "Node",
    "OVAny",
    "Op",
    "OpExtension",
    "Operation",
    "OutOfMemoryError",
    "Output",
    "PackingError",
    "PartialShape",
    "PositionError",
    "Predictor",
    "ProfilingInfo",
    "RTMap",
    "Ranking",
    "ReadError",
    "RequestBusyError",
    "Results",
    "Shape",
    "ShapeError",
    "Strides",
    "Symbol",
    "Tensor",
    "TensorVector",
    "Type",
    "UnsupportedError",
    "ValidationError",
    "VariableState",
    "Version",
    "compare",
    "compile_model",
    "convert_model",
    "cut",
    "diff",
    "facts",
    "get_batch",
    "get_version",
    "layout_helpers",
    "map",
    "preprocess",
    "properties",
    "rank_quantizers",
    "read_model",
    "save_model",
    "serialize",
    "set_batch",
    "shutdown",
    "tensor_from_file",
    "validate",
]


class _ModulesOfOpenVINO:
    """Finds modules of OpenVINO that have no file here: they are other modules, or have absent names only."""

    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> Any:
        """Return the specification of a module of this package, or None."""
        del path, target
        is_ours = name.partition(".")[0] == __name__
        return import_module("ir_plugin.diagnostics.modules").spec_of(name) if is_ours else None


sys.meta_path.append(_ModulesOfOpenVINO)

_HOOKS.api = partial(import_module, "ir_plugin.api")
_HOOKS.builders = partial(import_module, "ir_plugin.opsets.updating")
_HOOKS.evaluation = partial(import_module, "ir_plugin.api.evaluation")
_HOOKS.operators = partial(import_module, "ir_plugin.opset13")


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
    return import_module("ir_plugin.diagnostics.absent").absent_from("ir_plugin", name, sys.modules[__name__])


def __dir__() -> list[str]:
    return [*globals(), *__all__, *_MODULES]
