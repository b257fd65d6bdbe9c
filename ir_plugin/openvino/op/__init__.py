"""Node classes: constants, inputs, outputs, variables, and nodes with bodies."""

from ir_plugin.model.bodies import if_op, loop, tensor_iterator
from ir_plugin.model.kinds import Constant, Parameter, Result, assign, read_value
from ir_plugin.openvino.op import util

__all__ = ["Constant", "Parameter", "Result", "assign", "if_op", "loop", "read_value", "tensor_iterator", "util"]
