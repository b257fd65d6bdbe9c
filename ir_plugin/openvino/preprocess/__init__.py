"""Preprocessing and postprocessing as parts of a model, as `openvino.preprocess`."""

from ir_plugin.diagnostics.modules import names_of
from ir_plugin.openvino.preprocess.formats import ColorFormat, PaddingMode, ResizeAlgorithm
from ir_plugin.openvino.preprocess.infos import InputModelInfo, InputTensorInfo, OutputModelInfo, OutputTensorInfo
from ir_plugin.openvino.preprocess.inputs import InputInfo
from ir_plugin.openvino.preprocess.lists import PostProcessSteps, PreProcessSteps
from ir_plugin.openvino.preprocess.outputs import OutputInfo
from ir_plugin.openvino.preprocess.processor import PrePostProcessor

__all__ = [
    "ColorFormat",
    "InputInfo",
    "InputModelInfo",
    "InputTensorInfo",
    "OutputInfo",
    "OutputModelInfo",
    "OutputTensorInfo",
    "PaddingMode",
    "PostProcessSteps",
    "PrePostProcessor",
    "PreProcessSteps",
    "ResizeAlgorithm",
]

__getattr__, __dir__ = names_of("preprocess")
