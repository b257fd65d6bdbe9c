"""Preprocessing of torchvision as part of a model, as `openvino.preprocess.torchvision`."""

from ir_plugin.openvino.preprocess.torchvision.preprocess_converter import PreprocessConverter

__all__ = ["PreprocessConverter"]
