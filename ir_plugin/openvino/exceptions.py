"""The names that `openvino.exceptions` has, for the errors of this library."""

from ir_plugin.errors import ArgumentTypeError as OVTypeError
from ir_plugin.errors import Error as OVError
from ir_plugin.errors import InputError as UserInputError

__all__ = ["OVError", "OVTypeError", "UserInputError"]
