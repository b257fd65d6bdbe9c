"""The API with OpenVINO's names and conventions: Core, models, compiled models, infer requests."""

from ir_plugin.errors import RequestBusyError
from ir_plugin.model.variables import Variable, VariableInfo
from ir_plugin.openvino.api import layout_helpers
from ir_plugin.openvino.api.batch import get_batch, set_batch
from ir_plugin.openvino.api.compiled import CompiledModel
from ir_plugin.openvino.api.core import Core, Version, compile_model, get_version, read_model, shutdown, validate
from ir_plugin.openvino.api.custom import Extension, Op, OpExtension
from ir_plugin.openvino.api.intermediates import Intermediates
from ir_plugin.openvino.api.model import Model
from ir_plugin.openvino.api.profiling import ProfilingInfo
from ir_plugin.openvino.api.queue import AsyncInferQueue
from ir_plugin.openvino.api.request import InferRequest
from ir_plugin.openvino.api.results import OVDict, Results
from ir_plugin.openvino.api.saving import save_model, save_onnx, serialize
from ir_plugin.openvino.api.states import VariableState
from ir_plugin.openvino.api.tensor import Tensor, TensorVector, tensor_from_file
from ir_plugin.openvino.properties.any import OVAny

__all__ = [
    "AsyncInferQueue",
    "CompiledModel",
    "Core",
    "Extension",
    "InferRequest",
    "Intermediates",
    "Model",
    "OVAny",
    "OVDict",
    "Op",
    "OpExtension",
    "ProfilingInfo",
    "RequestBusyError",
    "Results",
    "Tensor",
    "TensorVector",
    "Variable",
    "VariableInfo",
    "VariableState",
    "Version",
    "compile_model",
    "get_batch",
    "get_version",
    "layout_helpers",
    "read_model",
    "save_model",
    "save_onnx",
    "serialize",
    "set_batch",
    "shutdown",
    "tensor_from_file",
    "validate",
]
