"""Results of inferences and tensors of files, as `openvino.utils.data_helpers.wrappers`."""

from ir_plugin.openvino.api import Results as OVDict
from ir_plugin.openvino.api import tensor_from_file

__all__ = ["OVDict", "tensor_from_file"]
