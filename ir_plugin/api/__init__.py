"""OpenVINO's names and habits: Core, models, compiled models, infer requests."""

from ir_plugin.api.compiled import CompiledModel, InferRequest, Results
from ir_plugin.api.core import Core, compile_model, validate
from ir_plugin.api.model import Model

__all__ = ["CompiledModel", "Core", "InferRequest", "Model", "Results", "compile_model", "validate"]
