"""The functions of opset 4, which build nodes."""

from ir_plugin.opsets import module

__getattr__, __dir__ = module(4)
