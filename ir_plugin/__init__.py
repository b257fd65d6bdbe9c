"""ir_plugin: load, validate, explain and run OpenVINO IR with NumPy.

The names are OpenVINO's: `Core().read_model("model.xml")`, `compile_model`, `compiled([array])`.
"""

from __future__ import annotations

import sys
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ir_plugin.version import __version__ as __version__

if TYPE_CHECKING:
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
    from ir_plugin.frontends import model_files
    from ir_plugin.model import ConstOutput, DiscreteTypeInfo, Input, Node, Output, RTMap
    from ir_plugin.openvino import (
        exceptions,
        experimental,
        frontend,
        genai,
        helpers,
        preprocess,
        properties,
        utils,
    )
    from ir_plugin.openvino.api import (
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
        save_onnx,
        serialize,
        set_batch,
        shutdown,
        tensor_from_file,
        validate,
    )
    from ir_plugin.openvino.conversion import convert_model
    from ir_plugin.openvino.surgery import Change, cut
    from ir_plugin.operations.base import Operation
    from ir_plugin.opsets import (
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
    )
    from ir_plugin.report.batching import batching_obstacle
    from ir_plugin.report.compare import compare
    from ir_plugin.report.comparison import Comparison
    from ir_plugin.report.difference import Difference, diff
    from ir_plugin.report.facts import facts
    from ir_plugin.report.measures import Measures, Tolerance, measure
    from ir_plugin.report.profile import Profile, profile
    from ir_plugin.report.rank import rank_quantizers
    from ir_plugin.report.ranking import Ranking
    from ir_plugin.report.store import load_arrays, save_arrays, storable
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
    from ir_plugin.writer.files import replacing


_HOMES = (
    "errors",
    "tensors",
    "diagnostics",
    "operations.base",
    "openvino.api",
    "model",
    "openvino.surgery",
    "frontends",
    "report.measures",
    "report.store",
    "report.batching",
    "report.compare",
    "report.difference",
    "report.facts",
    "report.profile",
    "report.rank",
    "writer.files",
    "batch_inference",
    "openvino.conversion",
)
"""Modules that public names come from, the quickest to import first; the first that has a name is its home."""

_OPENVINO = (
    "_offline_transformations",
    "_op_base",
    "_ov_api",
    "_pyopenvino",
    "exceptions",
    "experimental",
    "frontend",
    "genai",
    "helpers",
    "layout_helpers",
    "onnx_backend",
    "op",
    "package_utils",
    "passes",
    "preprocess",
    "properties",
    "pytest_plugin",
    "runtime",
    "tools",
    "torch",
    "utils",
    *(f"opset{number}" for number in range(1, 18)),
)
"""Modules with OpenVINO's names, which stand for modules of `ir_plugin.openvino` and `ir_plugin.opsets`."""

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
    "Measures",
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
    "Profile",
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
    "Tolerance",
    "Type",
    "UnsupportedError",
    "ValidationError",
    "VariableState",
    "Version",
    "batching_obstacle",
    "compare",
    "compile_model",
    "convert_model",
    "cut",
    "diff",
    "facts",
    "get_batch",
    "get_version",
    "layout_helpers",
    "load_arrays",
    "map",
    "measure",
    "model_files",
    "preprocess",
    "profile",
    "properties",
    "rank_quantizers",
    "read_model",
    "replacing",
    "save_arrays",
    "save_model",
    "save_onnx",
    "serialize",
    "set_batch",
    "shutdown",
    "storable",
    "tensor_from_file",
    "validate",
]


class _ModulesOfOpenVINO:
    """Finds modules by OpenVINO's names: `ir_plugin.passes` is `ir_plugin.openvino.passes`."""

    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> Any:
        """Return the specification of a module with a name of OpenVINO, or None."""
        del path, target
        package, _, module = name.partition(".")
        is_alias = package == __name__ and module.partition(".")[0] in _OPENVINO
        return import_module("ir_plugin.diagnostics.modules").spec_of(name) if is_alias else None


sys.meta_path.insert(0, _ModulesOfOpenVINO)  # before files: a package's path would load its modules twice

UPPER_LAYERS = {
    "api": partial(import_module, "ir_plugin.openvino.api"),
    "builders": partial(import_module, "ir_plugin.opsets.updating"),
    "evaluation": partial(import_module, "ir_plugin.openvino.api.evaluation"),
    "operators": partial(import_module, "ir_plugin.opsets.opset13"),
}
"""How `ir_plugin.model.hooks` imports modules of upper layers."""


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that importing the package stays quick."""
    if name == "Type":
        return import_module("ir_plugin.tensors").ElementType
    if name in _OPENVINO:
        return import_module(f"ir_plugin.{name}")
    for home in _HOMES if name in __all__ else ():
        module = import_module(f"ir_plugin.{home}")
        if hasattr(module, name):
            return getattr(module, name)
    return import_module("ir_plugin.diagnostics.absent").absent_from("ir_plugin", name, sys.modules[__name__])


def __dir__() -> list[str]:
    return [*globals(), *__all__, *_OPENVINO]
