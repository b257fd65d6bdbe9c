"""Everything that has OpenVINO's names: `ir_plugin.passes` and `ir_plugin.openvino.passes` are one module."""
