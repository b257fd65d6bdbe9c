"""Tensors of inputs and outputs, as `openvino.utils.data_helpers`."""

from ir_plugin.openvino.api import Results as OVDict
from ir_plugin.openvino.api import tensor_from_file
from ir_plugin.openvino.utils.data_helpers.data_dispatcher import data_dispatch as _data_dispatch

__all__ = ["OVDict", "_data_dispatch", "tensor_from_file"]
